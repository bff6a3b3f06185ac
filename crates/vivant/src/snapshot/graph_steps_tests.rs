//! Behaviours in steps with locals in the heap of their actor, in images: they go on where they
//! were.

use super::taking::{goes_on_at_every_step, restored, simulated, try_take_now};
use crate::api::SavedKinds;
use crate::injected_fault::{InjectedFault, must_catch};
use crate::prelude::*;
use crate::simulation::Simulation;
use crate::sync::Arc;
use vivant_codec::Saved;
use vivant_heap::{Gc, Mut, Object, Pacing, Stress, When};

/// A stop on a line, which changes in place.
#[derive(Object, Saved)]
struct Stop<'gc> {
    visits: u64,
    next: Option<Gc<'gc, Mut<Stop<'gc>>>>,
}

/// Where a walk is, and the sum of what it has seen. Only the walk knows the stop that it has made.
#[derive(Object, Saved, Default)]
struct Walk<'gc> {
    at: Option<Gc<'gc, Mut<Stop<'gc>>>>,
    made: Option<Gc<'gc, Mut<Stop<'gc>>>>,
    sum: u64,
}

#[derive(Actor)]
#[actor(saved, id = "walks::Line", pacing = Pacing::new().stressed(Stress::new(When::All, 5)))]
struct LineState<'gc> {
    first: Option<Gc<'gc, Mut<Stop<'gc>>>>,
    sums: Vec<u64>,
}

#[behaviours(id = "walks::Line")]
impl<'gc> LineState<'gc> {
    #[start]
    fn new() -> Self {
        LineState {
            first: None,
            sums: Vec::new(),
        }
    }

    fn extend(&mut self, t: &Turn<'gc, Line>) {
        let next = self.first.take();
        self.first = Some(t.alloc(Mut::new(Stop { visits: 0, next })));
    }

    /// A future keeps the first stop for an hour.
    fn root_first(&mut self, t: &Turn<'gc, Line>) {
        let first = self.first.map(|first| t.root(first));
        drop(t.spawn(async move {
            std::future::pending::<()>().await;
            drop(first);
        }));
    }

    /// Visits each stop in a step of its own.
    fn walk(&mut self, t: &Turn<'gc, Line>, #[locals] mut walk: Walk<'gc>) -> Step<Walk<'gc>, u64> {
        let next = match (walk.made, walk.at) {
            (None, _) => {
                let next = self.first;
                walk.made = Some(t.alloc(Mut::new(Stop { visits: 100, next })));
                self.first
            }
            (Some(_), Some(at)) => {
                let mut stop = at.borrow_mut(t);
                stop.visits += 1;
                walk.sum += stop.visits;
                stop.next
            }
            (Some(made), None) => {
                let sum = walk.sum + made.borrow().visits;
                self.sums.push(sum);
                return Step::Done(sum);
            }
        };
        walk.at = next;
        Step::Again(walk)
    }
}

fn kinds() -> Arc<SavedKinds> {
    Arc::new(SavedKinds::of::<(Line,)>().expect("no two names are equal"))
}

fn begin(simulation: &Simulation) -> Vec<Address<Line>> {
    let line = Line::spawn(simulation.system());
    (0..3).for_each(|_| line.extend().send());
    line.walk().send();
    line.extend().send();
    line.walk().send();
    vec![line]
}

fn end(simulation: &Simulation) -> Vec<u64> {
    simulation.run();
    let actors = simulation.system().shared().actors();
    let mut idle = actors[0].hold_idle().expect("all is done");
    let sums = idle.state().look::<Line, _>(|line| line.sums.clone());
    idle.park();
    sums.expect("it has begun")
}

fn walks_go_on() {
    let simulation = Simulation::new(1);
    let _line = begin(&simulation);
    // Three stops once; then a new one once, and the three twice.
    assert_eq!(end(&simulation), [103, 107]);
    let images = goes_on_at_every_step(3, &kinds(), begin, end);
    assert!(images > 8, "{images} images");
}

#[test]
fn a_walk_through_a_graph_goes_on_at_its_next_step() {
    walks_go_on();
}

#[test]
fn lost_locals_are_noticed() {
    must_catch(InjectedFault::LocalsUnrecorded, walks_go_on);
}

/// An image in which a step waits has the locals, and one in which none does has none.
#[test]
fn an_image_has_the_locals_of_its_steps() {
    let simulation = simulated(&kinds(), 1);
    let _line = begin(&simulation);
    let (mut with, mut without) = (0, 0);
    // An image makes the actor look at its heap: without a bound there is always a step.
    for _ in 0..30 {
        let image = try_take_now(&simulation).expect("all of it is saved");
        let locals = image.actors.iter().filter(|it| it.locals.is_some());
        assert_eq!(locals.count(), image.steps.len());
        match image.steps.len() {
            0 => without += 1,
            _ => with += 1,
        }
        let (again, _actors) = restored(&image, 2, &kinds());
        assert_eq!(end(&again), [103, 107]);
        simulation.step();
    }
    // A run takes as many steps as its budget allows.
    assert!(with >= 1 && without >= 2, "{with}, {without}");
}

/// What a flow has rooted is not in an image, and does not hinder it.
#[test]
fn a_rooted_object_is_left_out() {
    let simulation = simulated(&kinds(), 1);
    let line = begin(&simulation);
    simulation.run();
    line[0].root_first().send();
    simulation.run();
    let image = try_take_now(&simulation).expect("all of it is saved");
    let (again, _actors) = restored(&image, 2, &kinds());
    assert_eq!(end(&again), [103, 107]);
}
