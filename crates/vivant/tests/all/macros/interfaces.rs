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
