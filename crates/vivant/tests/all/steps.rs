//! Behaviours in steps: called again, before any other message, with the locals that the last step
//! returned.

use crate::log::Log;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use vivant::heap::{Stress, Unbranded, When};
use vivant::prelude::*;
use vivant::simulation::Simulation;
use vivant::{Child, Messages, OnPanic, Pacing, Supervisor};

/// Logs its steps.
#[derive(Actor)]
struct Walker {
    log: Log,
    open: bool,
}

#[behaviours]
impl Walker {
    /// This many steps; returns the sum of their numbers.
    fn walk(&mut self, left: u64, #[locals] sum: u64) -> Step<(u64, u64), u64> {
        self.note(format!("step {left}"));
        match left {
            0 => Step::Done(sum),
            _ => Step::Again((left - 1, sum + left)),
        }
    }

    #[when(self.open)]
    fn march(&mut self, left: u64) -> Step<u64, &'static str> {
        self.open = false;
        self.note(format!("march {left}"));
        if left == 0 {
            return Step::Done("there");
        }
        Step::Again(left - 1)
    }

    fn open(&mut self) {
        self.open = true;
        self.note("open".into());
    }

    fn stumble(&mut self, left: u64) -> Step<u64, ()> {
        self.note(format!("stumble {left}"));
        assert!(left > 0, "fell");
        Step::Again(left - 1)
    }

    fn quit(&mut self, t: &Turn<Self>, left: u64) -> Step<u64, ()> {
        self.note(format!("quit {left}"));
        t.stop();
        Step::Again(left)
    }

    /// The last step leaves its answer to another actor.
    fn pass(
        &mut self,
        t: &Turn<Self>,
        to: Address<Walker>,
        #[locals] n: u8,
    ) -> Step<(Address<Walker>, u8), Promise<u64>> {
        if n < 3 {
            return Step::Again((to, n + 1));
        }
        Step::Done(t.ask(to.walk(3)))
    }

    #[then]
    fn received(
        &mut self,
        answer: Result<u64, AskError>,
        #[locals] again: bool,
    ) -> Step<(Result<u64, AskError>, bool), u64> {
        match again {
            false => Step::Again((answer, true)),
            true => Step::Done(answer.unwrap_or(0) + 1),
        }
    }

    fn ask_and_receive(&mut self, t: &Turn<Self>, whom: Address<Walker>) -> Promise<u64> {
        t.ask(whom.walk(2)).then(t.me().received())
    }

    #[local]
    fn note(&self, line: String) {
        self.log.note(line);
    }
}

fn walker(simulation: &Simulation) -> (Address<Walker>, Log) {
    let log = Log::default();
    let actor = Walker {
        log: log.clone(),
        open: false,
    };
    (simulation.system().spawn(actor), log)
}

#[test]
fn no_other_message_comes_between_two_steps() {
    let simulation = Simulation::new(3);
    let (walker, log) = walker(&simulation);
    let sum = walker.walk(3).ask();
    walker.open().send();
    let second = walker.walk(1).ask();
    assert_eq!(simulation.system().block_on(sum), Ok(6));
    assert_eq!(simulation.system().block_on(second), Ok(1));
    let expected = [
        "step 3", "step 2", "step 1", "step 0", "open", "step 1", "step 0",
    ];
    assert_eq!(*log.lines(), expected);
}

#[test]
fn other_actors_run_between_two_steps() {
    let simulation = Simulation::new(4);
    let (one, log) = walker(&simulation);
    let other = simulation.system().spawn(Walker {
        log: log.clone(),
        open: false,
    });
    // A budget of 256 messages: the other actor's turn comes in between.
    let steps = if cfg!(miri) { 600 } else { 100_000 };
    let long = one.walk(steps).ask();
    other.open().send();
    assert_eq!(
        simulation.system().block_on(long),
        Ok(steps * (steps + 1) / 2)
    );
    let log = log.lines();
    let open = log.iter().position(|line| line == "open").unwrap();
    assert!(open < 500, "it waited for {open} steps");
}

#[test]
fn a_guard_is_evaluated_before_the_first_step_only() {
    let simulation = Simulation::new(5);
    let (walker, log) = walker(&simulation);
    let there = walker.march(2).ask();
    let later = walker.march(1).ask();
    walker.open().send();
    assert_eq!(simulation.system().block_on(there), Ok("there"));
    walker.open().send();
    assert_eq!(simulation.system().block_on(later), Ok("there"));
    let expected = [
        "open", "march 2", "march 1", "march 0", "open", "march 1", "march 0",
    ];
    assert_eq!(*log.lines(), expected);
}

#[test]
fn the_last_step_answers_as_any_behaviour_does() {
    let simulation = Simulation::new(6);
    let ((one, _), (other, _)) = (walker(&simulation), walker(&simulation));
    assert_eq!(one.pass(other.clone()).ask_blocking(), Ok(6));
    assert_eq!(one.ask_and_receive(other).ask_blocking(), Ok(4));
}

#[test]
fn a_panic_loses_the_steps_that_are_left() {
    let simulation = Simulation::new(7);
    let (walker, log) = walker(&simulation);
    let answer = walker.stumble(2).ask_blocking();
    assert!(matches!(answer, Err(AskError::Panicked(panic)) if panic.message() == "fell"));
    assert_eq!(log.lines().len(), 3);
}

#[test]
fn a_stop_between_two_steps_is_answered_with_an_error() {
    let simulation = Simulation::new(8);
    let (walker, log) = walker(&simulation);
    let answer = walker.quit(5).ask_blocking();
    assert!(
        matches!(answer, Err(AskError::Stopped { .. })),
        "{answer:?}"
    );
    assert_eq!(*log.lines(), ["quit 5"]);
    let letters = simulation.system().dead_letters().counts();
    assert_eq!(letters.len(), 1);
    assert!(letters[0].behaviour.ends_with("::quit") && letters[0].count == 1);
    assert!(
        letters[0].place.contains("steps.rs"),
        "{}",
        letters[0].place
    );
}

#[test]
fn a_restarted_actor_continues_with_the_next_message() {
    let simulation = Simulation::new(9);
    let log = Log::default();
    let tree = Supervisor::one_for_one().spawn(simulation.system());
    let noted = log.clone();
    let child = Child::new(move |_| Walker {
        log: noted.clone(),
        open: false,
    });
    let walker = tree.add(child.messages(Messages::Kept).on_panic(OnPanic::Restart));
    let stumbles = walker.stumble(1).ask();
    let walks = walker.walk(2).ask();
    assert!(simulation.system().block_on(stumbles).is_err());
    assert_eq!(simulation.system().block_on(walks), Ok(3));
    let quits = walker.quit(1).ask();
    let walks = walker.walk(1).ask();
    assert!(simulation.system().block_on(quits).is_err());
    assert_eq!(simulation.system().block_on(walks), Ok(1));
}

/// Panics when it is dropped.
#[derive(Default)]
struct Fragile(bool);

impl Drop for Fragile {
    fn drop(&mut self) {
        assert!(!self.0, "dropped");
    }
}

#[derive(Actor)]
struct Porter;

#[behaviours]
impl Porter {
    fn carry(&self, t: &Turn<Self>, #[locals] load: Fragile) -> Step<Fragile, ()> {
        t.stop();
        drop(load);
        Step::Again(Fragile(true))
    }
}

#[test]
fn a_panic_in_the_drop_of_step_locals_loses_no_answer() {
    let simulation = Simulation::new(12);
    let porter = simulation.system().spawn(Porter);
    let (first, second) = (porter.carry().ask(), porter.carry().ask());
    for answer in [first, second] {
        let answer = simulation.system().block_on(answer);
        assert!(
            matches!(answer, Err(AskError::Stopped { .. })),
            "{answer:?}"
        );
    }
    assert_eq!(simulation.system().inspect().panics, 1);
    assert!(simulation.system().inspect().actors.is_empty());
}

/// Its locals are of a type that the actor's parameter gives.
#[derive(Actor)]
struct Shelf<T> {
    values: Vec<T>,
}

#[behaviours]
impl<T: Clone + PartialEq + Send + 'static> Shelf<T> {
    /// The first value that comes twice in a row.
    fn twice(
        &self,
        #[locals] seen: (usize, [Option<T>; 2]),
    ) -> Step<(usize, [Option<T>; 2]), Option<T>> {
        let (at, [_, last]) = seen;
        match self.values.get(at) {
            None => Step::Done(None),
            Some(value) if last.as_ref() == Some(value) => Step::Done(last),
            Some(value) => Step::Again((at + 1, [last, Some(value.clone())])),
        }
    }
}

#[test]
fn locals_are_of_any_type_that_the_actor_can_name() {
    let simulation = Simulation::new(13);
    let values = ["a", "b", "a", "a", "b"].map(String::from).to_vec();
    let shelf = simulation.system().spawn(Shelf { values });
    assert_eq!(shelf.twice().ask_blocking(), Ok(Some("a".to_owned())));
    let shelf = simulation.system().spawn(Shelf {
        values: vec![1, 2, 1],
    });
    assert_eq!(shelf.twice().ask_blocking(), Ok(None));
}

#[test]
fn memory_counts_return_to_zero() {
    let simulation = Simulation::new(10);
    let before = simulation.system().inspect().bytes;
    let (walker, _) = walker(&simulation);
    walker.walk(10).send();
    walker.quit(1).send();
    drop(walker);
    simulation.run();
    assert_eq!(simulation.system().inspect().bytes, before);
}

/// A list that is built and summed in steps, under a collector that works at each of them.
#[derive(Object)]
struct Link<'gc> {
    value: u64,
    next: Option<Gc<'gc, Link<'gc>>>,
}

#[derive(Object, Default)]
struct At<'gc> {
    link: Option<Gc<'gc, Link<'gc>>>,
    sum: u64,
}

const STRESSED: Pacing = Pacing::new().stressed(Stress::new(When::All, 1));

#[derive(Actor)]
#[actor(pacing = STRESSED)]
struct ListState<'gc> {
    first: Option<Gc<'gc, Link<'gc>>>,
    drops: Counted,
}

/// Counts its end.
#[derive(Object)]
#[object(leaf)]
struct Counted(Arc<AtomicU64>);

impl Drop for Counted {
    fn drop(&mut self) {
        self.0.fetch_add(1, Ordering::Relaxed);
    }
}

#[behaviours]
impl<'gc> ListState<'gc> {
    #[start]
    fn new(drops: Arc<AtomicU64>) -> Self {
        ListState {
            first: None,
            drops: Counted(drops),
        }
    }

    /// The built list is in the locals until the end.
    fn build(
        &mut self,
        t: &Turn<'gc, List>,
        left: u64,
        #[locals] at: At<'gc>,
    ) -> Step<(u64, At<'gc>), ()> {
        if left == 0 {
            self.first = at.link;
            return Step::Done(());
        }
        let link = t.alloc(Link {
            value: left,
            next: at.link,
        });
        let link = Some(link);
        Step::Again((left - 1, At { link, sum: 0 }))
    }

    fn sum(&self, #[locals] at: Option<At<'gc>>) -> Step<Option<At<'gc>>, u64> {
        let at = at.unwrap_or(At {
            link: self.first,
            sum: 0,
        });
        match at.link {
            None => Step::Done(at.sum),
            Some(link) => Step::Again(Some(At {
                link: link.next,
                sum: at.sum + link.value,
            })),
        }
    }

    fn fail(
        &self,
        t: &Turn<'gc, List>,
        #[locals] held: Option<Gc<'gc, Counted>>,
    ) -> Step<Option<Gc<'gc, Counted>>, ()> {
        assert!(held.is_none(), "the second step");
        Step::Again(Some(t.alloc(Counted(self.drops.0.clone()))))
    }
}

#[cfg_attr(miri, vivant::test(seeds = 1))]
#[cfg_attr(not(miri), vivant::test(seeds = 20))]
fn seeded_step_locals_live_until_the_next_step(simulation: &Simulation) {
    let drops = Arc::new(AtomicU64::new(0));
    let list = List::spawn(simulation.system(), drops);
    let links = if cfg!(miri) { 8 } else { 50 };
    let built = list.build(links).ask();
    let sum = list.sum().ask();
    assert_eq!(simulation.system().block_on(built), Ok(()));
    assert_eq!(
        simulation.system().block_on(sum),
        Ok(links * (links + 1) / 2)
    );
}

#[test]
fn locals_of_a_lost_step_are_garbage() {
    let simulation = Simulation::new(11);
    let drops = Arc::new(AtomicU64::new(0));
    let tree = Supervisor::one_for_one().spawn(simulation.system());
    let list = tree.add(List::child(drops.clone()).on_panic(OnPanic::Resume));
    assert!(list.fail().ask_blocking().is_err());
    // The collector has run since.
    assert_eq!(list.sum().ask_blocking(), Ok(0));
    assert_eq!(drops.load(Ordering::Relaxed), 1);
    Address::stop(&list);
    simulation.run();
    assert_eq!(drops.load(Ordering::Relaxed), 2);
}

/// A graph with a parameter. Some of its locals have the brand, and some have none.
#[derive(Actor)]
#[actor(pacing = STRESSED)]
struct PileState<'gc, T> {
    top: Option<Gc<'gc, Plate<'gc, T>>>,
}

#[derive(Object)]
struct Plate<'gc, T> {
    value: T,
    below: Option<Gc<'gc, Plate<'gc, T>>>,
}

#[behaviours]
impl<'gc, T: Clone + Unbranded> PileState<'gc, T> {
    #[start]
    fn new() -> Self {
        PileState { top: None }
    }

    fn put(&mut self, t: &Turn<'gc, Pile<T>>, value: T) {
        let below = self.top;
        self.top = Some(t.alloc(Plate { value, below }));
    }

    /// Turns the pile upside down.
    fn turn(
        &mut self,
        t: &Turn<'gc, Pile<T>>,
        #[locals] turned: Option<Gc<'gc, Plate<'gc, T>>>,
    ) -> Step<Option<Gc<'gc, Plate<'gc, T>>>, ()> {
        let Some(plate) = self.top else {
            self.top = turned;
            return Step::Done(());
        };
        self.top = plate.below;
        Step::Again(Some(t.alloc(Plate {
            value: plate.value.clone(),
            below: turned,
        })))
    }

    fn values(&self, #[locals] values: Vec<T>) -> Step<Vec<T>, Vec<T>> {
        let mut plate = self.top;
        for _ in &values {
            plate = plate.and_then(|plate| plate.below);
        }
        match plate {
            None => Step::Done(values),
            Some(plate) => Step::Again([values, vec![plate.value.clone()]].concat()),
        }
    }
}

/// The block does not name its brand.
#[derive(Actor)]
#[actor(pacing = STRESSED)]
struct LengthState<'gc> {
    first: Option<Gc<'gc, Link<'gc>>>,
}

#[behaviours]
impl LengthState<'_> {
    #[start]
    fn new() -> Self {
        LengthState { first: None }
    }

    fn length(&self, #[locals] sum: u64) -> Step<u64, u64> {
        match self.first {
            None if sum == 3 => Step::Done(sum),
            _ => Step::Again(sum + 1),
        }
    }
}

#[test]
fn locals_of_a_graph_have_its_brand_or_none() {
    let simulation = Simulation::new(14);
    let pile = Pile::<String>::spawn(simulation.system());
    for value in ["a", "b", "c"] {
        pile.put(value.to_owned()).send();
    }
    pile.turn().send();
    let values = pile.values().ask_blocking().unwrap();
    assert_eq!(values, ["a", "b", "c"]);
    let length = Length::spawn(simulation.system());
    assert_eq!(length.length().ask_blocking(), Ok(3));
}
