//! Pressure and mutes once more, with a bug of one's choice.

use super::book::{Book, Slip};
use crate::runtime::mute::{Marks, Muting};
use crate::sync::{AtomicI32, AtomicU8, Mutex, Ordering, lock};
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
    EndByStore,
    EndWithoutLock,
    MuteByStore,
}

const CALM: u8 = 0;
const OVERLOADED: u8 = 1;
const IMMUNE: u8 = 2;

pub(super) struct Load {
    depth: AtomicI32,
    state: AtomicU8,
}

impl Load {
    fn set(&self, state: u8) {
        self.state.store(state, Ordering::Relaxed);
    }
    fn is(&self, state: u8) -> bool {
        self.state.load(Ordering::Relaxed) == state
    }
    fn exchange(&self, from: u8, to: u8) -> Result<u8, u8> {
        self.state
            .compare_exchange(from, to, Ordering::Relaxed, Ordering::Relaxed)
    }
    /// As an exchange, in two steps.
    fn look_and_store(&self, from: u8, to: u8) -> Result<u8, u8> {
        let now = self.state.load(Ordering::Relaxed);
        if now != from {
            return Err(now);
        }
        self.set(to);
        Ok(now)
    }
}

pub(super) struct FlawedMutes {
    lists: Mutex<BTreeMap<u64, Vec<usize>>>,
    flaw: Flaw,
    slip: Slip,
}

impl FlawedMutes {
    pub(super) fn with(flaw: Flaw, slip: Slip) -> FlawedMutes {
        let lists = Mutex::new(BTreeMap::new());
        FlawedMutes { lists, flaw, slip }
    }

    fn look(&self, depth: &AtomicI32) -> i32 {
        match self.flaw {
            Flaw::NoSecondLook => i32::MAX,
            Flaw::LookByLoad => depth.load(Ordering::Acquire),
            _ => depth.fetch_add(0, Ordering::AcqRel),
        }
    }
}

impl Book for FlawedMutes {
    type Load = Load;

    fn load() -> Load {
        Load {
            depth: AtomicI32::new(0),
            state: AtomicU8::new(CALM),
        }
    }

    fn first(load: &Load) -> usize {
        Self::depth(load) + 1
    }

    fn add(load: &Load) -> usize {
        load.depth.fetch_add(1, Ordering::Relaxed).max(0) as usize + 2
    }

    fn subtract(&self, load: &Load, count: u32, marks: Marks) -> bool {
        let early = load.is(OVERLOADED);
        let depth = load.depth.fetch_sub(count as i32, Ordering::AcqRel) - count as i32;
        let overloaded = if self.flaw == Flaw::StateEarly {
            early
        } else {
            load.is(OVERLOADED)
        };
        depth <= marks.recovered as i32 && overloaded
    }

    fn closed(load: &Load) {
        load.depth.store(0, Ordering::Relaxed);
    }

    fn depth(load: &Load) -> usize {
        load.depth.load(Ordering::Relaxed).max(0) as usize
    }

    fn mute(
        &self,
        sender: (usize, &Load),
        receiver: (usize, &Load),
        marks: Marks,
    ) -> Muting<usize> {
        let mut lists = lock(&self.lists);
        let early = self.look(&receiver.1.depth);
        let overloads = match self.flaw {
            Flaw::MuteByStore => receiver.1.look_and_store(CALM, OVERLOADED),
            _ => receiver.1.exchange(CALM, OVERLOADED),
        };
        let before = match overloads {
            Ok(before) | Err(before @ OVERLOADED) => before,
            Err(_) if self.flaw == Flaw::NobodyImmune => {
                receiver.1.set(OVERLOADED);
                IMMUNE
            }
            Err(_) => return Muting::GoesOn,
        };
        let depth = if self.flaw == Flaw::LookEarly {
            early
        } else {
            self.look(&receiver.1.depth)
        };
        if depth <= marks.recovered as i32 {
            let _ended_meanwhile = receiver.1.exchange(OVERLOADED, before);
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
        let _ended_meanwhile = actor.1.exchange(OVERLOADED, CALM);
        lists.remove(&(actor.0 as u64)).unwrap_or_default()
    }

    fn ended(&self, actor: (usize, &Load)) -> Vec<usize> {
        let calm = match self.flaw {
            Flaw::EndedCalm => Err(OVERLOADED),
            Flaw::EndWithoutLock => {
                actor.1.set(IMMUNE);
                return Vec::new();
            }
            Flaw::EndByStore => actor.1.look_and_store(CALM, IMMUNE),
            _ => actor.1.exchange(CALM, IMMUNE),
        };
        if matches!(calm, Ok(_) | Err(IMMUNE)) {
            return Vec::new();
        }
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

    fn slip(&self) -> Slip {
        self.slip
    }
}
