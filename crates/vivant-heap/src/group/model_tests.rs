//! Random programs with cycles across heaps: no object that the graph of numbers reaches is
//! destroyed, and in the end all others are.

use super::group_mark::{GroupMark, GroupProgress};
use super::model_program::{Message, Program, STEPS, Visits};
use crate::injected_fault::{self, InjectedFault};
use crate::programs;
use crate::share::parcel::Parcel;

fn program(seed: u64) {
    let mut program = Program::new(seed);
    for _ in 0..STEPS {
        program.step();
        program.compare();
    }
    program.settle();
    program.end();
}

#[test]
fn seeded_cycles_across_heaps_match_the_model() {
    programs::run(25, program);
}

/// Each fault is detected by one of the first programs.
#[test]
fn injected_faults_of_group_marks_are_caught() {
    let faults = [
        InjectedFault::WithheldAtSight,
        InjectedFault::ReachedNotPassedOn,
        InjectedFault::EarlyCommit,
    ];
    programs::catch(&faults, program);
}

/// Programs run turns between the steps of a group mark, and some are committed all the same.
#[test]
fn seeded_group_marks_are_committed_beside_turns() {
    let (mut committed, mut emptied) = (0, 0);
    for seed in 0..20 {
        let mut program = Program::new(seed);
        (0..STEPS).for_each(|_| program.step());
        committed += program.committed;
        let heaps = program.heaps.iter();
        emptied += heaps.map(|heap| heap.stats().emptied).sum::<u64>();
        program.end();
    }
    assert!(committed >= 20 && emptied >= 20, "{committed}, {emptied}");
}

type Parcels = Vec<Parcel<Message>>;

/// Object 0 belongs to heap 1, and no state of that heap refers to it. There are `parcels` with a
/// reference to it. `before` runs before a group mark of the heaps 0 and 1. `between` runs after
/// that has added up the weights of heap 0, and before the mark of heap 0 begins. Returns how often
/// the object is destroyed while it is in one of the parcels that both return.
fn destroyed_in_a_parcel(
    parcels: usize,
    before: impl FnOnce(&mut Program, Parcels) -> Parcels,
    between: impl FnOnce(&mut Program) -> Parcels,
) -> u32 {
    let mut program = Program::new(0);
    program.make_thing(1);
    let all = (0..parcels).map(|_| {
        program.heaps[1].turn(|m, roots| m.pack::<Message>((Some(m.tag(roots.owns[0])), None)))
    });
    let all = all.collect();
    program.heaps[1].turn(|_, roots| roots.owns.clear());
    let mut kept = before(&mut program, all);
    let mut group = GroupMark::new(2);
    let mut between = Some(between);
    for step in 0..100 {
        if step == 4
            && let Some(between) = between.take()
        {
            kept.extend(between(&mut program));
        }
        let progress = group.step(&mut Visits {
            heaps: &mut program.heaps[..2],
            turns: &program.turns,
            chance: &program.chance,
            active_one_in: 0,
            held: false,
        });
        if let GroupProgress::Committed | GroupProgress::Dissolved = progress {
            break;
        }
    }
    for heap in &mut program.heaps {
        let _left = heap.help_mark(100);
        heap.pace();
        heap.sweep();
    }
    let destroyed = program.ended.lock().unwrap()[0];
    drop((kept, group));
    program.end();
    destroyed
}

/// Heap 0 takes all of these parcels.
fn takes(program: &mut Program, parcels: Parcels) {
    for parcel in parcels {
        program.heaps[0].turn(|m, roots| roots.names.extend(m.unpack(parcel).0));
    }
}

/// Heap 0 has two references, gives one away, and forgets the other.
fn given_away_between_two_steps() -> u32 {
    let before = |program: &mut Program, parcels| {
        takes(program, parcels);
        Vec::new()
    };
    destroyed_in_a_parcel(2, before, |program| {
        program.turns[0] += 1;
        program.heaps[0].turn(|m, roots| {
            let tag = roots.names.pop();
            roots.names.clear();
            vec![m.pack::<Message>((tag, None))]
        })
    })
}

#[test]
fn a_turn_before_all_marks_have_begun_dissolves_the_group() {
    assert_eq!(given_away_between_two_steps(), 0);
}

#[test]
fn an_inconsistent_cut_is_caught() {
    let destroyed =
        injected_fault::with(InjectedFault::InconsistentCut, given_away_between_two_steps);
    assert_eq!(destroyed, 1);
}

/// Heap 0 has two weights that it does not need, and two parcels have as many. A mark of an idle
/// heap is no turn: it releases what was added up, and leaves a count that is equal to that sum.
#[test]
fn a_mark_before_all_marks_have_begun_dissolves_the_group() {
    let before = |program: &mut Program, mut parcels: Parcels| {
        let kept = parcels.split_off(2);
        takes(program, parcels);
        program.heaps[0].turn(|_, roots| roots.names.clear());
        kept
    };
    let destroyed = destroyed_in_a_parcel(4, before, |program| {
        program.heaps[0].collect();
        program.heaps[0].sweep();
        Vec::new()
    });
    assert_eq!(destroyed, 0);
}
