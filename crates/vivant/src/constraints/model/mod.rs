//! The reference model of synchronizers, as plain data: the messages that wait, the constraints,
//! and which turns these allow, by the words of S1 to S3 and S5 to S9 in the README. `tests.rs`
//! feeds it every turn of real actors.
//!
//! | model | real |
//! |---|---|
//! | `Model::waiting` | mailboxes and deferred messages |
//! | `Model::groups` | `Table::group` |
//! | `Model::commits` | `Table::commit` |
//! | `Subject::next` | `Decision::Dispatch` |
//! | `Model::goes_down` | `RunGuard::go_down`, `Table::member_ended` |
//!
//! A commit is not seen, only the turns that follow: the model is in several possible states at a
//! time, and a turn is wrong if none allows it. Left out: refused holds, which lead to no turn.

mod program;
mod tests;

use program::{Care, Constraint, Event, Fate, Kind, Message, Pattern, Subject};
use std::collections::{BTreeMap, BTreeSet};

#[derive(Clone, Debug, Default)]
struct Model {
    subjects: Vec<Subject>,
    /// By their numbers.
    constraints: BTreeMap<usize, Constraint>,
    messages: Vec<Message>,
    waiting: BTreeSet<usize>,
    fates: BTreeMap<usize, Fate>,
}

impl Model {
    fn new(cares: impl IntoIterator<Item = Care>) -> Model {
        Model {
            subjects: cares.into_iter().map(Subject::new).collect(),
            ..Model::default()
        }
    }

    fn send(&mut self, message: Message) {
        let number = self.messages.len();
        self.messages.push(message);
        self.fates.insert(number, Fate::Open);
        match self.subjects[message.subject].has_ended {
            true => drop(self.fates.insert(number, Fate::Ended)),
            false => drop(self.waiting.insert(number)),
        }
    }

    /// Returns true if the message can begin now, as far as its own subject and the gates decide.
    fn is_enabled(&self, number: usize) -> bool {
        let it = &self.messages[number];
        let subject = &self.subjects[it.subject];
        let is_shut = |constraint: &Constraint| {
            let is_gated = constraint.gates.iter().any(|gate| gate.matches(it));
            is_gated && constraint.state >= constraint.limit
        };
        // S5, for messages that no pattern tells apart.
        let mut older = self.waiting.range(..number);
        self.waiting.contains(&number)
            && !older.any(|older| self.messages[*older] == *it)
            && subject.next.is_none()
            && !subject.waits
            && (it.kind != Kind::Take || subject.is_open)
            && !self.constraints.values().any(is_shut)
    }

    /// All groups with these messages that can be dispatched now.
    fn groups(&self, begun: &[usize]) -> Vec<Vec<usize>> {
        let of = |number: &usize| self.messages[*number];
        let (first, others) = match begun.split_last() {
            Some((last, others)) if self.is_enabled(*last) => (of(last), others),
            _ => return Vec::new(),
        };
        let sets = self.constraints.values().flat_map(|it| &it.sets);
        let touched = sets.filter(|set| {
            let mut places = set.iter();
            places.any(|place| begun.iter().any(|number| place.matches(&of(number))))
        });
        let places: Vec<&Pattern> = touched.flatten().collect();
        let has = |place: &Pattern, among: &[usize]| among.iter().any(|it| place.matches(&of(it)));
        let doubles = |place: &&Pattern| place.matches(&first) && has(place, others);
        if others.iter().any(|it| of(it).subject == first.subject) || places.iter().any(doubles) {
            return Vec::new();
        }
        let Some(missing) = places.iter().find(|place| !has(place, begun)) else {
            return vec![begun.to_vec()];
        };
        let candidates = self.waiting.iter().filter(|it| missing.matches(&of(it)));
        let longer = candidates.map(|candidate| [begun, &[*candidate]].concat());
        longer.flat_map(|longer| self.groups(&longer)).collect()
    }

    /// Updates may run in any order: they are additions.
    fn commit(mut self, group: &[usize]) -> Model {
        for number in group {
            let it = self.messages[*number];
            self.waiting.remove(number);
            self.subjects[it.subject].next = Some(*number);
            for constraint in self.constraints.values_mut() {
                let count = |all: &[Pattern]| all.iter().filter(|one| one.matches(&it)).count();
                constraint.state += count(&constraint.up) as i64;
                constraint.state -= count(&constraint.down) as i64;
            }
        }
        self
    }

    /// The states after each commit that is possible now.
    fn commits(&self) -> Vec<Model> {
        let waiting = self.waiting.iter();
        let groups = waiting.flat_map(|number| self.groups(&[*number]));
        groups.map(|group| self.clone().commit(&group)).collect()
    }

    /// The possible states after an event: none if it is not allowed.
    fn happens(&self, event: Event) -> Vec<Model> {
        let mut after = match event {
            Event::Ran(number) => match self.subjects[self.messages[number].subject].next {
                Some(next) if next == number => vec![self.clone()],
                Some(_) => Vec::new(),
                None => {
                    let groups = self.groups(&[number]).into_iter();
                    groups.map(|group| self.clone().commit(&group)).collect()
                }
            },
            // S1: a stop and a restart come after the message of the commit.
            Event::Stopped(subject) | Event::Restarted(subject) | Event::Waited(subject) => {
                let is_bound = self.subjects[subject].next.is_some();
                Vec::from_iter((!is_bound).then(|| self.clone()))
            }
        };
        for model in &mut after {
            match event {
                Event::Ran(number) => model.turn(number),
                Event::Waited(subject) => model.subjects[subject].waits = false,
                Event::Restarted(subject) => model.goes_down(subject, self.subjects[subject].care),
                Event::Stopped(subject) => model.goes_down(subject, Care::Ends),
            }
        }
        after
    }

    fn turn(&mut self, number: usize) {
        let it = self.messages[number];
        let subject = &mut self.subjects[it.subject];
        subject.next = None;
        match it.kind {
            Kind::Give | Kind::Take | Kind::Stop => {}
            Kind::Toggle => subject.is_open = !subject.is_open,
            Kind::Wait => subject.waits = true,
            Kind::Crash => {
                self.fates.insert(number, Fate::Panicked);
                return self.goes_down(it.subject, self.subjects[it.subject].care);
            }
        }
        self.fates.insert(number, Fate::Done);
    }

    fn goes_down(&mut self, number: usize, care: Care) {
        let subject = &mut self.subjects[number];
        (subject.is_open, subject.waits) = (true, false);
        let fate = match care {
            Care::Restarts => return,
            Care::Returns => Fate::Returned,
            Care::Ends => Fate::Ended,
        };
        subject.has_ended = care == Care::Ends;
        let waiting = self.waiting.iter().copied();
        let of_it = waiting.filter(|it| self.messages[*it].subject == number);
        for number in of_it.collect::<Vec<_>>() {
            self.meets(number, fate);
        }
    }

    /// S8: whether the message is to be refused, if it waits: at once, or when its guard is true.
    fn is_hopeless(&self, number: usize) -> bool {
        let it = &self.messages[number];
        let is_over = |place: &Pattern| self.subjects[place.subject].has_ended;
        let mut sets = self.constraints.values().flat_map(|it| &it.sets);
        sets.any(|set| set.iter().any(is_over) && set.iter().any(|place| place.matches(it)))
    }

    fn meets(&mut self, number: usize, fate: Fate) {
        self.waiting.remove(&number);
        self.fates.insert(number, fate);
    }

    /// S1: no message of a group is still to be dispatched.
    fn is_even(&self) -> bool {
        self.subjects.iter().all(|subject| subject.next.is_none())
    }

    /// S9: a group could be dispatched if no subject waited exclusively, and each of its messages
    /// is older than all messages of its subject that are not constrained.
    fn passes_over(&self) -> bool {
        let is_constrained = |number: usize| {
            let it = &self.messages[number];
            let mut sets = self.constraints.values().flat_map(|it| &it.sets);
            sets.any(|set| set.iter().any(|place| place.matches(it)))
        };
        let is_oldest = |number: &usize| {
            let subject = self.messages[*number].subject;
            let mut older = self.waiting.range(..number);
            is_constrained(*number)
                && !older.any(|it| self.messages[*it].subject == subject && !is_constrained(*it))
        };
        let mut model = self.clone();
        model.waiting.retain(is_oldest);
        for subject in &mut model.subjects {
            subject.waits = false;
        }
        let mut waiting = model.waiting.iter();
        waiting.any(|number| !model.groups(&[*number]).is_empty())
    }

    /// S6: nothing is left to do.
    fn is_quiet(&self) -> bool {
        let mut waiting = self.waiting.iter();
        waiting.all(|number| self.groups(&[*number]).is_empty())
    }
}
