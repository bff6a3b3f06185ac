//! [`Shard`]: an actor with a part of the people.
//!
//! The graph is cyclic: a person refers to those that it follows and to its followers. Within the
//! shard these references are pointers, to other shards they are numbers. A person that is removed
//! is taken out of the index and out of its neighbours; the rest is garbage.
//!
//! The shard of a follower decides: it sends `gain` and `lose` to the shard of the followed person.
//! Messages of one sender to one receiver keep their order, so both shards agree once all messages
//! are processed. `tests/all/graph.rs` checks this beside a model.

use crate::network::shard_of;
use crate::person::{Followed, Follower, Person, PersonId, PersonRef};
use crate::planted::Planted;
use crate::refusal::Refusal;
use crate::reply::{Census, Neighbours, Profile, Suggestions};
use std::collections::BTreeMap;
use std::fmt;
use std::time::Duration;
use vivant::Held;
use vivant::prelude::*;

/// Limit of the time that a shard waits for another one.
const PATIENCE: Duration = Duration::from_secs(1);

/// The state of a shard; see the [module](self).
#[derive(Actor)]
pub struct ShardState<'gc> {
    number: u64,
    /// All shards, this one too.
    shards: Vec<Address<Shard>>,
    people: gc::BTreeMap<'gc, PersonId, PersonRef<'gc>>,
    /// Number of people that have ever joined here.
    joined: u64,
    /// Number of requests to other shards for a follow.
    attempts: u64,
    planted: Planted,
}

impl fmt::Debug for ShardState<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Shard({}, {} people)", self.number, self.people.len())
    }
}

impl<'gc> ShardState<'gc> {
    fn person(&self, id: PersonId) -> Result<PersonRef<'gc>, Refusal> {
        self.people.get(&id).copied().ok_or(Refusal::Unknown(id))
    }

    fn shard(&self, id: PersonId) -> &Address<Shard> {
        &self.shards[shard_of(id, self.shards.len())]
    }

    fn is_here(&self, id: PersonId) -> bool {
        shard_of(id, self.shards.len()) as u64 == self.number
    }

    /// Sorts people by their shards.
    fn by_shard(
        &self,
        ids: impl IntoIterator<Item = PersonId>,
    ) -> Vec<(&Address<Shard>, Vec<PersonId>)> {
        let mut sorted = BTreeMap::<usize, Vec<PersonId>>::new();
        for id in ids {
            sorted
                .entry(shard_of(id, self.shards.len()))
                .or_default()
                .push(id);
        }
        let with_address = |(shard, ids)| (&self.shards[shard], ids);
        sorted.into_iter().map(with_address).collect()
    }

    /// Returns false if the other shard has to agree.
    fn follow_here(
        &mut self,
        t: &Turn<'gc, Shard>,
        from: PersonId,
        to: PersonId,
    ) -> Result<bool, Refusal> {
        let follower = self.person(from)?;
        if from == to {
            return Err(Refusal::Oneself(from));
        }
        let followed = match self.is_here(to) {
            true => Followed::Here(self.person(to)?),
            false => {
                self.attempts += 1;
                Followed::Away {
                    attempt: self.attempts,
                }
            }
        };
        follower.borrow_mut(t).follows.insert(t, to, followed);
        if let Followed::Here(it) = followed {
            it.borrow_mut(t)
                .followers
                .insert(t, from, Follower::Here(follower));
        }
        Ok(matches!(followed, Followed::Here(_)))
    }

    fn profile_of(id: PersonId, person: PersonRef<'gc>) -> Profile {
        let it = person.borrow();
        Profile {
            id,
            name: it.name.clone(),
            follows: it.follows.len(),
            followers: it.followers.len(),
        }
    }
}

#[behaviours]
impl<'gc> ShardState<'gc> {
    #[start]
    /// A shard without people. It has to [`meet`](ShardHandle::meet) the others before it is used.
    pub fn new(number: u64, planted: Planted) -> Self {
        ShardState {
            number,
            shards: Vec::new(),
            people: gc::BTreeMap::new(),
            joined: 0,
            attempts: 0,
            planted,
        }
    }

    /// Takes the addresses of all shards, in the order of their numbers.
    pub fn meet(&mut self, shards: Vec<Address<Shard>>) {
        self.shards = shards;
    }

    /// Adds a person; returns its number.
    pub fn join(&mut self, t: &Turn<'gc, Shard>, name: String) -> PersonId {
        let id = PersonId(self.joined * self.shards.len() as u64 + self.number);
        self.joined += 1;
        let person = t.alloc(Mut::new(Person::new(name)));
        self.people.insert(t, id, person);
        id
    }

    /// Removes a person: all that it follows lose it, and its followers forget it.
    ///
    /// # Errors
    ///
    /// There is no such person.
    pub fn remove(&mut self, t: &Turn<'gc, Shard>, id: PersonId) -> Result<(), Refusal> {
        let person = self.person(id)?;
        self.people.remove(t, &id);
        for (&other, followed) in person.borrow().follows.iter() {
            match followed {
                Followed::Here(it) => drop(it.borrow_mut(t).followers.remove(t, &id)),
                Followed::Away { .. } => t.send(self.shard(other).lose(other, id)),
            }
        }
        for (&other, follower) in person.borrow().followers.iter() {
            match follower {
                Follower::Here(it) => drop(it.borrow_mut(t).follows.remove(t, &id)),
                Follower::Away if self.planted == Planted::ForgottenFollower => {}
                Follower::Away => t.send(self.shard(other).forget(other, id)),
            }
        }
        Ok(())
    }

    /// `from` follows `to` from now on; again, if it does already.
    ///
    /// # Errors
    ///
    /// One of them does not exist, they are the same, or the other shard did not answer.
    pub fn follow(
        &mut self,
        t: &Turn<'gc, Shard>,
        from: PersonId,
        to: PersonId,
    ) -> Result<Promise<Result<(), Refusal>>, Refusal> {
        if self.follow_here(t, from, to)? {
            return Ok(Promise::ready(Ok(())));
        }
        let gained = t.ask(self.shard(to).gain(to, from)).within(PATIENCE);
        Ok(gained.then(t.me().followed(from, to, self.attempts)))
    }

    /// The other shard has answered. A failure takes the follow back, unless it was asked for again
    /// or ended meanwhile.
    #[then]
    fn followed(
        &mut self,
        t: &Turn<'gc, Shard>,
        gained: Result<Result<(), Refusal>, AskError>,
        from: PersonId,
        to: PersonId,
        attempt: u64,
    ) -> Result<(), Refusal> {
        let refused = match gained {
            Ok(Ok(())) => return Ok(()),
            Ok(Err(refusal)) => refusal,
            Err(error) => Refusal::NoAnswer(error),
        };
        let follower = self.person(from)?;
        let current = follower.borrow().follows.get(&to).copied();
        let is_late = !matches!(current, Some(Followed::Away { attempt: it }) if it == attempt);
        if !is_late || self.planted == Planted::LateRefusal {
            follower.borrow_mut(t).follows.remove(t, &to);
            // After a time limit the request may still be processed: this comes after it.
            t.send(self.shard(to).lose(to, from));
        }
        Err(refused)
    }

    /// `from` does not follow `to` any more.
    ///
    /// # Errors
    ///
    /// There is no `from`.
    pub fn unfollow(
        &mut self,
        t: &Turn<'gc, Shard>,
        from: PersonId,
        to: PersonId,
    ) -> Result<(), Refusal> {
        let follower = self.person(from)?;
        match follower.borrow_mut(t).follows.remove(t, &to) {
            Some(Followed::Here(it)) => drop(it.borrow_mut(t).followers.remove(t, &from)),
            Some(Followed::Away { .. }) => t.send(self.shard(to).lose(to, from)),
            None => {}
        }
        Ok(())
    }

    /// Another shard's person follows `to`.
    fn gain(
        &mut self,
        t: &Turn<'gc, Shard>,
        to: PersonId,
        follower: PersonId,
    ) -> Result<(), Refusal> {
        let person = self.person(to)?;
        person
            .borrow_mut(t)
            .followers
            .insert(t, follower, Follower::Away);
        Ok(())
    }

    /// Another shard's person does not follow `to` any more, or is gone.
    fn lose(&mut self, t: &Turn<'gc, Shard>, to: PersonId, follower: PersonId) {
        if let Ok(person) = self.person(to) {
            person.borrow_mut(t).followers.remove(t, &follower);
        }
    }

    /// A person of another shard, which `from` follows, is gone.
    fn forget(&mut self, t: &Turn<'gc, Shard>, from: PersonId, gone: PersonId) {
        if let Ok(person) = self.person(from) {
            person.borrow_mut(t).follows.remove(t, &gone);
        }
    }

    /// Returns a person's profile.
    ///
    /// # Errors
    ///
    /// There is no such person.
    pub fn profile(&self, id: PersonId) -> Result<Profile, Refusal> {
        Ok(Self::profile_of(id, self.person(id)?))
    }

    /// Writes a post into the feeds of all followers; returns their number. The post exists once,
    /// in this shard's heap.
    ///
    /// # Errors
    ///
    /// There is no such person.
    pub fn post(
        &self,
        t: &Turn<'gc, Shard>,
        author: PersonId,
        text: String,
    ) -> Result<usize, Refusal> {
        let person = self.person(author)?;
        let it = person.borrow();
        let line = serde_json::json!({ "author": author, "name": it.name, "text": text });
        let post = t.val_str(&format!("{line}\n"));
        let mut away = Vec::new();
        for (&id, follower) in it.followers.iter() {
            match follower {
                Follower::Here(follower) => follower.borrow_mut(t).receive(post),
                Follower::Away => away.push(id),
            }
        }
        for (shard, ids) in self.by_shard(away) {
            t.send(shard.deliver(ids, post));
        }
        Ok(it.followers.len())
    }

    /// A post of another shard. A message carries it as one pointer.
    fn deliver(&self, t: &Turn<'gc, Shard>, to: Vec<PersonId>, post: Val<'gc, str>) {
        for id in to {
            if let Ok(person) = self.person(id) {
                person.borrow_mut(t).receive(post);
            }
        }
    }

    /// Returns the posts that a person has received, each as a line of JSON; the newest first.
    ///
    /// # Errors
    ///
    /// There is no such person.
    pub fn feed(&self, t: &Turn<'gc, Shard>, id: PersonId) -> Result<Vec<Held<str>>, Refusal> {
        let person = self.person(id)?;
        let it = person.borrow();
        Ok(it.feed.iter().rev().map(|post| t.hold(*post)).collect())
    }

    /// Suggests people to follow. Each other shard has a second to answer; without its answer the
    /// suggestions are incomplete.
    ///
    /// # Errors
    ///
    /// There is no such person, or no longer.
    pub fn suggest(
        &self,
        t: &Turn<'gc, Shard>,
        id: PersonId,
    ) -> Result<Promise<Result<Suggestions, Refusal>>, Refusal> {
        let person = self.person(id)?;
        let (mut found, mut away) = (Vec::new(), Vec::new());
        for (&other, followed) in person.borrow().follows.iter() {
            match followed {
                Followed::Here(it) => found.extend(it.borrow().follows.keys().copied()),
                Followed::Away { .. } => away.push(other),
            }
        }
        let ask =
            |(shard, ids): (&Address<Shard>, _)| t.ask(shard.followed_by(ids)).within(PATIENCE);
        let asked = self.by_shard(away).into_iter().map(ask);
        Ok(t.all_settled(asked).then(t.me().suggested(id, found)))
    }

    /// Returns the people that these people of this shard follow. A person that several of them
    /// follow is there several times.
    fn followed_by(&self, ids: Vec<PersonId>) -> Vec<PersonId> {
        let people = ids.into_iter().filter_map(|id| self.person(id).ok());
        people
            .flat_map(|it| it.borrow().follows.keys().copied().collect::<Vec<_>>())
            .collect()
    }

    #[then]
    fn suggested(
        &self,
        replies: Result<Vec<Result<Vec<PersonId>, AskError>>, AskError>,
        id: PersonId,
        mut found: Vec<PersonId>,
    ) -> Result<Suggestions, Refusal> {
        let replies = replies?;
        let person = self.person(id)?;
        let complete = replies.iter().all(Result::is_ok);
        found.extend(replies.into_iter().flatten().flatten());
        found.retain(|it| *it != id && !person.borrow().follows.contains_key(it));
        Ok(Suggestions::rank(found, complete))
    }

    /// Returns the people with the most followers, as known by all shards but one: the slowest is
    /// not waited for.
    ///
    /// The promise is broken if two shards did not answer.
    pub fn popular(&self, t: &Turn<'gc, Shard>) -> Promise<Vec<Profile>> {
        let wanted = (self.shards.len() - 1).max(1);
        let asked = self
            .shards
            .iter()
            .map(|shard| t.ask(shard.popular_here()).within(PATIENCE));
        t.quorum(wanted, asked).map(|replies| {
            let mut people = replies.concat();
            Profile::most_popular(&mut people);
            people
        })
    }

    fn popular_here(&self) -> Vec<Profile> {
        let profiles = self
            .people
            .iter()
            .map(|(&id, &it)| Self::profile_of(id, it));
        let mut profiles: Vec<_> = profiles.collect();
        Profile::most_popular(&mut profiles);
        profiles
    }

    /// Returns the sums over all shards.
    ///
    /// The promise is broken if a shard did not answer.
    pub fn census(&self, t: &Turn<'gc, Shard>) -> Promise<Census> {
        let asked = self
            .shards
            .iter()
            .map(|shard| t.ask(shard.census_here()).within(PATIENCE));
        t.all(asked)
            .map(|parts| parts.into_iter().fold(Census::default(), Census::and))
    }

    fn census_here(&self) -> Census {
        Census {
            people: self.people.len(),
            follows: self
                .people
                .values()
                .map(|it| it.borrow().follows.len())
                .sum(),
        }
    }

    /// Returns the references of all people of this shard.
    pub fn neighbours(&self) -> Vec<Neighbours> {
        let neighbours = |(&id, person): (_, &PersonRef<'gc>)| Neighbours {
            id,
            follows: person.borrow().follows.keys().copied().collect(),
            followers: person.borrow().followers.keys().copied().collect(),
        };
        self.people.iter().map(neighbours).collect()
    }
}
