//! The network as a simple table, and what a run must agree with.

use social::network::Network;
use social::person::PersonId;
use social::refusal::Refusal;
use std::collections::{BTreeMap, BTreeSet};
use vivant::simulation::Simulation;
use vivant::{AskError, AskFuture};

type Answered = AskFuture<Result<(), Refusal>>;

/// The last request about a pair: a follow with its answer, or an unfollow.
enum Last {
    Follow(Answered),
    Unfollow,
}

/// What a client knows: the people, and the last request for each pair.
#[derive(Default)]
pub(crate) struct Model {
    pub(crate) people: BTreeSet<PersonId>,
    last: BTreeMap<(PersonId, PersonId), Last>,
}

impl Model {
    pub(crate) fn follow(&mut self, network: &Network, from: PersonId, to: PersonId) {
        let asked = network.of(from).follow(from, to).ask();
        self.last.insert((from, to), Last::Follow(asked));
    }

    pub(crate) fn unfollow(&mut self, network: &Network, from: PersonId, to: PersonId) {
        network.of(from).unfollow(from, to).send();
        self.last.insert((from, to), Last::Unfollow);
    }

    pub(crate) fn remove(&mut self, network: &Network, id: PersonId) {
        network.of(id).remove(id).send();
        self.people.remove(&id);
    }

    /// Compares both ends of all references with the table: a follow is there if the last request
    /// for its pair was one, with success, and both people are there.
    pub(crate) fn check(self, simulation: &Simulation, network: &Network) -> Result<(), String> {
        let system = simulation.system();
        let Model { people, last } = self;
        let is_there = |(pair, last): (_, Last)| match last {
            Last::Follow(asked) => matches!(system.block_on(asked), Ok(Ok(()))).then_some(pair),
            Last::Unfollow => None,
        };
        let mut expected: BTreeSet<_> = last.into_iter().filter_map(is_there).collect();
        expected.retain(|(from, to)| people.contains(from) && people.contains(to));
        simulation.run();
        let (mut out, mut back, mut there) = (BTreeSet::new(), BTreeSet::new(), BTreeSet::new());
        for shard in network.shards() {
            for it in shard
                .neighbours()
                .ask_blocking()
                .map_err(|it: AskError| it.to_string())?
            {
                there.insert(it.id);
                out.extend(it.follows.iter().map(|to| (it.id, *to)));
                back.extend(it.followers.iter().map(|from| (*from, it.id)));
            }
        }
        agree("people", &people, &there)?;
        agree("follows", &expected, &out)?;
        agree("followers", &expected, &back)
    }
}

fn agree<T: Ord + std::fmt::Debug>(
    what: &str,
    model: &BTreeSet<T>,
    found: &BTreeSet<T>,
) -> Result<(), String> {
    let missing: Vec<_> = model.difference(found).collect();
    let excess: Vec<_> = found.difference(model).collect();
    match missing.is_empty() && excess.is_empty() {
        true => Ok(()),
        false => Err(format!("{what}: missing {missing:?}, in excess {excess:?}")),
    }
}
