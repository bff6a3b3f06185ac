//! Everything the macros write can be written by hand: an actor, its behaviours, a continuation and
//! an interface without them.

use std::time::Duration;
use vivant::simulation::Simulation;
use vivant::{
    Actor, Address, AskError, Behaviour, Call, Continuation, Entry, Handle, Implements,
    InlineState, Link, LocalsInMessage, Message, Promise, Resolver, Stepped, StopReason, System,
    Target, Then, Turn,
};

struct Account {
    balance: u64,
}

impl Actor for Account {
    type State<'gc> = Account;
    type Storage = InlineState;
    type SaveKind = vivant::NotSaved;

    fn stopping(_: &mut Self, _: &Turn<'_, Self>, reason: &StopReason) {
        assert!(matches!(
            reason,
            StopReason::Unreferenced
                | StopReason::Shutdown
                | StopReason::Stopped
                | StopReason::Panicked(_)
        ));
    }
}

impl Target for Account {
    type Handle = AccountHandle;
    type Table = ();
    const NAME: &'static str = "without_macros::Account";
}

struct AccountHandle(Link<Account>);

impl Handle for AccountHandle {
    type Target = Account;
    fn from_link(link: Link<Account>) -> Self {
        AccountHandle(link)
    }
    fn link(&self) -> &Link<Account> {
        &self.0
    }
}

struct Deposit;

impl Message for Deposit {
    type Args = (u64,);
    type Reply = u64;
    const NAME: &'static str = "without_macros::Account::deposit";
}

impl Behaviour for Deposit {
    type Actor = Account;
    fn run(state: &mut Account, _: &Turn<'_, Account>, (n,): (u64,), resolver: Resolver<u64>) {
        state.balance += n;
        resolver.resolve(state.balance);
    }
}

struct Withdraw;

impl Message for Withdraw {
    type Args = (u64,);
    type Reply = u64;
    const NAME: &'static str = "without_macros::Account::withdraw";
}

impl Behaviour for Withdraw {
    type Actor = Account;
    fn ready(state: &Account, (n,): &(u64,)) -> bool {
        state.balance >= *n
    }
    fn run(state: &mut Account, _: &Turn<'_, Account>, (n,): (u64,), resolver: Resolver<u64>) {
        state.balance -= n;
        resolver.resolve(state.balance);
    }
}

impl AccountHandle {
    fn deposit(&self, n: u64) -> Call<'_, Deposit> {
        Call::new(&self.0, (n,))
    }
    fn withdraw(&self, n: u64) -> Call<'_, Withdraw> {
        Call::new(&self.0, (n,))
    }
    fn stumble(&self) -> Call<'_, Stumble> {
        Call::new(&self.0, ())
    }
}

impl Stepped for Deposit {
    type Locals = LocalsInMessage<()>;
    fn step(
        state: &mut Account,
        turn: &Turn<'_, Account>,
        args: (u64,),
        (): (),
        resolver: Resolver<u64>,
    ) {
        Deposit::run(state, turn, args, resolver);
    }
}

/// Has one step, and requests another one: only behaviours in steps may.
struct Stumble;

impl Message for Stumble {
    type Args = ();
    type Reply = u64;
    const NAME: &'static str = "without_macros::Account::stumble";
}

impl Behaviour for Stumble {
    type Actor = Account;
    fn run(_: &mut Account, turn: &Turn<'_, Account>, (): (), resolver: Resolver<u64>) {
        turn.__again::<Deposit>((1_000,), (), resolver);
    }
}

struct Teller;

impl Actor for Teller {
    type State<'gc> = Teller;
    type Storage = InlineState;
    type SaveKind = vivant::NotSaved;
}

impl Target for Teller {
    type Handle = TellerHandle;
    type Table = ();
    const NAME: &'static str = "without_macros::Teller";
}

struct TellerHandle(Link<Teller>);

impl Handle for TellerHandle {
    type Target = Teller;
    fn from_link(link: Link<Teller>) -> Self {
        TellerHandle(link)
    }
    fn link(&self) -> &Link<Teller> {
        &self.0
    }
}

struct Transfer;

impl Message for Transfer {
    type Args = (Address<Account>, Address<Account>, u64);
    type Reply = u64;
    const NAME: &'static str = "without_macros::Teller::transfer";
}

impl Behaviour for Transfer {
    type Actor = Teller;
    fn run(
        _: &mut Teller,
        turn: &Turn<'_, Teller>,
        (from, to, n): Self::Args,
        resolver: Resolver<u64>,
    ) {
        let promise: Promise<u64> = turn.ask(from.withdraw(n)).then(turn.me().debited(to, n));
        vivant::Answer::give(promise, resolver);
    }
}

struct Debited;

impl Message for Debited {
    type Args = (Result<u64, AskError>, Address<Account>, u64);
    type Reply = u64;
    const NAME: &'static str = "without_macros::Teller::debited";
}

impl Behaviour for Debited {
    type Actor = Teller;
    fn run(
        _: &mut Teller,
        turn: &Turn<'_, Teller>,
        (left, to, n): Self::Args,
        resolver: Resolver<u64>,
    ) {
        match left {
            Ok(_) => vivant::Answer::give(turn.ask(to.deposit(n)), resolver),
            Err(_) => resolver.resolve(0),
        }
    }
}

impl Continuation for Debited {
    type Hole = Result<u64, AskError>;
    type Rest = (Address<Account>, u64);
    fn fill(hole: Self::Hole, (to, n): Self::Rest) -> Self::Args {
        (hole, to, n)
    }
}

impl TellerHandle {
    fn transfer(&self, from: Address<Account>, to: Address<Account>, n: u64) -> Call<'_, Transfer> {
        Call::new(&self.0, (from, to, n))
    }
    fn debited(&self, to: Address<Account>, n: u64) -> Then<'_, Debited> {
        Then::new(&self.0, (to, n))
    }
}

trait Ledger {}

struct LedgerTable {
    deposit: Entry<LedgerDeposit>,
}

struct LedgerDeposit;

impl Message for LedgerDeposit {
    type Args = (u64,);
    type Reply = u64;
    const NAME: &'static str = "without_macros::Ledger::deposit";
}

impl Target for dyn Ledger {
    type Handle = LedgerHandle;
    type Table = &'static LedgerTable;
    const NAME: &'static str = "without_macros::Ledger";
}

struct LedgerHandle(Link<dyn Ledger>);

impl Handle for LedgerHandle {
    type Target = dyn Ledger;
    fn from_link(link: Link<dyn Ledger>) -> Self {
        LedgerHandle(link)
    }
    fn link(&self) -> &Link<dyn Ledger> {
        &self.0
    }
}

impl LedgerHandle {
    fn deposit(&self, n: u64) -> Call<'_, LedgerDeposit> {
        self.0.table().deposit.call(&self.0, (n,))
    }
}

impl Implements<dyn Ledger> for Account {
    const TABLE: &'static LedgerTable = &LedgerTable {
        deposit: Entry::of::<Deposit>(),
    };
}

/// The whole program, on the given system.
fn bank(system: &System) -> Result<(), AskError> {
    let a = system.spawn(Account { balance: 10 });
    let b = system.spawn(Account { balance: 0 });
    let teller = system.spawn(Teller);
    let ledger: Address<dyn Ledger> = Address::upcast(&a);
    assert_eq!(ledger.deposit(5).ask_blocking()?, 15);
    assert_eq!(teller.transfer(a.clone(), b.clone(), 7).ask_blocking()?, 7);
    // The guard holds this one back until the deposit.
    let waiting = a.withdraw(20).ask();
    assert_eq!(a.deposit(12).ask_blocking()?, 20);
    assert_eq!(system.block_on(waiting)?, 0);
    assert_eq!(Address::path(&teller), "without_macros::Teller/2");
    Ok(())
}

#[test]
fn an_actor_without_macros_runs_on_threads() -> Result<(), AskError> {
    let system = System::builder().workers(2).build();
    bank(&system)?;
    let report = system.shutdown_within(Duration::from_secs(20));
    assert!(report.is_complete(), "{report}");
    Ok(())
}

#[test]
fn seeded_an_actor_without_macros_runs_in_simulation() -> Result<(), AskError> {
    // Miri takes a thousand times as long, and finds wrong accesses without seeds.
    for seed in 0..if cfg!(miri) { 3 } else { 100 } {
        let simulation = Simulation::new(seed);
        bank(simulation.system())?;
        assert!(simulation.system().shutdown().is_complete());
        assert_eq!(simulation.system().inspect().bytes, 0);
    }
    Ok(())
}

#[test]
fn a_behaviour_of_one_step_leaves_none_to_another_actor() {
    let simulation = Simulation::new(0);
    let (account, other) = (
        simulation.system().spawn(Account { balance: 1 }),
        simulation.system().spawn(Account { balance: 2 }),
    );
    let answer = account.stumble().ask_blocking();
    let Err(AskError::Panicked(panic)) = answer else {
        panic!("it has left a step: {answer:?}");
    };
    assert!(
        panic.to_string().contains("is no behaviour in steps"),
        "{panic}"
    );
    assert_eq!(other.deposit(1).ask_blocking(), Ok(3));
}
