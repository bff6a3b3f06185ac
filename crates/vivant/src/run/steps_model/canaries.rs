//! Self-tests: faults injected into steps, and the words with which the model reports each.

use super::subjects::{Bounded, Graph, Subject, Walker};
use super::tests::{Hits, faulty, run_beside_the_model};
use crate::injected_fault::{InjectedFault, caught};
use crate::simulation::{Faults, Seeds, check};

#[track_caller]
fn is_noticed<A: Subject>(bug: InjectedFault, hits: Hits, words: &[&str]) {
    let faults = match hits {
        Hits::None => Faults::none(),
        Hits::Some => faulty(),
    };
    let said = caught(bug, || {
        check("a canary", Seeds(300), &faults, |simulation| {
            run_beside_the_model::<A>(simulation, hits);
        });
    });
    let is_meant = words.iter().any(|words| said.contains(words));
    assert!(is_meant, "{bug:?} was noticed, but not as such: {said}");
}

macro_rules! canaries {
    ($($name:ident: $bug:ident in $subject:ident with $hits:ident, $($words:literal)or+;)*) => {
        $(
            #[test]
            fn $name() {
                is_noticed::<$subject>(InjectedFault::$bug, Hits::$hits, &[$($words),+]);
            }
        )*
    };
}

canaries! {
    seeded_canary_a_message_between_two_steps_is_caught: MessageBetweenSteps in Walker with None, "T1: what runs";
    seeded_canary_locals_that_are_lost_are_caught: LostLocals in Graph with None, "is dropped too early" or "a panic that nobody planned";
    seeded_canary_locals_that_are_leaked_are_caught: LeakedLocals in Walker with None, "T1: left, and never dropped";
    seeded_canary_a_lost_step_that_nobody_is_told_of_is_caught: UntoldStep in Walker with None, "T3: ";
    seeded_canary_a_step_that_outlives_a_restart_is_caught: InheritedStep in Walker with None, "T1: left, and never dropped";
    seeded_canary_a_step_after_a_panic_is_caught: StepAfterPanic in Walker with Some, "T1: what runs" or "T3: ";
    seeded_canary_a_signal_unheard_between_steps_is_caught: DeafSteps in Walker with None, "T1: what runs";
    seeded_canary_steps_without_a_budget_are_caught: FreeSteps in Walker with None, "T6: a run without an end";
    seeded_canary_an_actor_that_parks_between_steps_is_caught: ParkedStep in Walker with None, "T1: what ends" or "is idle";
    seeded_canary_a_guard_asked_again_is_caught: GuardedStep in Walker with None, "T1: what runs";
    seeded_canary_a_step_that_takes_a_place_is_caught: StepTakesPlace in Bounded with None, "T3: ";
    seeded_canary_a_step_that_forgets_its_place_is_caught: StepWithoutPlace in Walker with None, "T3: a letter from";
}
