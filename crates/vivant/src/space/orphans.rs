//! [`Orphans`]: what is left of actors' heaps after their end, until nobody has any of it (O9). See [README.md](README.md).

use super::bell::Bell;
use super::rest::heard_after_ns;
use crate::alarm::Alarm;
use crate::scheduler::{Scheduler, Worker};
use crate::sync::{Arc, AtomicBool, Mutex, MutexGuard, Ordering, lock};
use crate::system::Shared;
use std::collections::{BTreeMap, BTreeSet};
use std::thread;
use vivant_heap::{HeapId, Keepers, ObjectName, Orphan};

/// Orphans take no more than this part of one worker's time.
const SHARE: u64 = 100;

/// The orphans of a system.
#[derive(Default)]
pub(crate) struct Orphans {
    table: Mutex<Table>,
    /// Whether a worker is to look after them.
    called: AtomicBool,
}

/// By number: in the order in which their actors ended (R5).
#[derive(Default)]
struct Table {
    at_rest: BTreeMap<u64, Orphan>,
    /// Those in whose lanes something may lie.
    told: BTreeSet<u64>,
    numbers: u64,
    care: Care,
    hours: Hours,
}

/// Who cares for them.
#[derive(Clone, Copy, PartialEq, Eq, Default)]
enum Care {
    #[default]
    Nobody,
    /// Somebody will: a timer is set, or has rung.
    Later,
    /// Somebody is at it. He sees those that are told meanwhile.
    Now,
}

#[derive(Clone, Copy, PartialEq, Eq, Default)]
enum Hours {
    /// There are timers and workers.
    #[default]
    Open,
    /// They have left: who gives something up cares for it himself.
    Over,
}

impl Orphans {
    /// A heap has ended, and this is left of it.
    pub(super) fn take_in(system: &Arc<Shared>, orphan: Orphan, bell: &Bell) {
        let orphans = &system.orphans;
        let number = {
            let mut table = lock(&orphans.table);
            table.numbers += 1;
            table.numbers
        };
        bell.moves_to(system, number);
        let mut table = lock(&orphans.table);
        // What was left before the bell had moved was told to the actor. What was left since has told of this number, which may have been
        // looked for in vain.
        if orphan.is_told() {
            table.told.insert(number);
        }
        table.at_rest.insert(number, orphan);
        if table.told.contains(&number) {
            Orphans::will_be_heeded(system, table);
        }
    }

    /// Others have left something for this one.
    pub(super) fn is_told(system: &Arc<Shared>, number: u64) {
        let mut table = lock(&system.orphans.table);
        table.told.insert(number);
        Orphans::will_be_heeded(system, table);
    }

    /// Some are told: somebody will care.
    fn will_be_heeded(system: &Arc<Shared>, mut table: MutexGuard<'_, Table>) {
        match (table.care, table.hours) {
            (Care::Now, _) | (Care::Later, Hours::Open) => {}
            (Care::Nobody, Hours::Open) => {
                table.care = Care::Later;
                drop(table);
                Orphans::call_in(system, heard_after_ns(system));
            }
            (_, Hours::Over) => {
                drop(table);
                Orphans::after_hours(system);
            }
        }
    }

    fn call_in(system: &Arc<Shared>, in_ns: u64) {
        let called = system.clone();
        let call = move || match &called.scheduler {
            Scheduler::Simulated(_) => Orphans::care(&called),
            Scheduler::Threads(threads) => {
                // SeqCst: whoever falls asleep has announced it before it looks here, and is woken if it has not seen this.
                called.orphans.called.store(true, Ordering::SeqCst);
                threads.wake_one();
            }
        };
        system.set_timer(in_ns, Alarm::Once(Box::new(call)));
    }

    /// Whether a worker is to look after them.
    #[inline]
    pub(crate) fn are_calling(&self) -> bool {
        // SeqCst: as in `call_in`.
        self.called.load(Ordering::SeqCst)
    }

    /// Heeds those that were told. Not in a turn, and not in a collection.
    pub(crate) fn care(system: &Arc<Shared>) {
        let orphans = &system.orphans;
        // Relaxed: the lock decides.
        orphans.called.store(false, Ordering::Relaxed);
        {
            let mut table = lock(&orphans.table);
            if table.care == Care::Now {
                return;
            }
            table.care = Care::Now;
        }
        let began_ns = system.oracle.now_ns();
        // Those that were heeded in this round and are told again wait for the next.
        let (mut heeded, mut again) = (BTreeSet::new(), BTreeSet::new());
        let more = loop {
            let mut table = lock(&orphans.table);
            let Some(number) = table.told.pop_first() else {
                table.told.append(&mut again);
                if table.hours == Hours::Over && !table.told.is_empty() {
                    heeded.clear();
                    continue;
                }
                let more = !table.told.is_empty();
                table.care = if more { Care::Later } else { Care::Nobody };
                break more;
            };
            if heeded.contains(&number) {
                again.insert(number);
                continue;
            }
            // One that is not there yet will be looked at when it comes.
            let Some(orphan) = table.at_rest.remove(&number) else {
                continue;
            };
            drop(table);
            heeded.insert(number);
            if let Some(rest) = orphan.heed() {
                lock(&orphans.table).at_rest.insert(number, rest);
            }
        };
        if more {
            let took_ns = system.oracle.now_ns() - began_ns;
            let in_ns = heard_after_ns(system).max(SHARE * took_ns);
            Orphans::call_in(system, in_ns);
        }
    }

    /// The system has ended: its timers and workers are gone.
    pub(crate) fn close(system: &Arc<Shared>) {
        lock(&system.orphans.table).hours = Hours::Over;
        Orphans::care(system);
    }

    /// Somebody gives up what a system had that has ended.
    #[cold]
    fn after_hours(system: &Arc<Shared>) {
        if Worker::with_current(|_| ()).is_none() {
            Orphans::care(system);
            return;
        }
        // In a turn of another system, or in its collection. If there is no thread to be had, who comes next cares for it.
        let theirs = system.clone();
        let name = format!("{}-orphans", system.config.name);
        let _thread = thread::Builder::new()
            .name(name)
            .spawn(move || Orphans::care(&theirs));
    }

    /// What keeps an object of one of them; none if its owner is not among them.
    pub(crate) fn keepers(&self, owner: HeapId, of: ObjectName) -> Option<Keepers> {
        let mut table = lock(&self.table);
        let mut heaps = table.at_rest.values_mut().map(Orphan::sharer);
        let heap = heaps.find(|heap| heap.id() == owner)?;
        Some(heap.keepers(of))
    }

    /// How many there are, but for those that are looked at.
    pub(crate) fn len(&self) -> usize {
        lock(&self.table).at_rest.len()
    }
}
