//! [`leaked_objects`]: the leak check of a system that has ended.

use crate::gc::detached_heap::DetachedHeap;
use std::collections::HashMap;

/// The number of exported objects that no reference outside of these detached heaps can release:
/// trial deletion of counts, by heaps. Zero unless the collector has a defect, because a heap that
/// ends cuts its tags, and each cycle of references across heaps passes through a tag.
///
/// The caller has run all of them until none had work. A heap counts as retained if something else
/// has a part of a count of its exports: a holder root, a parcel, a living heap; or if a retained
/// heap has an import of it. Costs some nanoseconds for each import and export; runs no user code.
pub fn leaked_objects<'h>(heaps: impl IntoIterator<Item = &'h mut DetachedHeap>) -> usize {
    let mut heaps: Vec<_> = heaps.into_iter().map(|heap| &mut heap.heap).collect();
    let mut owners = HashMap::new();
    for (at, heap) in heaps.iter_mut().enumerate() {
        let mut member = heap.member();
        owners.insert(member.name(), at);
        member.clear_internal(0, usize::MAX);
    }
    // The heaps of which each one has imports.
    let mut imports_of = Vec::new();
    for at in 0..heaps.len() {
        let weights = heaps[at].member().imports(0, usize::MAX);
        let mut owned = Vec::new();
        for weight in weights {
            if let Some(&owner) = owners.get(&weight.owner) {
                heaps[owner].member().reach(&[weight]);
                owned.push(owner);
            }
        }
        imports_of.push(owned);
    }
    let mut retained = vec![false; heaps.len()];
    let outside = |at: &usize| heaps[*at].core().between_turns().exports.has_outside_part();
    let mut open: Vec<_> = (0..heaps.len()).filter(outside).collect();
    while let Some(at) = open.pop() {
        if !std::mem::replace(&mut retained[at], true) {
            open.extend(&imports_of[at]);
        }
    }
    let leaked = heaps.iter().zip(retained).filter(|(_, retained)| !retained);
    leaked
        .map(|(heap, _)| heap.core().between_turns().export_roots().count())
        .sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gc::heap::Heap;
    use crate::group::model_program::{Message, Program};
    use crate::injected_fault::{self, InjectedFault};
    use crate::share::parcel::Parcel;

    /// Ends all heaps of the program, and runs what is left until none has work.
    fn ends(program: &mut Program) -> Vec<DetachedHeap> {
        let mut heaps = std::mem::take(&mut program.heaps);
        // The tags of young objects are cut by other code.
        heaps.iter_mut().for_each(Heap::collect);
        let mut left: Vec<_> = heaps.into_iter().filter_map(Heap::end).collect();
        while left
            .iter()
            .any(|heap| heap.has_work() || heap.is_notified())
        {
            left = left
                .into_iter()
                .filter_map(DetachedHeap::drain_all)
                .collect();
        }
        left
    }

    /// Makes cycles, and ends their heaps. Returns the number of heaps left, and that of leaked
    /// objects.
    fn cycles_of_ended_heaps(
        parcel: impl FnOnce(&mut Program) -> Vec<Parcel<Message>>,
    ) -> [usize; 2] {
        let mut program = Program::new(0);
        (0..9).for_each(|at| program.make_cycle(at % 3));
        let parcels = parcel(&mut program);
        let mut left = ends(&mut program);
        let found = [left.len(), leaked_objects(&mut left)];
        drop(parcels);
        found
    }

    #[test]
    fn cycles_of_ended_heaps_are_freed() {
        assert_eq!(cycles_of_ended_heaps(|_| Vec::new()), [0, 0]);
    }

    #[test]
    fn a_parcel_is_no_leak() {
        let of_cycle = |program: &mut Program| {
            program.make_thing(1);
            vec![program.heaps[1].turn(|m, roots| {
                let last = roots.owns.last().expect("one was made");
                m.pack::<Message>((Some(m.tag(*last)), None))
            })]
        };
        assert_eq!(cycles_of_ended_heaps(of_cycle), [1, 0]);
    }

    #[test]
    fn a_cycle_that_is_not_cut_is_caught() {
        let [heaps, leaked] = injected_fault::with(InjectedFault::TagsKept, || {
            cycles_of_ended_heaps(|_| Vec::new())
        });
        assert!(heaps >= 2 && leaked >= 2, "{heaps}, {leaked}");
    }
}
