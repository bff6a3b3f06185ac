//! A ring of actors, for the benches that send tokens round rings.

use crate::failure::Failure;
use fastrand::Rng;
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
            // The receiver is gone only after the bench has failed.
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
        Rng::with_seed(1).shuffle(&mut nodes);
        Ring::visiting(&nodes)
    }

    fn visiting(nodes: &[Address<Node>]) -> Result<Ring, Failure> {
        let after = nodes.iter().cycle().skip(1);
        for ((place, node), next) in (1..).zip(nodes).zip(after) {
            node.stand(place, next.clone()).ask_blocking()?;
        }
        Ok(Ring(nodes[0].clone()))
    }

    /// Sends a token that goes `hops` hops; `done` gets the place at which it ends.
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
