//! A game server's interest management: each player hears of what comes near and what goes.

use std::collections::BTreeSet;

use orthant::glam::Vec2;
use orthant::{Handle, LooseQuadtree, Sphere, With};

use crate::random;

const HEARING: f32 = 6.0;

/// What the server knows things by.
type Entity = u32;

#[derive(Debug)]
struct Player {
    body: Handle,
    knows: BTreeSet<Entity>,
}

#[derive(Debug, PartialEq)]
enum News {
    Enters(Entity),
    Leaves(Entity),
}

#[derive(Debug)]
struct Server {
    things: LooseQuadtree<With<Vec2, Entity>>,
    players: Vec<Player>,
}

impl Server {
    fn new() -> Self {
        Self {
            things: LooseQuadtree::new(),
            players: Vec::new(),
        }
    }

    fn spawn(&mut self, at: Vec2, entity: Entity) -> Handle {
        self.things.insert(With::new(at, entity))
    }

    fn join(&mut self, at: Vec2, entity: Entity) {
        let body = self.spawn(at, entity);
        let knows = BTreeSet::new();
        self.players.push(Player { body, knows });
    }

    fn go(&mut self, handle: Handle, by: Vec2) {
        let thing = self.things[handle];
        self.things
            .update(handle, With::new(thing.item + by, thing.data));
    }

    /// What a player is to be told in this tick.
    fn news(&mut self, player: usize) -> Vec<News> {
        let Player { body, knows } = &mut self.players[player];
        let me = self.things[*body];
        let heard = self.things.query(Sphere::new(me.item, HEARING));
        let now: BTreeSet<Entity> = heard
            .map(|handle| self.things[handle].data)
            .filter(|&entity| entity != me.data)
            .collect();
        let leaves = knows.difference(&now).map(|&entity| News::Leaves(entity));
        let enters = now.difference(knows).map(|&entity| News::Enters(entity));
        let news = leaves.chain(enters).collect();
        *knows = now;
        news
    }
}

#[test]
fn players_know_who_is_near() {
    let mut random = random(2);
    let mut server = Server::new();
    let mut somewhere = |size: f32| Vec2::new(random() - 0.5, random() - 0.5) * size;
    let mut handles: Vec<Handle> = (0..400)
        .map(|entity| server.spawn(somewhere(60.0), entity))
        .collect();
    for entity in 400..420 {
        server.join(somewhere(60.0), entity);
    }
    let mut told = 0;
    for tick in 0..30 {
        if tick % 3 == 0 {
            let gone = handles.swap_remove(tick);
            server.things.remove(gone).expect("it was there");
        }
        for &handle in &handles {
            server.go(handle, somewhere(2.0));
        }
        for player in 0..server.players.len() {
            server.go(server.players[player].body, somewhere(4.0));
        }
        for player in 0..server.players.len() {
            let mut knew = server.players[player].knows.clone();
            for news in server.news(player) {
                told += 1;
                assert!(match news {
                    News::Enters(entity) => knew.insert(entity),
                    News::Leaves(entity) => knew.remove(&entity),
                });
            }
            let me = server.things[server.players[player].body];
            let near = |thing: &With<Vec2, Entity>| {
                thing.data != me.data
                    && (thing.item - me.item).length_squared() <= HEARING * HEARING
            };
            let all = server.things.iter().filter(|(_, thing)| near(thing));
            assert_eq!(knew, all.map(|(_, thing)| thing.data).collect());
        }
    }
    assert!(told > 1000, "{told}");
}
