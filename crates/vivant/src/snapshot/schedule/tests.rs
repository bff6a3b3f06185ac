//! Schedules: what is due, what joins, what is reported.

use super::*;
use crate::cut::Coordinator;
use crate::injected_fault::{InjectedFault, must_catch};
use crate::prelude::*;
use crate::simulation::{Faults, Simulation};
use crate::snapshot::memory_store::MemoryStore;
use crate::sync::{Arc, Mutex, lock};
use crate::{SavedAs, SnapshotError};
use std::cell::RefCell;
use std::rc::Rc;
use std::sync::mpsc::channel;
use std::time::Duration;
use vivant_codec::{Decoder, Encoder, LoadError, Saved, Shape};
use vivant_journal::Journal;

const SECOND: Duration = Duration::from_secs(1);

/// Sends itself messages until it has had this number.
#[derive(Actor)]
#[actor(saved, id = "schedule::Runner")]
struct Runner {
    left: u64,
}

#[behaviours(id = "schedule::Runner")]
impl Runner {
    #[start]
    fn new() -> Runner {
        Runner { left: 0 }
    }

    fn run(&mut self, t: &Turn<Self>, messages: u64) {
        self.left = messages;
        self.go_on(t);
    }

    fn go_on(&mut self, t: &Turn<Self>) {
        if let Some(left) = self.left.checked_sub(1) {
            self.left = left;
            t.send(t.me().go_on());
        }
    }

    fn left(&self) -> u64 {
        self.left
    }
}

/// What was reported: the trigger, the requests that joined, and whether there is a snapshot.
type Log = Arc<Mutex<Vec<(SnapshotTrigger, u64, bool)>>>;

fn note(log: &Log) -> impl FnMut(&SnapshotAttempt) + Send + 'static {
    let log = log.clone();
    move |attempt| lock(&log).push((attempt.trigger, attempt.joined, attempt.outcome.is_ok()))
}

fn simulated(seed: u64) -> (Simulation, Arc<Journal>, Log) {
    let builder = System::builder().saved::<(Runner, Asker)>();
    let simulation = Simulation::with(seed, Faults::none(), builder);
    let journal = Arc::new(MemoryStore::default().journal());
    (simulation, journal, Log::default())
}

#[test]
fn the_clock_of_a_simulation_takes_snapshots() {
    let (simulation, journal, log) = simulated(1);
    let system = simulation.system();
    let _runner = Runner::spawn(system);
    let snapshots = system.snapshots(&journal).every(10 * SECOND);
    let (clock, times) = (system.clock(), Arc::new(Mutex::new(Vec::new())));
    let mut note = note(&log);
    let noted = times.clone();
    let schedule = snapshots.start(move |attempt| {
        lock(&noted).push(clock.now());
        note(attempt);
    });
    let schedule = schedule.expect("no thread is needed");
    simulation.run_for(35 * SECOND);
    assert_eq!(*lock(&times), [10 * SECOND, 20 * SECOND, 30 * SECOND]);
    assert_eq!(*lock(&log), [(SnapshotTrigger::Time, 0, true); 3]);
    drop(schedule);
    simulation.run_for(35 * SECOND);
    assert_eq!(lock(&log).len(), 3, "the schedule has ended");
}

#[test]
fn the_messages_of_a_simulation_take_snapshots() {
    let turns = |seed| {
        let (simulation, journal, _) = simulated(seed);
        let system = simulation.system();
        let runner = Runner::spawn(system);
        let at = Arc::new(Mutex::new(Vec::new()));
        let noted = at.clone();
        let snapshots = system.snapshots(&journal).every_messages(100);
        let schedule = snapshots.start(move |attempt| {
            let report = attempt.outcome.as_ref().expect("all is saved");
            lock(&noted).push((attempt.trigger, report.messages, report.bytes));
        });
        runner.run(1_000).send();
        simulation.run();
        let counts = schedule.expect("no thread is needed").end();
        let at = lock(&at).clone();
        assert_eq!(at.len() as u64, counts.taken);
        assert!((8..=10).contains(&counts.taken), "{counts}");
        assert!(at.iter().all(|it| it.0 == SnapshotTrigger::Messages));
        at
    };
    assert_eq!(turns(3), turns(3), "the seed decides");
}

/// Requests that come before the line join one snapshot.
#[test]
fn requests_before_the_line_join_one_snapshot() {
    let (simulation, journal, log) = simulated(1);
    let system = simulation.system();
    let _runner = Runner::spawn(system);
    let schedule = system.snapshots(&journal).start(note(&log));
    let schedule = schedule.expect("no thread is needed");
    (0..3).for_each(|_| schedule.request());
    simulation.run();
    assert_eq!(*lock(&log), [(SnapshotTrigger::Request, 2, true)]);
    schedule.request();
    let counts = schedule.end();
    assert_eq!((counts.requested, counts.joined), (4, 2));
    assert_eq!((counts.taken, counts.failed), (2, 0));
}

thread_local! {
    /// Requests a snapshot, the first time.
    static REQUEST: RefCell<Option<Rc<SnapshotSchedule>>> = const { RefCell::new(None) };
}

/// Requests another snapshot when it is saved: behind the line.
struct Asks;

impl<'gc> Saved<'gc> for Asks {
    const SHAPE: &'static Shape = <String as Saved<'gc>>::SHAPE;

    fn save(&self, out: &mut Encoder<'_>) {
        if let Some(schedule) = REQUEST.take() {
            schedule.request();
        }
        String::new().save(out);
    }

    fn load(input: &mut Decoder<'gc, '_>) -> Result<Self, LoadError> {
        String::load(input).map(|_| Asks)
    }
}

#[derive(Actor)]
#[actor(saved, id = "schedule::Asker")]
struct Asker(Asks);

#[behaviours(id = "schedule::Asker")]
impl Asker {
    fn is_there(&self) -> bool {
        matches!(self.0, Asks)
    }
}

fn a_request_behind_the_line_waits() {
    let (simulation, journal, log) = simulated(1);
    let system = simulation.system();
    let asker = system.spawn(Asker(Asks));
    let schedule = system.snapshots(&journal).start(note(&log));
    let schedule = Rc::new(schedule.expect("no thread is needed"));
    REQUEST.set(Some(schedule.clone()));
    schedule.request();
    simulation.run();
    assert_eq!(*lock(&log), [(SnapshotTrigger::Request, 0, true); 2]);
    assert_eq!(asker.is_there().ask_blocking(), Ok(true));
}

#[test]
fn a_request_behind_the_line_waits_for_the_next_snapshot() {
    a_request_behind_the_line_waits();
}

#[test]
fn a_request_that_joins_too_late_is_noticed() {
    must_catch(
        InjectedFault::JoinedBehindLine,
        a_request_behind_the_line_waits,
    );
}

/// A failed snapshot fails the requests that it stands for, and the next one is taken.
#[test]
fn a_snapshot_that_fails_is_reported() {
    let builder = System::builder().saved::<(Runner,)>();
    let simulation = Simulation::with(1, Faults::none(), builder);
    let (store, log) = (MemoryStore::default(), Log::default());
    let journal = Arc::new(store.journal());
    let system = simulation.system();
    let _runner = Runner::spawn(system);
    let schedule = system.snapshots(&journal).every(SECOND).start(note(&log));
    let schedule = schedule.expect("no thread is needed");
    store.set_full(true);
    simulation.run_for(SECOND);
    store.set_full(false);
    simulation.run_for(SECOND);
    let said = [
        (SnapshotTrigger::Time, 0, false),
        (SnapshotTrigger::Time, 0, true),
    ];
    assert_eq!(*lock(&log), said);
    let counts = schedule.end();
    assert_eq!((counts.requested, counts.taken, counts.failed), (2, 1, 1));
}

/// On a thread: while another snapshot has the coordinator, requests join.
#[test]
fn requests_join_while_another_snapshot_is_taken() {
    let system = System::builder().workers(2).saved::<(Runner,)>().build();
    let journal = Arc::new(MemoryStore::default().journal());
    let runner = Runner::spawn(&system);
    let (reports, reported) = channel();
    let snapshots = system.snapshots(&journal).within(60 * SECOND);
    let schedule = snapshots.start(move |attempt| {
        let report = attempt.outcome.as_ref().expect("all is saved");
        let number = report.actors(SavedAs::State);
        reports
            .send((attempt.joined, number))
            .expect("the test waits");
    });
    let schedule = schedule.expect("there is a thread");
    let other = Coordinator::of(system.shared()).expect("there is no other");
    (0..3).for_each(|_| schedule.request());
    drop(other);
    let (mut requests, mut snapshots) = (0, 0);
    while requests < 3 {
        let (joined, actors) = reported.recv().expect("a report");
        assert_eq!(actors, 1);
        requests += joined + 1;
        snapshots += 1;
    }
    assert_eq!((requests, snapshots), (3, 1));
    assert_eq!(runner.left().ask_blocking(), Ok(0));
    assert_eq!(schedule.end().taken, 1);
}

/// On threads the number of messages is that of the workers.
#[test]
fn messages_on_threads_take_snapshots() {
    let system = System::builder().workers(2).saved::<(Runner,)>().build();
    let journal = Arc::new(MemoryStore::default().journal());
    let runner = Runner::spawn(&system);
    let (reports, reported) = channel();
    let snapshots = system.snapshots(&journal).every_messages(50);
    let schedule = snapshots.start(move |attempt| {
        // The test may be over.
        let _sent = reports.send(attempt.trigger);
    });
    let schedule = schedule.expect("there is a thread");
    runner.run(200).send();
    assert_eq!(reported.recv(), Ok(SnapshotTrigger::Messages));
    let counts = schedule.end();
    assert!(counts.taken >= 1 && counts.failed == 0, "{counts}");
}

/// A schedule ends with its system, and says why its last request has no snapshot.
#[test]
fn a_schedule_of_a_system_that_is_shut_down_fails_its_requests() {
    let system = System::builder().workers(1).saved::<(Runner,)>().build();
    let journal = Arc::new(MemoryStore::default().journal());
    let _report = system.shutdown();
    let said = Arc::new(Mutex::new(None));
    let noted = said.clone();
    let schedule = system.snapshots(&journal).start(move |attempt| {
        let is_shut_down = matches!(attempt.outcome, Err(SnapshotError::ShutDown));
        *lock(&noted) = Some((is_shut_down, attempt.to_string()));
    });
    let schedule = schedule.expect("there is a thread");
    schedule.request();
    let counts = schedule.end();
    assert_eq!((counts.failed, counts.taken), (1, 0));
    let (is_shut_down, said) = lock(&said).take().expect("it was reported");
    assert!(is_shut_down, "{said}");
    assert_eq!(said, "no snapshot: the system is shut down");
}

/// A schedule of threads of which the next snapshot is always due, and what says that its thread
/// lives.
fn always_due() -> (System, SnapshotSchedule, std::sync::mpsc::Receiver<()>) {
    let system = System::builder().saved::<(Runner, Asker)>().build();
    let journal = Arc::new(MemoryStore::default().journal());
    let (told, heard) = channel();
    let snapshots = system.snapshots(&journal).every(Duration::from_nanos(1));
    let schedule = snapshots.start(move |_| {
        // An error: the test counts no more.
        let _told = told.send(());
    });
    let schedule = schedule.expect("there is a thread");
    heard.recv().expect("a snapshot is taken");
    (system, schedule, heard)
}

#[test]
#[cfg_attr(miri, ignore = "an interpreter's snapshots take long")]
fn a_schedule_that_is_always_due_ends() {
    let (_system, schedule, heard) = always_due();
    let counts = schedule.end();
    assert!(counts.taken >= 1, "{counts}");
    assert!(heard.into_iter().count() as u64 >= counts.taken - 1);
    // Dropped, it ends too: its thread drops what it reports to.
    let (_system, schedule, heard) = always_due();
    drop(schedule);
    assert!(heard.into_iter().count() < 1_000_000);
}

#[test]
#[cfg_attr(miri, ignore = "an interpreter's snapshots take long")]
fn a_schedule_that_is_always_due_ends_with_its_system() {
    let (system, schedule, heard) = always_due();
    let _report = system.shutdown();
    let counts = schedule.end();
    assert!(counts.taken >= 1, "{counts}");
    assert!(heard.into_iter().count() < 1_000_000);
}
