//! The macros' forms, each compiled and run. What must not compile is in `tests/ui`.
#![deny(
    missing_docs,
    missing_debug_implementations,
    dead_code,
    unused,
    deprecated
)]
#![deny(clippy::all, clippy::pedantic)]
#![deny(rustdoc::broken_intra_doc_links)]

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use vivant::prelude::*;
use vivant::simulation::{Faults, Simulation};
use vivant::{Actor, Behaviour, Message, Pool};

type Outcome = Result<(), AskError>;

/// Public items of a public module, as a library has them.
pub mod bank {
    use vivant::prelude::*;

    /// An account.
    #[derive(Actor, Debug)]
    pub struct Account {
        balance: u64,
    }

    #[behaviours]
    impl Account {
        /// An account with nothing in it.
        #[must_use]
        pub fn empty() -> Account {
            Account { balance: 0 }
        }

        /// Adds `amount`.
        ///
        /// ```
        /// compile_error!("examples are tested where the user wrote them, which tests are not");
        /// ```
        pub fn deposit(&mut self, amount: u64) -> u64 {
            self.balance += amount;
            self.balance
        }

        /// Takes `amount`, once it is there and there is a reason.
        #[when(self.balance >= amount && !reason.is_empty() && matches!(amount, 1..=1000))]
        pub fn withdraw(&mut self, amount: u64, reason: String) -> (u64, String) {
            self.balance -= amount;
            (self.balance, reason)
        }

        /// A look.
        pub fn balance(&self) -> u64 {
            self.checked()
        }

        pub(crate) fn audit(&mut self, t: &Turn<Self>) -> String {
            format!("{}: {}", Address::path(&t.me()), self.balance)
        }

        #[local]
        fn checked(&self) -> u64 {
            self.balance
        }

        fn halve(&mut self) {
            self.balance /= 2;
        }
    }

    /// Private behaviours are for the module.
    pub fn halve(account: &Address<Account>) {
        account.halve().send();
    }
}

#[test]
fn behaviours_and_guards() -> Outcome {
    let system = System::new();
    let account = system.spawn(bank::Account::empty());
    assert_eq!(account.deposit(10).ask_blocking()?, 10);
    let waiting = account.withdraw(25, "rent".into()).ask();
    assert_eq!(account.deposit(20).ask_blocking()?, 30);
    assert_eq!(system.block_on(waiting)?, (5, "rent".to_owned()));
    bank::halve(&account);
    assert_eq!(account.balance().ask_blocking()?, 2);
    assert!(account.audit().ask_blocking()?.ends_with(": 2"));
    Ok(())
}

#[test]
fn names() {
    assert_eq!(bank::Account::NAME, "macros::bank::Account");
    assert_eq!(
        <bank::account::Deposit<bank::Account> as Message>::NAME,
        "macros::bank::Account::deposit"
    );
}

#[derive(Actor)]
#[actor(blocking, id = "shop/Register")]
struct Register;

#[behaviours(id = "shop/Register", module = register_messages)]
impl Register {
    fn ring(&mut self) {}
}

#[test]
fn options_of_actors() -> Outcome {
    assert_eq!(Register::NAME, "shop/Register");
    assert_eq!(Register::POOL, Pool::Blocking);
    assert_eq!(
        <register_messages::Ring<Register> as Message>::NAME,
        "shop/Register::ring"
    );
    let system = System::new();
    system.spawn(Register).ring().ask_blocking()
}

mod several_blocks {
    use super::*;

    #[derive(Actor)]
    struct Phone {
        calls: u64,
    }

    #[behaviours]
    impl Phone {
        fn call(&mut self) {
            self.calls += 1;
        }
    }

    #[behaviours(module = phone_service, crate = ::vivant)]
    impl Phone {
        fn calls(&self) -> u64 {
            self.calls
        }
    }

    #[test]
    fn have_a_module_each() -> Outcome {
        let system = System::new();
        let phone = system.spawn(Phone { calls: 0 });
        phone.call().send();
        assert_eq!(phone.calls().ask_blocking()?, 1);
        fn is_behaviour<B: Behaviour<Actor = Phone>>() {}
        is_behaviour::<phone::Call<Phone>>();
        is_behaviour::<phone_service::Calls<Phone>>();
        Ok(())
    }
}

mod generic {
    use super::*;
    use std::fmt::Debug;

    #[derive(Actor)]
    pub(crate) struct Slot<T, const N: usize = 1>
    where
        T: Clone,
    {
        values: [Option<T>; N],
    }

    #[behaviours]
    impl<T: Clone + Send + 'static, const N: usize> Slot<T, N> {
        #[start]
        fn new(_: &Turn<Self>, first: T) -> Self {
            let mut values = [const { None }; N];
            values[0] = Some(first);
            Slot { values }
        }

        #[when(self.values[at].is_none())]
        pub(crate) fn put(&mut self, at: usize, value: T) {
            self.values[at] = Some(value);
        }

        pub(crate) fn take(&mut self, at: usize) -> Option<T> {
            self.values[at].take()
        }

        fn all(&self) -> [Option<T>; N] {
            self.values.clone()
        }
    }

    #[behaviours(module = slot_of_numbers)]
    impl Slot<u64, 2> {
        fn sum(&self) -> u64 {
            self.values.iter().flatten().sum()
        }
    }

    #[behaviours(module = slot_of_shown)]
    impl<T, const N: usize> Slot<T, N>
    where
        T: Debug + Clone + Send + 'static,
    {
        fn shown(&self) -> String {
            format!("{:?}", self.values)
        }
    }

    #[test]
    fn actors() -> Outcome {
        let system = System::new();
        let slot = Slot::<u64, 2>::spawn(&system, 4);
        let put = slot.put(0, 5).ask();
        assert_eq!(slot.take(0).ask_blocking()?, Some(4));
        system.block_on(put)?;
        slot.put(1, 6).send();
        assert_eq!(slot.sum().ask_blocking()?, 11);
        assert_eq!(slot.all().ask_blocking()?, [Some(5), Some(6)]);
        assert_eq!(slot.shown().ask_blocking()?, "[Some(5), Some(6)]");
        Ok(())
    }
}

mod continuations {
    use super::bank::Account;
    use super::*;

    #[derive(Actor)]
    struct Teller {
        served: u64,
    }

    #[behaviours]
    impl Teller {
        pub(self) fn transfer(
            &mut self,
            t: &Turn<Self>,
            from: Address<Account>,
            to: Address<Account>,
            amount: u64,
        ) -> Promise<u64> {
            t.ask(from.withdraw(amount, "transfer".into()))
                .then(t.me().debited(to, amount))
        }

        #[then]
        fn debited(
            &mut self,
            t: &Turn<Self>,
            left: Result<(u64, String), AskError>,
            to: Address<Account>,
            amount: u64,
        ) -> Promise<u64> {
            match left {
                Ok(_) => t.ask(to.deposit(amount)).then(t.me().credited()),
                Err(_) => Promise::ready(0),
            }
        }

        /// A continuation that takes no turn, and no more than its hole.
        #[then]
        fn credited(&mut self, now: Result<u64, AskError>) -> u64 {
            self.served += 1;
            now.unwrap_or(0)
        }

        fn introduce(&mut self, other: Address<Self>) -> Promise<Address<Self>> {
            Promise::ready(other)
        }
    }

    #[test]
    fn fill_their_holes() -> Outcome {
        let system = System::new();
        let (from, to) = (
            system.spawn(Account::empty()),
            system.spawn(Account::empty()),
        );
        from.deposit(10).send();
        let teller = system.spawn(Teller { served: 0 });
        let now = teller.transfer(from, to, 7).ask_blocking()?;
        assert_eq!(now, 7);
        assert_eq!(
            teller.introduce(teller.clone()).ask_blocking()?,
            teller.clone()
        );
        Ok(())
    }
}

mod hooks {
    use super::*;

    #[derive(Actor)]
    struct Door<T: Send + 'static> {
        told: Arc<AtomicU64>,
        _inside: T,
    }

    #[behaviours]
    impl<T: Send + 'static> Door<T> {
        #[start]
        fn open(told: Arc<AtomicU64>, inside: T) -> Self {
            Door {
                told,
                _inside: inside,
            }
        }

        fn knock(&mut self) {
            self.told.fetch_add(1, Ordering::Relaxed);
        }

        #[stop]
        fn close(&mut self, t: &Turn<Self>, reason: &StopReason) {
            assert!(Address::is_me(&t.me()));
            assert_eq!(*reason, StopReason::Drained);
            self.told.fetch_add(10, Ordering::Relaxed);
        }
    }

    #[derive(Actor)]
    struct Bell(Arc<AtomicU64>);

    #[behaviours]
    impl Bell {
        #[start]
        fn new(t: &Turn<Self>, told: Arc<AtomicU64>) -> Bell {
            t.stop();
            Bell(told)
        }

        #[stop]
        fn silence(&mut self) {
            self.0.fetch_add(100, Ordering::Relaxed);
        }
    }

    #[test]
    fn run_at_both_ends() -> Outcome {
        let told = Arc::new(AtomicU64::new(0));
        let simulation = Simulation::new(1);
        let door = Door::spawn(simulation.system(), told.clone(), "a room");
        door.knock().ask_blocking()?;
        Address::stop_after_queue(&door);
        drop(Bell::spawn(simulation.system(), told.clone()));
        simulation.run();
        assert_eq!(told.load(Ordering::Relaxed), 111);
        Ok(())
    }
}

/// An interface of a library.
pub mod ledger {
    use vivant::prelude::*;

    /// Who can be paid.
    #[interface]
    pub trait Ledger {
        /// Adds `amount`.
        fn pay_in(&mut self, t: &Turn<Self>, amount: u64) -> Promise<u64>;
        /// What is there.
        fn total(&self) -> u64;
        /// Gives it away.
        fn close(&mut self, reason: String);
    }
}

mod interfaces {
    use super::bank::Account;
    use super::*;

    use super::ledger::Ledger;

    #[derive(Actor)]
    struct Purse {
        coins: Vec<u64>,
    }

    // Neither the table nor the markers of the interface are in scope, and the order is another.
    #[behaviours]
    impl Ledger for Purse {
        fn total(&self) -> u64 {
            self.coins.iter().sum()
        }

        #[when(!reason.is_empty() && self.coins.len() > 1)]
        fn close(&mut self, reason: String) {
            let _ = reason;
            self.coins.clear();
        }

        fn pay_in(&mut self, _: &Turn<Self>, amount: u64) -> Promise<u64> {
            self.coins.push(amount);
            Promise::ready(self.coins.iter().sum())
        }
    }

    #[derive(Actor)]
    struct Safe<T> {
        account: Address<Account>,
        _inside: Vec<T>,
    }

    #[behaviours]
    impl<T: Send + 'static> Ledger for Safe<T> {
        fn pay_in(&mut self, t: &Turn<Self>, amount: u64) -> Promise<u64> {
            t.delegate(self.account.deposit(amount))
        }

        fn total(&self) -> u64 {
            0
        }

        fn close(&mut self, _: String) {}
    }

    #[test]
    fn hide_the_actor() -> Outcome {
        let system = System::new();
        let purse = system.spawn(Purse { coins: vec![] });
        let safe = system.spawn(Safe::<&'static str> {
            account: system.spawn(Account::empty()),
            _inside: vec![],
        });
        let ledgers: [Address<dyn Ledger>; 2] = [Address::upcast(&purse), Address::upcast(&safe)];
        for ledger in &ledgers {
            assert_eq!(ledger.pay_in(4).ask_blocking()?, 4);
            assert_eq!(ledger.pay_in(5).ask_blocking()?, 9);
        }
        ledgers[0].close("done".into()).ask_blocking()?;
        assert_eq!(ledgers[0].total().ask_blocking()?, 0);
        assert_eq!(
            format!("{:?}", ledgers[0].pay_in(1)).split(' ').next(),
            Some("Call(macros::ledger::Ledger::pay_in")
        );
        Ok(())
    }
}

#[test]
fn an_actor_inside_a_function() -> Outcome {
    #[derive(Actor)]
    enum Light {
        On,
        Off,
    }

    #[behaviours]
    impl Light {
        fn toggle(&mut self) -> bool {
            *self = match self {
                Light::On => Light::Off,
                Light::Off => Light::On,
            };
            matches!(self, Light::On)
        }
    }

    #[interface]
    trait Switch {
        fn flip(&mut self);
    }

    #[behaviours]
    impl Switch for Light {
        fn flip(&mut self) {
            self.toggle();
        }
    }

    let system = System::new();
    let light = system.spawn(Light::Off);
    assert!(light.toggle().ask_blocking()?);
    let switch: Address<dyn Switch> = Address::upcast(&light);
    switch.flip().ask_blocking()?;
    assert!(light.toggle().ask_blocking()?);
    Ok(())
}

/// Names and arguments that expansions use themselves, keywords, and what `#[cfg]` leaves out.
mod awkward {
    use super::*;

    #[derive(Actor)]
    struct Loop {
        state: u64,
    }

    #[behaviours]
    impl Loop {
        #[start]
        fn new(spawner: u64, turn: u64) -> Self {
            Loop {
                state: spawner + turn,
            }
        }

        #[when(self.state > 0 && args < resolver && [1, 2].iter().any(|args| *args == 2))]
        fn run(
            &mut self,
            state: u64,
            mut args: u64,
            resolver: u64,
            answer: u64,
            _: &'static str,
        ) -> u64 {
            args += state + resolver + answer + self.state;
            args
        }

        fn r#type(&mut self, r#in: u64) -> u64 {
            r#in
        }

        #[cfg(any())]
        fn left_out(&mut self, _: NoSuchType) {}

        #[deprecated = "call `run`"]
        fn walk(&mut self) {}

        fn boxed(&mut self, f: Box<dyn Fn(&str) -> &str + Send>) -> fn(&u64) -> &u64 {
            let _ = f("x");
            |number| number
        }
    }

    #[behaviours(module = absent)]
    #[cfg(any())]
    impl Loop {
        fn absent(&mut self) {}
    }

    #[test]
    #[allow(deprecated)]
    fn names_work() -> Outcome {
        let system = System::new();
        let actor = Loop::spawn(&system, 1, 2);
        assert_eq!(actor.run(1, 2, 3, 4, "x").ask_blocking()?, 13);
        assert_eq!(actor.r#type(5).ask_blocking()?, 5);
        assert_eq!(actor.boxed(Box::new(|text| text)).ask_blocking()?(&3), &3);
        actor.walk().send();
        assert_eq!(
            <r#loop::Type<Loop> as Message>::NAME,
            "macros::awkward::Loop::type"
        );
        Ok(())
    }
}

/// Actors that a user's own macro writes.
mod from_a_macro {
    use super::*;

    macro_rules! counter {
        ($name:ident, $number:ty, $step:expr) => {
            #[derive(Actor)]
            struct $name {
                count: $number,
            }

            #[behaviours]
            impl $name {
                #[when(self.count < limit)]
                fn step(&mut self, limit: $number) -> $number {
                    self.count += $step;
                    self.count
                }

                #[then]
                fn stepped(&mut self, count: Result<$number, AskError>) -> $number {
                    count.unwrap_or(0)
                }

                fn twice(&mut self, t: &Turn<Self>) -> Promise<$number> {
                    t.ask(t.me().step(100)).then(t.me().stepped())
                }
            }
        };
    }

    counter!(Small, u8, 3);

    #[test]
    fn they_work() -> Outcome {
        let system = System::new();
        let small = system.spawn(Small { count: 0 });
        assert_eq!(small.step(1).ask_blocking()?, 3);
        assert_eq!(small.twice().ask_blocking()?, 6);
        Ok(())
    }
}

mod tests_under_seeds {
    use super::*;

    static RUNS: AtomicU64 = AtomicU64::new(0);

    #[vivant::test]
    fn take_the_system(system: &System) {
        let account = system.spawn(bank::Account::empty());
        assert_eq!(account.deposit(1).ask_blocking(), Ok(1));
    }

    #[vivant::test(seeds = 3)]
    fn take_the_simulation(simulation: &Simulation) -> Outcome {
        let account = simulation.system().spawn(bank::Account::empty());
        account.deposit(1).send();
        simulation.run();
        assert_eq!(account.balance().ask_blocking()?, 1);
        RUNS.fetch_add(1, Ordering::Relaxed);
        Ok(())
    }

    #[vivant::test(seeds = 5, faults = Faults::none())]
    async fn wait(system: System) -> Outcome {
        let account = system.spawn(bank::Account::empty());
        assert_eq!(account.deposit(1).ask().await?, 1);
        Ok(())
    }

    #[vivant::test(seeds = 2)]
    #[should_panic(expected = "the test returned an error: \"no\"")]
    fn fail(_system: &System) -> Result<(), String> {
        Err("no".into())
    }

    #[cfg(any())]
    #[vivant::test]
    fn left_out(_: NoSuchType) {}

    #[test]
    fn run_once_for_each_seed() {
        RUNS.store(0, Ordering::Relaxed);
        take_the_simulation();
        // The harness runs that test too, perhaps meanwhile.
        let runs = RUNS.load(Ordering::Relaxed);
        assert!((1..=6).contains(&runs), "{runs}");
    }
}
