//! The same on threads.

use super::*;
use crate::waits::wait_while;

fn threads() -> Stage {
    let system = System::builder()
        .workers(2)
        .idle_after(std::time::Duration::from_millis(1))
        .build();
    Stage {
        system,
        ends: Ends::default(),
    }
}

#[test]
fn unreferenced_rings_end_on_threads_and_held_ones_do_not() {
    let stage = threads();
    let rounds = if cfg!(miri) { 3 } else { 300 };
    let (mut given_up, mut held) = (Vec::new(), Vec::new());
    for round in 0..rounds {
        let mut ring = stage.ring(1 + round % 7);
        ring[0].hops(round % 30).send();
        if round % 3 == 0 {
            held.extend(ring.pop());
        } else {
            given_up.extend(ring.iter().map(Address::ended));
        }
    }
    for ended in given_up {
        assert_eq!(stage.system.block_on(ended), Ok(StopReason::Unreachable));
    }
    let given_up = (0..rounds).filter(|round| round % 3 != 0);
    let expected: u64 = given_up.map(|round| 1 + round % 7).sum();
    assert_eq!(stage.ends.count(), expected as usize);
    for address in &held {
        assert!(address.name().ask_blocking().is_ok());
    }
    let ended: Vec<_> = held.iter().map(Address::ended).collect();
    drop(held);
    for ended in ended {
        assert_eq!(stage.system.block_on(ended), Ok(StopReason::Unreachable));
    }
    assert!(stage.system.shutdown().is_complete());
}

#[test]
fn a_weak_address_fails_on_threads_only_if_its_actor_ends() {
    let stage = threads();
    let rounds = if cfg!(miri) { 2 } else { 50 };
    for _ in 0..rounds {
        let ring = stage.ring(3);
        let ended: Vec<_> = ring.iter().map(Address::ended).collect();
        let weak: Vec<_> = ring.iter().map(Address::downgrade).collect();
        drop(ring);
        std::thread::scope(|scope| {
            for one in &weak {
                scope.spawn(move || {
                    // Not for ever: as long as an address is upgraded now and then, few commits
                    // succeed.
                    for _ in 0..100 {
                        let Some(address) = one.upgrade() else { break };
                        // It is reachable, so it answers.
                        assert!(address.name().ask_blocking().is_ok());
                        drop(address);
                        std::thread::yield_now();
                    }
                });
            }
        });
        for ended in ended {
            assert_eq!(stage.system.block_on(ended), Ok(StopReason::Unreachable));
        }
        assert!(weak.iter().all(|weak| weak.upgrade().is_none()));
    }
}

/// Makes pairs that hold each other's addresses, and drops them at once.
#[derive(Actor)]
struct Maker {
    ends: Ends,
    made: Option<Resolver<u64>>,
}

#[behaviours]
impl Maker {
    fn make(&mut self, t: &Turn<Self>, pairs: u64) -> Promise<u64> {
        let (promise, made) = t.promise();
        self.made = Some(made);
        t.send(t.me().more(pairs));
        promise
    }

    fn more(&mut self, t: &Turn<Self>, left: u64) {
        let node = |name| {
            let ends = self.ends.clone();
            t.spawn_actor(Node {
                name,
                ends,
                ..Node::default()
            })
        };
        let (one, other) = (node(2 * left), node(2 * left + 1));
        t.send(one.knows(other.clone()));
        t.send(other.knows(one));
        if left > 1 {
            t.send(t.me().more(left - 1));
        } else if let Some(made) = self.made.take() {
            made.resolve(left);
        }
    }
}

fn maker(stage: &Stage) -> Address<Maker> {
    stage.system.spawn(Maker {
        ends: stage.ends.clone(),
        made: None,
    })
}

#[test]
fn a_throttled_actor_continues_in_the_end() {
    let stage = threads();
    let pairs = if cfg!(miri) { 10 } else { 20_000 };
    let maker = maker(&stage);
    assert_eq!(maker.make(pairs).ask_blocking(), Ok(1));
    drop(maker);
    wait_while(|| stage.alive() > 0);
    assert_eq!(stage.ends.count(), 2 * pairs as usize);
}

#[test]
fn a_system_ends_while_an_actor_is_throttled() {
    for turns in 0..if cfg!(miri) { 1 } else { 8 } {
        let stage = threads();
        let maker = maker(&stage);
        let _made = maker.make(u64::MAX / 4).ask();
        wait_while(|| stage.system.inspect().turns < 3_000 * turns);
        assert!(stage.system.shutdown().is_complete());
    }
}
