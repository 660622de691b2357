//! Interest management: each player gets a message when an entity enters or leaves the player's area.
use orthant::glam::Vec2;
use orthant::{BodyInfo, Broadphase, Event, Filter, Handle, Motion, Sphere};
use std::collections::BTreeMap;

const SIGHT: f32 = 10.0;
const VIEW: u64 = 1;
const UNIT: u64 = 2;

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Message {
    // Leaves come first, so that the messages of a player who logs off and on again within a tick are not lost.
    Leave { player: u32, entity: u32 },
    Enter { player: u32, entity: u32 },
}

struct Online {
    unit: Handle,
    view: Option<Handle>,
}

#[derive(Default)]
struct Server {
    world: Broadphase<Vec2>,
    online: BTreeMap<u32, Online>,
}

impl Server {
    fn log_on(&mut self, id: u32, at: Vec2, is_player: bool) {
        let mut insert = |radius, category, mask| {
            // A player does not see itself: its entity and its area are two parts of one group, which never meet.
            let filter = Filter {
                category,
                mask,
                group: -(id as i32 + 1),
            };
            let info = BodyInfo::from(Motion::Dynamic)
                .with_filter(filter)
                .with_user(u64::from(id) << 2 | category);
            self.world.insert(Sphere::new(at, radius), info)
        };
        let unit = insert(0.0, UNIT, VIEW);
        let view = is_player.then(|| insert(SIGHT, VIEW, UNIT));
        self.online.insert(id, Online { unit, view });
    }

    fn log_off(&mut self, id: u32) {
        if let Some(gone) = self.online.remove(&id) {
            self.world.remove(gone.unit);
            if let Some(view) = gone.view {
                self.world.remove(view);
            }
        }
    }

    fn go(&mut self, id: u32, at: Vec2) {
        let Some(online) = self.online.get(&id) else {
            return;
        };
        self.world.set_bounds(online.unit, Sphere::new(at, 0.0));
        if let Some(view) = online.view {
            self.world.set_bounds(view, Sphere::new(at, SIGHT));
        }
    }

    /// Returns the messages since the last tick, sorted. A player who has logged off gets none.
    fn tick(&mut self) -> Vec<Message> {
        self.world.update();
        let user = |body| self.world.user(body).expect("known until the next update");
        let mut messages = Vec::new();
        for event in self.world.events() {
            let (a, b) = event.pair();
            let (view, unit) =
                Handle::ordered_by(a, b, |body| user(body) & VIEW != 0).expect("units do not meet");
            let (player, entity) = ((user(view) >> 2) as u32, (user(unit) >> 2) as u32);
            match event {
                Event::Begin(..) => messages.push(Message::Enter { player, entity }),
                Event::End(..) if self.world.contains(view) => {
                    messages.push(Message::Leave { player, entity });
                }
                Event::End(..) => {}
            }
        }
        messages.sort();
        messages
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Random;
    use std::collections::BTreeSet;

    /// The place of each player and unit, with the number of its log-on: `(place, session, is_player)`.
    type Plain = BTreeMap<u32, (Vec2, u32, bool)>;

    fn seen(all: &Plain) -> BTreeSet<((u32, u32), (u32, u32))> {
        let mut seen = BTreeSet::new();
        for (&player, &(from, session, is_player)) in all {
            for (&entity, &(at, its_session, _)) in all {
                if is_player && player != entity && at.distance_squared(from) <= SIGHT * SIGHT {
                    seen.insert(((player, session), (entity, its_session)));
                }
            }
        }
        seen
    }

    #[test]
    fn players_hear_what_comparing_all_says() {
        let mut random = Random::new(2);
        let (mut server, mut all, mut session) = (Server::default(), Plain::new(), 0);
        let mut clients: BTreeMap<u32, BTreeSet<u32>> = BTreeMap::new();
        let mut before = BTreeSet::new();
        let (mut entered, mut left) = (0, 0);
        for _ in 0..100 {
            for id in 0..300 {
                let place = Vec2::new(random.range(0.0, 100.0), random.range(0.0, 100.0));
                let dice = random.unit();
                if all.contains_key(&id) && dice < 0.05 {
                    server.log_off(id);
                    all.remove(&id);
                    clients.remove(&id);
                }
                if !all.contains_key(&id) && (0.02..0.2).contains(&dice) {
                    session += 1;
                    server.log_on(id, place, id < 50);
                    all.insert(id, (place, session, id < 50));
                }
                if let Some(entity) = all.get_mut(&id).filter(|_| dice > 0.5) {
                    entity.0 += Vec2::new(random.range(-1.0, 1.0), random.range(-1.0, 1.0));
                    server.go(id, entity.0);
                }
            }
            let messages = server.tick();
            let now = seen(&all);
            let left_now = before
                .difference(&now)
                .filter(|(player, _)| all.get(&player.0).is_some_and(|p| p.1 == player.1));
            let leaves = left_now.map(|(player, entity)| Message::Leave {
                player: player.0,
                entity: entity.0,
            });
            let enters = now
                .difference(&before)
                .map(|(player, entity)| Message::Enter {
                    player: player.0,
                    entity: entity.0,
                });
            let mut plain: Vec<Message> = leaves.chain(enters).collect();
            plain.sort();
            assert_eq!(messages, plain);
            for message in messages {
                match message {
                    Message::Enter { player, entity } => {
                        entered += 1;
                        assert!(clients.entry(player).or_default().insert(entity));
                    }
                    Message::Leave { player, entity } => {
                        left += 1;
                        assert!(
                            clients
                                .get_mut(&player)
                                .is_some_and(|client| client.remove(&entity))
                        );
                    }
                }
            }
            let told = clients
                .iter()
                .flat_map(|(&player, seen)| seen.iter().map(move |&entity| (player, entity)));
            assert!(told.eq(now.iter().map(|(player, entity)| (player.0, entity.0))));
            before = now;
        }
        assert!(entered > 1000 && left > 1000, "{entered} {left}");
    }
}
