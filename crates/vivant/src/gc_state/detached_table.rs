//! [`Table`]: the detached heaps of a system, and the queue of those to be run. See
//! [README.md](README.md).

use std::collections::{BTreeMap, BTreeSet};
use vivant_heap::{DetachedHeap, DetachedStep, HeapId, ObjectName, Retainers, StepContext};

/// By number: in the order in which their actors ended (R5).
#[derive(Default)]
pub(super) struct Table {
    /// All but the heap that is being run.
    kept: BTreeMap<u64, Stored>,
    /// Those to be run: due time in nanoseconds, and number.
    queue: BTreeSet<(u64, u64)>,
    numbers: u64,
}

struct Stored {
    orphan: DetachedHeap,
    /// Its time in the queue, if it is there.
    due_ns: Option<u64>,
}

/// A detached heap that is being run.
pub(super) struct Taken {
    number: u64,
    orphan: DetachedHeap,
}

/// What a step of one has left.
pub(super) struct Seen {
    number: u64,
    remains: DetachedStep,
}

impl Taken {
    /// Does a step of its work. `clock` measures the duration.
    pub(super) fn step(self, now_ns: u64, work: &mut usize, clock: impl Fn() -> u64) -> Seen {
        let context = StepContext {
            now_ns,
            clock: &clock,
            ..StepContext::UNTIMED
        };
        Seen {
            number: self.number,
            remains: self.orphan.step_at(&context, work),
        }
    }
}

impl Table {
    /// The number of the next one.
    pub(super) fn number(&mut self) -> u64 {
        self.numbers += 1;
        self.numbers
    }

    /// Puts one into the table. A notification of a heap outside the table is not recorded: its
    /// inbox is not empty.
    fn keep(&mut self, number: u64, orphan: DetachedHeap, due_ns: Option<u64>) {
        self.queue.extend(due_ns.map(|due_ns| (due_ns, number)));
        let kept = Stored { orphan, due_ns };
        self.kept.insert(number, kept);
    }

    /// Adds a new one. Returns when it is to be run, if it is.
    pub(super) fn comes(
        &mut self,
        number: u64,
        orphan: DetachedHeap,
        now_ns: u64,
        heard_ns: u64,
    ) -> Option<u64> {
        let due_ns = match (orphan.has_work(), orphan.is_notified()) {
            (true, _) => Some(now_ns),
            (false, true) => Some(heard_ns),
            (false, false) => None,
        };
        self.keep(number, orphan, due_ns);
        due_ns
    }

    /// A message was put into this one's inbox. It is read at `heard_ns` at the latest, even if the
    /// heap is paused until later. Returns when it is to be run, if that has changed.
    pub(super) fn is_told(&mut self, number: u64, heard_ns: u64) -> Option<u64> {
        let kept = self.kept.get_mut(&number)?;
        if let Some(due_ns) = kept.due_ns {
            if due_ns <= heard_ns {
                return None;
            }
            self.queue.remove(&(due_ns, number));
        }
        kept.due_ns = Some(heard_ns);
        self.queue.insert((heard_ns, number));
        kept.due_ns
    }

    /// Takes the first that is due by then.
    pub(super) fn take(&mut self, by_ns: u64) -> Option<Taken> {
        let &(due_ns, number) = self.queue.first()?;
        if due_ns > by_ns {
            return None;
        }
        self.queue.pop_first();
        let Stored { orphan, .. } = self.kept.remove(&number)?;
        Some(Taken { number, orphan })
    }

    /// Puts back a heap that was run. Messages put into its inbox since are read at `heard_ns`.
    pub(super) fn put_back(&mut self, seen: Seen, now_ns: u64, heard_ns: u64) {
        let Seen { number, remains } = seen;
        match remains {
            DetachedStep::Freed => {}
            DetachedStep::HasWork(orphan) => {
                // It is paused from marks, and may have been released as a whole.
                let rests_ns = now_ns.max(orphan.next_mark_ns());
                let due_ns = match (orphan.is_draining(), orphan.is_notified()) {
                    (true, _) => now_ns,
                    (false, true) => rests_ns.min(heard_ns),
                    (false, false) => rests_ns,
                };
                self.keep(number, orphan, Some(due_ns));
            }
            DetachedStep::Idle(orphan) => {
                let due_ns = orphan.is_notified().then_some(heard_ns);
                self.keep(number, orphan, due_ns);
            }
        }
    }

    /// When the first is due.
    pub(super) fn next_ns(&self) -> Option<u64> {
        self.queue.first().map(|(due_ns, _)| *due_ns)
    }

    /// Number of those due by `by_ns`, at most `enough`.
    pub(super) fn due(&self, by_ns: u64, enough: usize) -> usize {
        let due = self.queue.range(..=(by_ns, u64::MAX));
        due.take(enough).count()
    }

    /// The retainers of an object of one of them; none if its owner is not among them.
    pub(super) fn retainers(&mut self, owner: HeapId, of: ObjectName) -> Option<Retainers> {
        let mut heaps = self.kept.values_mut().map(|kept| kept.orphan.sharer());
        let heap = heaps.find(|heap| heap.id() == owner)?;
        Some(heap.retainers(of))
    }

    pub(super) fn len(&self) -> usize {
        self.kept.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::cell::Cell;
    use std::sync::Arc;
    use vivant_heap::{Heap, Pacing, PageSource, Parcel, Root, Val};

    /// Work budget of one step.
    const LOOK: usize = if cfg!(miri) { 4 } else { 1_000 };

    /// More than one step reads from the inbox.
    const MANY: u64 = 20 * LOOK as u64;

    struct Numbers;

    impl Root for Numbers {
        type Of<'gc> = ();
    }

    /// The detached rest of a heap with `many` exported objects.
    fn orphan(many: u64) -> (DetachedHeap, Vec<Parcel<Val<'static, u64>>>) {
        let source = Arc::new(PageSource::new());
        let mut heap = Heap::<Numbers>::new(&source, Pacing::new(), |_| ());
        let parcels = (0..many).map(|number| heap.turn(|m, ()| m.pack(m.val(number))));
        let parcels = parcels.collect();
        (heap.end().expect("it is known"), parcels)
    }

    /// Runs all that are due, with a clock that advances by 5 ns at each read. Returns the number
    /// of steps.
    fn cares(table: &mut Table, now_ns: u64) -> usize {
        let ticks = Cell::new(0);
        let clock = || ticks.replace(ticks.get() + 5);
        let mut looks = 0;
        while let Some(taken) = table.take(now_ns) {
            let seen = taken.step(now_ns, &mut { LOOK }, clock);
            table.put_back(seen, now_ns, now_ns + 10);
            looks += 1;
        }
        looks
    }

    #[test]
    fn who_was_marked_is_heard_and_rests_unless_nobody_has_it() {
        let mut table = Table::default();
        let (orphan, mut parcels) = orphan(3);
        let number = table.number();
        assert_eq!(table.comes(number, orphan, 0, 10), None);
        parcels.pop();
        assert_eq!(table.is_told(number, 10), Some(10));
        assert_eq!(table.is_told(number, 11), None);
        assert_eq!((cares(&mut table, 9), cares(&mut table, 10)), (0, 2));
        // Two steps took 10 ns.
        parcels.pop();
        assert_eq!(table.is_told(number, 20), Some(20));
        assert_eq!(cares(&mut table, 20), 1);
        assert_eq!((table.next_ns(), table.due(20, 9)), (Some(1_010), 0));
        parcels.pop();
        assert_eq!(table.is_told(number, 30), Some(30));
        assert_eq!((cares(&mut table, 30), table.len()), (1, 0));
        assert_eq!(table.next_ns(), None);
    }

    #[test]
    fn who_hears_of_more_while_it_is_marked_rests_before_it_is_marked_again() {
        let mut table = Table::default();
        let (orphan, mut parcels) = orphan(3);
        let number = table.number();
        table.comes(number, orphan, 0, 10);
        parcels.pop();
        table.is_told(number, 10);
        let ticks = Cell::new(0);
        let clock = || ticks.replace(ticks.get() + 5);
        let seen = table.take(10).unwrap().step(10, &mut { LOOK }, clock);
        parcels.pop();
        table.put_back(seen, 10, 20);
        assert_eq!(cares(&mut table, 10), 1);
        assert_eq!(table.next_ns(), Some(510), "one look took 5 ns");
        assert_eq!((cares(&mut table, 509), cares(&mut table, 510)), (0, 2));
        drop(parcels);
        assert_eq!(table.is_told(number, 600), Some(600));
        assert_eq!((cares(&mut table, 600), table.len()), (1, 0));
    }

    #[test]
    fn what_is_left_while_one_comes_is_heard() {
        let mut table = Table::default();
        let (orphan, parcels) = orphan(1);
        let number = table.number();
        drop(parcels);
        assert_eq!(table.is_told(number, 10), None, "it is not there");
        assert_eq!(table.comes(number, orphan, 0, 10), Some(10));
        assert_eq!((cares(&mut table, 10), table.len()), (1, 0));
    }

    /// A table with a heap of this many exported objects, was marked twice, and is paused until
    /// long after 30; its number; and the holders of the objects.
    fn resting(many: u64) -> (Table, u64, Vec<Parcel<Val<'static, u64>>>) {
        let mut table = Table::default();
        let (orphan, mut parcels) = orphan(many);
        let number = table.number();
        let _due = table.comes(number, orphan, 0, 10);
        cares(&mut table, 0);
        for told_ns in [10, 20] {
            parcels.pop();
            table.is_told(number, told_ns);
            cares(&mut table, told_ns);
        }
        assert!(table.next_ns() > Some(100), "it rests");
        (table, number, parcels)
    }

    #[test]
    fn one_that_is_given_up_as_a_whole_is_freed_though_it_rests() {
        for many in [MANY / 20, MANY] {
            let (mut table, number, parcels) = resting(many);
            drop(parcels);
            table.is_told(number, 30);
            cares(&mut table, 30);
            assert_eq!(table.len(), 0, "{many}");
        }
    }

    #[test]
    fn who_has_heard_for_long_does_not_rest_for_that() {
        let mut table = Table::default();
        let (orphan, mut parcels) = orphan(MANY);
        let number = table.number();
        let _due = table.comes(number, orphan, 0, 10);
        cares(&mut table, 0);
        assert_eq!(table.next_ns(), None);
        parcels.truncate(1);
        table.is_told(number, 1_000_000);
        cares(&mut table, 1_000_000);
        // It was marked, and the pause is empty.
        assert_eq!((table.next_ns(), table.len()), (None, 1));
        drop(parcels);
        table.is_told(number, 2_000_000);
        cares(&mut table, 2_000_000);
        assert_eq!(table.len(), 0);
    }

    /// A message put in while the heap is run does not find it in the table.
    #[test]
    fn what_is_left_while_one_that_rests_is_looked_at_is_heard_soon() {
        let (mut table, number, mut parcels) = resting(MANY / 20);
        parcels.pop();
        table.is_told(number, 30);
        let ticks = Cell::new(0);
        let clock = || ticks.replace(ticks.get() + 5);
        let seen = table.take(30).unwrap().step(30, &mut { LOOK }, clock);
        parcels.pop();
        assert_eq!(table.is_told(number, 30), None);
        table.put_back(seen, 30, 40);
        assert_eq!(table.next_ns(), Some(40));
    }
}
