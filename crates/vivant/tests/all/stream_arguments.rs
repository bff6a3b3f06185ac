//! Arguments of a stream's continuation: a clone for each item, and none for the end.

use super::streams::count;
use vivant::prelude::*;
use vivant::simulation::Simulation;
use vivant::{AskError, StreamItem};

/// An argument that cannot be cloned more than a number of times.
struct Rare(std::sync::Arc<std::sync::atomic::AtomicU64>);

impl Clone for Rare {
    fn clone(&self) -> Self {
        use std::sync::atomic::Ordering::Relaxed;
        let left = self.0.load(Relaxed);
        assert!(left > 0, "no clone is left");
        self.0.store(left - 1, Relaxed);
        Rare(self.0.clone())
    }
}

#[derive(Actor, Default)]
struct Collector {
    items: Vec<StreamItem<u64>>,
}

#[behaviours]
impl Collector {
    fn attach(&mut self, t: &Turn<Self>, items: u64, clones: u64) {
        let argument = Rare(std::sync::Arc::new(clones.into()));
        let attached = t.attach(count(items)).then_each(t.me().item(argument));
        attached.forever();
    }

    #[then]
    fn item(&mut self, item: StreamItem<u64>, _: Rare) {
        self.items.push(item);
    }

    fn items(&mut self) -> Vec<StreamItem<u64>> {
        std::mem::take(&mut self.items)
    }
}

#[test]
fn the_last_message_needs_no_clone() {
    let simulation = Simulation::new(1);
    let collector = simulation.system().spawn(Collector::default());
    collector.attach(3, 3).send();
    simulation.run();
    let items = collector.items().ask_blocking().unwrap();
    let expected = [0, 1, 2].map(StreamItem::Item);
    assert_eq!(items[..3], expected);
    assert_eq!(items[3..], [StreamItem::Ended]);
}

#[test]
fn a_clone_that_panics_fails_the_stream() {
    let simulation = Simulation::new(1);
    let collector = simulation.system().spawn(Collector::default());
    collector.attach(3, 2).send();
    simulation.run();
    let items = collector.items().ask_blocking().unwrap();
    let expected = [0, 1].map(StreamItem::Item);
    assert_eq!(items[..2], expected);
    let last = &items[2..];
    let failed = matches!(last, [StreamItem::Failed(AskError::Panicked(panic))] if panic.message().contains("no clone"));
    assert!(failed, "{last:?}");
}
