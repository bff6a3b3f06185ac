//! Random programs with cycles across heaps: no object that the graph of numbers reaches is
//! destroyed, and in the end all others are.

use super::group_mark::{GroupMark, GroupProgress};
use super::model_objects::News;
use super::model_program::{Message, Program, STEPS, Visits};
use crate::injected_fault::{self, InjectedFault};
use crate::orca::sharing::CREDIT;
use crate::programs;
use crate::share::parcel::Parcel;
use crate::types::weak::Weak;

/// In two of three programs a heap ends half-way.
fn program(seed: u64) {
    let mut program = Program::new(seed);
    for step in 0..STEPS {
        if step == STEPS / 2 && !seed.is_multiple_of(3) {
            program.end_heap();
        }
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

/// What happens to object 0, which belongs to a heap and is in no state of it.
struct Scene {
    owner: usize,
    /// Parcels that there are, with a reference to it.
    parcels: usize,
    /// Runs before a group mark of the heaps 0 and 1. Returns the parcels that stay.
    before: fn(&mut Program, Parcels) -> Parcels,
    /// Runs after some step of it. Returns the parcels that stay.
    between: fn(&mut Program, Parcels) -> Parcels,
    /// Whether something refers to the object after that.
    is_referred_to: fn(&mut Program) -> bool,
}

/// The steps of a group mark after which the turn runs: each, and under an interpreter some.
fn steps() -> impl Iterator<Item = usize> {
    let (last, by) = if cfg!(miri) { (10, 6) } else { (60, 1) };
    (0..last).step_by(by)
}

impl Scene {
    /// How often the object is destroyed while something refers to it, whatever step of the group
    /// mark the turn follows.
    fn destroyed_too_early(&self) -> u32 {
        steps()
            .map(|step| self.destroyed_after_step(step))
            .max()
            .expect("there are steps")
    }

    fn destroyed_after_step(&self, last: usize) -> u32 {
        let mut program = Program::new(0);
        program.make_thing(self.owner);
        let all = (0..self.parcels).map(|_| {
            program.heaps[self.owner]
                .turn(|m, roots| m.pack::<Message>((Some(m.tag(roots.owns[0])), None)))
        });
        let all = all.collect();
        let kept = (self.before)(&mut program, all);
        program.heaps[self.owner].turn(|_, roots| roots.owns.clear());
        destroyed_beside_group_mark(program, last, |program| {
            let kept = (self.between)(program, kept);
            (kept, (self.is_referred_to)(program))
        })
    }
}

/// How often object 0 is destroyed by a group mark of the heaps 0 and 1, and by the end of its
/// marks. `turn` runs after this step of it, or after its last one. It returns the parcels that
/// stay, and whether something refers to the object; the result is zero if nothing does.
fn destroyed_beside_group_mark(
    mut program: Program,
    last: usize,
    turn: impl FnOnce(&mut Program) -> (Parcels, bool),
) -> u32 {
    let (mut turn, mut after_turn) = (Some(turn), None);
    let mut group = GroupMark::new(2);
    for step in 0..200 {
        if step == last {
            after_turn = turn.take().map(|turn| turn(&mut program));
        }
        let progress = group.step(&mut Visits {
            heaps: &mut program.heaps[..2],
            detached: None,
            chance: &program.chance,
            active_one_in: 0,
        });
        if let GroupProgress::Committed | GroupProgress::Dissolved = progress {
            break;
        }
    }
    // The members' marks have not begun their termination.
    if let Some(turn) = turn.take() {
        after_turn = Some(turn(&mut program));
    }
    for heap in &mut program.heaps {
        let _left = heap.help_mark(100);
        heap.pace();
        heap.sweep();
    }
    let destroyed = program.ended.lock().unwrap()[0];
    let is_referred_to = after_turn.is_some_and(|(_kept, is_referred_to)| is_referred_to);
    drop((group, turn));
    program.end();
    destroyed * u32::from(is_referred_to)
}

/// A heap takes all of these parcels.
fn takes(program: &mut Program, heap: usize, parcels: Parcels) {
    for parcel in parcels {
        program.heaps[heap].turn(|m, roots| roots.names.extend(m.unpack(parcel).0));
    }
}

/// A heap gives a reference away.
fn gives_away(program: &mut Program, heap: usize) -> Option<Parcel<Message>> {
    program.heaps[heap].turn(|m, roots| {
        let tag = roots.names.pop()?;
        Some(m.pack::<Message>((Some(tag), None)))
    })
}

/// Heap 0 has two references, gives one away, and forgets the other.
const GIVEN_AWAY: Scene = Scene {
    owner: 1,
    parcels: 2,
    before: |program, parcels| {
        takes(program, 0, parcels);
        Vec::new()
    },
    between: |program, mut kept| {
        kept.extend(gives_away(program, 0));
        program.heaps[0].turn(|_, roots| roots.names.clear());
        kept
    },
    is_referred_to: |_| true,
};

#[test]
fn a_reference_that_is_given_away_beside_a_group_mark_keeps_its_object() {
    assert_eq!(GIVEN_AWAY.destroyed_too_early(), 0);
}

/// Heap 0 receives the only reference.
const RECEIVED: Scene = Scene {
    owner: 1,
    parcels: 1,
    before: |_, parcels| parcels,
    between: |program, parcels| {
        takes(program, 0, parcels);
        Vec::new()
    },
    is_referred_to: |_| true,
};

#[test]
fn a_reference_that_is_received_beside_a_group_mark_keeps_its_object() {
    assert_eq!(RECEIVED.destroyed_too_early(), 0);
}

#[test]
fn an_inconsistent_cut_is_caught() {
    let destroyed = injected_fault::with(InjectedFault::InconsistentCut, || {
        RECEIVED.destroyed_too_early()
    });
    assert_eq!(destroyed, 1);
}

/// There are 256 references, of which heap 1 has one. It requests a weight to give away another,
/// and has as much as the owner knows of then.
const CREDITED: Scene = Scene {
    owner: 0,
    parcels: CREDIT as usize,
    before: |program, mut parcels| {
        let kept = parcels.split_off(1);
        takes(program, 1, parcels);
        kept
    },
    between: |program, mut kept| {
        kept.extend(gives_away(program, 1));
        kept
    },
    is_referred_to: |_| true,
};

#[test]
fn a_weight_that_is_requested_beside_a_group_mark_is_counted() {
    assert_eq!(CREDITED.destroyed_too_early(), 0);
}

#[test]
fn roots_before_deltas_are_caught() {
    let destroyed = injected_fault::with(InjectedFault::RootsBeforeDeltas, || {
        CREDITED.destroyed_too_early()
    });
    assert_eq!(destroyed, 1);
}

/// Heap 0 has two weights that it does not need, and two parcels have as many. A mark of an idle
/// heap is no turn: it releases what was added up, and leaves a count that is equal to that sum.
#[test]
fn a_mark_beside_a_group_mark_leaves_no_count_that_is_taken_for_internal() {
    let scene = Scene {
        owner: 1,
        parcels: 4,
        before: |program, mut parcels| {
            let kept = parcels.split_off(2);
            takes(program, 0, parcels);
            program.heaps[0].turn(|_, roots| roots.names.clear());
            kept
        },
        between: |program, kept| {
            program.heaps[0].collect();
            program.heaps[0].sweep();
            kept
        },
        is_referred_to: |_| true,
    };
    assert_eq!(scene.destroyed_too_early(), 0);
}

/// Heap 0 has a weight that it does not need. The owner receives the only reference: its count is
/// that weight then.
#[test]
fn a_reference_that_returns_beside_a_group_mark_keeps_its_object() {
    let returned = Scene {
        owner: 1,
        parcels: 2,
        before: |program, mut parcels| {
            let kept = parcels.split_off(1);
            takes(program, 0, parcels);
            program.heaps[0].turn(|_, roots| roots.names.clear());
            kept
        },
        between: |program, kept| {
            takes(program, 1, kept);
            Vec::new()
        },
        is_referred_to: |_| true,
    };
    assert_eq!(returned.destroyed_too_early(), 0);
}

/// An object of heap 0 refers to it. Nothing but a weak reference has that object, and a turn
/// upgrades it.
const UPGRADED: Scene = Scene {
    owner: 1,
    parcels: 1,
    before: |program, parcels| {
        program.make_thing(0);
        for parcel in parcels {
            program.heaps[0].turn(|m, roots| {
                let own = roots.owns[0];
                own.borrow_mut(m).tags.extend(m.unpack(parcel).0);
                roots.weaks.push(Weak::new(m, own));
            });
        }
        // Into the old generation.
        program.heaps[0].collect();
        program.heaps[0].sweep();
        program.heaps[0].turn(|_, roots| roots.owns.clear());
        Vec::new()
    },
    between: |program, kept| {
        program.heaps[0].turn(|m, roots| roots.owns.extend(roots.weaks[0].upgrade(m)));
        kept
    },
    is_referred_to: |program| program.heaps[0].turn(|_, roots| !roots.owns.is_empty()),
};

#[test]
fn an_upgrade_reopens_a_group_mark() {
    assert_eq!(UPGRADED.destroyed_too_early(), 0);
}

#[test]
fn an_upgrade_that_reopens_nothing_is_caught() {
    let destroyed = injected_fault::with(InjectedFault::UnnoticedResurrection, || {
        UPGRADED.destroyed_too_early()
    });
    assert_eq!(destroyed, 1);
}

/// The owner has made a shared object with a part, which no heap counts. Another heap has the
/// object, takes the part, sends it and forgets the object. Returns how often the part is destroyed
/// while a parcel, or a heap that has received it, refers to it.
fn part_destroyed_too_early(owner: usize, last: usize, receiver: Option<usize>) -> u32 {
    let other = 1 - owner;
    let mut program = Program::new(0);
    let [part, whole] = [(); 2].map(|()| program.new_number(owner));
    let parcel = program.heaps[owner].turn(|m, _| {
        let news = |noted, vals| News {
            _noted: noted,
            tags: Vec::new(),
            vals,
        };
        let part = m.val(news(part, Vec::new()));
        let whole = m.val(news(whole, vec![part]));
        m.pack::<Message>((None, Some(whole)))
    });
    let receives = |program: &mut Program, heap: usize, parcel: Parcel<Message>| {
        program.heaps[heap].turn(|m, roots| roots.vals.extend(m.unpack(parcel).1));
    };
    receives(&mut program, other, parcel);
    destroyed_beside_group_mark(program, last, |program| {
        let parcel = program.heaps[other].turn(|m, roots| {
            let whole = roots.vals.pop().expect("it was received");
            m.pack::<Message>((None, Some(whole.vals[0])))
        });
        let kept = match receiver {
            Some(heap) => {
                receives(program, heap, parcel);
                Vec::new()
            }
            None => vec![parcel],
        };
        (kept, true)
    })
}

#[test]
fn a_part_that_is_sent_beside_a_group_mark_outlives_its_whole() {
    for owner in [0, 1] {
        for receiver in [None, Some(0), Some(1), Some(2)] {
            for last in steps() {
                let destroyed = part_destroyed_too_early(owner, last, receiver);
                assert_eq!(destroyed, 0, "owner {owner}, {receiver:?}, step {last}");
            }
        }
    }
}
