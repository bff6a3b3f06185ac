//! The runtime's own count of its bytes returns exactly to its baseline, and inspection sends no
//! message to actors.

use crate::waits::wait_while;
use std::sync::Arc;
use std::sync::Barrier;
use vivant::prelude::*;

#[derive(Actor)]
struct Mayfly {
    _parent: Option<Address<Mayfly>>,
}

#[behaviours]
impl Mayfly {
    fn live(&mut self, t: &Turn<Self>, generations: u32) {
        if generations > 0 {
            for _ in 0..2 {
                let child = t.spawn_actor(Mayfly {
                    _parent: Some(t.me()),
                });
                t.send(child.live(generations - 1));
            }
        }
    }

    fn wait(&mut self, gate: Arc<Barrier>) {
        gate.wait();
    }
}

#[test]
fn a_million_actors_leave_nothing_behind() {
    let system = System::builder().workers(2).build();
    let baseline = system.inspect().bytes;
    assert_eq!(baseline, 0);
    // Four trees of 2^18 - 1 actors: a few more than a million. Children hold their parents until
    // they end. Sanitizers make everything tens of times slower: under them the trees are small.
    let generations = if std::env::var_os("VIVANT_SMALL").is_some() {
        11
    } else {
        17
    };
    for _ in 0..4 {
        system
            .spawn(Mayfly { _parent: None })
            .live(generations)
            .send();
    }
    wait_while(|| system.inspect().bytes != baseline);
    let inspection = system.inspect();
    assert!(inspection.actors.is_empty());
    let next = system.spawn(Mayfly { _parent: None });
    let made: u64 = Address::path(&next)
        .rsplit('/')
        .next()
        .unwrap()
        .parse()
        .unwrap();
    assert_eq!(made, 4, "roots only; the rest were children");
    drop(next);
    assert!(system.shutdown().is_complete());
    assert_eq!(system.inspect().bytes, baseline);
}

#[test]
fn inspection_sees_depth_behaviour_and_reasons_while_the_actor_is_busy() {
    let system = System::builder().workers(1).build();
    let gate = Arc::new(Barrier::new(2));
    let busy = system.spawn(Mayfly { _parent: None });
    busy.wait(gate.clone()).send();
    for _ in 0..3 {
        busy.live(0).send();
    }
    let facts = loop {
        let facts = system.inspect().actors[0].clone();
        if facts.current.is_some() {
            break facts;
        }
        std::thread::yield_now();
    };
    assert_eq!(facts.actor, "all::accounting::Mayfly/0");
    assert_eq!(facts.type_name, "all::accounting::Mayfly");
    assert!(
        facts
            .current
            .is_some_and(|behaviour| behaviour.ends_with("Mayfly::wait"))
    );
    assert_eq!(
        facts.depth, 3,
        "three wait; the one that runs is not among them"
    );
    assert_eq!(facts.because.addresses, 1);
    assert!(!facts.because.kept);
    system.keep(&busy);
    assert!(system.inspect().actors[0].because.kept);
    assert!(system.inspect().bytes > 0);
    gate.wait();
    busy.live(0).ask_blocking().unwrap();
    let facts = system
        .inspect()
        .actor("all::accounting::Mayfly/0")
        .cloned()
        .unwrap();
    assert!(facts.turns >= 4);
    assert_eq!(facts.age, std::time::Duration::ZERO);
    assert!(system.shutdown().is_complete());
}
