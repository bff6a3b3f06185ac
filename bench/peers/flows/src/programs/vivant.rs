//! The flows for vivant. Each is a future beside the bank, so the bank processes other messages
//! meanwhile.

use crate::domain::{Entry, Refused};
use futures_util::future::join_all;
use std::time::Duration;
use vivant::prelude::*;

impl From<AskError> for Refused {
    fn from(_: AskError) -> Refused {
        Refused::Lost
    }
}

#[derive(Actor)]
pub struct Account {
    pub balance: u64,
    pub open: bool,
}

#[behaviours]
impl Account {
    pub fn debit(&mut self, amount: u64) -> Result<(), Refused> {
        self.balance = self.balance.checked_sub(amount).ok_or(Refused::Funds)?;
        Ok(())
    }

    pub fn credit(&mut self, amount: u64) -> Result<(), Refused> {
        if !self.open {
            return Err(Refused::Closed);
        }
        self.balance += amount;
        Ok(())
    }

    pub fn balance(&self) -> u64 {
        self.balance
    }
}

#[derive(Actor, Default)]
pub struct Journal {
    entries: Vec<Entry>,
}

#[behaviours]
impl Journal {
    pub fn write(&mut self, entry: Entry) -> u64 {
        self.entries.push(entry);
        self.entries.len() as u64
    }

    pub fn written(&self) -> u64 {
        self.entries.len() as u64
    }
}

#[derive(Actor)]
pub struct Supplier {
    pub price: u64,
    pub delay: Duration,
}

#[behaviours]
impl Supplier {
    pub fn offer(&mut self, t: &Turn<Self>) -> Promise<u64> {
        let (price, delay, clock) = (self.price, self.delay, t.clock());
        if delay.is_zero() {
            return Promise::ready(price);
        }
        t.spawn(async move {
            clock.sleep(delay).await;
            price
        })
    }
}

#[derive(Actor)]
pub struct Bank {
    pub journal: Address<Journal>,
    pub suppliers: Vec<Address<Supplier>>,
}

#[behaviours]
impl Bank {
    pub fn transfer(
        &mut self,
        t: &Turn<Self>,
        from: Address<Account>,
        to: Address<Account>,
        amount: u64,
    ) -> Promise<Result<u64, Refused>> {
        let journal = self.journal.clone();
        t.spawn(async move {
            from.debit(amount).ask().await??;
            to.credit(amount).ask().await??;
            Ok(journal.write(Entry::Transfer(amount)).ask().await?)
        })
    }

    pub fn pay(
        &mut self,
        t: &Turn<Self>,
        from: Address<Account>,
        to: Address<Account>,
        amount: u64,
    ) -> Promise<Result<u64, Refused>> {
        let journal = self.journal.clone();
        t.spawn(async move {
            from.debit(amount).ask().await??;
            let credited = async { Ok(to.credit(amount).ask().await??) };
            if let Err(refused) = credited.await {
                from.credit(amount).ask().await??;
                return Err(refused);
            }
            Ok(journal.write(Entry::Transfer(amount)).ask().await?)
        })
    }

    pub fn buy(&mut self, t: &Turn<Self>, limit: Duration) -> Promise<Result<u64, Refused>> {
        let (suppliers, journal) = (self.suppliers.clone(), self.journal.clone());
        t.spawn(async move {
            let asked = suppliers.iter().map(|it| it.offer().ask().within(limit));
            let offers = join_all(asked).await.into_iter().flatten();
            let best = offers.min().ok_or(Refused::NoOffer)?;
            journal.write(Entry::Purchase(best)).ask().await?;
            Ok(best)
        })
    }
}
