//! User code that misbehaves where no turn can catch it: it harms only itself.

use crate::waits::wait_while;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;
use vivant::prelude::*;
use vivant::simulation::{Faults, Simulation};
use vivant::{DeadLetter, Timer};

/// Panics when it is dropped, or when it is cloned.
#[derive(Debug)]
enum Grenade {
    OnDrop,
    OnClone,
}

impl Drop for Grenade {
    fn drop(&mut self) {
        if matches!(self, Grenade::OnDrop) && !std::thread::panicking() {
            panic!("dropped");
        }
    }
}

impl Clone for Grenade {
    fn clone(&self) -> Self {
        match self {
            Grenade::OnDrop => Grenade::OnDrop,
            Grenade::OnClone => panic!("cloned"),
        }
    }
}

#[derive(Actor)]
struct Victim {
    name: &'static str,
    timer: Option<Timer>,
    received: Arc<AtomicU64>,
}

#[behaviours]
impl Victim {
    fn name(&mut self) -> &'static str {
        self.name
    }

    fn take(&mut self, grenade: Grenade) {
        std::mem::forget(grenade);
    }

    fn forward(&mut self, t: &Turn<Self>, to: Address<Victim>, grenade: Grenade) {
        let _sent = t.ask(t.me().name()).then(to.named(grenade));
    }

    #[then]
    fn named(&mut self, name: Result<&'static str, AskError>, grenade: Grenade) -> &'static str {
        std::mem::forget(grenade);
        self.name = name.unwrap_or("unknown");
        self.name
    }

    fn later(&mut self, t: &Turn<Self>, grenade: Grenade) {
        t.after(Duration::from_secs(3600), t.me().take(grenade));
    }

    fn every(&mut self, t: &Turn<Self>, grenade: Grenade) {
        self.timer = Some(t.every(Duration::from_millis(1), t.me().take(grenade)));
    }

    fn listen(&mut self, t: &Turn<Self>, grenade: Grenade) {
        t.on_dead_letters(t.me().received(grenade));
    }

    #[then]
    fn received(&mut self, _letter: DeadLetter, grenade: Grenade) {
        std::mem::forget(grenade);
        self.received.fetch_add(1, Ordering::Relaxed);
    }

    fn run_simulation(&mut self, simulation: Arc<Simulation>) {
        simulation.run();
    }

    fn fail(&mut self) {
        panic!("as planned");
    }
}

fn victim(system: &System, name: &'static str) -> Address<Victim> {
    system.spawn(Victim {
        name,
        timer: None,
        received: Arc::default(),
    })
}

/// All other actors still answer, and the system ends cleanly.
fn assert_unharmed(system: &System) {
    assert_eq!(victim(system, "other").name().ask_blocking(), Ok("other"));
    let report = system.shutdown_within(Duration::from_secs(60));
    assert!(report.is_complete(), "{report}");
}

fn both() -> [System; 2] {
    [
        System::builder().workers(1).build(),
        Simulation::new(1).system().clone(),
    ]
}

fn ended(system: &System, actor: &Address<Victim>) {
    Address::stop(actor);
    while Address::is_alive(actor) {
        // In a simulation, waiting for anything runs it.
        let _ = actor.name().ask_blocking();
    }
    let _ = system;
}

#[test]
fn a_continuation_of_another_system_runs_there() {
    // Both on threads: another system's threads must not send into a simulation.
    let system = || System::builder().workers(1).build();
    let (here, there) = (system(), system());
    let (asker, other) = (victim(&there, "asker"), victim(&here, "other"));
    asker
        .forward(other.clone(), Grenade::OnClone)
        .ask_blocking()
        .unwrap();
    wait_while(|| other.name().ask_blocking() != Ok("asker"));
    assert_eq!(
        asker.name().ask_blocking(),
        Ok("asker"),
        "the asker's own state is untouched"
    );
    assert_eq!(other.name().ask_blocking(), Ok("asker"));
    assert_unharmed(&here);
    assert_unharmed(&there);
}

#[test]
fn a_stop_request_does_not_outlive_its_actor() {
    #[derive(Actor)]
    struct Eager;
    #[behaviours]
    impl Eager {
        fn live(&mut self) {}
        #[stop]
        fn stopping(&mut self, t: &Turn<Self>) {
            t.stop();
        }
    }
    for system in both() {
        let (eager, other) = (system.spawn(Eager), victim(&system, "other"));
        eager.live().ask_blocking().unwrap();
        Address::stop(&eager);
        for _ in 0..10 {
            assert_eq!(other.name().ask_blocking(), Ok("other"));
        }
        assert!(Address::is_alive(&other));
        assert_unharmed(&system);
    }
}

#[test]
fn a_panic_in_the_drop_of_a_message_to_an_ended_actor_is_contained() {
    for system in both() {
        let (asker, gone) = (victim(&system, "asker"), victim(&system, "gone"));
        ended(&system, &gone);
        asker.forward(gone, Grenade::OnDrop).ask_blocking().unwrap();
        assert_eq!(
            asker.name().ask_blocking(),
            Ok("asker"),
            "the asker did nothing wrong"
        );
        assert_unharmed(&system);
    }
}

#[test]
fn a_panic_in_the_clone_of_a_subscription_loses_one_dead_letter() {
    for system in both() {
        let (listener, gone) = (victim(&system, "listener"), victim(&system, "gone"));
        listener.listen(Grenade::OnClone).ask_blocking().unwrap();
        ended(&system, &gone);
        gone.name().send();
        assert!(system.dead_letters().total() > 0);
        assert_eq!(listener.name().ask_blocking(), Ok("listener"));
        assert_unharmed(&system);
    }
}

#[test]
fn a_listener_that_panics_costs_no_worker() {
    let system = System::builder()
        .workers(1)
        .on_report(|_| panic!("not now"))
        .build();
    let actor = victim(&system, "actor");
    assert!(actor.fail().ask_blocking().is_err());
    assert_unharmed(&system);
}

#[test]
fn timers_whose_messages_panic_stop_no_clock() {
    for system in both() {
        let actor = victim(&system, "actor");
        // The clone panics at the first tick; this interval ends, others go on.
        actor.every(Grenade::OnClone).ask_blocking().unwrap();
        let clock = system.clock();
        while system.inspect().timers > 0 {
            system.block_on(clock.sleep(Duration::from_millis(2)));
        }
        assert_eq!(actor.name().ask_blocking(), Ok("actor"));
        // This one is still set when the system shuts down, and panics when it is dropped.
        actor.later(Grenade::OnDrop).ask_blocking().unwrap();
        assert_unharmed(&system);
    }
}

#[test]
fn the_largest_budgets_do_not_overflow() {
    let system = System::builder()
        .workers(1)
        .budget(u32::MAX, Duration::MAX)
        .build();
    assert_unharmed(&system);
}

#[test]
fn a_simulation_is_not_run_within_its_own_turns() {
    let simulation = Arc::new(Simulation::new(1));
    let actor = victim(simulation.system(), "actor");
    match actor.run_simulation(simulation.clone()).ask_blocking() {
        Err(AskError::Panicked(panic)) => assert!(
            panic.message().contains("within one of its own turns"),
            "{panic}"
        ),
        other => panic!("{other:?}"),
    }
    assert_unharmed(simulation.system());
}

#[test]
fn time_limits_hold_through_a_shutdown_and_after_it() {
    let system = System::builder().workers(1).build();
    let clock = system.clock();
    let sleeping = clock.sleep(Duration::from_secs(3600));
    assert_unharmed(&system);
    // The clock has stopped: a wait returns at once.
    system.block_on(sleeping);
    system.block_on(clock.sleep(Duration::from_secs(3600)));
    // A second shutdown does not start the clock again.
    system.shutdown();
    system.block_on(clock.sleep(Duration::from_secs(3600)));
}

#[test]
fn timers_and_children_of_a_stop_hook_during_shutdown_do_not_leak() {
    #[derive(Actor)]
    struct Clingy;
    #[behaviours]
    impl Clingy {
        fn live(&mut self) {}
        #[then]
        fn letter(&mut self, _letter: DeadLetter) {}
        #[stop]
        fn stopping(&mut self, t: &Turn<Self>) {
            t.after(Duration::from_secs(1), t.me().live());
            t.on_dead_letters(t.me().letter());
            let child = t.spawn_actor(Clingy);
            t.send(child.live());
        }
    }
    for system in both() {
        let clingy = system.spawn(Clingy);
        clingy.live().ask_blocking().unwrap();
        assert_unharmed(&system);
        drop(clingy);
        assert_eq!(system.inspect().bytes, 0);
        assert_eq!(system.inspect().timers, 0);
    }
}

#[test]
fn an_actor_spawned_after_shutdown_is_dropped_at_once() {
    struct Noticed(Arc<Mutex<bool>>);
    impl Drop for Noticed {
        fn drop(&mut self) {
            *self.0.lock().unwrap() = true;
        }
    }
    #[derive(Actor)]
    struct Late {
        _noticed: Noticed,
    }
    #[behaviours]
    impl Late {}
    for system in both() {
        system.shutdown();
        let dropped = Arc::new(Mutex::new(false));
        let late = system.spawn(Late {
            _noticed: Noticed(dropped.clone()),
        });
        assert!(*dropped.lock().unwrap());
        assert!(!Address::is_alive(&late));
    }
}

#[test]
fn a_muted_unreferenced_actor_runs_messages_that_its_guard_admits() {
    #[derive(Actor)]
    struct Sink;
    #[behaviours]
    impl Sink {
        fn take(&mut self) {}
    }
    #[derive(Actor)]
    struct Source {
        sink: Address<Sink>,
        open: bool,
        done: Arc<AtomicU64>,
    }
    #[behaviours]
    impl Source {
        #[when(self.open)]
        fn guarded(&mut self) {
            self.done.fetch_add(1, Ordering::Relaxed);
        }
        /// Opens the guard and floods, so that it is muted at the end of this very turn.
        fn flood(&mut self, t: &Turn<Self>) {
            self.open = true;
            for _ in 0..8 {
                t.send(self.sink.take());
            }
        }
    }
    for seed in 0..if cfg!(miri) { 2 } else { 50 } {
        let simulation = Simulation::with(seed, Faults::none().full_mailboxes(), System::builder());
        let system = simulation.system();
        let done = Arc::new(AtomicU64::new(0));
        let source = system.spawn(Source {
            sink: system.spawn(Sink),
            open: false,
            done: done.clone(),
        });
        source.guarded().send();
        source.flood().send();
        drop(source);
        simulation.run();
        assert_eq!(done.load(Ordering::Relaxed), 1, "seed {seed}");
    }
}

#[test]
fn a_waker_that_panics_does_not_harm_the_answering_actor() {
    use std::future::Future;
    use std::pin::pin;
    use std::task::{Context, Poll, Wake, Waker};
    struct BadWaker;
    impl Wake for BadWaker {
        fn wake(self: Arc<Self>) {
            panic!("woken");
        }
    }
    let simulation = Simulation::new(1);
    let actor = victim(simulation.system(), "actor");
    let mut asked = pin!(actor.name().ask());
    let waker = Waker::from(Arc::new(BadWaker));
    let pending = asked.as_mut().poll(&mut Context::from_waker(&waker));
    assert_eq!(pending, Poll::Pending);
    simulation.run();
    assert_eq!(simulation.system().block_on(asked), Ok("actor"));
    assert_eq!(actor.name().ask_blocking(), Ok("actor"));
    assert_eq!(simulation.system().inspect().panics, 1);
    assert_unharmed(simulation.system());
}

#[test]
fn a_panic_in_the_drop_of_a_subscription_withholds_no_dead_letter() {
    for system in both() {
        let (first, second) = (victim(&system, "first"), victim(&system, "second"));
        first.listen(Grenade::OnDrop).ask_blocking().unwrap();
        let received = Arc::new(AtomicU64::new(0));
        let counting = system.spawn(Victim {
            name: "counting",
            timer: None,
            received: received.clone(),
        });
        counting.listen(Grenade::OnClone).ask_blocking().unwrap();
        let third = system.spawn(Victim {
            name: "third",
            timer: None,
            received: received.clone(),
        });
        third.listen(Grenade::OnDrop).ask_blocking().unwrap();
        ended(&system, &first);
        ended(&system, &second);
        third.name().ask_blocking().unwrap();
        let before = received.load(Ordering::Relaxed);
        for _ in 0..5 {
            second.name().send();
            third.name().ask_blocking().unwrap();
        }
        assert_eq!(received.load(Ordering::Relaxed), before + 5);
        assert_unharmed(&system);
    }
}

#[test]
fn a_subscription_after_shutdown_is_dropped() {
    for system in both() {
        let actor = victim(&system, "actor");
        actor.name().ask_blocking().unwrap();
        system.shutdown();
        system
            .dead_letters()
            .subscribe(actor.received(Grenade::OnClone));
        drop(actor);
        assert_eq!(system.inspect().bytes, 0);
    }
}

#[cfg_attr(miri, vivant::test(seeds = 2, faults = Faults::all()))]
#[cfg_attr(not(miri), vivant::test(seeds = 200, faults = Faults::all()))]
fn seeded_shutdown_ends_every_actor_despite_injected_faults(simulation: &Simulation) {
    #[derive(Actor)]
    struct Parent {
        friend: Option<Address<Victim>>,
    }
    #[behaviours]
    impl Parent {
        fn live(&mut self) {}
        #[stop]
        fn stopping(&mut self, t: &Turn<Self>) {
            let child = t.spawn_actor(Parent { friend: None });
            t.send(child.live());
            if let Some(friend) = &self.friend {
                let _name = t.ask(friend.name());
            }
        }
    }
    let system = simulation.system();
    let friend = victim(system, "friend");
    let parent = |_| {
        system.spawn(Parent {
            friend: Some(friend.clone()),
        })
    };
    let parents: Vec<_> = (0..6).map(parent).collect();
    let asked: Vec<_> = parents.iter().map(|parent| parent.live().ask()).collect();
    simulation.run_for(Duration::from_millis(simulation.seed() % 40));
    assert!(system.shutdown().is_complete());
    for asked in asked {
        // An answer or an error; only no answer would be wrong.
        assert_ne!(system.block_on(asked), Err(AskError::Stalled));
    }
    drop((friend, parents));
    assert_eq!(system.inspect().actors.len(), 0);
    assert_eq!(system.inspect().bytes, 0);
}
