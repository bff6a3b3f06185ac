//! A shop with a heap, a bounded mailbox and actors that wait exclusively for each other.

use std::sync::mpsc::Receiver;
use vivant::prelude::*;

/// Keeps its requests until it is unlocked.
#[derive(Actor)]
pub(super) struct Vault {
    pub(super) kept: Vec<Resolver<u64>>,
}

#[behaviours]
impl Vault {
    pub(super) fn fetch(&mut self, t: &Turn<Self>) -> Promise<u64> {
        let (promise, resolver) = t.promise();
        self.kept.push(resolver);
        promise
    }

    pub(super) fn unlock(&mut self) {
        for resolver in self.kept.drain(..) {
            resolver.resolve(7);
        }
    }
}

/// Waits exclusively for the vault.
#[derive(Actor)]
pub(super) struct Clerk {
    pub(super) vault: Address<Vault>,
}

#[behaviours]
impl Clerk {
    pub(super) fn stock(&mut self, t: &Turn<Self>) -> Promise<u64> {
        t.ask(self.vault.fetch()).exclusive()
    }

    pub(super) fn sell(&mut self) -> u64 {
        1
    }
}

/// Waits exclusively for a clerk.
#[derive(Actor)]
pub(super) struct Desk {
    pub(super) clerk: Address<Clerk>,
}

#[behaviours]
impl Desk {
    pub(super) fn order(&mut self, t: &Turn<Self>) -> Promise<u64> {
        t.ask(self.clerk.sell()).exclusive()
    }
}

/// Has a bound.
#[derive(Actor)]
#[actor(mailbox = reject(4))]
pub(super) struct Hatch;

#[behaviours]
impl Hatch {
    pub(super) fn jam(&mut self, until: Receiver<()>) {
        let _dropped = until.recv();
    }

    pub(super) fn hand_out(&mut self) {}
}

/// Has a heap.
#[derive(Actor)]
pub(super) struct ShelfState<'gc> {
    jars: Vec<Gc<'gc, [u64; 64]>>,
}

#[behaviours]
impl<'gc> ShelfState<'gc> {
    #[start]
    pub(super) fn new() -> Self {
        ShelfState { jars: Vec::new() }
    }

    /// Replaces all its jars by new ones.
    pub(super) fn fill(&mut self, t: &Turn<'gc, Shelf>) {
        self.jars = (0..64).map(|n| t.alloc([n; 64])).collect();
    }
}
