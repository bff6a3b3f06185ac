//! Interfaces, implemented away from where they are defined.

use super::Outcome;
use super::bank::Account;
use super::ledger::Ledger;
use vivant::prelude::*;

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
fn interfaces_hide_the_actor() -> Outcome {
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
        Some("Call(all::macros::ledger::Ledger::pay_in")
    );
    Ok(())
}

/// Neither of its methods takes the turn here.
#[interface]
pub trait Relay {
    fn relay(&mut self, amount: u64) -> Promise<u64>;
    fn relayed(&self) -> u64;
}

#[derive(Actor)]
struct Forwarder<T> {
    to: Address<Account>,
    amounts: Vec<u64>,
    _inside: Vec<T>,
}

#[behaviours]
impl<T> Relay for Forwarder<T> {
    fn relay(&mut self, t: &Turn<Self>, amount: u64) -> Promise<u64> {
        self.amounts.push(amount);
        assert_eq!(self.relayed(t), self.amounts.iter().sum::<u64>());
        t.ask(self.to.deposit(amount))
    }

    fn relayed(&self) -> u64 {
        self.amounts.iter().sum()
    }
}

/// In a heap of its own.
#[derive(Actor)]
struct HolderState<'gc, T> {
    amounts: Vec<Gc<'gc, u64>>,
    _inside: Vec<T>,
}

#[behaviours]
impl<T> HolderState<'_, T> {
    #[start]
    fn new() -> Self {
        HolderState {
            amounts: Vec::new(),
            _inside: Vec::new(),
        }
    }
}

#[behaviours]
impl<'gc, T> Relay for HolderState<'gc, T> {
    fn relay(&mut self, t: &Turn<'gc, Holder<T>>, amount: u64) -> Promise<u64> {
        self.amounts.push(t.alloc(amount));
        Promise::ready(self.relayed(t))
    }

    fn relayed(&self) -> u64 {
        self.amounts.iter().map(|amount| **amount).sum()
    }
}

/// The trait takes the turn, and the implementor does not.
#[derive(Actor)]
struct TinState<'gc> {
    total: Gc<'gc, Mut<u64>>,
}

#[behaviours]
impl<'gc> TinState<'gc> {
    #[start]
    fn new(t: &Turn<'gc, Tin>) -> Self {
        TinState {
            total: t.alloc(Mut::new(0)),
        }
    }
}

#[behaviours]
impl Ledger for TinState<'_> {
    fn pay_in(&mut self, amount: u64) -> Promise<u64> {
        Promise::ready(self.total.get() + amount)
    }

    fn total(&self) -> u64 {
        self.total.get()
    }

    fn close(&mut self, t: &Turn<'_, Tin>, _: String) {
        t.stop();
    }
}

#[test]
fn an_implementor_takes_the_turn_where_it_needs_it() -> Outcome {
    let system = System::new();
    let forwarder = system.spawn(Forwarder::<u8> {
        to: system.spawn(Account::empty()),
        amounts: vec![],
        _inside: vec![],
    });
    let holder = Holder::<String>::spawn(&system);
    let relays: [Address<dyn Relay>; 2] = [Address::upcast(&forwarder), Address::upcast(&holder)];
    for relay in &relays {
        assert_eq!(relay.relay(4).ask_blocking()?, 4);
        assert_eq!(relay.relay(5).ask_blocking()?, 9);
        assert_eq!(relay.relayed().ask_blocking()?, 9);
    }
    let tin = Tin::spawn(&system);
    let ledger: Address<dyn Ledger> = Address::upcast(&tin);
    assert_eq!(ledger.pay_in(3).ask_blocking()?, 3);
    assert_eq!(ledger.total().ask_blocking()?, 0);
    let ended = Address::ended(&ledger);
    ledger.close("enough".into()).ask_blocking()?;
    assert_eq!(system.block_on(ended)?, StopReason::Finished);
    Ok(())
}
