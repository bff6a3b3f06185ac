//! Exclusive waits: an actor that takes no message until a promise has settled.

use crate::log::Log;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;
use vivant::prelude::*;
use vivant::simulation::Simulation;
use vivant::{Child, Messages, Restart, Supervisor};

/// Answers when it is told to.
#[derive(Actor)]
pub(crate) struct Oracle {
    pub(crate) asked: Vec<Resolver<u64>>,
}

#[behaviours]
impl Oracle {
    pub(crate) fn ask(&mut self, t: &Turn<Self>) -> Promise<u64> {
        let (promise, resolver) = t.promise();
        self.asked.push(resolver);
        promise
    }

    pub(crate) fn answer(&mut self, value: u64) -> bool {
        let is_asked = !self.asked.is_empty();
        if is_asked {
            self.asked.remove(0).resolve(value);
        }
        is_asked
    }

    pub(crate) fn forget(&mut self) {
        self.asked.clear();
    }
}

/// Waits exclusively, and notes the order of its turns.
#[derive(Actor)]
struct Clerk {
    oracle: Address<Oracle>,
    log: Log,
    open: bool,
}

#[behaviours]
impl Clerk {
    fn wait(&mut self, t: &Turn<Self>) {
        self.log.note("wait");
        t.ask(self.oracle.ask())
            .exclusive()
            .then_send(t.me().answered());
    }

    fn wait_twice(&mut self, t: &Turn<Self>) {
        t.ask(self.oracle.ask())
            .exclusive()
            .then_send(t.me().wait_again());
    }

    #[then]
    fn wait_again(&mut self, t: &Turn<Self>, value: Result<u64, AskError>) {
        self.answered(value);
        t.ask(self.oracle.ask())
            .exclusive()
            .then_send(t.me().answered());
    }

    fn wait_beside(&mut self, t: &Turn<Self>) {
        t.ask(self.oracle.ask()).then_send(t.me().answered());
        t.ask(self.oracle.ask())
            .exclusive()
            .then_send(t.me().answered());
    }

    fn wait_and_drop(&mut self, t: &Turn<Self>) {
        drop(t.ask(self.oracle.ask()).exclusive());
    }

    fn wait_and_panic(&mut self, t: &Turn<Self>) {
        drop(t.ask(self.oracle.ask()).exclusive());
        std::panic::resume_unwind(Box::new("as planned"));
    }

    fn wait_beside_and_panic(&mut self, t: &Turn<Self>) {
        t.ask(self.oracle.ask()).then_send(t.me().panics());
        drop(t.ask(self.oracle.ask()).exclusive());
    }

    #[then]
    fn panics(&mut self, _: Result<u64, AskError>) {
        std::panic::resume_unwind(Box::new("as planned"));
    }

    fn wait_a_second(&mut self, t: &Turn<Self>) {
        t.ask(self.oracle.ask())
            .within(Duration::from_secs(1))
            .exclusive()
            .then_send(t.me().answered());
    }

    #[then]
    fn answered(&mut self, value: Result<u64, AskError>) {
        match value {
            Ok(value) => self.log.note(format!("answer {value}")),
            Err(AskError::TimedOut { .. }) => self.log.note("too late"),
            Err(AskError::Broken(_)) => self.log.note("broken"),
            Err(error) => self.log.note(format!("{error}")),
        }
    }

    fn note(&mut self, what: u64) {
        self.log.note(format!("note {what}"));
    }

    fn open(&mut self) {
        self.open = true;
        self.log.note("open");
    }

    #[when(self.open)]
    fn guarded(&mut self) {
        self.log.note("guarded");
    }

    fn count(&self) -> u64 {
        self.log.lines().len() as u64
    }
}

pub(crate) fn lines(log: &Log) -> Vec<String> {
    log.lines().clone()
}

fn clerk(simulation: &Simulation) -> (Address<Oracle>, Address<Clerk>, Log) {
    let log = Log::default();
    let oracle = simulation.system().spawn(Oracle { asked: Vec::new() });
    let clerk = simulation.system().spawn(Clerk {
        oracle: oracle.clone(),
        log: log.clone(),
        open: false,
    });
    (oracle, clerk, log)
}

#[vivant::test(seeds = 50)]
fn messages_wait_in_their_order(simulation: &Simulation) {
    let (oracle, clerk, log) = clerk(simulation);
    clerk.wait().send();
    (1..=3).for_each(|what| clerk.note(what).send());
    simulation.run();
    assert_eq!(lines(&log), ["wait"]);
    clerk.note(4).send();
    simulation.run();
    oracle.answer(7).send();
    simulation.run();
    let all = ["wait", "answer 7", "note 1", "note 2", "note 3", "note 4"];
    assert_eq!(lines(&log), all);
}

#[vivant::test(seeds = 50)]
fn nothing_runs_between_a_reply_and_the_next_wait(simulation: &Simulation) {
    let (oracle, clerk, log) = clerk(simulation);
    clerk.wait_twice().send();
    clerk.note(1).send();
    simulation.run();
    oracle.answer(1).send();
    simulation.run();
    assert_eq!(lines(&log), ["answer 1"]);
    oracle.answer(2).send();
    simulation.run();
    assert_eq!(lines(&log), ["answer 1", "answer 2", "note 1"]);
}

#[vivant::test(seeds = 50)]
fn continuations_of_earlier_requests_run(simulation: &Simulation) {
    let (oracle, clerk, log) = clerk(simulation);
    clerk.wait_beside().send();
    clerk.note(1).send();
    simulation.run();
    oracle.answer(1).send();
    simulation.run();
    assert_eq!(lines(&log), ["answer 1"]);
    oracle.answer(2).send();
    simulation.run();
    assert_eq!(lines(&log), ["answer 1", "answer 2", "note 1"]);
}

#[vivant::test(seeds = 50)]
fn guards_are_evaluated_after_the_wait(simulation: &Simulation) {
    let (oracle, clerk, log) = clerk(simulation);
    clerk.guarded().send();
    simulation.run();
    clerk.wait().send();
    clerk.guarded().send();
    clerk.open().send();
    simulation.run();
    assert_eq!(lines(&log), ["wait"]);
    oracle.answer(1).send();
    simulation.run();
    assert_eq!(
        lines(&log),
        ["wait", "answer 1", "open", "guarded", "guarded"]
    );
}

#[vivant::test(seeds = 50)]
fn a_wait_ends_when_its_promise_breaks_or_is_not_wanted(simulation: &Simulation) {
    let (oracle, clerk, log) = clerk(simulation);
    clerk.wait().send();
    clerk.note(1).send();
    simulation.run();
    oracle.forget().send();
    simulation.run();
    assert_eq!(lines(&log), ["wait", "broken", "note 1"]);
    clerk.wait_and_drop().send();
    clerk.note(2).send();
    simulation.run();
    assert_eq!(lines(&log).len(), 3);
    oracle.answer(2).send();
    simulation.run();
    assert_eq!(lines(&log)[3..], ["note 2"]);
}

#[vivant::test(seeds = 50)]
fn a_time_limit_ends_a_wait(simulation: &Simulation) {
    let (oracle, clerk, log) = clerk(simulation);
    clerk.wait_a_second().send();
    clerk.note(1).send();
    simulation.run();
    assert_eq!(lines(&log), ["too late", "note 1"]);
    oracle.answer(1).send();
    simulation.run();
    assert_eq!(lines(&log).len(), 2);
}

#[vivant::test(seeds = 50)]
fn stop_after_queue_waits_too(simulation: &Simulation) {
    let (oracle, clerk, log) = clerk(simulation);
    clerk.wait().send();
    clerk.note(1).send();
    Address::stop_after_queue(&clerk);
    simulation.run();
    assert_eq!(lines(&log), ["wait"]);
    oracle.answer(1).send();
    simulation.run();
    assert_eq!(lines(&log), ["wait", "answer 1", "note 1"]);
    assert!(clerk.count().ask_blocking().is_err());
}

#[vivant::test(seeds = 50)]
fn a_stopped_actor_refuses_what_waits(simulation: &Simulation) {
    let (oracle, clerk, log) = clerk(simulation);
    clerk.wait().send();
    let count = clerk.count().ask();
    simulation.run();
    Address::stop(&clerk);
    simulation.run();
    assert!(matches!(
        simulation.system().block_on(count),
        Err(AskError::Stopped(_))
    ));
    oracle.answer(1).send();
    simulation.run();
    assert_eq!(lines(&log), ["wait"]);
}

/// The next incarnation waits for nothing, and the late reply does not end its waits.
#[vivant::test(seeds = 50)]
fn a_restart_forgets_waits(simulation: &Simulation) {
    let log = Log::default();
    let oracle = simulation.system().spawn(Oracle { asked: Vec::new() });
    let tree = Supervisor::one_for_one().spawn(simulation.system());
    let (for_child, of_child) = (oracle.clone(), log.clone());
    let start = move |_: &Turn<'_, Clerk>| Clerk {
        oracle: for_child.clone(),
        log: of_child.clone(),
        open: false,
    };
    let clerk = tree.add(Child::new(start).restart(Restart::Always));
    clerk.wait_and_panic().send();
    simulation.run();
    clerk.note(1).send();
    simulation.run();
    assert_eq!(lines(&log), ["note 1"]);
    clerk.wait().send();
    clerk.note(2).send();
    simulation.run();
    oracle.answer(1).send();
    simulation.run();
    assert_eq!(lines(&log), ["note 1", "wait"]);
    oracle.answer(2).send();
    simulation.run();
    assert_eq!(lines(&log)[2..], ["answer 2", "note 2"]);
}

/// It waited when its sibling failed. The wait of the next incarnation is the only one, also if the
/// promise of the last one never settles.
#[vivant::test(seeds = 50)]
fn a_restart_by_the_supervisor_forgets_waits(simulation: &Simulation) {
    let log = Log::default();
    let oracle = || simulation.system().spawn(Oracle { asked: Vec::new() });
    let [before, after] = [oracle(), oracle()];
    let tree = Supervisor::all_for_one().spawn(simulation.system());
    let begun = Arc::new(AtomicUsize::new(0));
    let clerk = || {
        let (before, after) = (before.clone(), after.clone());
        let (log, begun) = (log.clone(), begun.clone());
        tree.add(
            Child::new(move |_: &Turn<'_, Clerk>| Clerk {
                oracle: match begun.fetch_add(1, Ordering::Relaxed) {
                    0 | 1 => before.clone(),
                    _ => after.clone(),
                },
                log: log.clone(),
                open: false,
            })
            .restart(Restart::Always),
        )
    };
    let (clerk, sibling) = (clerk(), clerk());
    clerk.wait().send();
    simulation.run();
    sibling.wait_and_panic().send();
    simulation.run();
    clerk.wait().send();
    clerk.note(1).send();
    simulation.run();
    assert_eq!(lines(&log), ["wait", "wait"]);
    after.answer(1).send();
    simulation.run();
    assert_eq!(lines(&log)[2..], ["answer 1", "note 1"]);
}

/// Waits for itself.
#[derive(Actor)]
struct Own {
    resolver: Option<Resolver<u64>>,
    oracle: Address<Oracle>,
    log: Log,
}

#[behaviours]
impl Own {
    fn wait(&mut self, t: &Turn<Self>) {
        let (promise, resolver) = t.promise();
        self.resolver = Some(resolver);
        t.ask(self.oracle.ask()).then_send(t.me().settle());
        promise.exclusive().then_send(t.me().settled());
    }

    #[then]
    fn settle(&mut self, value: Result<u64, AskError>) {
        let resolver = self.resolver.take().expect("it waits");
        resolver.resolve(value.expect("a value"));
    }

    #[then]
    fn settled(&mut self, value: Result<u64, AskError>) {
        self.log
            .note(format!("settled {}", value.expect("a value")));
    }

    fn note(&mut self) {
        self.log.note("note");
    }
}

#[vivant::test(seeds = 50)]
fn nothing_runs_between_a_value_of_its_own_and_the_continuation(simulation: &Simulation) {
    let log = Log::default();
    let oracle = simulation.system().spawn(Oracle { asked: Vec::new() });
    let own = simulation.system().spawn(Own {
        resolver: None,
        oracle: oracle.clone(),
        log: log.clone(),
    });
    own.wait().send();
    own.note().send();
    simulation.run();
    oracle.answer(1).send();
    simulation.run();
    assert_eq!(lines(&log), ["settled 1", "note"]);
}

/// A stop mark that an exclusive wait defers outlasts a restart, also if messages are returned.
#[vivant::test(seeds = 50)]
fn a_deferred_stop_mark_outlasts_a_restart(simulation: &Simulation) {
    let log = Log::default();
    let oracle = simulation.system().spawn(Oracle { asked: Vec::new() });
    let tree = Supervisor::one_for_one().spawn(simulation.system());
    let (for_child, of_child) = (oracle.clone(), log.clone());
    let start = move |_: &Turn<'_, Clerk>| Clerk {
        oracle: for_child.clone(),
        log: of_child.clone(),
        open: false,
    };
    let child = Child::new(start).messages(Messages::Returned);
    let clerk = tree.add(child);
    clerk.wait_beside_and_panic().send();
    simulation.run();
    clerk.note(1).send();
    Address::stop_after_queue(&clerk);
    simulation.run();
    assert!(Address::is_alive(&clerk));
    oracle.answer(1).send();
    simulation.run();
    assert!(!Address::is_alive(&clerk));
    assert!(lines(&log).is_empty());
}

/// Threads: an exclusive wait for another actor, many times.
#[test]
fn exclusive_waits_on_threads() {
    let system = System::new();
    let log = Log::default();
    let oracle = system.spawn(Oracle { asked: Vec::new() });
    let clerk = system.spawn(Clerk {
        oracle: oracle.clone(),
        log: log.clone(),
        open: false,
    });
    const WAITS: u64 = if cfg!(miri) { 3 } else { 200 };
    for wait in 0..WAITS {
        clerk.wait().send();
        clerk.note(wait).send();
    }
    let counted = clerk.count().ask();
    for wait in 0..WAITS {
        while oracle.answer(wait).ask_blocking() != Ok(true) {}
    }
    assert_eq!(system.block_on(counted), Ok(3 * WAITS));
    let notes = (0..WAITS).flat_map(|wait| {
        [
            "wait".to_owned(),
            format!("answer {wait}"),
            format!("note {wait}"),
        ]
    });
    assert_eq!(lines(&log), notes.collect::<Vec<_>>());
}
