//! The same on threads.

use super::*;

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
fn rings_end_on_threads_and_what_is_held_does_not() {
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
                    // Not for ever: as long as somebody has an address now and then, few verdicts come to pass.
                    for _ in 0..100 {
                        let Some(address) = one.upgrade() else { break };
                        // It can be reached, so it answers.
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
