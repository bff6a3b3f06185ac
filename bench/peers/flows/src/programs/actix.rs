//! The flows for actix. Each is a future beside the bank, so the bank processes other messages
//! meanwhile.

use crate::domain::{Entry, Refused};
use actix::prelude::*;
use futures_util::future::join_all;
use std::time::Duration;

impl From<MailboxError> for Refused {
    fn from(_: MailboxError) -> Refused {
        Refused::Lost
    }
}

pub struct Account {
    pub balance: u64,
    pub open: bool,
}

impl Actor for Account {
    type Context = Context<Self>;
}

#[derive(Message)]
#[rtype(result = "Result<(), Refused>")]
pub struct Debit(pub u64);

impl Handler<Debit> for Account {
    type Result = Result<(), Refused>;

    fn handle(&mut self, Debit(amount): Debit, _: &mut Context<Self>) -> Self::Result {
        self.balance = self.balance.checked_sub(amount).ok_or(Refused::Funds)?;
        Ok(())
    }
}

#[derive(Message)]
#[rtype(result = "Result<(), Refused>")]
pub struct Credit(pub u64);

impl Handler<Credit> for Account {
    type Result = Result<(), Refused>;

    fn handle(&mut self, Credit(amount): Credit, _: &mut Context<Self>) -> Self::Result {
        if !self.open {
            return Err(Refused::Closed);
        }
        self.balance += amount;
        Ok(())
    }
}

#[derive(Message)]
#[rtype(result = "u64")]
pub struct Balance;

impl Handler<Balance> for Account {
    type Result = u64;

    fn handle(&mut self, _: Balance, _: &mut Context<Self>) -> u64 {
        self.balance
    }
}

#[derive(Default)]
pub struct Journal {
    entries: Vec<Entry>,
}

impl Actor for Journal {
    type Context = Context<Self>;
}

#[derive(Message)]
#[rtype(result = "u64")]
pub struct Write(pub Entry);

impl Handler<Write> for Journal {
    type Result = u64;

    fn handle(&mut self, Write(entry): Write, _: &mut Context<Self>) -> u64 {
        self.entries.push(entry);
        self.entries.len() as u64
    }
}

#[derive(Message)]
#[rtype(result = "u64")]
pub struct Written;

impl Handler<Written> for Journal {
    type Result = u64;

    fn handle(&mut self, _: Written, _: &mut Context<Self>) -> u64 {
        self.entries.len() as u64
    }
}

pub struct Supplier {
    pub price: u64,
    pub delay: Duration,
}

impl Actor for Supplier {
    type Context = Context<Self>;
}

#[derive(Message)]
#[rtype(result = "u64")]
pub struct Offer;

impl Handler<Offer> for Supplier {
    type Result = ResponseFuture<u64>;

    fn handle(&mut self, _: Offer, _: &mut Context<Self>) -> Self::Result {
        let (price, delay) = (self.price, self.delay);
        Box::pin(async move {
            if !delay.is_zero() {
                actix::clock::sleep(delay).await;
            }
            price
        })
    }
}

pub struct Bank {
    pub journal: Addr<Journal>,
    pub suppliers: Vec<Addr<Supplier>>,
}

impl Actor for Bank {
    type Context = Context<Self>;
}

#[derive(Message)]
#[rtype(result = "Result<u64, Refused>")]
pub struct Transfer {
    pub from: Addr<Account>,
    pub to: Addr<Account>,
    pub amount: u64,
}

impl Handler<Transfer> for Bank {
    type Result = ResponseFuture<Result<u64, Refused>>;

    fn handle(&mut self, transfer: Transfer, _: &mut Context<Self>) -> Self::Result {
        let Transfer { from, to, amount } = transfer;
        let journal = self.journal.clone();
        Box::pin(async move {
            from.send(Debit(amount)).await??;
            to.send(Credit(amount)).await??;
            Ok(journal.send(Write(Entry::Transfer(amount))).await?)
        })
    }
}

#[derive(Message)]
#[rtype(result = "Result<u64, Refused>")]
pub struct Pay {
    pub from: Addr<Account>,
    pub to: Addr<Account>,
    pub amount: u64,
}

impl Handler<Pay> for Bank {
    type Result = ResponseFuture<Result<u64, Refused>>;

    fn handle(&mut self, Pay { from, to, amount }: Pay, _: &mut Context<Self>) -> Self::Result {
        let journal = self.journal.clone();
        Box::pin(async move {
            from.send(Debit(amount)).await??;
            let credited = async { Ok(to.send(Credit(amount)).await??) };
            if let Err(refused) = credited.await {
                from.send(Credit(amount)).await??;
                return Err(refused);
            }
            Ok(journal.send(Write(Entry::Transfer(amount))).await?)
        })
    }
}

#[derive(Message)]
#[rtype(result = "Result<u64, Refused>")]
pub struct Buy(pub Duration);

impl Handler<Buy> for Bank {
    type Result = ResponseFuture<Result<u64, Refused>>;

    fn handle(&mut self, Buy(limit): Buy, _: &mut Context<Self>) -> Self::Result {
        let (suppliers, journal) = (self.suppliers.clone(), self.journal.clone());
        Box::pin(async move {
            let asked = suppliers.iter().map(|it| it.send(Offer).timeout(limit));
            let offers = join_all(asked).await.into_iter().flatten();
            let best = offers.min().ok_or(Refused::NoOffer)?;
            journal.send(Write(Entry::Purchase(best))).await?;
            Ok(best)
        })
    }
}
