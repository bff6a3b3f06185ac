//! `t.fail(why)`: an actor decides that its incarnation fails, without a panic.

use crate::log::Log;
use vivant::prelude::*;
use vivant::simulation::Simulation;
use vivant::{Child, OnPanic, Report, Restart, StopReason, Supervisor};

#[derive(Actor)]
struct Line {
    sent: u64,
    log: Log,
}

#[behaviours]
impl Line {
    #[start]
    fn open(t: &Turn<Self>, log: Log, fails: bool) -> Self {
        if fails {
            t.fail("no carrier");
        }
        Line { sent: 0, log }
    }

    fn send(&mut self) -> u64 {
        self.sent += 1;
        self.sent
    }

    fn lose(&mut self, t: &Turn<Self>) -> &'static str {
        t.fail("the peer has hung up");
        t.fail("again");
        t.stop();
        "lost"
    }

    fn lose_and_panic(&mut self, t: &Turn<Self>) {
        t.fail("the peer has hung up");
        std::panic::resume_unwind(Box::new("as planned"));
    }

    #[stop]
    fn close(&mut self, reason: &StopReason) {
        self.log.note(reason.to_string());
    }
}

const WHY: &str = "it failed: the peer has hung up";

fn line(log: &Log) -> Child<Line, impl vivant::Start<Line> + use<>> {
    Line::child(log.clone(), false)
}

fn failures(system: &System) -> Vec<String> {
    let reports = system.inspect().reports.into_iter();
    let failed = reports.filter(|report| matches!(report, Report::Failed { .. }));
    failed.map(|report| report.to_string()).collect()
}

#[test]
fn a_failed_incarnation_is_restarted_and_its_reply_delivered() {
    let (simulation, log) = (Simulation::new(1), Log::default());
    let system = simulation.system();
    let tree = Supervisor::one_for_one().spawn(system);
    let line = tree.add(line(&log).restart(Restart::OnFailure));
    assert_eq!(line.send().ask_blocking(), Ok(1));
    assert_eq!(line.lose().ask_blocking(), Ok("lost"));
    assert_eq!(line.send().ask_blocking(), Ok(1), "a new state");
    assert_eq!(log.take(), [WHY]);
    let inspection = system.inspect();
    assert_eq!(inspection.panics, 0);
    let failed = failures(system);
    assert!(
        failed.len() == 2 && failed[0].ends_with("failed: the peer has hung up"),
        "{failed:?}"
    );
}

#[test]
fn a_failed_actor_without_a_supervisor_ends() {
    let (simulation, log) = (Simulation::new(1), Log::default());
    let line = Line::spawn(simulation.system(), log.clone(), false);
    assert_eq!(line.lose().ask_blocking(), Ok("lost"));
    let after = line.send().ask_blocking().expect_err("it has ended");
    assert!(after.to_string().contains(WHY), "{after}");
    assert_eq!(log.take(), [WHY]);
}

#[test]
fn terms_for_panics_hold_for_failures_but_no_state_is_kept() {
    for (on_panic, after) in [
        (OnPanic::Restart, Ok(1)),
        (OnPanic::Resume, Ok(1)),
        (OnPanic::Stop, Err(())),
        (OnPanic::Escalate, Err(())),
    ] {
        let (simulation, log) = (Simulation::new(1), Log::default());
        let tree = Supervisor::one_for_one().spawn(simulation.system());
        let line = tree.add(line(&log).on_panic(on_panic));
        assert_eq!(line.send().ask_blocking(), Ok(1));
        assert_eq!(line.lose().ask_blocking(), Ok("lost"));
        let sent = line.send().ask_blocking().map_err(drop);
        assert_eq!(sent, after, "{on_panic:?}");
    }
}

#[test]
fn a_start_that_fails_uses_the_budget_up() {
    let (simulation, log) = (Simulation::new(1), Log::default());
    let system = simulation.system();
    let tree = Supervisor::one_for_one().spawn(system);
    let line = tree.add(Line::child(log.clone(), true));
    assert!(line.send().ask_blocking().is_err(), "it never starts");
    let reports = system.inspect().reports;
    let gave_up = reports.iter().any(|it| {
        matches!(it, Report::GaveUp { why, .. }
        if matches!(&why.reason, StopReason::Failed(failed) if failed.message == "no carrier"))
    });
    assert!(gave_up, "{reports:?}");
}

#[derive(Actor)]
struct Peer {
    line: Address<Line>,
}

#[behaviours]
impl Peer {
    fn tie(&mut self, t: &Turn<Self>) {
        t.link(&self.line);
    }

    fn wait(&mut self, t: &Turn<Self>) -> Promise<String> {
        t.watch(&self.line).map(|reason| reason.to_string())
    }
}

#[test]
fn links_and_monitors_see_the_failure() {
    let (simulation, log) = (Simulation::new(1), Log::default());
    let system = simulation.system();
    let line = Line::spawn(system, log, false);
    let peer = |line: &Address<Line>| system.spawn(Peer { line: line.clone() });
    let (linked, watching) = (peer(&line), peer(&line));
    assert_eq!(linked.tie().ask_blocking(), Ok(()));
    let ended = watching.wait().ask();
    line.lose().send();
    assert_eq!(system.block_on(ended).as_deref(), Ok(WHY));
    let error = linked.tie().ask_blocking().expect_err("it failed too");
    assert!(error.to_string().contains(WHY), "{error}");
}

/// The panic alone would keep the state.
#[test]
fn a_failure_before_a_panic_does_not_keep_the_state() {
    let (simulation, log) = (Simulation::new(1), Log::default());
    let tree = Supervisor::one_for_one().spawn(simulation.system());
    let line = tree.add(line(&log).on_panic(OnPanic::Resume));
    assert_eq!(line.send().ask_blocking(), Ok(1));
    line.lose_and_panic().send();
    assert_eq!(line.send().ask_blocking(), Ok(1), "a new state");
    assert_eq!(*log.lines(), [WHY]);
}
