//! Probes: tests read what actors send, in order, and reply. In simulations and on threads.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::Duration;
use vivant::prelude::*;
use vivant::simulation::{Faults, Simulation};
use vivant::{Lagged, Probe, Topic};

#[interface]
pub trait Ledger {
    fn enter(&mut self, account: &'static str, amount: u64) -> u64;
    fn close(&mut self);
}

#[interface]
pub trait Alarm {
    fn ring(&mut self, times: u8);
}

#[derive(Actor)]
struct Till {
    ledger: Address<dyn Ledger>,
    alarm: Address<dyn Alarm>,
}

#[behaviours]
impl Till {
    fn sell(&mut self, t: &Turn<Self>, price: u64) -> Promise<u64> {
        t.send(self.alarm.ring(1));
        t.ask(self.ledger.enter("sales", price))
            .then(t.me().entered())
    }

    #[then]
    fn entered(&mut self, t: &Turn<Self>, balance: Result<u64, AskError>) -> u64 {
        t.after(Duration::from_secs(60), self.ledger.close());
        balance.unwrap_or(0)
    }
}

fn till(system: &System, probe: &Probe) -> Address<Till> {
    system.spawn(Till {
        ledger: probe.address(),
        alarm: probe.address(),
    })
}

fn sale(system: &System) {
    let probe = Probe::spawn(system);
    let sold = till(system, &probe).sell(5).ask();
    // Messages of two interfaces, in one order.
    assert_eq!(probe.expect::<alarm_messages::Ring>().args(), &(1,));
    let entry = probe.expect::<ledger_messages::Enter>();
    assert_eq!(entry.args(), &("sales", 5));
    assert_eq!(entry.reply(105), ("sales", 5));
    assert_eq!(system.block_on(sold), Ok(105));
}

#[vivant::test(seeds = 20, faults = Faults::none().delays(300_000, Duration::from_millis(50)))]
fn seeded_a_probe_takes_messages_in_order_and_replies(system: &System) {
    sale(system);
}

#[test]
fn a_probe_works_on_threads() {
    let system = System::new();
    sale(&system);
    let probe = Probe::spawn(&system);
    let late = probe.value(8).into_owned();
    let clock = system.clock();
    std::thread::scope(|scope| {
        scope.spawn(|| {
            system.block_on(clock.sleep(Duration::from_millis(20)));
            late.send();
        });
        assert_eq!(probe.expect_value::<i32>(), 8);
    });
    probe.expect_nothing_for(Duration::from_millis(1));
}

#[test]
fn a_probe_waits_in_virtual_time() {
    let simulation = Simulation::new(1);
    let probe = Probe::spawn(simulation.system()).limit(Duration::from_secs(61));
    till(simulation.system(), &probe).sell(5).send();
    probe.expect::<alarm_messages::Ring>();
    drop(probe.expect::<ledger_messages::Enter>());
    probe.expect_nothing_for(Duration::from_secs(59));
    assert_eq!(simulation.now(), Duration::from_secs(59));
    probe.expect::<ledger_messages::Close>();
    assert_eq!(simulation.now(), Duration::from_secs(60));
}

#[test]
fn values_come_by_continuations_and_by_messages() {
    let simulation = Simulation::new(1);
    let probe = Probe::spawn(simulation.system());
    let topic = Topic::<u64>::new();
    let _subscription = topic.subscribe(probe.then());
    topic.publish(17);
    topic.publish(18);
    probe.value("beside").send();
    assert_eq!(probe.expect_value::<Result<u64, Lagged>>(), Ok(17));
    assert_eq!(probe.expect_value::<Result<u64, Lagged>>(), Ok(18));
    assert_eq!(probe.expect_value::<&str>(), "beside");
}

#[test]
fn a_message_that_is_dropped_breaks_its_promise() {
    let simulation = Simulation::new(1);
    let probe = Probe::spawn(simulation.system());
    let alarm: Address<dyn Alarm> = probe.address();
    let asked = alarm.ring(3).ask();
    drop(probe.expect::<alarm_messages::Ring>());
    let broken = simulation.system().block_on(asked);
    assert!(matches!(broken, Err(AskError::Broken { .. })), "{broken:?}");
    let asked = alarm.ring(3).ask();
    let (args, resolver) = probe.expect::<alarm_messages::Ring>().into_parts();
    assert_eq!((args, resolver.is_wanted()), ((3,), true));
    resolver.resolve(());
    assert_eq!(simulation.system().block_on(asked), Ok(()));
}

#[test]
fn faults_do_not_hit_probes() {
    let faults = Faults::none()
        .panics(1_000_000)
        .slow_turns(1_000_000, Duration::from_secs(1));
    let simulation = Simulation::with(1, faults, System::builder());
    let probe = Probe::spawn(simulation.system());
    probe.value(1).send();
    assert_eq!(probe.expect_value::<i32>(), 1);
    assert_eq!(simulation.now(), Duration::ZERO);
}

/// The message of the panic with which a test fails.
fn failure(test: impl FnOnce(&Simulation, &Probe)) -> String {
    let simulation = Simulation::new(1);
    let probe = Probe::spawn(simulation.system());
    let failed = catch_unwind(AssertUnwindSafe(|| test(&simulation, &probe)));
    *failed.unwrap_err().downcast::<String>().unwrap()
}

#[test]
fn another_message_fails_the_test_and_is_named() {
    let failure = failure(|_, probe| {
        probe.address::<dyn Ledger>().enter("rent", 9).send();
        probe.expect::<ledger_messages::Close>();
    });
    assert_eq!(
        failure,
        "vivant::Probe/0 expected all::probes::Ledger::close, and received \
         all::probes::Ledger::enter(account: \"rent\", amount: 9)"
    );
}

#[test]
fn a_value_of_another_type_fails_the_test_and_is_shown() {
    let failure = failure(|_, probe| {
        probe.value(7_u8).send();
        probe.expect_value::<u16>();
    });
    assert_eq!(
        failure,
        "vivant::Probe/0 expected a value of type u16, and received a value: 7"
    );
}

#[test]
fn silence_fails_the_test_after_the_limit() {
    let failure = failure(|simulation, probe| {
        // It ends although the program always has something left to do.
        let _till = till(simulation.system(), probe);
        probe.expect::<ledger_messages::Close>();
    });
    assert_eq!(
        failure,
        "vivant::Probe/0 expected all::probes::Ledger::close, and received nothing for 10s"
    );
}

#[test]
fn a_message_where_none_is_expected_fails_the_test() {
    let failure = failure(|_, probe| {
        probe.address::<dyn Alarm>().ring(2).send();
        assert_eq!(probe.waiting(), 0);
        probe.expect_nothing_for(Duration::from_secs(1));
    });
    assert_eq!(
        failure,
        "vivant::Probe/0 expected no message, and received all::probes::Alarm::ring(times: 2)"
    );
}
