//! L11 on threads: a line that begins while no turn runs.

use super::error::{SnapshotError, WaitedFor};
use super::line::Line;
use super::memory_store::MemoryStore;
use super::pause::Pauses;
use super::recorder::ImageRecorder;
use crate::actor::Worker;
use crate::api::SavedKinds;
use crate::cut::{Coordinator, Outcome, Step};
use crate::injected_fault::{InjectedFault, must_catch};
use crate::prelude::*;
use crate::sync::Arc;
use crate::system::System;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread;
use std::time::Duration;

const MINUTE: Duration = Duration::from_secs(60);

type Code = Box<dyn FnOnce(&System) + Send>;

/// Runs the code that it is sent.
#[derive(Actor)]
#[actor(id = "line::Doer")]
struct Doer(System);

#[behaviours(id = "line::Doer")]
impl Doer {
    fn run(&mut self, code: Code) {
        code(&self.0);
    }
}

/// As `Doer`, on a thread for actors that block.
#[derive(Actor)]
#[actor(blocking, id = "line::Blocker")]
struct Blocker(System);

#[behaviours(id = "line::Blocker")]
impl Blocker {
    fn run(&mut self, code: Code) {
        code(&self.0);
    }
}

#[derive(Actor)]
#[actor(saved, id = "line::Clerk")]
struct Clerk;

#[behaviours(id = "line::Clerk")]
impl Clerk {
    fn answer(&self) -> u64 {
        7
    }
}

fn system(workers: usize) -> System {
    let builder = System::builder().workers(workers);
    builder.saved::<(Clerk,)>().build()
}

/// Runs until `is_so`. It may wait for other threads.
fn until(is_so: impl Fn() -> bool) {
    while !is_so() {
        thread::yield_now();
    }
}

fn is_pausing(system: &System) -> bool {
    system.shared().passes.is_pausing()
}

fn is_behind() -> bool {
    Worker::with_current(Worker::is_behind) == Some(true)
}

/// A turn that has begun, and lasts until the sender sends.
fn held_turn(doer: &Address<Doer>, then: impl FnOnce(&System) + Send + 'static) -> Sender<()> {
    let ((to_turn, in_turn), (to_test, in_test)) = (channel(), channel());
    doer.run(Box::new(move |system| {
        to_test.send(()).expect("the test waits for it");
        in_turn.recv().expect("the test releases the turn");
        then(system);
    }))
    .send();
    in_test.recv().expect("the turn begins");
    to_turn
}

/// Takes a cut with a line in a pause.
fn cut_in_pause(system: &System, limit: Duration) -> Result<(Outcome, Duration), SnapshotError> {
    let shared = system.shared();
    let kinds = Arc::new(SavedKinds::of::<(Clerk,)>().expect("there is one"));
    let recorder = Arc::new(ImageRecorder::new(kinds).expect("few shapes"));
    let mut coordinator = Coordinator::of(shared).expect("there is no other cut");
    let mut pauses = Pauses::new(shared, limit);
    let pause = Line::InPause.wait(shared, &mut pauses)?;
    coordinator.begin(shared, recorder);
    let paused = pause.end();
    loop {
        match coordinator.step(shared) {
            Step::Complete(outcome) => return Ok((outcome, paused)),
            Step::More => {}
            Step::Waits => thread::yield_now(),
        }
    }
}

/// A turn lasts for the whole of the first try, and looks at a table. It would see the line if that
/// began meanwhile.
fn a_turn_lasts_longer_than_a_pause() {
    let system = system(2);
    let doer = system.spawn(Doer(system.clone()));
    let go = held_turn(&doer, |system| {
        until(|| is_behind() || is_pausing(system));
        until(|| is_behind() || !is_pausing(system));
        let _not_found = system.lookup::<Clerk>("nothing");
    });
    go.send(()).expect("the turn waits for it");
    let (outcome, paused) = cut_in_pause(&system, MINUTE).expect("the turn ends");
    let _report = system.shutdown();
    assert_eq!(outcome, Outcome::Consistent);
    assert!(paused > Duration::ZERO);
}

#[test]
#[cfg_attr(miri, ignore = "turns that wait for a clock")]
fn a_line_in_a_pause_meets_no_turn() {
    a_turn_lasts_longer_than_a_pause();
}

#[test]
#[cfg_attr(miri, ignore = "turns that wait for a clock")]
fn a_pause_that_is_not_awaited_is_noticed() {
    must_catch(InjectedFault::LineInTurn, a_turn_lasts_longer_than_a_pause);
}

/// The pause ends for a while, so that the other turn begins.
#[test]
#[cfg_attr(miri, ignore = "turns that wait for a clock")]
fn a_turn_that_waits_for_another_holds_up_no_pause_for_ever() {
    let system = system(2);
    let (waits, begins) = (
        system.spawn(Blocker(system.clone())),
        system.spawn(Doer(system.clone())),
    );
    let (has_begun, in_test) = channel();
    let code: Code = Box::new(move |system| {
        has_begun.send(()).expect("the test waits for it");
        until(|| is_pausing(system));
        let (answer, answered): (Sender<()>, Receiver<()>) = channel();
        begins
            .run(Box::new(move |_| answer.send(()).expect("it waits")))
            .send();
        answered.recv().expect("the other turn begins");
    });
    waits.run(code).send();
    in_test.recv().expect("the turn begins");
    let (outcome, _) = cut_in_pause(&system, MINUTE).expect("the turn ends");
    let _report = system.shutdown();
    assert_eq!(outcome, Outcome::Consistent);
}

/// The deadline names the turn, and the turns that waited for the pause go on. Another system does
/// not wait.
#[test]
#[cfg_attr(miri, ignore = "turns that wait for a clock")]
fn a_turn_that_does_not_end_fails_the_pause_and_not_the_program() {
    let (system, other) = (system(2), system(1));
    let doer = system.spawn(Doer(system.clone()));
    let clerk = system.spawn(Clerk);
    let elsewhere = other.spawn(Clerk);
    let go = held_turn(&doer, |_| {});
    let error = thread::scope(|scope| {
        let cut = scope.spawn(|| cut_in_pause(&system, Duration::from_millis(60)));
        assert_eq!(elsewhere.answer().ask_blocking(), Ok(7));
        let failed = cut.join().expect("it fails with an error");
        failed.expect_err("the turn does not end")
    });
    assert!(!is_pausing(&system));
    assert_eq!(clerk.answer().ask_blocking(), Ok(7), "it goes on");
    let SnapshotError::Deadline {
        waited_for, turns, ..
    } = &error
    else {
        panic!("{error:?}");
    };
    assert_eq!(*waited_for, WaitedFor::Pause);
    assert!(
        turns[0].actor == Address::path(&doer) && turns[0].behaviour == "line::Doer::run",
        "{error}"
    );
    let said = error.to_string();
    assert!(
        said.contains("while no turn ran") && said.contains("line::Doer::run in line::Doer"),
        "{said}"
    );
    go.send(()).expect("the turn waits for it");
    let journal = MemoryStore::default().journal();
    assert!(system.snapshot(&journal).is_ok(), "the turn has ended");
    let _reports = (system.shutdown(), other.shutdown());
}

/// No thread of the system is left behind.
#[test]
#[cfg_attr(miri, ignore = "turns that wait for a clock")]
fn a_shutdown_ends_a_pause() {
    let system = system(2);
    let doer = system.spawn(Doer(system.clone()));
    let go = held_turn(&doer, |_| {});
    let failed = thread::scope(|scope| {
        let cut = scope.spawn(|| cut_in_pause(&system, MINUTE));
        until(|| is_pausing(&system));
        let ended = scope.spawn(|| system.shutdown());
        let failed = cut.join().expect("it fails with an error");
        go.send(()).expect("the turn waits for it");
        ended.join().expect("it ends");
        failed
    });
    assert!(matches!(failed, Err(SnapshotError::ShutDown)), "{failed:?}");
}
