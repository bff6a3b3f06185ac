//! Why an actor or an object is alive: the public method.

use super::System;
use crate::actor::{Answer, Answered, Observation, Source, Table, observed};
use crate::cycles::{Retained, WhyAlive};

impl System {
    /// Why an actor or a shared object is alive, apart from the [`Address`](crate::Address) or
    /// [`Held`](crate::heap::Held) that is passed: the shortest chain of actors that hold addresses
    /// of each other, or the object, with the types of the objects in their heaps on the way, and
    /// what keeps the last of them.
    ///
    /// Use it to find out why something does not end. Costs an examination of every actor of the
    /// system, some hundred nanoseconds for each; no actor is held up for longer than its own
    /// examination, except for a walk through its heap if it is part of the chain. For an object,
    /// all heaps that may keep it alive are walked, and the search has an entry in memory for each
    /// of their live objects. While actors run, the answer mixes several moments; an actor that has
    /// taken a component out of another actor's object is found once it has been marked.
    ///
    /// ```
    /// use vivant::KeptBy;
    /// use vivant::prelude::*;
    ///
    /// #[derive(Actor)] struct Leaf;
    /// #[behaviours] impl Leaf {}
    /// #[derive(Actor)] struct Tree { leaf: Address<Leaf> }
    /// #[behaviours] impl Tree {}
    ///
    /// let simulation = vivant::simulation::Simulation::new(1);
    /// let system = simulation.system();
    /// let leaf = system.spawn(Leaf);
    /// let tree = system.spawn(Tree { leaf: leaf.clone() });
    /// system.keep(&tree);
    /// drop(tree);
    ///
    /// let why = system.why_alive(&leaf);
    /// assert_eq!((why.through.len(), why.by), (1, KeptBy::Kept));
    /// assert!(why.through[0].objects.is_empty(), "it is in a field of the state");
    /// assert!(why.to_string().ends_with("Tree/1, which is kept by `System::keep`"), "{why}");
    /// ```
    ///
    /// # Panics
    ///
    /// If the actor belongs to another system.
    pub fn why_alive(&self, what: &impl Retained) -> WhyAlive {
        observed(
            Observation::Inspection,
            Source::Table(Table::Actors),
            what.why_alive(self.shared()),
        )
    }
}

impl Answer for WhyAlive {
    fn data(&self) -> Answered {
        Answered::Count(self.through.len() as u64)
    }
}
