//! T6: a turn that blocks or spins starves no other actor; the watchdog names it; surplus
//! workers retire; no work is lost while all workers sleep and wake. The tests assert progress,
//! never a time: the limits below only end a hang.

#![allow(
    clippy::disallowed_methods,
    reason = "a limit on real time is what ends a hang"
)]

use crate::scenes::reports;
use crate::waits::wait_while;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};
use vivant::prelude::*;
use vivant::{Actor, Report};

/// The time without progress after which a test fails instead of hanging.
const HANG_LIMIT: Duration = Duration::from_secs(60);

#[derive(Actor)]
struct Spinner;

#[behaviours]
impl Spinner {
    /// Holds its worker until another actor has made progress.
    fn spin(&mut self, done: Arc<AtomicBool>) -> bool {
        let began = Instant::now();
        while !done.load(Ordering::Acquire) && began.elapsed() < HANG_LIMIT {
            std::hint::spin_loop();
        }
        done.load(Ordering::Acquire)
    }
}

#[derive(Actor)]
#[actor(blocking)]
struct Blocker;

#[behaviours]
impl Blocker {
    fn block(&mut self, gate: Arc<std::sync::Barrier>) -> bool {
        gate.wait().is_leader()
    }
}

#[derive(Actor)]
struct Setter;

#[behaviours]
impl Setter {
    fn set(&mut self, done: Arc<AtomicBool>) {
        done.store(true, Ordering::Release);
    }
}

#[test]
fn a_spinning_turn_starves_no_actor_and_is_reported() {
    let (seen, listener) = reports();
    let system = System::builder().workers(1).on_report(listener).build();
    let done = Arc::new(AtomicBool::new(false));
    let spinning = system.spawn(Spinner).spin(done.clone()).ask();
    let setter = system.spawn(Setter);
    // Once the spinner holds the only worker, the setter can run only on a surplus one.
    wait_while(|| {
        system
            .inspect()
            .actors
            .iter()
            .all(|actor| actor.current.is_none())
    });
    setter.set(done).send();
    assert!(
        system.block_on(spinning).expect("the spinner answers"),
        "another worker took over"
    );
    let named = |report: &Report| matches!(report, Report::SlowTurn { behaviour, .. } if behaviour.ends_with("Spinner::spin"));
    assert!(
        seen.lock().unwrap().iter().any(named),
        "{:?}",
        seen.lock().unwrap()
    );
    let began = Instant::now();
    wait_while(|| system.inspect().surplus_workers > 0 && began.elapsed() < HANG_LIMIT);
    assert_eq!(
        system.inspect().surplus_workers,
        0,
        "surplus workers retire"
    );
    assert!(system.shutdown().is_complete());
}

#[test]
fn many_spinning_turns_starve_no_actor() {
    let system = System::builder().workers(2).build();
    let done = Arc::new(AtomicBool::new(false));
    let spin = |_| system.spawn(Spinner).spin(done.clone()).ask();
    let spinning: Vec<_> = (0..6).map(spin).collect();
    system.spawn(Setter).set(done.clone()).send();
    for asked in spinning {
        assert!(
            system.block_on(asked).expect("the spinner answers"),
            "another worker took over"
        );
    }
    assert!(system.shutdown().is_complete());
}

#[test]
fn the_queue_of_a_spinning_turn_is_taken_over() {
    #[derive(Actor)]
    struct Parent;
    #[behaviours]
    impl Parent {
        /// Makes a child runnable on its own worker's queue, then waits for it.
        fn wait_for_child(&mut self, t: &Turn<Self>) -> bool {
            let done = Arc::new(AtomicBool::new(false));
            t.send(t.spawn_actor(Setter).set(done.clone()));
            let began = Instant::now();
            while !done.load(Ordering::Acquire) && began.elapsed() < HANG_LIMIT {
                std::hint::spin_loop();
            }
            done.load(Ordering::Acquire)
        }
    }
    for workers in [1, 2] {
        let system = System::builder().workers(workers).build();
        assert_eq!(
            system.spawn(Parent).wait_for_child().ask_blocking(),
            Ok(true)
        );
        assert!(system.shutdown().is_complete());
    }
}

#[test]
fn declared_blocking_actors_run_beside_each_other() {
    const BLOCKERS: usize = 20;
    let system = System::builder().workers(1).build();
    let gate = Arc::new(std::sync::Barrier::new(BLOCKERS));
    let block = |_| system.spawn(Blocker).block(gate.clone()).ask();
    let waiting: Vec<_> = (0..BLOCKERS).map(block).collect();
    let leaders = waiting
        .into_iter()
        .filter_map(|asked| system.block_on(asked).ok())
        .filter(|leads| *leads)
        .count();
    assert_eq!(leaders, 1);
    assert_eq!(Blocker::POOL, vivant::Pool::Blocking);
    assert!(system.shutdown().is_complete());
}

#[derive(Actor)]
struct Busy {
    turns: Arc<AtomicU64>,
    until: Arc<AtomicBool>,
}

#[behaviours]
impl Busy {
    /// Always has a message for itself.
    fn on_and_on(&mut self, t: &Turn<Self>) {
        self.turns.fetch_add(1, Ordering::Relaxed);
        if !self.until.load(Ordering::Acquire) {
            t.send(t.me().on_and_on());
        }
    }
}

#[test]
fn an_endless_mailbox_starves_no_actor() {
    let system = System::builder().workers(1).build();
    let (until, turns) = (
        Arc::new(AtomicBool::new(false)),
        Arc::new(AtomicU64::new(0)),
    );
    for _ in 0..3 {
        system
            .spawn(Busy {
                turns: turns.clone(),
                until: until.clone(),
            })
            .on_and_on()
            .send();
    }
    // Asks from outside come through the common queue, behind actors that always have messages.
    let setter = system.spawn(Setter);
    for _ in 0..50 {
        assert_eq!(
            setter.set(Arc::new(AtomicBool::new(false))).ask_blocking(),
            Ok(())
        );
    }
    setter.set(until).ask_blocking().expect("the setter lives");
    assert!(turns.load(Ordering::Relaxed) > 0);
    assert!(system.shutdown().is_complete());
}

#[test]
fn workers_wake_from_every_sleep() {
    let system = System::builder().workers(3).build();
    let setter = system.spawn(Setter);
    for _ in 0..5_000 {
        let done = Arc::new(AtomicBool::new(false));
        assert_eq!(setter.set(done.clone()).ask_blocking(), Ok(()));
        assert!(done.load(Ordering::Acquire));
    }
    assert!(system.shutdown().is_complete());
}

#[test]
fn a_slow_stop_hook_is_reported_like_a_turn() {
    #[derive(Actor)]
    struct Reluctant {
        reported: Arc<AtomicBool>,
    }
    #[behaviours]
    impl Reluctant {
        #[stop]
        fn stopping(&mut self) {
            let began = Instant::now();
            while !self.reported.load(Ordering::Acquire) && began.elapsed() < HANG_LIMIT {
                std::hint::spin_loop();
            }
        }
    }
    let reported = Arc::new(AtomicBool::new(false));
    let seen = reported.clone();
    let listener = move |report: &Report| {
        if matches!(report, Report::SlowTurn { behaviour, .. } if *behaviour == "the end of the actor")
        {
            seen.store(true, Ordering::Release);
        }
    };
    let system = System::builder().workers(1).on_report(listener).build();
    drop(system.spawn(Reluctant {
        reported: reported.clone(),
    }));
    assert!(system.shutdown_within(HANG_LIMIT * 2).is_complete());
    assert!(reported.load(Ordering::Acquire));
}

#[derive(Actor)]
struct Burner;

#[behaviours]
impl Burner {
    /// Computes for this long; returns the name of its thread.
    fn burn(&mut self, time: Duration) -> String {
        let began = Instant::now();
        while began.elapsed() < time {
            std::hint::spin_loop();
        }
        std::thread::current().name().unwrap_or_default().to_owned()
    }

    fn wait_for(&mut self, done: Arc<AtomicBool>) -> bool {
        let began = Instant::now();
        while !done.load(Ordering::Acquire) && began.elapsed() < HANG_LIMIT {
            std::hint::spin_loop();
        }
        done.load(Ordering::Acquire)
    }

    fn set(&mut self, done: Arc<AtomicBool>) {
        done.store(true, Ordering::Release);
    }
}

/// Lets it compute for `time` again and again until it runs on such a thread.
fn burn_until_it_runs_on(burner: &Address<Burner>, time: Duration, thread: &str) {
    let began = Instant::now();
    while began.elapsed() < HANG_LIMIT {
        let name = burner.burn(time).ask_blocking().expect("it answers");
        if name.contains(thread) {
            return;
        }
    }
    panic!("it has never run on a thread named {thread}");
}

fn one_worker() -> System {
    System::builder()
        .workers(1)
        .turn_limit(Duration::from_millis(5))
        .build()
}

#[test]
fn an_actor_with_long_turns_moves_to_the_slow_pool_and_back() {
    let system = one_worker();
    let burner = system.spawn(Burner);
    burn_until_it_runs_on(&burner, Duration::from_millis(20), "-slow-");
    burn_until_it_runs_on(&burner, Duration::ZERO, "-worker-");
}

#[test]
fn a_slow_turn_may_wait_for_a_turn_queued_behind_it() {
    let system = one_worker();
    let (first, second) = (system.spawn(Burner), system.spawn(Burner));
    for burner in [&first, &second] {
        burn_until_it_runs_on(burner, Duration::from_millis(20), "-slow-");
    }
    // The pool has one thread, and the first holds it.
    let done = Arc::new(AtomicBool::new(false));
    let waiting = first.wait_for(done.clone()).ask();
    second.set(done).send();
    assert_eq!(system.block_on(waiting), Ok(true), "the pool grows");
}
