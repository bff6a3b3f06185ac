//! The flows for ractor. Each is awaited within its handler: meanwhile ractor gives the bank no
//! other message.

use crate::domain::{Entry, Refused};
use futures_util::future::join_all;
use ractor::rpc::CallResult;
use ractor::{Actor, ActorProcessingErr, ActorRef, RpcReplyPort, call};
use std::time::Duration;

pub type Reply<T> = RpcReplyPort<Result<T, Refused>>;

pub enum AccountMessage {
    Debit(u64, Reply<()>),
    Credit(u64, Reply<()>),
    Balance(RpcReplyPort<u64>),
}

pub struct AccountState {
    pub balance: u64,
    pub open: bool,
}

impl AccountState {
    fn debit(&mut self, amount: u64) -> Result<(), Refused> {
        self.balance = self.balance.checked_sub(amount).ok_or(Refused::Funds)?;
        Ok(())
    }

    fn credit(&mut self, amount: u64) -> Result<(), Refused> {
        if !self.open {
            return Err(Refused::Closed);
        }
        self.balance += amount;
        Ok(())
    }
}

pub struct Account;

impl Actor for Account {
    type Msg = AccountMessage;
    type State = AccountState;
    type Arguments = AccountState;

    async fn pre_start(
        &self,
        _: ActorRef<AccountMessage>,
        state: AccountState,
    ) -> Result<AccountState, ActorProcessingErr> {
        Ok(state)
    }

    async fn handle(
        &self,
        _: ActorRef<AccountMessage>,
        message: AccountMessage,
        state: &mut AccountState,
    ) -> Result<(), ActorProcessingErr> {
        match message {
            AccountMessage::Debit(amount, reply) => reply.send(state.debit(amount))?,
            AccountMessage::Credit(amount, reply) => reply.send(state.credit(amount))?,
            AccountMessage::Balance(reply) => reply.send(state.balance)?,
        }
        Ok(())
    }
}

pub enum JournalMessage {
    Write(Entry, RpcReplyPort<u64>),
    Written(RpcReplyPort<u64>),
}

pub struct Journal;

impl Actor for Journal {
    type Msg = JournalMessage;
    type State = Vec<Entry>;
    type Arguments = ();

    async fn pre_start(
        &self,
        _: ActorRef<JournalMessage>,
        (): (),
    ) -> Result<Vec<Entry>, ActorProcessingErr> {
        Ok(Vec::new())
    }

    async fn handle(
        &self,
        _: ActorRef<JournalMessage>,
        message: JournalMessage,
        entries: &mut Vec<Entry>,
    ) -> Result<(), ActorProcessingErr> {
        match message {
            JournalMessage::Write(entry, reply) => {
                entries.push(entry);
                reply.send(entries.len() as u64)?;
            }
            JournalMessage::Written(reply) => reply.send(entries.len() as u64)?,
        }
        Ok(())
    }
}

pub struct Offer(RpcReplyPort<u64>);

pub struct Supplier {
    pub price: u64,
    pub delay: Duration,
}

impl Actor for Supplier {
    type Msg = Offer;
    type State = ();
    type Arguments = ();

    async fn pre_start(&self, _: ActorRef<Offer>, (): ()) -> Result<(), ActorProcessingErr> {
        Ok(())
    }

    async fn handle(
        &self,
        _: ActorRef<Offer>,
        Offer(reply): Offer,
        (): &mut (),
    ) -> Result<(), ActorProcessingErr> {
        if !self.delay.is_zero() {
            tokio::time::sleep(self.delay).await;
        }
        // It may be too late.
        let _ = reply.send(self.price);
        Ok(())
    }
}

pub enum BankMessage {
    Transfer(
        ActorRef<AccountMessage>,
        ActorRef<AccountMessage>,
        u64,
        Reply<u64>,
    ),
    Pay(
        ActorRef<AccountMessage>,
        ActorRef<AccountMessage>,
        u64,
        Reply<u64>,
    ),
    Buy(Duration, Reply<u64>),
}

pub struct Bank {
    pub journal: ActorRef<JournalMessage>,
    pub suppliers: Vec<ActorRef<Offer>>,
}

fn lost<E>(_: E) -> Refused {
    Refused::Lost
}

impl Bank {
    async fn transfer(
        &self,
        from: ActorRef<AccountMessage>,
        to: ActorRef<AccountMessage>,
        amount: u64,
    ) -> Result<u64, Refused> {
        call!(from, AccountMessage::Debit, amount).map_err(lost)??;
        call!(to, AccountMessage::Credit, amount).map_err(lost)??;
        call!(self.journal, JournalMessage::Write, Entry::Transfer(amount)).map_err(lost)
    }

    async fn pay(
        &self,
        from: ActorRef<AccountMessage>,
        to: ActorRef<AccountMessage>,
        amount: u64,
    ) -> Result<u64, Refused> {
        call!(from, AccountMessage::Debit, amount).map_err(lost)??;
        let credited = call!(to, AccountMessage::Credit, amount);
        if let Err(refused) = credited.unwrap_or(Err(Refused::Lost)) {
            call!(from, AccountMessage::Credit, amount).map_err(lost)??;
            return Err(refused);
        }
        call!(self.journal, JournalMessage::Write, Entry::Transfer(amount)).map_err(lost)
    }

    async fn buy(&self, limit: Duration) -> Result<u64, Refused> {
        let asked = self.suppliers.iter().map(|it| it.call(Offer, Some(limit)));
        let offers = join_all(asked)
            .await
            .into_iter()
            .filter_map(|offer| match offer {
                Ok(CallResult::Success(price)) => Some(price),
                _ => None,
            });
        let best = offers.min().ok_or(Refused::NoOffer)?;
        call!(self.journal, JournalMessage::Write, Entry::Purchase(best)).map_err(lost)?;
        Ok(best)
    }
}

impl Actor for Bank {
    type Msg = BankMessage;
    type State = ();
    type Arguments = ();

    async fn pre_start(&self, _: ActorRef<BankMessage>, (): ()) -> Result<(), ActorProcessingErr> {
        Ok(())
    }

    async fn handle(
        &self,
        _: ActorRef<BankMessage>,
        message: BankMessage,
        (): &mut (),
    ) -> Result<(), ActorProcessingErr> {
        match message {
            BankMessage::Transfer(from, to, amount, reply) => {
                reply.send(self.transfer(from, to, amount).await)?;
            }
            BankMessage::Pay(from, to, amount, reply) => {
                reply.send(self.pay(from, to, amount).await)?;
            }
            BankMessage::Buy(limit, reply) => reply.send(self.buy(limit).await)?,
        }
        Ok(())
    }
}
