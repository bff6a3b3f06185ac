//! The reference model of muting: the muted actors and the actors that muted them, as plain data,
//! stepped beside the real implementation.
//!
//! | model | real |
//! |---|---|
//! | `Model::depth` | `Pressure::depth` |
//! | `Model::muted_by` | the lists of `Mutes` |
//! | `Model::send` | `post`, then `RunGuard::mute_if_overloaded` |
//! | `Model::process` | `RunGuard::taken`, `RunGuard::count` |
//! | `Model::end` | `RunGuard::end` |
//!
//! Every message here is a counted one: it came behind another. The depth with which a sender
//! decides is one more.
//!
//! Left out: in reality a released actor handles its signal later, in a run of its own. Here it
//! does so at once.

use crate::mute::{Mutes, Muting, Pressure, Watermarks};
use proptest::prelude::*;
use std::collections::BTreeSet;

const ACTORS: usize = 4;

#[derive(Clone, Copy, Debug)]
enum ModelStep {
    Send { from: usize, to: usize },
    Process(usize),
    End(usize),
}

#[derive(Default)]
struct Model {
    depth: [usize; ACTORS],
    muted_by: [Option<usize>; ACTORS],
    ended: [bool; ACTORS],
}

impl Model {
    fn release(&mut self, of: usize) -> BTreeSet<usize> {
        let released: BTreeSet<usize> = (0..ACTORS)
            .filter(|one| self.muted_by[*one] == Some(of))
            .collect();
        for one in &released {
            self.muted_by[*one] = None;
        }
        released
    }

    /// Returns the actors that the send releases, or `None` if it does not mute the sender.
    fn send(&mut self, from: usize, to: usize, marks: Watermarks) -> Option<BTreeSet<usize>> {
        self.depth[to] += 1;
        let overloaded = self.depth[to] + 1 >= marks.overloaded && self.depth[to] > marks.recovered;
        if from == to || !overloaded || self.muted_by[to].is_some() {
            return None;
        }
        self.muted_by[from] = Some(to);
        Some(self.release(from))
    }

    fn process(&mut self, actor: usize, marks: Watermarks) -> BTreeSet<usize> {
        self.depth[actor] -= 1;
        if self.depth[actor] <= marks.recovered {
            self.release(actor)
        } else {
            BTreeSet::new()
        }
    }

    fn end(&mut self, actor: usize) -> BTreeSet<usize> {
        self.depth[actor] = 0;
        self.ended[actor] = true;
        self.muted_by[actor] = None;
        self.release(actor)
    }

    /// P1: no path of length two.
    fn assert_flat(&self) {
        for by in self.muted_by.iter().flatten() {
            assert_eq!(self.muted_by[*by], None, "P1: a muted actor mutes");
            assert!(!self.ended[*by], "P3: an ended actor mutes");
        }
    }
}

fn steps() -> impl Strategy<Value = Vec<ModelStep>> {
    let step = prop_oneof![
        6 => (0..ACTORS, 0..ACTORS).prop_map(|(from, to)| ModelStep::Send { from, to }),
        4 => (0..ACTORS).prop_map(ModelStep::Process),
        1 => (0..ACTORS).prop_map(ModelStep::End),
    ];
    prop::collection::vec(step, 1..80)
}

/// Steps model and real implementation together; `bug` injects the fault that P1 forbids.
fn run(steps: &[ModelStep], marks: Watermarks, bug: InjectedBug) {
    let mut model = Model::default();
    let mutes: Mutes<usize> = Mutes::new();
    let real: [Pressure; ACTORS] = std::array::from_fn(|_| Pressure::new());
    let named = |actor: usize| (actor as u64, &real[actor]);
    // An actor that has ended while it was muted may still be in a list: releasing it is harmless,
    // and changes nothing.
    let unmute_alive = |released: Vec<usize>, ended: &[bool; ACTORS]| -> BTreeSet<usize> {
        let alive: BTreeSet<usize> = released.into_iter().filter(|one| !ended[*one]).collect();
        alive.iter().for_each(|one| mutes.unmuted(&real[*one]));
        alive
    };
    for step in steps {
        match *step {
            // A muted actor takes no turn, so it sends nothing and processes nothing.
            ModelStep::Send { from, to }
                if !model.ended[from] && !model.ended[to] && model.muted_by[from].is_none() =>
            {
                let expected = model.send(from, to, marks);
                let overloaded = real[to].add() >= marks.overloaded && from != to;
                let muting = match overloaded {
                    true => mutes.mute(named(from), from, named(to), marks),
                    false => Muting::NotMuted,
                };
                match muting {
                    Muting::NotMuted => assert_eq!(expected, None),
                    Muting::Muted { release } if bug == InjectedBug::ForgetsRelease => {
                        drop(release)
                    }
                    Muting::Muted { release } => {
                        assert_eq!(expected, Some(unmute_alive(release, &model.ended)))
                    }
                }
            }
            ModelStep::Process(actor)
                if model.depth[actor] > 0 && model.muted_by[actor].is_none() =>
            {
                let expected = model.process(actor, marks);
                let must = real[actor].subtract(1, marks);
                let released = if must {
                    unmute_alive(mutes.recovered(named(actor)), &model.ended)
                } else {
                    BTreeSet::new()
                };
                assert_eq!(expected, released);
            }
            ModelStep::End(actor) if !model.ended[actor] => {
                let expected = model.end(actor);
                let depth = real[actor].depth();
                let _by_ended = real[actor].subtract(depth as u32, marks);
                let released = unmute_alive(mutes.ended(named(actor)), &model.ended);
                assert_eq!(expected, released);
            }
            _ => {}
        }
        model.assert_flat();
        assert_eq!(
            model.depth,
            std::array::from_fn(|actor| real[actor].depth())
        );
    }
}

#[derive(PartialEq, Clone, Copy)]
enum InjectedBug {
    None,
    ForgetsRelease,
}

proptest! {
    #![proptest_config(ProptestConfig { cases: if cfg!(miri) { 10 } else { 2_000 }, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn implementation_agrees_with_the_model(steps in steps(), limit in 1..5usize) {
        run(&steps, Watermarks::at(limit), InjectedBug::None);
    }
}

/// Injects the fault of a muted actor that does not release the actors it muted: the model must
/// disagree.
#[test]
#[should_panic(expected = "assertion")]
fn canary_a_forgotten_release_is_caught() {
    let send = |from, to| ModelStep::Send { from, to };
    // 1 is muted by 0; then 0 is muted by 2 and must release 1; then 1 must be able to mute again.
    let steps = [send(1, 0), send(0, 2), send(2, 1)];
    run(&steps, Watermarks::at(1), InjectedBug::ForgetsRelease);
}
