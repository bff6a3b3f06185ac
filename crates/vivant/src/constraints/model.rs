//! The reference model of synchronizers, as plain data: the messages that wait, the constraints, and
//! which turns these allow, by the words of S1 to S3 and S5 to S8 in the README. `model_tests.rs`
//! feeds it every turn of real actors.
//!
//! | model | real |
//! |---|---|
//! | `Model::waiting` | mailboxes and deferred messages |
//! | `Model::groups` | `Table::group` |
//! | `Model::commits` | `Table::commit` |
//! | `Subject::next` | `Decision::Dispatch` |
//! | `Model::crash` | `RunGuard::go_down`, `Table::member_ended` |
//!
//! A commit is not seen, only the turns that follow. So the model is in several possible states at a
//! time, and a turn is wrong if none of them allows it. Left out: holds that are refused, which lead
//! to no turn.

use std::collections::{BTreeMap, BTreeSet};

/// A kind of message.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Kind {
    /// These are constrained.
    Give,
    /// As `Give`, with a guard: the subject is open.
    Take,
    /// Opens a shut subject, and shuts an open one.
    Toggle,
    /// Waits exclusively, until `Model::waited`.
    Wait,
    /// Panics.
    Crash,
}

/// What becomes of a subject that panics.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Care {
    Ends,
    Restarts,
    Returns,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Fate {
    Open,
    Done,
    Panicked,
    Ended,
    Returned,
    Constrained,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Message {
    pub(super) subject: usize,
    pub(super) kind: Kind,
    pub(super) value: u64,
}

/// The messages of one kind to one subject with this value, or with any.
#[derive(Clone, Debug)]
pub(super) struct Pattern {
    pub(super) subject: usize,
    pub(super) kind: Kind,
    pub(super) value: Option<u64>,
}

impl Pattern {
    fn matches(&self, it: &Message) -> bool {
        let is_of = (self.subject, self.kind) == (it.subject, it.kind);
        is_of && self.value.is_none_or(|value| value == it.value)
    }
}

/// A synchronizer. Its state is a number.
#[derive(Clone, Debug, Default)]
pub(super) struct Constraint {
    pub(super) sets: Vec<Vec<Pattern>>,
    /// Shut while the state is at least `limit`.
    pub(super) gates: Vec<Pattern>,
    pub(super) limit: i64,
    pub(super) up: Vec<Pattern>,
    pub(super) down: Vec<Pattern>,
    pub(super) state: i64,
}

#[derive(Clone, Debug)]
pub(super) struct Subject {
    pub(super) care: Care,
    is_open: bool,
    waits: bool,
    has_ended: bool,
    /// S1: its next turn.
    next: Option<usize>,
}

#[derive(Clone, Debug)]
pub(super) struct Model {
    pub(super) subjects: Vec<Subject>,
    /// By their numbers.
    pub(super) constraints: BTreeMap<usize, Constraint>,
    pub(super) messages: Vec<Message>,
    pub(super) waiting: BTreeSet<usize>,
    pub(super) fates: BTreeMap<usize, Fate>,
}

impl Model {
    pub(super) fn new(cares: impl IntoIterator<Item = Care>) -> Model {
        let subject = |care| Subject {
            care,
            is_open: true,
            waits: false,
            has_ended: false,
            next: None,
        };
        Model {
            subjects: cares.into_iter().map(subject).collect(),
            constraints: BTreeMap::new(),
            messages: Vec::new(),
            waiting: BTreeSet::new(),
            fates: BTreeMap::new(),
        }
    }

    pub(super) fn send(&mut self, message: Message) {
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
    pub(super) fn groups(&self, begun: &[usize]) -> Vec<Vec<usize>> {
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
    fn commit(&mut self, group: &[usize]) {
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
    }

    /// The states after each commit that is possible now.
    pub(super) fn commits(&self) -> Vec<Model> {
        let groups = self
            .waiting
            .iter()
            .flat_map(|number| self.groups(&[*number]));
        let after = groups.map(|group| {
            let mut after = self.clone();
            after.commit(&group);
            after
        });
        after.collect()
    }

    /// The possible states after the turn of this message: none if it is not allowed.
    pub(super) fn runs(&self, number: usize) -> Vec<Model> {
        let next = self.subjects[self.messages[number].subject].next;
        let before = match next {
            Some(next) if next == number => vec![self.clone()],
            Some(_) => Vec::new(),
            None => {
                let committed = |group: Vec<usize>| {
                    let mut after = self.clone();
                    after.commit(&group);
                    after
                };
                self.groups(&[number]).into_iter().map(committed).collect()
            }
        };
        let turn = |mut model: Model| {
            model.turn(number);
            model
        };
        before.into_iter().map(turn).collect()
    }

    fn turn(&mut self, number: usize) {
        let it = self.messages[number];
        let subject = &mut self.subjects[it.subject];
        subject.next = None;
        match it.kind {
            Kind::Give | Kind::Take => {}
            Kind::Toggle => subject.is_open = !subject.is_open,
            Kind::Wait => subject.waits = true,
            Kind::Crash => {
                self.fates.insert(number, Fate::Panicked);
                return self.crash(it.subject);
            }
        }
        self.fates.insert(number, Fate::Done);
    }

    pub(super) fn is_open(&self, subject: usize) -> bool {
        self.subjects[subject].is_open
    }

    pub(super) fn waited(&mut self, subject: usize) {
        self.subjects[subject].waits = false;
    }

    fn crash(&mut self, number: usize) {
        let subject = &mut self.subjects[number];
        (subject.is_open, subject.waits) = (true, false);
        let fate = match subject.care {
            Care::Restarts => return,
            Care::Returns => Fate::Returned,
            Care::Ends => Fate::Ended,
        };
        subject.has_ended = subject.care == Care::Ends;
        for number in self
            .waiting
            .extract_if(.., |it| self.messages[*it].subject == number)
        {
            self.fates.insert(number, fate);
        }
    }

    /// S8: whether the message is to be refused, if it waits: at once, or when its guard is true.
    pub(super) fn is_hopeless(&self, number: usize) -> bool {
        let it = &self.messages[number];
        let is_over = |place: &Pattern| self.subjects[place.subject].has_ended;
        let mut sets = self.constraints.values().flat_map(|it| &it.sets);
        sets.any(|set| set.iter().any(is_over) && set.iter().any(|place| place.matches(it)))
    }

    pub(super) fn refuses(&mut self, number: usize) {
        self.waiting.remove(&number);
        self.fates.insert(number, Fate::Constrained);
    }

    /// S1: no message of a group is still to be dispatched.
    pub(super) fn is_even(&self) -> bool {
        self.subjects.iter().all(|subject| subject.next.is_none())
    }

    /// S6: nothing is left to do.
    pub(super) fn is_quiet(&self) -> bool {
        let mut waiting = self.waiting.iter();
        waiting.all(|number| self.groups(&[*number]).is_empty())
    }
}
