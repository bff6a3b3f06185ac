//! T4: supervisors restart actors, in order, within a budget; addresses and mailboxes survive
//! restarts.

use crate::log::Log;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use vivant::prelude::*;
use vivant::simulation::Simulation;
use vivant::{
    Cause, Child, ChildState, Messages, OnPanic, Restart, StopReason, Supervision, Supervisor,
};

#[derive(Actor)]
struct Part {
    name: &'static str,
    log: Log,
    count: u64,
}

#[behaviours]
impl Part {
    #[start]
    fn new(name: &'static str, log: Log) -> Self {
        log.note(format!("{name} begins"));
        Part {
            name,
            log,
            count: 0,
        }
    }

    fn add(&mut self, n: u64) -> u64 {
        self.count += n;
        self.count
    }

    fn fail(&mut self) {
        std::panic::resume_unwind(Box::new("as planned"));
    }

    fn finish(&mut self, t: &Turn<Self>) {
        t.stop();
    }

    #[when(self.count >= n)]
    fn wait_for(&mut self, n: u64) -> u64 {
        n
    }

    #[stop]
    fn ends(&mut self, reason: &StopReason) {
        let why = match reason {
            StopReason::Panicked(_) => "panicked",
            StopReason::Restarting => "restarts",
            StopReason::Stopped => "stopped",
            StopReason::SupervisorEnded(_) => "supervisor ended",
            StopReason::Finished => "finished",
            StopReason::Linked(_) => "linked",
            StopReason::Shutdown => "shutdown",
            _ => "otherwise",
        };
        self.log.note(format!("{} {why}", self.name));
    }
}

fn three(tree: &Address<Supervisor>, log: &Log) -> [Address<Part>; 3] {
    ["a", "b", "c"].map(|name| tree.add(Part::child(name, log.clone())))
}

fn simulated(rules: Supervision, test: impl FnOnce(&Simulation, Address<Supervisor>, Log)) {
    let simulation = Simulation::new(7);
    let tree = rules.spawn(simulation.system());
    test(&simulation, tree, Log::default());
}

#[test]
fn children_start_in_order_and_end_in_reverse_order() {
    simulated(Supervisor::one_for_one(), |simulation, tree, log| {
        let _parts = three(&tree, &log);
        assert_eq!(tree.settled().ask_blocking(), Ok(Ok(())));
        assert_eq!(log.take(), ["a begins", "b begins", "c begins"]);
        assert_eq!(tree.shut_down().ask_blocking(), Ok(()));
        assert_eq!(log.take(), ["c stopped", "b stopped", "a stopped"]);
        simulation.run();
        assert!(simulation.system().inspect().actors.is_empty());
    });
}

#[test]
fn a_shutdown_of_the_system_ends_trees_in_order() {
    let log = Log::default();
    let simulation = Simulation::new(7);
    let first = Supervisor::one_for_one().spawn(simulation.system());
    let second = Supervisor::one_for_one().spawn(simulation.system());
    let _a = first.add(Part::child("a", log.clone()));
    let inner = first.add(Supervisor::all_for_one());
    let _b = inner.add(Part::child("b", log.clone()));
    let _c = inner.add(Part::child("c", log.clone()));
    let _d = second.add(Part::child("d", log.clone()));
    assert_eq!(first.settled().ask_blocking(), Ok(Ok(())));
    assert_eq!(second.settled().ask_blocking(), Ok(Ok(())));
    log.take();
    assert!(simulation.system().shutdown().is_complete());
    assert_eq!(
        log.take(),
        ["d stopped", "c stopped", "b stopped", "a stopped"]
    );
}

#[test]
fn one_for_one_restarts_one_child_and_keeps_its_address_and_messages() {
    simulated(Supervisor::one_for_one(), |simulation, tree, log| {
        let [a, b, _c] = three(&tree, &log);
        assert_eq!(tree.settled().ask_blocking(), Ok(Ok(())));
        assert_eq!(a.add(1).ask_blocking(), Ok(1));
        assert_eq!(b.add(1).ask_blocking(), Ok(1));
        log.take();
        let failed = a.fail().ask();
        let kept = a.add(5).ask();
        let guarded = a.wait_for(5).ask();
        assert!(matches!(
            simulation.system().block_on(failed),
            Err(AskError::Panicked(_))
        ));
        assert_eq!(simulation.system().block_on(kept), Ok(5), "a new state");
        assert_eq!(simulation.system().block_on(guarded), Ok(5));
        assert_eq!(b.add(1).ask_blocking(), Ok(2), "the old state");
        assert_eq!(log.take(), ["a panicked", "a begins"]);
        let children = tree.children().ask_blocking().unwrap_or_default();
        assert_eq!(children[0].restarts, 1);
        assert_eq!(children[0].state, ChildState::Up);
        assert!(
            children[0]
                .last_failure
                .as_ref()
                .is_some_and(StopReason::is_failure)
        );
        assert_eq!(
            simulation
                .system()
                .inspect()
                .actor(&Address::path(&a))
                .map(|facts| facts.restarts),
            Some(1)
        );
    });
}

#[test]
fn all_for_one_restarts_all_and_rest_for_one_the_rest() {
    simulated(Supervisor::all_for_one(), |_, tree, log| {
        let [_a, b, _c] = three(&tree, &log);
        assert_eq!(tree.settled().ask_blocking(), Ok(Ok(())));
        log.take();
        assert!(b.fail().ask_blocking().is_err());
        assert_eq!(tree.settled().ask_blocking(), Ok(Ok(())));
        let expected = [
            "b panicked",
            "c restarts",
            "a restarts",
            "a begins",
            "b begins",
            "c begins",
        ];
        assert_eq!(log.take(), expected);
    });
    simulated(Supervisor::rest_for_one(), |_, tree, log| {
        let [_a, b, _c] = three(&tree, &log);
        assert_eq!(tree.settled().ask_blocking(), Ok(Ok(())));
        log.take();
        assert!(b.fail().ask_blocking().is_err());
        assert_eq!(tree.settled().ask_blocking(), Ok(Ok(())));
        assert_eq!(
            log.take(),
            ["b panicked", "c restarts", "b begins", "c begins"]
        );
    });
}

#[test]
fn messages_may_be_returned() {
    simulated(Supervisor::one_for_one(), |simulation, tree, log| {
        let part = tree.add(Part::child("a", log).messages(Messages::Returned));
        assert_eq!(part.add(1).ask_blocking(), Ok(1));
        let _failed = part.fail().ask();
        let returned = part.add(5).ask();
        part.add(5).send();
        let guarded = part.wait_for(100).ask();
        for lost in [
            simulation.system().block_on(returned),
            simulation.system().block_on(guarded),
        ] {
            let Err(AskError::Restarted(it)) = lost else {
                panic!("{lost:?}");
            };
            assert!(matches!(it.reason, StopReason::Panicked(_)));
        }
        let dead = simulation.system().dead_letters().counts();
        assert!(dead.iter().all(|line| line.cause == Cause::Restarted));
        assert_eq!(dead.iter().map(|line| line.count).sum::<u64>(), 3);
        assert_eq!(part.add(2).ask_blocking(), Ok(2));
    });
}

#[test]
fn a_supervisor_over_its_budget_gives_up() {
    let rules = Supervisor::one_for_one().budget(2, Duration::from_secs(1));
    simulated(rules, |simulation, tree, log| {
        let [a, b, _c] = three(&tree, &log);
        assert_eq!(tree.settled().ask_blocking(), Ok(Ok(())));
        let ended = Address::ended(&tree);
        for _ in 0..2 {
            assert!(a.fail().ask_blocking().is_err());
        }
        assert_eq!(a.add(1).ask_blocking(), Ok(1));
        log.take();
        assert!(a.fail().ask_blocking().is_err());
        let Ok(StopReason::GaveUp(why)) = simulation.system().block_on(ended) else {
            panic!("it went on");
        };
        assert_eq!((why.failures, &why.child), (3, &Address::path(&a)));
        simulation.run();
        assert_eq!(log.take(), ["a panicked", "c restarts", "b restarts"]);
        assert!(!Address::is_alive(&a) && !Address::is_alive(&b));
        assert!(matches!(a.add(1).ask_blocking(), Err(AskError::Stopped(_))));
    });
}

#[test]
fn old_failures_do_not_count() {
    let rules = Supervisor::one_for_one().budget(2, Duration::from_secs(1));
    simulated(rules, |simulation, tree, log| {
        let part = tree.add(Part::child("a", log));
        for n in 0..20 {
            assert!(part.fail().ask_blocking().is_err());
            assert_eq!(part.add(n).ask_blocking(), Ok(n));
            simulation.run_for(Duration::from_millis(600));
        }
    });
}

#[test]
fn a_branch_that_gives_up_is_restarted_by_its_supervisor() {
    let rules = Supervisor::one_for_one().budget(1, Duration::from_secs(3600));
    simulated(rules, |simulation, tree, log| {
        let branch = tree.add(Supervisor::one_for_one().budget(1, Duration::from_secs(3600)));
        let (a, b) = (
            branch.add(Part::child("a", log.clone())),
            branch.add(Part::child("b", log.clone())),
        );
        assert_eq!(tree.settled().ask_blocking(), Ok(Ok(())));
        assert_eq!(b.add(1).ask_blocking(), Ok(1));
        assert!(a.fail().ask_blocking().is_err());
        assert_eq!(a.add(1).ask_blocking(), Ok(1));
        log.take();
        assert!(a.fail().ask_blocking().is_err());
        simulation.run();
        assert_eq!(b.add(1).ask_blocking(), Ok(1), "a new state");
        assert_eq!(
            log.take(),
            ["a panicked", "b restarts", "a begins", "b begins"]
        );
        // Twice more, and the supervisor above has exceeded its budget too.
        let ended = Address::ended(&tree);
        assert!(a.fail().ask_blocking().is_err());
        assert!(a.fail().ask_blocking().is_err());
        assert!(matches!(
            simulation.system().block_on(ended),
            Ok(StopReason::GaveUp(_))
        ));
        assert!(!Address::is_alive(&branch) && !Address::is_alive(&b));
    });
}

#[test]
fn a_back_off_doubles_and_is_reset() {
    let rules = Supervisor::one_for_one()
        .budget(100, Duration::from_secs(1))
        .back_off(Duration::from_millis(10), Duration::from_millis(50));
    simulated(rules, |simulation, tree, log| {
        let part = tree.add(Part::child("a", log));
        let mut waits = Vec::new();
        for _ in 0..5 {
            assert!(part.fail().ask_blocking().is_err());
            let from = simulation.now();
            assert_eq!(part.add(1).ask_blocking(), Ok(1));
            waits.push((simulation.now() - from).as_millis());
        }
        assert_eq!(waits, [10, 20, 40, 50, 50]);
        simulation.run_for(Duration::from_millis(51));
        assert!(part.fail().ask_blocking().is_err());
        let from = simulation.now();
        assert_eq!(part.add(1).ask_blocking(), Ok(1));
        assert_eq!((simulation.now() - from).as_millis(), 10);
    });
}

#[test]
fn restart_rules_decide_which_ends_restart() {
    simulated(Supervisor::one_for_one(), |_, tree, log| {
        for (restart, after_failure, after_finish) in [
            (Restart::Always, true, true),
            (Restart::OnFailure, true, false),
            (Restart::Never, false, false),
        ] {
            let part = || tree.add(Part::child("a", log.clone()).restart(restart));
            let (fails, finishes, stopped) = (part(), part(), part());
            fails.fail().send();
            finishes.finish().send();
            assert_eq!(stopped.add(1).ask_blocking(), Ok(1));
            Address::stop(&stopped);
            assert_eq!(
                fails.add(3).ask_blocking().is_ok(),
                after_failure,
                "{restart:?}"
            );
            assert_eq!(
                finishes.add(3).ask_blocking().is_ok(),
                after_finish,
                "{restart:?}"
            );
            assert!(stopped.add(3).ask_blocking().is_err());
        }
    });
}

#[test]
fn on_panic_rules_resume_stop_or_escalate() {
    simulated(Supervisor::one_for_one(), |simulation, tree, log| {
        let part = tree.add(Part::child("a", log.clone()).on_panic(OnPanic::Resume));
        assert_eq!(part.add(1).ask_blocking(), Ok(1));
        assert!(part.fail().ask_blocking().is_err());
        assert_eq!(part.add(1).ask_blocking(), Ok(2), "the old state");
        let part = tree.add(Part::child("b", log.clone()).on_panic(OnPanic::Stop));
        assert!(part.fail().ask_blocking().is_err());
        assert!(part.add(1).ask_blocking().is_err());
        assert!(Address::is_alive(&tree));
        let part = tree.add(Part::child("c", log.clone()).on_panic(OnPanic::Escalate));
        assert!(part.fail().ask_blocking().is_err());
        assert!(part.add(1).ask_blocking().is_err());
        simulation.run();
        assert!(!Address::is_alive(&tree));
    });
}

#[derive(Actor)]
struct Stubborn;

#[behaviours]
impl Stubborn {
    fn hello(&self) -> bool {
        true
    }
}

#[test]
fn a_start_that_panics_is_a_failure() {
    simulated(Supervisor::one_for_one(), |simulation, tree, _| {
        let tries = Arc::new(Mutex::new(0));
        let start = move |_: &Turn<Stubborn>| {
            let mut tries = tries.lock().unwrap_or_else(PoisonError::into_inner);
            *tries += 1;
            if *tries < 4 {
                drop(tries);
                std::panic::resume_unwind(Box::new("not yet"));
            }
            Stubborn
        };
        let stubborn = tree.add(Child::new(start));
        assert_eq!(stubborn.hello().ask_blocking(), Ok(true));
        assert_eq!(tree.settled().ask_blocking(), Ok(Ok(())));
        let facts = simulation.system().inspect();
        assert_eq!(
            facts
                .actor(&Address::path(&stubborn))
                .map(|facts| facts.restarts),
            Some(3)
        );
    });
    simulated(Supervisor::one_for_one(), |_, tree, log| {
        let never = tree.add(Child::new(|_: &Turn<Stubborn>| {
            std::panic::resume_unwind(Box::new("never"))
        }));
        let after = tree.add(Part::child("after", log.clone()));
        let failed = tree.settled().ask_blocking();
        assert!(matches!(failed, Ok(Err(_))), "{failed:?}");
        assert!(never.hello().ask_blocking().is_err() && after.add(1).ask_blocking().is_err());
        assert_eq!(
            log.take(),
            Vec::<String>::new(),
            "it waited for the one before"
        );
    });
}

#[test]
fn a_child_added_to_an_ended_supervisor_ends() {
    simulated(Supervisor::one_for_one(), |simulation, tree, log| {
        Address::stop(&tree);
        simulation.run();
        let part = tree.add(Part::child("a", log.clone()));
        let branch = tree.add(Supervisor::one_for_one());
        assert!(part.add(1).ask_blocking().is_err());
        assert!(branch.settled().ask_blocking().is_err());
        assert_eq!(log.take(), Vec::<String>::new());
    });
}

#[test]
fn an_unreferenced_tree_ends() {
    simulated(Supervisor::one_for_one(), |simulation, tree, log| {
        let _part = tree.add(Part::child("a", log.clone()));
        let branch = tree.add(Supervisor::one_for_one());
        let _leaf = branch.add(Part::child("b", log.clone()));
        assert_eq!(tree.settled().ask_blocking(), Ok(Ok(())));
        drop((tree, branch));
        simulation.run();
        let mut said = log.take();
        said.sort();
        assert_eq!(
            said,
            [
                "a begins",
                "a supervisor ended",
                "b begins",
                "b supervisor ended"
            ]
        );
        assert!(simulation.system().inspect().actors.is_empty());
    });
}

#[test]
fn on_threads_nothing_is_lost_by_restarts() {
    const CHILDREN: usize = 8;
    let each = if cfg!(miri) { 20 } else { 2_000 };
    let system = System::builder().workers(4).build();
    for rules in [
        Supervisor::one_for_one(),
        Supervisor::all_for_one(),
        Supervisor::rest_for_one(),
    ] {
        let tree = rules
            .budget(usize::MAX, Duration::from_secs(1))
            .spawn(&system);
        let log = Log::default();
        let parts: Vec<_> = (0..CHILDREN)
            .map(|_| tree.add(Part::child("a", log.clone())))
            .collect();
        let mut asked = Vec::new();
        for n in 0..each {
            for (me, part) in parts.iter().enumerate() {
                asked.push(if (n + me) % 10 == 0 {
                    Err(part.fail().ask())
                } else {
                    Ok(part.add(1).ask())
                });
            }
        }
        for asked in asked {
            match asked {
                Ok(added) => assert!(system.block_on(added).is_ok()),
                Err(failed) => assert!(matches!(
                    system.block_on(failed),
                    Err(AskError::Panicked(_))
                )),
            }
        }
        assert_eq!(tree.settled().ask_blocking(), Ok(Ok(())));
        assert_eq!(tree.shut_down().ask_blocking(), Ok(()));
    }
    assert_eq!(system.dead_letters().total(), 0);
    assert!(system.shutdown().is_complete());
}
