//! Pressure and mutes once more, with a bug of one's choice.

use super::{Book, Marks, Muting};
use crate::sync::{AtomicU8, AtomicUsize, Mutex, Ordering, lock};
use std::collections::BTreeMap;

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Flaw {
    None,
    NoSecondLook,
    LookEarly,
    LookByLoad,
    StateEarly,
    KeepList,
    NobodyImmune,
    EndedCalm,
}

const CALM: u8 = 0;
const OVERLOADED: u8 = 1;
const IMMUNE: u8 = 2;

pub(super) struct Load {
    depth: AtomicUsize,
    state: AtomicU8,
}

impl Load {
    fn set(&self, state: u8) {
        self.state.store(state, Ordering::Relaxed);
    }
    fn is(&self, state: u8) -> bool {
        self.state.load(Ordering::Relaxed) == state
    }
}

pub(super) struct FlawedMutes {
    lists: Mutex<BTreeMap<u64, Vec<usize>>>,
    flaw: Flaw,
}

impl FlawedMutes {
    pub(super) fn with(flaw: Flaw) -> FlawedMutes {
        let lists = Mutex::new(BTreeMap::new());
        FlawedMutes { lists, flaw }
    }

    fn look(&self, depth: &AtomicUsize) -> usize {
        match self.flaw {
            Flaw::NoSecondLook => usize::MAX,
            Flaw::LookByLoad => depth.load(Ordering::Acquire),
            _ => depth.fetch_add(0, Ordering::AcqRel),
        }
    }
}

impl Book for FlawedMutes {
    type Load = Load;

    fn load() -> Load {
        Load {
            depth: AtomicUsize::new(0),
            state: AtomicU8::new(CALM),
        }
    }

    fn add(load: &Load) -> usize {
        load.depth.fetch_add(1, Ordering::Relaxed) + 1
    }

    fn subtract(&self, load: &Load, count: usize, marks: Marks) -> bool {
        let early = load.is(OVERLOADED);
        let depth = load.depth.fetch_sub(count, Ordering::AcqRel) - count;
        let overloaded = if self.flaw == Flaw::StateEarly {
            early
        } else {
            load.is(OVERLOADED)
        };
        depth <= marks.recovered && overloaded
    }

    fn depth(load: &Load) -> usize {
        load.depth.load(Ordering::Relaxed)
    }

    fn mute(
        &self,
        sender: (usize, &Load),
        receiver: (usize, &Load),
        marks: Marks,
    ) -> Muting<usize> {
        let mut lists = lock(&self.lists);
        let before = receiver.1.state.load(Ordering::Relaxed);
        if before == IMMUNE && self.flaw != Flaw::NobodyImmune {
            return Muting::GoesOn;
        }
        let early = self.look(&receiver.1.depth);
        receiver.1.set(OVERLOADED);
        let depth = if self.flaw == Flaw::LookEarly {
            early
        } else {
            self.look(&receiver.1.depth)
        };
        if depth <= marks.recovered {
            receiver.1.set(before);
            return Muting::GoesOn;
        }
        lists.entry(receiver.0 as u64).or_default().push(sender.0);
        sender.1.set(IMMUNE);
        let release = match self.flaw {
            Flaw::KeepList => Vec::new(),
            _ => lists.remove(&(sender.0 as u64)).unwrap_or_default(),
        };
        Muting::Muted { release }
    }

    fn unmuted(&self, load: &Load) {
        let _lists = lock(&self.lists);
        load.set(CALM);
    }

    fn recovered(&self, actor: (usize, &Load)) -> Vec<usize> {
        let mut lists = lock(&self.lists);
        if actor.1.is(OVERLOADED) {
            actor.1.set(CALM);
        }
        lists.remove(&(actor.0 as u64)).unwrap_or_default()
    }

    fn ended(&self, actor: (usize, &Load)) -> Vec<usize> {
        let mut lists = lock(&self.lists);
        actor.1.set(if self.flaw == Flaw::EndedCalm {
            CALM
        } else {
            IMMUNE
        });
        lists.remove(&(actor.0 as u64)).unwrap_or_default()
    }

    fn counts(&self) -> BTreeMap<u64, usize> {
        let lists = lock(&self.lists);
        lists.iter().map(|(id, list)| (*id, list.len())).collect()
    }
}
