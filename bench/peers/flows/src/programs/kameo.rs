//! The flows for kameo. Each is awaited within its handler: meanwhile kameo gives the bank no other
//! message.

use crate::domain::{Entry, Refused};
use futures_util::future::join_all;
use kameo::error::SendError;
use kameo::prelude::*;
use std::time::Duration;

impl<M> From<SendError<M>> for Refused {
    fn from(_: SendError<M>) -> Refused {
        Refused::Lost
    }
}

impl<M> From<SendError<M, Refused>> for Refused {
    fn from(error: SendError<M, Refused>) -> Refused {
        error.err().unwrap_or(Refused::Lost)
    }
}

#[derive(Actor)]
pub struct Account {
    pub balance: u64,
    pub open: bool,
}

#[messages]
impl Account {
    #[message]
    pub fn debit(&mut self, amount: u64) -> Result<(), Refused> {
        self.balance = self.balance.checked_sub(amount).ok_or(Refused::Funds)?;
        Ok(())
    }

    #[message]
    pub fn credit(&mut self, amount: u64) -> Result<(), Refused> {
        if !self.open {
            return Err(Refused::Closed);
        }
        self.balance += amount;
        Ok(())
    }

    #[message]
    pub fn balance(&self) -> u64 {
        self.balance
    }
}

#[derive(Actor, Default)]
pub struct Journal {
    entries: Vec<Entry>,
}

#[messages]
impl Journal {
    #[message]
    pub fn write(&mut self, entry: Entry) -> u64 {
        self.entries.push(entry);
        self.entries.len() as u64
    }

    #[message]
    pub fn written(&self) -> u64 {
        self.entries.len() as u64
    }
}

#[derive(Actor)]
pub struct Supplier {
    pub price: u64,
    pub delay: Duration,
}

#[messages]
impl Supplier {
    #[message]
    pub async fn offer(&self) -> u64 {
        if !self.delay.is_zero() {
            tokio::time::sleep(self.delay).await;
        }
        self.price
    }
}

#[derive(Actor)]
pub struct Bank {
    pub journal: ActorRef<Journal>,
    pub suppliers: Vec<ActorRef<Supplier>>,
}

#[messages]
impl Bank {
    #[message]
    pub async fn transfer(
        &self,
        from: ActorRef<Account>,
        to: ActorRef<Account>,
        amount: u64,
    ) -> Result<u64, Refused> {
        from.ask(Debit { amount }).await?;
        to.ask(Credit { amount }).await?;
        let entry = Entry::Transfer(amount);
        Ok(self.journal.ask(Write { entry }).await?)
    }

    #[message]
    pub async fn pay(
        &self,
        from: ActorRef<Account>,
        to: ActorRef<Account>,
        amount: u64,
    ) -> Result<u64, Refused> {
        from.ask(Debit { amount }).await?;
        if let Err(refused) = to.ask(Credit { amount }).await {
            from.ask(Credit { amount }).await?;
            return Err(refused.into());
        }
        let entry = Entry::Transfer(amount);
        Ok(self.journal.ask(Write { entry }).await?)
    }

    #[message]
    pub async fn buy(&self, limit: Duration) -> Result<u64, Refused> {
        let asked = self
            .suppliers
            .iter()
            .map(|it| it.ask(Offer).reply_timeout(limit).into_future());
        let offers = join_all(asked).await.into_iter().flatten();
        let best = offers.min().ok_or(Refused::NoOffer)?;
        let entry = Entry::Purchase(best);
        self.journal.ask(Write { entry }).await?;
        Ok(best)
    }
}
