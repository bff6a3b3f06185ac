//! What shards reply.

use crate::person::PersonId;
use serde::Serialize;
use std::cmp::Reverse;
use std::collections::BTreeMap;

/// Limit of the number of suggestions, and of popular people.
const SHOWN: usize = 10;

/// What everyone may know of a person.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Profile {
    /// The number.
    pub id: PersonId,
    /// The name.
    pub name: String,
    /// Number of followed people.
    pub follows: usize,
    /// Number of followers.
    pub followers: usize,
}

impl Profile {
    /// Keeps the people with the most followers, and sorts them.
    pub(crate) fn most_popular(people: &mut Vec<Profile>) {
        people.sort_by_key(|it| (Reverse(it.followers), it.id));
        people.truncate(SHOWN);
    }
}

/// People that are followed by those that a person follows; the most frequent first.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Suggestions {
    /// Each with the number of followed people that follow it.
    pub people: Vec<(PersonId, usize)>,
    /// False if a shard did not answer in time.
    pub complete: bool,
}

impl Suggestions {
    /// Ranks people by how often they are there.
    pub(crate) fn rank(found: impl IntoIterator<Item = PersonId>, complete: bool) -> Suggestions {
        let mut counts = BTreeMap::<PersonId, usize>::new();
        for id in found {
            *counts.entry(id).or_default() += 1;
        }
        let mut people: Vec<_> = counts.into_iter().collect();
        people.sort_by_key(|(_, count)| Reverse(*count));
        people.truncate(SHOWN);
        Suggestions { people, complete }
    }
}

/// Sums over a shard, or over all.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Census {
    /// Number of people.
    pub people: usize,
    /// Number of pairs of a follower and a followed person.
    pub follows: usize,
}

impl Census {
    pub(crate) fn and(self, other: Census) -> Census {
        Census {
            people: self.people + other.people,
            follows: self.follows + other.follows,
        }
    }
}

/// All references of a person, for checks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Neighbours {
    /// The person.
    pub id: PersonId,
    /// Followed people.
    pub follows: Vec<PersonId>,
    /// Followers.
    pub followers: Vec<PersonId>,
}
