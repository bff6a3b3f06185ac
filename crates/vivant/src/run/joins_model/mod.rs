//! The reference model of joins, as plain data: the messages that wait, and which of them run next,
//! by the words of J1, J2 and J5 in the README of `actor`. `tests.rs` feeds it every turn of real
//! actors.
//!
//! | model | real |
//! |---|---|
//! | `Model::queue` | the mailbox, from inbox to backlog |
//! | `Model::waiting` | `ColdFields::deferred` |
//! | `Model::first_open` | `DeferredMessages::evaluate` |
//! | `Model::crash` | `RunGuard::end`, `RunGuard::go_down` |
//!
//! Left out: budgets, muting and places of a bounded queue, which have models of their own.

mod program;
mod tests;

use crate::failures::Cause;
use program::{Care, Event, Fate, Join, Kind};
use std::collections::{BTreeMap, BTreeSet, VecDeque};

#[derive(Clone)]
struct Model {
    care: Care,
    kinds: Vec<(Kind, u64)>,
    queue: VecDeque<usize>,
    waiting: Vec<usize>,
    withdrawn: BTreeSet<usize>,
    fates: BTreeMap<usize, Fate>,
    has_ended: bool,
    gate_is_open: bool,
    level: u64,
}

impl Model {
    fn send(&mut self, number: usize) {
        self.fates.insert(number, Fate::Open);
        match self.has_ended {
            true => self.meets(number, Fate::Dead(Cause::Ended)),
            false => self.queue.push_back(number),
        }
    }

    /// The next turn, after what comes before it without a turn.
    fn next(&mut self) -> Option<Event> {
        loop {
            if let Some(open) = self.first_open() {
                let numbers = match &open {
                    Event::Ran(number) => std::slice::from_ref(number),
                    Event::Joined(_, numbers) => numbers,
                };
                let mut numbers = numbers.iter();
                match numbers.find(|number| self.withdrawn.contains(number)) {
                    Some(&gone) => self.withdraws(gone),
                    None => return Some(open),
                }
            } else {
                let number = self.queue.pop_front()?;
                if !self.is_deferred(number) {
                    return Some(Event::Ran(number));
                }
                self.waiting.push(number);
            }
        }
    }

    fn is_deferred(&self, number: usize) -> bool {
        match self.kinds[number].0 {
            Kind::A | Kind::B | Kind::C | Kind::D | Kind::E | Kind::F => true,
            Kind::Pass => !self.gate_is_open,
            Kind::Gate | Kind::Level | Kind::Crash => false,
        }
    }

    /// J2: the first of the messages and combinations with a true guard.
    fn first_open(&self) -> Option<Event> {
        let passes = self
            .waiting
            .iter()
            .filter(|number| self.kinds[**number].0 == Kind::Pass);
        let passes = passes
            .filter(|_| self.gate_is_open)
            .map(|&number| Event::Ran(number));
        let joins = Join::ALL
            .into_iter()
            .flat_map(|join| self.combinations(join));
        passes.chain(joins).min_by_key(|event| match event {
            Event::Ran(number) => (*number, None, Vec::new()),
            Event::Joined(join, numbers) => (
                numbers.iter().copied().max().unwrap_or(0),
                Some(*join),
                numbers.clone(),
            ),
        })
    }

    /// All combinations with a true guard.
    fn combinations(&self, join: Join) -> Vec<Event> {
        let mut all = vec![Vec::new()];
        for kind in join.kinds() {
            let of_kind = |number: &&usize| self.kinds[**number].0 == *kind;
            let more = |begun: Vec<usize>| {
                let waiting = self.waiting.iter().filter(of_kind);
                waiting.map(move |&number| [begun.as_slice(), &[number]].concat())
            };
            all = all.into_iter().flat_map(more).collect();
        }
        let open = all
            .into_iter()
            .filter(|numbers| self.is_open(join, numbers));
        open.map(|numbers| Event::Joined(join, numbers)).collect()
    }

    fn is_open(&self, join: Join, numbers: &[usize]) -> bool {
        let values: Vec<u64> = numbers.iter().map(|&number| self.kinds[number].1).collect();
        match join {
            Join::Ab => true,
            Join::Bc => self.gate_is_open,
            Join::Def => values[0] % 3 == values[1] % 3 && values[1] % 3 == values[2] % 3,
            Join::De => values[0] + values[1] <= self.level,
        }
    }

    /// The turn of `event`, which is allowed if its messages have arrived and its guard is true.
    fn happens(&mut self, event: &Event) {
        match event {
            Event::Ran(number) => {
                self.waiting.retain(|other| other != number);
                match self.kinds[*number] {
                    (Kind::Gate, _) => self.gate_is_open = !self.gate_is_open,
                    (Kind::Level, level) => self.level = level,
                    (Kind::Crash, _) => return self.crash(*number),
                    _ => {}
                }
                self.meets(*number, Fate::Done);
            }
            Event::Joined(join, numbers) => {
                assert!(
                    self.is_open(*join, numbers),
                    "J2: {event:?} with a false guard"
                );
                for number in numbers {
                    assert!(
                        self.waiting.contains(number),
                        "J1: {event:?}, and {number} is not there"
                    );
                    self.waiting.retain(|other| other != number);
                    self.meets(*number, Fate::Done);
                }
            }
        }
    }

    /// Without the order of J2: takes messages until those of the event have arrived.
    fn arrives(&mut self, event: &Event) {
        let last = match event {
            Event::Ran(number) => Some(number),
            Event::Joined(_, numbers) => numbers.iter().max(),
        };
        while self.queue.front() <= last && !self.queue.is_empty() {
            let number = self.queue.pop_front().expect("it is not empty");
            if *event != Event::Ran(number) {
                assert!(self.is_deferred(number), "T2: {event:?} before {number}");
                self.waiting.push(number);
            }
        }
    }

    fn crash(&mut self, number: usize) {
        self.meets(number, Fate::Panicked);
        (self.gate_is_open, self.level) = (false, 0);
        self.has_ended = self.care == Care::Ends;
        let cause = match self.care {
            Care::Ends => Cause::Ended,
            Care::Returns => Cause::Restarted,
            Care::Restarts => return,
        };
        let lost: Vec<usize> = self.queue.drain(..).chain(self.waiting.drain(..)).collect();
        lost.into_iter()
            .for_each(|number| self.meets(number, Fate::Dead(cause)));
    }

    fn withdraws(&mut self, number: usize) {
        self.waiting.retain(|other| *other != number);
        self.meets(number, Fate::Dead(Cause::Withdrawn));
    }

    fn meets(&mut self, number: usize, fate: Fate) {
        let before = self.fates.insert(number, fate);
        assert_eq!(before, Some(Fate::Open), "T3: {number} meets {fate:?}");
    }
}
