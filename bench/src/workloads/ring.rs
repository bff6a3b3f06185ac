//! A ring of actors, for the benches that send tokens round rings.

use super::savina::snapshot_point;
use super::sink::Sink;
use crate::failure::Failure;
use fastrand::Rng;
use std::num::NonZeroU64;
use vivant::prelude::*;

#[derive(Actor)]
#[actor(saved)]
pub(super) struct Node {
    /// Counted from 1, as the ring goes.
    place: u64,
    next: Option<Address<Node>>,
    /// Gets the place at which a token ends.
    sink: Address<Sink>,
    /// The hops that a token goes on from here, once, past the snapshot point.
    second_half: Option<NonZeroU64>,
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
            _ => self.end(t),
        }
    }

    /// The next token that ends here is at the snapshot point, and goes on.
    fn expect_snapshot_point(&mut self, hops: u64) {
        self.second_half = NonZeroU64::new(hops);
    }

    #[local]
    fn end(&mut self, t: &Turn<Self>) {
        match self.second_half.take() {
            Some(hops) => {
                snapshot_point(t);
                self.token(t, hops.get());
            }
            None => t.send(self.sink.add(self.place)),
        }
    }
}

/// The actors, in the order in which it visits them.
pub(super) struct Ring(Vec<Address<Node>>);

impl Ring {
    /// A ring that visits the actors as they were made.
    pub(super) fn in_order(
        system: &System,
        actors: u64,
        sink: &Address<Sink>,
    ) -> Result<Ring, Failure> {
        Ring::visiting(nodes(system, actors, sink))
    }

    /// A ring that visits them in an order that is always the same and has no pattern.
    pub(super) fn shuffled(
        system: &System,
        actors: u64,
        sink: &Address<Sink>,
    ) -> Result<Ring, Failure> {
        let mut nodes = nodes(system, actors, sink);
        Rng::with_seed(1).shuffle(&mut nodes);
        Ring::visiting(nodes)
    }

    fn visiting(nodes: Vec<Address<Node>>) -> Result<Ring, Failure> {
        let after = nodes.iter().cycle().skip(1);
        for ((place, node), next) in (1..).zip(&nodes).zip(after) {
            node.stand(place, next.clone()).ask_blocking()?;
        }
        Ok(Ring(nodes))
    }

    /// Sends a token that goes `hops` hops; the sink gets the place at which it ends.
    pub(super) fn send(&self, hops: u64) {
        self.0[0].token(hops).send();
    }

    /// Prepares a token that goes `hops` hops, with the snapshot point half-way. Returns the number
    /// of hops to [`send`](Ring::send): the first half.
    pub(super) fn expect_snapshot_point(&self, hops: u64) -> Result<u64, Failure> {
        let first = hops / 2;
        let middle = &self.0[(first % self.0.len() as u64) as usize];
        middle.expect_snapshot_point(hops - first).ask_blocking()?;
        Ok(first)
    }
}

fn nodes(system: &System, actors: u64, sink: &Address<Sink>) -> Vec<Address<Node>> {
    let node = |_| {
        system.spawn(Node {
            place: 0,
            next: None,
            sink: sink.clone(),
            second_half: None,
        })
    };
    (0..actors).map(node).collect()
}
