//! Replaces avian's broad phase by a [`Broadphase`].
//!
//! avian keeps trees of its colliders, for its spatial queries; each collider is a proxy in one of them, with a box that is a little larger than
//! needed. In each step avian needs the pairs of overlapping boxes of which one has changed.

use std::marker::PhantomData;
use std::time::Instant;

use avian3d::collider_tree::{
    ColliderTreeProxy, ColliderTreeProxyFlags as ProxyFlags, ColliderTreeProxyKey,
    ColliderTreeType, ColliderTrees, MovedProxies, ProxyId,
};
use avian3d::collision::CollisionDiagnostics;
use avian3d::collision::contact_types::ContactEdgeFlags;
use avian3d::dynamics::solver::joint_graph::JointGraph;
use avian3d::prelude::{
    BroadPhaseSystems, CollisionHooks, ContactEdge, ContactGraph, ContactPairFlags, PhysicsSchedule,
};
use bevy_app::{App, Plugin};
use bevy_ecs::entity::Entity;
use bevy_ecs::query::Changed;
use bevy_ecs::resource::Resource;
use bevy_ecs::schedule::IntoScheduleConfigs;
use bevy_ecs::system::{Commands, Query, Res, ResMut, StaticSystemParam, SystemParamItem};
use orthant::{Aabb, BodyInfo, Broadphase, Handle, Motion};

/// Finds the pairs of colliders for avian's narrow phase, instead of its `BvhBroadPhasePlugin`. The contacts are those that avian finds; in each
/// step they are in the order of their entities.
///
/// ```
/// use avian3d::prelude::*;
/// use bevy_app::prelude::*;
/// use bevy_orthant::avian::AvianBroadPhasePlugin;
///
/// let mut app = App::new();
/// let physics = PhysicsPlugins::default().build();
/// app.add_plugins(physics.disable::<BvhBroadPhasePlugin>().add(AvianBroadPhasePlugin::<()>::default()));
/// ```
///
/// Pass hooks, which avian takes as `PhysicsPlugins::default().with_collision_hooks::<H>()`, to this plugin instead:
/// `AvianBroadPhasePlugin::<H>::default()`.
///
/// # Complexity
///
/// A step takes O(n + moved log n + pairs), since each collider is visited.
pub struct AvianBroadPhasePlugin<H: CollisionHooks = ()>(PhantomData<fn() -> H>);

impl<H: CollisionHooks> Default for AvianBroadPhasePlugin<H> {
    fn default() -> Self {
        Self(PhantomData)
    }
}

impl<H: CollisionHooks> std::fmt::Debug for AvianBroadPhasePlugin<H> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("AvianBroadPhasePlugin")
    }
}

impl<H: CollisionHooks + 'static> Plugin for AvianBroadPhasePlugin<H>
where
    for<'w, 's> SystemParamItem<'w, 's, H>: CollisionHooks,
{
    fn build(&self, app: &mut App) {
        app.init_resource::<Proxies>();
        let collect = collect_pairs::<H>.in_set(BroadPhaseSystems::CollectCollisions);
        app.add_systems(PhysicsSchedule, collect);
    }
}

/// A body for each proxy.
#[derive(Resource, Default)]
struct Proxies {
    world: Broadphase<[f32; 3]>,
    /// The entity and the body of each proxy, by the tree and by the proxy's number in it.
    known: [Vec<Option<(Entity, Handle)>>; TREES.len()],
    /// The index of the body of each slot among those that moved in this step, or [`usize::MAX`] if it did not move.
    moved: Vec<usize>,
}

const TREES: [ColliderTreeType; 4] = ColliderTreeType::ALL;

/// Two colliders that touch, by their proxies. avian queries its trees with the first.
type Pair = [ColliderTreeProxyKey; 2];

impl Proxies {
    /// Moves the body of a proxy, if there is one, to the proxy's box, and returns the body's handle.
    fn put(&mut self, trees: &ColliderTrees, key: ColliderTreeProxyKey) -> Option<Handle> {
        let (id, tree_type) = (key.id(), key.tree_type());
        let tree = trees.tree_for_type(tree_type);
        let proxy = tree.get_proxy(id)?;
        let bounds = tree.get_proxy_aabb(id)?;
        let Ok(bounds) = Aabb::try_new(bounds.min.to_array(), bounds.max.to_array()) else {
            let entity = proxy.collider;
            log::warn!("{entity} has no contacts: its collider's box has infinite or NaN numbers");
            self.remove(key);
            return None;
        };
        let known = &mut self.known[tree_type as usize];
        if known.len() <= id.index() {
            known.resize(id.index() + 1, None);
        }
        // Two resting proxies are a pair only if the first is a sensor.
        let rests = tree_type == ColliderTreeType::Static && !proxy.is_sensor();
        let motion = if rests {
            Motion::Static
        } else {
            Motion::Dynamic
        };
        if let Some((collider, body)) = known[id.index()] {
            if collider == proxy.collider {
                self.world.set_bounds(body, bounds);
                self.world.set_motion(body, motion);
                return Some(body);
            }
            self.world.remove(body);
        }
        let number = u64::from(id.id()) << 2 | tree_type as u64;
        let body = self
            .world
            .insert(bounds, BodyInfo::from(motion).with_user(number));
        known[id.index()] = Some((proxy.collider, body));
        Some(body)
    }

    fn remove(&mut self, key: ColliderTreeProxyKey) {
        let known = &mut self.known[key.tree_type() as usize];
        if let Some((_, body)) = known.get_mut(key.id().index()).and_then(Option::take) {
            self.world.remove(body);
        }
    }

    /// Adds bodies for proxies that have none, and removes those whose proxies are gone.
    fn complete(&mut self, trees: &ColliderTrees) {
        for tree_type in TREES {
            let proxies = &trees.tree_for_type(tree_type).proxies;
            let of = |known: &Self, at: usize| known.known[tree_type as usize].get(at).copied();
            let mut count = 0;
            for (at, proxy) in proxies.iter() {
                let known = of(self, at).flatten();
                if known.is_none_or(|known| known.0 != proxy.collider) {
                    let key = ColliderTreeProxyKey::new(ProxyId::new(at as u32), tree_type);
                    self.put(trees, key);
                }
                count += usize::from(of(self, at).flatten().is_some());
            }
            let known = &mut self.known[tree_type as usize];
            if known.iter().flatten().count() == count {
                continue;
            }
            for (at, known) in known.iter_mut().enumerate() {
                if let Some((_, body)) = known.take_if(|_| proxies.get(at).is_none()) {
                    self.world.remove(body);
                }
            }
        }
    }

    fn key_of(&self, body: Handle) -> ColliderTreeProxyKey {
        let number = self.world.user(body).expect("bodies of pairs are there");
        let id = ProxyId::new((number >> 2) as u32);
        ColliderTreeProxyKey::new(id, TREES[number as usize % TREES.len()])
    }

    /// Returns the pairs of which one moved, as avian finds them: it queries with each proxy that moved, and resting proxies find resting ones
    /// only if they are sensors. If both moved, the lower one queries, and the higher one too if it is a sensor; the first query counts.
    fn pairs(&self, trees: &ColliderTrees) -> impl Iterator<Item = Pair> {
        let moved = |body: Handle| self.moved.get(body.slot()).copied().unwrap_or(usize::MAX);
        let pairs = self.world.pairs().map(|(a, b)| [a, b]);
        let pairs = pairs.filter(move |&[a, b]| moved(a).min(moved(b)) < usize::MAX);
        pairs.filter_map(move |pair| {
            let [mut low, mut high] = pair.map(|body| (moved(body), self.key_of(body)));
            let rank = |key: ColliderTreeProxyKey| (key.tree_type() as u8, key.id().id());
            if rank(high.1) < rank(low.1) {
                (low, high) = (high, low);
            }
            let is_sensor = |key| {
                trees
                    .get_proxy(key)
                    .is_some_and(ColliderTreeProxy::is_sensor)
            };
            let rest = [low, high].map(|(_, key)| key.tree_type() == ColliderTreeType::Static);
            let asks = |(at, key)| at < usize::MAX && (rest != [true; 2] || is_sensor(key));
            let both = [
                asks(low),
                asks(high) && (low.0 == usize::MAX || is_sensor(high.1)),
            ];
            match both {
                [true, true] if high.0 < low.0 => Some([high.1, low.1]),
                [true, _] => Some([low.1, high.1]),
                [false, true] => Some([high.1, low.1]),
                [false, false] => None,
            }
        })
    }
}

/// ```text
/// update the bodies of proxies that moved or are new, and remove those of proxies that are gone
/// for each pair of boxes of which one moved: add a contact, unless avian would leave the pair out
/// ```
#[allow(
    clippy::too_many_arguments,
    clippy::needless_pass_by_value,
    reason = "a system says what it reads by its arguments, and is given them"
)]
fn collect_pairs<H: CollisionHooks>(
    mut proxies: ResMut<Proxies>,
    trees: Res<ColliderTrees>,
    moved: Res<MovedProxies>,
    renamed: Query<&ColliderTreeProxyKey, Changed<ColliderTreeProxyKey>>,
    hooks: StaticSystemParam<H>,
    joints: Res<JointGraph>,
    mut commands: Commands,
    mut graph: ResMut<ContactGraph>,
    mut diagnostics: ResMut<CollisionDiagnostics>,
) where
    for<'w, 's> SystemParamItem<'w, 's, H>: CollisionHooks,
{
    let start = Instant::now();
    let hooks = hooks.into_inner();
    let proxies = &mut *proxies;
    // avian does not query with all new proxies: some came after the query of the last step.
    for &key in &renamed {
        if key != ColliderTreeProxyKey::PLACEHOLDER {
            proxies.put(&trees, key);
        }
    }
    let mut slots = Vec::with_capacity(moved.proxies().len());
    for &key in moved.proxies() {
        slots.extend(proxies.put(&trees, key).map(Handle::slot));
    }
    proxies.complete(&trees);
    proxies.world.refresh();
    for (at, &slot) in slots.iter().enumerate() {
        if proxies.moved.len() <= slot {
            proxies.moved.resize(slot + 1, usize::MAX);
        }
        proxies.moved[slot] = at;
    }
    let mut found = Vec::new();
    if !slots.is_empty() {
        for keys in proxies.pairs(&trees) {
            if let [Some(a), Some(b)] = keys.map(|key| trees.get_proxy(key))
                && !graph.contains(a.collider, b.collider)
                && may_meet([a, b])
                && !is_jointed(a, b, &joints)
                && (!(a.has_custom_filter() || b.has_custom_filter())
                    || hooks.filter_pairs(a.collider, b.collider, &mut commands))
            {
                found.push([a, b]);
            }
        }
    }
    found.sort_unstable_by_key(|pair| pair.map(|proxy| proxy.collider));
    for [a, b] in found {
        add_contact(&mut graph, a, b);
    }
    for slot in slots {
        proxies.moved[slot] = usize::MAX;
    }
    diagnostics.broad_phase += start.elapsed();
}

/// Returns true if the layers of two proxies meet, and the proxies are of two bodies.
fn may_meet([a, b]: [&ColliderTreeProxy; 2]) -> bool {
    a.layers.interacts_with(b.layers) && a.body != b.body
}

/// Returns true if a joint of their bodies turns contacts off.
fn is_jointed(a: &ColliderTreeProxy, b: &ColliderTreeProxy, joints: &JointGraph) -> bool {
    let (Some(a), Some(b)) = (a.body, b.body) else {
        return false;
    };
    joints
        .joints_between(a, b)
        .any(|edge| edge.collision_disabled)
}

fn add_contact(graph: &mut ContactGraph, a: &ColliderTreeProxy, b: &ColliderTreeProxy) {
    let either = a.flags.union(b.flags);
    let mut edge = ContactEdge::new(a.collider, b.collider);
    (edge.body1, edge.body2) = (a.body, b.body);
    edge.flags.set(
        ContactEdgeFlags::CONTACT_EVENTS,
        either.contains(ProxyFlags::CONTACT_EVENTS),
    );
    graph.add_edge_with(edge, |pair| {
        (pair.body1, pair.body2) = (a.body, b.body);
        pair.flags.set(
            ContactPairFlags::MODIFY_CONTACTS,
            either.contains(ProxyFlags::MODIFY_CONTACTS),
        );
        pair.flags.set(
            ContactPairFlags::GENERATE_CONSTRAINTS,
            !either.intersects(ProxyFlags::BODY_DISABLED.union(ProxyFlags::SENSOR)),
        );
    });
}
