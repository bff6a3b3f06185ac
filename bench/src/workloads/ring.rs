//! A ring of actors, for the benches that send tokens round rings.

use crate::failure::Failure;
use std::sync::mpsc::Sender;
use vivant::prelude::*;

#[derive(Actor)]
struct Node {
    /// Counted from 1, as the ring goes.
    place: u64,
    next: Option<Address<Node>>,
    done: Sender<u64>,
}

#[behaviours]
impl Node {
    fn stand(&mut self, place: u64, next: Address<Node>) {
        self.place = place;
        self.next = Some(next);
    }

    fn token(&mut self, t: &Turn<Self>, hops: u64) {
        match &self.next {
            Some(next) if hops > 0 => t.send(next.token(hops - 1)),
            // Nobody listens any more only when the bench has failed already.
            _ => drop(self.done.send(self.place)),
        }
    }
}

/// Its first actor stands for it.
pub(super) struct Ring(Address<Node>);

impl Ring {
    /// A ring that visits the actors as they were made.
    pub(super) fn in_order(
        system: &System,
        actors: u64,
        done: &Sender<u64>,
    ) -> Result<Ring, Failure> {
        Ring::visiting(&nodes(system, actors, done))
    }

    /// A ring that visits them in an order that is always the same and has no pattern.
    pub(super) fn shuffled(
        system: &System,
        actors: u64,
        done: &Sender<u64>,
    ) -> Result<Ring, Failure> {
        let mut nodes = nodes(system, actors, done);
        shuffle(&mut nodes);
        Ring::visiting(&nodes)
    }

    fn visiting(nodes: &[Address<Node>]) -> Result<Ring, Failure> {
        let after = nodes.iter().cycle().skip(1);
        for ((place, node), next) in (1..).zip(nodes).zip(after) {
            node.stand(place, next.clone()).ask_blocking()?;
        }
        Ok(Ring(nodes[0].clone()))
    }

    /// Sends a token that goes `hops` hops; the place at which it ends is told on `done`.
    pub(super) fn send(&self, hops: u64) {
        self.0.token(hops).send();
    }
}

fn nodes(system: &System, actors: u64, done: &Sender<u64>) -> Vec<Address<Node>> {
    let node = |_| {
        system.spawn(Node {
            place: 0,
            next: None,
            done: done.clone(),
        })
    };
    (0..actors).map(node).collect()
}

/// Fisher and Yates, with the numbers of a fixed linear generator (Knuth's MMIX).
fn shuffle<T>(items: &mut [T]) {
    let mut state = 1_u64;
    for last in (1..items.len()).rev() {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        items.swap(last, (state >> 33) as usize % (last + 1));
    }
}

#[cfg(test)]
mod tests {
    use super::shuffle;

    #[test]
    fn a_shuffle_keeps_all_and_is_always_the_same() {
        let mut once: Vec<u32> = (0..503).collect();
        let mut again = once.clone();
        shuffle(&mut once);
        shuffle(&mut again);
        assert_eq!(once, again);
        let neighbours = once.windows(2).filter(|pair| pair[0] + 1 == pair[1]);
        assert!(neighbours.count() < 10, "{once:?}");
        once.sort_unstable();
        assert!(once.into_iter().eq(0..503));
    }
}
