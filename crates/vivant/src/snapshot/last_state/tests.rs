//! Actors that fail and begin with their last state, in simulations.

use super::super::memory_store::MemoryStore;
use super::graph_tests::Shelf;
use super::note_program::fails;
use crate::prelude::*;
use crate::simulation::{Faults, Simulation};
use crate::{Child, OnPanic, Report, Supervisor};
use crate::{Lagged, Messages, Subscription, SystemBuilder, Topic};
use std::time::Duration;
use vivant_journal::Journal;

/// A list in which it writes what it is told.
#[derive(Actor)]
#[actor(saved, id = "last::Diary")]
pub(super) struct Diary {
    lines: Vec<u64>,
    asked: Vec<Resolver<u64>>,
    /// Without a name.
    topic: Option<Topic<u64>>,
    heard: Option<Subscription>,
}

#[behaviours(id = "last::Diary")]
impl Diary {
    #[start]
    fn new(first: u64) -> Diary {
        Diary {
            lines: vec![first],
            asked: Vec::new(),
            topic: None,
            heard: None,
        }
    }

    pub(super) fn write(&mut self, line: u64) -> Vec<u64> {
        if line == 0 {
            fails();
        }
        self.lines.push(line);
        self.lines.clone()
    }

    /// Is answered when `answer` comes.
    fn question(&mut self, t: &Turn<Self>) -> Promise<u64> {
        let (promise, resolver) = t.promise();
        self.asked.push(resolver);
        promise
    }

    fn answer(&mut self, line: u64) {
        for asked in self.asked.drain(..) {
            asked.resolve(line);
        }
    }

    fn ask(&mut self, t: &Turn<Self>, other: Address<Diary>) {
        t.ask(other.question()).then(t.me().answered());
    }

    #[then]
    fn answered(&mut self, line: Result<u64, AskError>) {
        self.lines.push(line.unwrap_or(404));
    }

    /// Takes no other message until the other one answers.
    fn ask_alone(&mut self, t: &Turn<Self>, other: Address<Diary>) {
        t.ask(other.question()).exclusive().then(t.me().answered());
    }

    fn remind(&mut self, t: &Turn<Self>, line: u64) {
        let _timer = t.after(Duration::from_secs(5), t.me().reminded(line));
    }

    fn reminded(&mut self, line: u64) {
        self.lines.push(line);
    }

    /// Writes `left` lines, one a step, and fails at a zero.
    fn write_down(&mut self, left: u64) -> Step<u64, ()> {
        match left {
            0 => Step::Done(()),
            _ => {
                self.lines.push(left);
                Step::Again(left - 1)
            }
        }
    }

    fn listen(&mut self, t: &Turn<Self>, topic: Topic<u64>) {
        self.heard = Some(topic.subscribe(t.me().heard()));
        self.topic = Some(topic);
    }

    #[then]
    fn heard(&mut self, line: Result<u64, Lagged>) {
        self.lines.push(line.unwrap_or(500));
    }

    fn publish(&self, line: u64) {
        if let Some(topic) = &self.topic {
            topic.publish(line);
        }
    }

    fn finish(&mut self, t: &Turn<Self>) {
        t.stop();
    }
}

fn builder() -> SystemBuilder {
    System::builder().saved::<(Diary, Shelf)>()
}

pub(super) struct Program {
    pub(super) simulation: Simulation,
    journal: Journal,
    store: MemoryStore,
    pub(super) tree: Address<Supervisor>,
}

impl Program {
    pub(super) fn new() -> Program {
        let simulation = Simulation::with(1, Faults::none(), builder());
        let tree = Supervisor::one_for_one()
            .budget(100, Duration::from_secs(1))
            .spawn(simulation.system());
        let store = MemoryStore::default();
        Program {
            journal: store.journal(),
            tree,
            store,
            simulation,
        }
    }

    pub(super) fn diary(&self) -> Address<Diary> {
        let diary = Diary::child(1).on_panic(OnPanic::RestoreLast);
        let diary = self.tree.add(diary);
        self.simulation.run();
        diary
    }

    pub(super) fn snapshot(&self) -> u64 {
        let report = self.simulation.system().snapshot(&self.journal);
        report.expect("all is saved").number
    }

    pub(super) fn write(&self, diary: &Address<Diary>, line: u64) -> Result<Vec<u64>, AskError> {
        let lines = diary.write(line).ask_blocking();
        self.simulation.run();
        lines
    }

    fn reports(&self) -> Vec<String> {
        let reports = self.simulation.system().shared().reports.latest();
        let reports = reports.into_iter().filter_map(|report| match report {
            Report::StateNotRestored { why, .. } => Some(why),
            _ => None,
        });
        reports.collect()
    }
}

#[test]
fn a_failed_actor_has_its_last_state() {
    let program = Program::new();
    let diary = program.diary();
    program.write(&diary, 2).expect("it lives");
    program.snapshot();
    program.write(&diary, 3).expect("it lives");
    program.write(&diary, 0).expect_err("it panics");
    assert_eq!(program.write(&diary, 4).expect("it lives"), [1, 2, 4]);
    // Again, and from a newer one.
    program.write(&diary, 0).expect_err("it panics");
    assert_eq!(program.write(&diary, 5).expect("it lives"), [1, 2, 5]);
    program.snapshot();
    program.write(&diary, 0).expect_err("it panics");
    assert_eq!(program.write(&diary, 6).expect("it lives"), [1, 2, 5, 6]);
    assert_eq!(program.reports(), [""; 0]);
}

#[test]
fn messages_that_wait_are_for_the_restored_state() {
    let program = Program::new();
    let diary = program.diary();
    program.snapshot();
    let waiting = [2, 0, 3].map(|line| diary.write(line).ask());
    program.simulation.run();
    let [before, failed, after] = waiting.map(|line| line.wait());
    assert_eq!(before.expect("it lives"), [1, 2]);
    failed.expect_err("it panics");
    assert_eq!(after.expect("it lives"), [1, 3]);
}

#[test]
fn without_an_image_an_actor_begins_anew() {
    let program = Program::new();
    let diary = program.diary();
    program.write(&diary, 2).expect("it lives");
    program.write(&diary, 0).expect_err("it panics");
    assert_eq!(program.write(&diary, 3).expect("it lives"), [1, 3]);
    assert_eq!(program.reports(), ["no snapshot has been taken"]);
    program.snapshot();
    // An actor of later than the snapshot.
    let other = program.diary();
    program.write(&other, 2).expect("it lives");
    program.write(&other, 0).expect_err("it panics");
    assert_eq!(program.write(&other, 3).expect("it lives"), [1, 3]);
    assert_eq!(program.reports()[1], "no snapshot has a state of it");
}

#[test]
fn an_image_that_is_gone_or_damaged_is_passed_over() {
    let program = Program::new();
    let diary = program.diary();
    program.write(&diary, 2).expect("it lives");
    program.snapshot();
    program.write(&diary, 3).expect("it lives");
    let last = program.snapshot();
    program.store.remove_image(last);
    program.write(&diary, 0).expect_err("it panics");
    assert_eq!(program.write(&diary, 4).expect("it lives"), [1, 2, 4]);
    let last = program.snapshot();
    program.store.damage(last);
    program.write(&diary, 5).expect("it lives");
    program.write(&diary, 0).expect_err("it panics");
    assert_eq!(program.write(&diary, 6).expect("it lives"), [1, 2, 6]);
}

#[test]
fn a_journal_that_is_closed_is_not_kept_open() {
    let program = Program::new();
    let diary = program.diary();
    program.write(&diary, 2).expect("it lives");
    program.snapshot();
    let Program {
        simulation,
        journal,
        store,
        tree,
    } = program;
    drop(journal);
    let program = Program {
        journal: store.journal(),
        simulation,
        store,
        tree,
    };
    program.write(&diary, 0).expect_err("it panics");
    assert_eq!(program.write(&diary, 3).expect("it lives"), [1, 3]);
    assert_eq!(program.reports(), ["no snapshot has a state of it"]);
}

#[test]
fn an_actor_that_stops_itself_begins_anew() {
    let program = Program::new();
    let diary = program.diary();
    program.write(&diary, 2).expect("it lives");
    program.snapshot();
    diary.finish().send();
    program.simulation.run();
    assert_eq!(program.write(&diary, 3).expect("it lives"), [1, 3]);
    assert_eq!(program.reports(), [""; 0]);
}

/// What it had asked for fails. What was asked of it has failed with the incarnation that failed.
#[test]
fn open_requests_fail() {
    let program = Program::new();
    let (diary, other) = (program.diary(), program.diary());
    diary.ask(other.clone()).send();
    let question = diary.question().ask();
    program.simulation.run();
    program.snapshot();
    program.write(&diary, 0).expect_err("it panics");
    question.wait().expect_err("its answer was given up");
    assert_eq!(program.write(&diary, 2).expect("it lives"), [1, 404, 2]);
    // The resolver in the restored state leads nowhere; the request of the incarnation before is
    // answered to this one.
    diary.answer(7).send();
    other.answer(8).send();
    program.simulation.run();
    assert_eq!(
        program.write(&diary, 3).expect("it lives"),
        [1, 404, 2, 8, 3]
    );
}

#[test]
fn an_exclusive_wait_ends() {
    let program = Program::new();
    let (diary, other) = (program.diary(), program.diary());
    diary.ask_alone(other.clone()).send();
    program.simulation.run();
    program.snapshot();
    // It takes the next message when it has its answer.
    diary.write(0).send();
    other.answer(5).send();
    program.simulation.run();
    assert_eq!(program.write(&diary, 2).expect("it lives"), [1, 404, 2]);
}

#[test]
fn timers_go_on() {
    let program = Program::new();
    let diary = program.diary();
    diary.remind(7).send();
    program.simulation.run_for(Duration::from_secs(1));
    program.snapshot();
    diary.write(0).send();
    program.simulation.run_for(Duration::from_secs(60));
    assert_eq!(program.write(&diary, 2).expect("it lives"), [1, 7, 2]);
}

/// A behaviour that was between two steps at the cut goes on.
#[test]
fn steps_go_on() {
    for steps in 0.. {
        let program = Program::new();
        let diary = program.diary();
        diary.write_down(6).send();
        let is_over = (0..steps).any(|_| !program.simulation.step());
        program.snapshot();
        program.simulation.run();
        program.write(&diary, 0).expect_err("it panics");
        let lines = program.write(&diary, 9).expect("it lives");
        // The message itself is not processed again, if it had not begun.
        let is_before = lines == [1, 9];
        assert!(is_before || lines == [1, 6, 5, 4, 3, 2, 1, 9], "{lines:?}");
        assert_eq!(is_before, steps == 0);
        if is_over {
            assert!(steps > 2, "no image is between two steps");
            return;
        }
    }
}

/// A topic without a name: the restored state has that of the others, and its subscription
/// has ended with the incarnation before.
#[test]
fn handles_lead_to_what_lives() {
    let program = Program::new();
    let (diary, other) = (program.diary(), program.diary());
    let topic = Topic::new();
    for diary in [&diary, &other] {
        diary.listen(topic.clone()).send();
    }
    drop(topic);
    program.simulation.run();
    program.snapshot();
    program.write(&diary, 0).expect_err("it panics");
    diary.publish(7).send();
    program.simulation.run();
    assert_eq!(program.write(&other, 2).expect("it lives"), [1, 7, 2]);
    assert_eq!(program.write(&diary, 2).expect("it lives"), [1, 2]);
    assert_eq!(program.reports(), [""; 0]);
}

/// All children have the states of one image.
#[test]
fn siblings_are_restored_together() {
    let program = Program::new();
    let tree = Supervisor::all_for_one()
        .budget(100, Duration::from_secs(1))
        .spawn(program.simulation.system());
    let child = || Diary::child(1).on_panic(OnPanic::RestoreLast);
    let [first, second] = [tree.add(child()), tree.add(child())];
    program.simulation.run();
    for diary in [&first, &second] {
        program.write(diary, 2).expect("it lives");
    }
    program.snapshot();
    for diary in [&first, &second] {
        program.write(diary, 3).expect("it lives");
    }
    program.write(&first, 0).expect_err("it panics");
    for diary in [&first, &second] {
        assert_eq!(program.write(diary, 4).expect("it lives"), [1, 2, 4]);
    }
}

/// An image that is taken while the actor is down, or its state is being loaded.
#[test]
fn a_restored_system_has_what_was_being_restored() {
    for steps in 0..60 {
        let program = Program::new();
        let diary = program.diary();
        program.write(&diary, 2).expect("it lives");
        program.snapshot();
        diary.write(0).send();
        let is_over = (0..steps).any(|_| !program.simulation.step());
        let number = program.snapshot();
        let image = program.journal.catalog().image(number).expect("it exists");
        let restored = Simulation::restore(2, Faults::none(), builder(), &image);
        let (simulation, actors, _) = restored.expect("the image is whole");
        let diary = actors.actors::<Diary>().next().expect("it is saved");
        let lines = diary.write(3).ask_blocking();
        simulation.run();
        let lines = match lines {
            Ok(lines) => lines,
            // The message that fails waits in the image.
            Err(_) => diary.write(3).ask_blocking().expect("it lives"),
        };
        assert_eq!(lines, [1, 2, 3]);
        // It is restored from the image of which its system was made.
        diary.write(0).ask_blocking().expect_err("it panics");
        let lines = diary.write(4).ask_blocking().expect("it lives");
        assert_eq!(lines, [1, 2, 4]);
        if is_over {
            return;
        }
    }
    panic!("it is not over");
}

/// A child of a type that is not saved.
#[test]
fn an_actor_that_is_not_saved_begins_anew() {
    #[derive(Actor)]
    struct Plain {
        count: u64,
    }

    #[behaviours]
    impl Plain {
        fn count(&mut self, by: u64) -> u64 {
            if by == 0 {
                fails();
            }
            self.count += by;
            self.count
        }
    }

    let program = Program::new();
    let plain = Child::new(|_| Plain { count: 0 }).on_panic(OnPanic::RestoreLast);
    let plain = program.tree.add(plain);
    program.simulation.run();
    program.snapshot();
    plain.count(1).ask_blocking().expect("it lives");
    plain.count(0).ask_blocking().expect_err("it panics");
    assert_eq!(plain.count(2).ask_blocking(), Ok(2));
    assert_eq!(program.reports(), ["no snapshot has states of its type"]);
}

#[test]
fn messages_that_are_returned_are_not_for_the_restored_state() {
    let program = Program::new();
    let diary = Diary::child(1)
        .on_panic(OnPanic::RestoreLast)
        .messages(Messages::Returned);
    let diary = program.tree.add(diary);
    program.simulation.run();
    program.snapshot();
    let waiting = [0, 3].map(|line| diary.write(line).ask());
    program.simulation.run();
    for line in waiting {
        line.wait().expect_err("it is not processed");
    }
    assert_eq!(program.write(&diary, 2).expect("it lives"), [1, 2]);
}
