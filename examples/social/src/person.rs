//! A person: an object in the heap of its shard.

use serde::{Deserialize, Serialize};
use std::collections::VecDeque;
use std::fmt;
use vivant::prelude::*;

/// Limit of the posts in a feed. Older ones are dropped.
const FEED_LIMIT: usize = 50;

/// The number of a person. It is never used again, so that a late message about a removed person
/// concerns no other.
#[derive(
    Object, Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
#[object(leaf)]
pub struct PersonId(pub u64);

impl fmt::Display for PersonId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// A reference to a person of the same shard.
pub(crate) type PersonRef<'gc> = Gc<'gc, Mut<Person<'gc>>>;

/// A person that another one follows.
#[derive(Object, Clone, Copy)]
pub(crate) enum Followed<'gc> {
    /// In this shard.
    Here(PersonRef<'gc>),
    /// In another one. `attempt` is the number of the request that asked for it: the answer to an
    /// older request has no effect.
    Away { attempt: u64 },
}

/// A person that follows another one.
#[derive(Object, Clone, Copy)]
pub(crate) enum Follower<'gc> {
    Here(PersonRef<'gc>),
    Away,
}

#[derive(Object)]
pub(crate) struct Person<'gc> {
    pub(crate) name: String,
    pub(crate) follows: gc::BTreeMap<'gc, PersonId, Followed<'gc>>,
    pub(crate) followers: gc::BTreeMap<'gc, PersonId, Follower<'gc>>,
    /// The newest is the last. The posts are shared by all feeds that have them, in all shards.
    pub(crate) feed: VecDeque<Val<'gc, str>>,
}

impl<'gc> Person<'gc> {
    pub(crate) fn new(name: String) -> Self {
        Person {
            name,
            follows: gc::BTreeMap::new(),
            followers: gc::BTreeMap::new(),
            feed: VecDeque::new(),
        }
    }

    pub(crate) fn receive(&mut self, post: Val<'gc, str>) {
        self.feed.push_back(post);
        if self.feed.len() > FEED_LIMIT {
            self.feed.pop_front();
        }
    }
}
