//! [`DetachedHeapTable`]: the detached heaps of a system, and the queue of those to be run. See
//! [README.md](README.md).

use std::collections::{BTreeMap, BTreeSet};
use std::mem;
use vivant_heap::{DetachedHeap, DetachedStep, HeapShares, Sharer, StepContext, Visit};

/// The detached heaps by number: in the order in which their actors ended (R5).
#[derive(Default)]
pub(super) struct DetachedHeapTable {
    heaps: BTreeMap<u64, DetachedEntry>,
    /// Those to be run: due time in nanoseconds, and number.
    queue: BTreeSet<(u64, u64)>,
    /// Those with imports and exports.
    sharing: BTreeSet<u64>,
    /// Whether counts of one of these have changed, or one is new.
    changed: Changed,
    last_number: u64,
}

/// Whether a cycle through a detached heap may be unreachable since the last question.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) enum Changed {
    #[default]
    No,
    Yes,
}

struct DetachedEntry {
    /// None as long as it is out of the table: being run, or visited by a group mark.
    heap: Option<DetachedHeap>,
    /// When it is due. It is in the queue then, unless it is out of the table. If it is being run:
    /// set if it was notified meanwhile.
    due_ns: Option<u64>,
}

/// A detached heap that is out of the table.
pub(super) struct TakenHeap {
    number: u64,
    heap: DetachedHeap,
}

/// A detached heap after a step.
pub(super) struct SteppedHeap {
    number: u64,
    outcome: DetachedStep,
}

impl TakenHeap {
    pub(super) fn heap(&mut self) -> &mut DetachedHeap {
        &mut self.heap
    }

    /// Does a step of its work. `clock` measures the duration.
    pub(super) fn step(
        self,
        now_ns: u64,
        work: &mut usize,
        clock: impl Fn() -> u64,
    ) -> SteppedHeap {
        let context = StepContext {
            now_ns,
            clock: &clock,
            ..StepContext::UNTIMED
        };
        SteppedHeap {
            number: self.number,
            outcome: self.heap.step_at(&context, work),
        }
    }
}

impl DetachedHeapTable {
    /// Returns the number of the next detached heap.
    pub(super) fn next_number(&mut self) -> u64 {
        self.last_number += 1;
        self.last_number
    }

    /// Puts a heap into the table.
    fn insert(&mut self, number: u64, mut heap: DetachedHeap, due_ns: Option<u64>) {
        let has_changed = heap.take_changed();
        match heap.sharer().member().shares() {
            HeapShares::Both => {
                if self.sharing.insert(number) || has_changed {
                    self.changed = Changed::Yes;
                }
            }
            _ => {
                self.sharing.remove(&number);
            }
        }
        self.queue.extend(due_ns.map(|due_ns| (due_ns, number)));
        let heap = Some(heap);
        self.heaps.insert(number, DetachedEntry { heap, due_ns });
    }

    /// Adds a new heap. Returns when it is due, if it is.
    pub(super) fn add(
        &mut self,
        number: u64,
        heap: DetachedHeap,
        now_ns: u64,
        drain_by_ns: u64,
    ) -> Option<u64> {
        let due_ns = match (heap.has_work(), heap.is_notified()) {
            (true, _) => Some(now_ns),
            (false, true) => Some(drain_by_ns),
            (false, false) => None,
        };
        self.insert(number, heap, due_ns);
        due_ns
    }

    /// A message was put into this heap's inbox, or its group mark was decided. It is run at
    /// `by_ns` at the latest, even if marks of the heap are paused for longer. Returns when the
    /// heap is due, if that has changed; nothing if it is out of the table: it is due when it is
    /// put back.
    pub(super) fn notify(&mut self, number: u64, by_ns: u64) -> Option<u64> {
        let entry = self.heaps.get_mut(&number)?;
        if entry.due_ns.is_some_and(|due_ns| due_ns <= by_ns) {
            return None;
        }
        let before = entry.due_ns.replace(by_ns);
        entry.heap.as_ref()?;
        if let Some(due_ns) = before {
            self.queue.remove(&(due_ns, number));
        }
        self.queue.insert((by_ns, number));
        Some(by_ns)
    }

    /// Takes the first that is due by then.
    pub(super) fn take(&mut self, by_ns: u64) -> Option<TakenHeap> {
        let &(due_ns, number) = self.queue.first()?;
        if due_ns > by_ns {
            return None;
        }
        self.queue.pop_first();
        let entry = self.heaps.get_mut(&number)?;
        entry.due_ns = None;
        let heap = entry.heap.take()?;
        Some(TakenHeap { number, heap })
    }

    /// Takes this one, for a visit of a group mark.
    pub(super) fn take_for_visit(&mut self, number: u64) -> Result<TakenHeap, Visit> {
        let entry = self.heaps.get_mut(&number).ok_or(Visit::Ended)?;
        let heap = entry.heap.take().ok_or(Visit::Active)?;
        if let Some(due_ns) = entry.due_ns {
            self.queue.remove(&(due_ns, number));
        }
        Ok(TakenHeap { number, heap })
    }

    /// Puts back a heap after a visit. It is due as before, or as it was notified meanwhile.
    /// Returns when it is due, if it is.
    pub(super) fn put_back_visited(&mut self, visited: TakenHeap) -> Option<u64> {
        let due_ns = self.heaps.get(&visited.number)?.due_ns;
        self.insert(visited.number, visited.heap, due_ns);
        due_ns
    }

    /// Puts back a heap after a step. If it was notified during the step, it is run at
    /// `drain_by_ns`.
    pub(super) fn put_back(&mut self, stepped: SteppedHeap, now_ns: u64, drain_by_ns: u64) {
        let SteppedHeap { number, outcome } = stepped;
        let entry = self.heaps.get(&number);
        let was_notified = entry.is_some_and(|entry| entry.due_ns.is_some());
        match outcome {
            DetachedStep::Freed => {
                self.heaps.remove(&number);
                self.sharing.remove(&number);
            }
            DetachedStep::HasWork(heap) => {
                // Its next mark is delayed, but it may have been released as a whole.
                let not_before_ns = now_ns.max(heap.next_mark_ns());
                let is_notified = was_notified || heap.is_notified();
                let due_ns = match (heap.is_draining(), is_notified) {
                    (true, _) => now_ns,
                    (false, true) => not_before_ns.min(drain_by_ns),
                    (false, false) => not_before_ns,
                };
                self.insert(number, heap, Some(due_ns));
            }
            DetachedStep::Idle(heap) => {
                let is_notified = was_notified || heap.is_notified();
                self.insert(number, heap, is_notified.then_some(drain_by_ns));
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

    /// Passes each of them to `ask`, until it has an answer.
    pub(super) fn find<T>(&mut self, ask: impl FnMut(&mut dyn Sharer) -> Option<T>) -> Option<T> {
        let heaps = self.heaps.values_mut();
        let heaps = heaps.filter_map(|entry| entry.heap.as_mut());
        let drained = heaps.map(|heap| {
            heap.drain_inbox();
            heap.sharer()
        });
        drained.into_iter().find_map(ask)
    }

    /// Whether counts of those with imports and exports have changed since the last call.
    pub(super) fn take_changed(&mut self) -> Changed {
        mem::take(&mut self.changed)
    }

    pub(super) fn numbers(&self) -> impl Iterator<Item = u64> {
        self.heaps.keys().copied()
    }

    /// Those with imports and exports.
    pub(super) fn sharing(&self) -> impl Iterator<Item = u64> {
        self.sharing.iter().copied()
    }

    /// Objects that nothing outside of these heaps can release.
    pub(super) fn leaked_objects(&mut self) -> usize {
        let heaps = self.heaps.values_mut();
        vivant_heap::leaked_objects(heaps.filter_map(|entry| entry.heap.as_mut()))
    }

    pub(super) fn len(&self) -> usize {
        self.heaps.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::cell::Cell;
    use std::sync::Arc;
    use vivant_heap::{Heap, Pacing, PageSource, Parcel, Root, Val};

    /// Work budget of one step.
    const STEP_BUDGET: usize = if cfg!(miri) { 4 } else { 1_000 };

    /// More objects than one step drains counts of.
    const MANY: u64 = 20 * STEP_BUDGET as u64;

    struct Numbers;

    impl Root for Numbers {
        type Of<'gc> = ();
    }

    /// A detached heap with `many` exported objects, and their holders.
    fn heap(many: u64) -> (DetachedHeap, Vec<Parcel<Val<'static, u64>>>) {
        let source = Arc::new(PageSource::new());
        let mut heap = Heap::<Numbers>::new(&source, Pacing::new(), |_| ());
        let parcels = (0..many).map(|number| heap.turn(|m, ()| m.pack(m.val(number))));
        let parcels = parcels.collect();
        (heap.end().expect("it is known"), parcels)
    }

    /// Runs all that are due, with a clock that advances by 5 ns at each read. Returns the number
    /// of steps.
    fn run_due(table: &mut DetachedHeapTable, now_ns: u64) -> usize {
        let ticks = Cell::new(0);
        let clock = || ticks.replace(ticks.get() + 5);
        let mut steps = 0;
        while let Some(taken) = table.take(now_ns) {
            let stepped = taken.step(now_ns, &mut { STEP_BUDGET }, clock);
            table.put_back(stepped, now_ns, now_ns + 10);
            steps += 1;
        }
        steps
    }

    #[test]
    fn a_marked_heap_drains_its_inbox_and_pauses_unless_it_is_released() {
        let mut table = DetachedHeapTable::default();
        let (heap, mut parcels) = heap(3);
        let number = table.next_number();
        assert_eq!(table.add(number, heap, 0, 10), None);
        parcels.pop();
        assert_eq!(table.notify(number, 10), Some(10));
        assert_eq!(table.notify(number, 11), None);
        assert_eq!((run_due(&mut table, 9), run_due(&mut table, 10)), (0, 2));
        // Two steps took 10 ns.
        parcels.pop();
        assert_eq!(table.notify(number, 20), Some(20));
        assert_eq!(run_due(&mut table, 20), 1);
        assert_eq!((table.next_ns(), table.due(20, 9)), (Some(1_010), 0));
        parcels.pop();
        assert_eq!(table.notify(number, 30), Some(30));
        assert_eq!((run_due(&mut table, 30), table.len()), (1, 0));
        assert_eq!(table.next_ns(), None);
    }

    #[test]
    fn a_heap_notified_during_its_mark_pauses_before_the_next_mark() {
        let mut table = DetachedHeapTable::default();
        let (heap, mut parcels) = heap(3);
        let number = table.next_number();
        table.add(number, heap, 0, 10);
        parcels.pop();
        table.notify(number, 10);
        let ticks = Cell::new(0);
        let clock = || ticks.replace(ticks.get() + 5);
        let stepped = table
            .take(10)
            .unwrap()
            .step(10, &mut { STEP_BUDGET }, clock);
        parcels.pop();
        table.put_back(stepped, 10, 20);
        assert_eq!(run_due(&mut table, 10), 1);
        assert_eq!(table.next_ns(), Some(510), "one look took 5 ns");
        assert_eq!((run_due(&mut table, 509), run_due(&mut table, 510)), (0, 2));
        drop(parcels);
        assert_eq!(table.notify(number, 600), Some(600));
        assert_eq!((run_due(&mut table, 600), table.len()), (1, 0));
    }

    #[test]
    fn a_count_put_in_before_the_heap_is_added_is_drained() {
        let mut table = DetachedHeapTable::default();
        let (heap, parcels) = heap(1);
        let number = table.next_number();
        drop(parcels);
        assert_eq!(table.notify(number, 10), None, "it is not there");
        assert_eq!(table.add(number, heap, 0, 10), Some(10));
        assert_eq!((run_due(&mut table, 10), table.len()), (1, 0));
    }

    /// A table with one heap of `many` exported objects, which was marked twice and is not marked
    /// again until long after 30; its number; the holders of the objects.
    fn paused_table(many: u64) -> (DetachedHeapTable, u64, Vec<Parcel<Val<'static, u64>>>) {
        let mut table = DetachedHeapTable::default();
        let (heap, mut parcels) = heap(many);
        let number = table.next_number();
        let _due = table.add(number, heap, 0, 10);
        run_due(&mut table, 0);
        for notified_ns in [10, 20] {
            parcels.pop();
            table.notify(number, notified_ns);
            run_due(&mut table, notified_ns);
        }
        assert!(table.next_ns() > Some(100), "it rests");
        (table, number, parcels)
    }

    #[test]
    fn a_heap_released_as_a_whole_is_freed_during_its_mark_pause() {
        for many in [MANY / 20, MANY] {
            let (mut table, number, parcels) = paused_table(many);
            drop(parcels);
            table.notify(number, 30);
            run_due(&mut table, 30);
            assert_eq!(table.len(), 0, "{many}");
        }
    }

    #[test]
    fn time_spent_draining_causes_no_mark_pause() {
        let mut table = DetachedHeapTable::default();
        let (heap, mut parcels) = heap(MANY);
        let number = table.next_number();
        let _due = table.add(number, heap, 0, 10);
        run_due(&mut table, 0);
        assert_eq!(table.next_ns(), None);
        parcels.truncate(1);
        table.notify(number, 1_000_000);
        run_due(&mut table, 1_000_000);
        // It was marked, and no mark pause follows.
        assert_eq!((table.next_ns(), table.len()), (None, 1));
        drop(parcels);
        table.notify(number, 2_000_000);
        run_due(&mut table, 2_000_000);
        assert_eq!(table.len(), 0);
    }

    /// A message put in while the heap is run does not find it in the table.
    #[test]
    fn a_count_put_in_during_a_step_of_a_paused_heap_is_drained_soon() {
        let (mut table, number, mut parcels) = paused_table(MANY / 20);
        parcels.pop();
        table.notify(number, 30);
        let ticks = Cell::new(0);
        let clock = || ticks.replace(ticks.get() + 5);
        let stepped = table
            .take(30)
            .unwrap()
            .step(30, &mut { STEP_BUDGET }, clock);
        parcels.pop();
        assert_eq!(table.notify(number, 30), None);
        table.put_back(stepped, 30, 40);
        assert_eq!(table.next_ns(), Some(40));
    }

    /// The end of a group mark notifies a heap, and puts nothing into its inbox.
    #[test]
    fn a_heap_notified_during_a_step_or_a_visit_is_run() {
        let mut table = DetachedHeapTable::default();
        let (heap, parcels) = heap(1);
        let number = table.next_number();
        table.add(number, heap, 0, 10);
        table.notify(number, 10);
        let taken = table.take(10).expect("it is due");
        let stepped = taken.step(10, &mut { STEP_BUDGET }, || 0);
        assert_eq!(table.notify(number, 10), None, "it is out of the table");
        table.put_back(stepped, 10, 20);
        assert_eq!((run_due(&mut table, 19), run_due(&mut table, 20)), (0, 1));
        let visited = table.take_for_visit(number).expect("it is there");
        assert_eq!(table.take_for_visit(number).err(), Some(Visit::Active));
        assert_eq!(table.notify(number, 30), None);
        assert_eq!(table.put_back_visited(visited), Some(30));
        let visited = table.take_for_visit(number).expect("it is there");
        assert_eq!((table.take(30).is_none(), table.next_ns()), (true, None));
        assert_eq!(table.put_back_visited(visited), Some(30), "as before");
        drop(parcels);
        assert_eq!((run_due(&mut table, 30), table.len()), (1, 0));
        assert_eq!(table.take_for_visit(number).err(), Some(Visit::Ended));
    }
}
