//! The client of ractor: a task of its tokio runtime.

use super::{Seen, measured};
use crate::flow::{Flow, Parties};
use crate::programs::ractor::{
    Account, AccountMessage, AccountState, Bank, BankMessage, Journal, JournalMessage, Supplier,
};
use ractor::{Actor, ActorProcessingErr, call};

async fn seen(flow: Flow, parties: Parties, count: u64) -> Result<Seen, ActorProcessingErr> {
    let account = |open| {
        let balance = parties.balance;
        Actor::spawn(None, Account, AccountState { balance, open })
    };
    let (from, to) = (account(true).await?.0, account(parties.is_open).await?.0);
    let (journal, _) = Actor::spawn(None, Journal, ()).await?;
    let mut suppliers = Vec::new();
    for (price, delay) in parties.suppliers {
        let supplier = Actor::spawn(None, Supplier { price, delay }, ()).await?;
        suppliers.push(supplier.0);
    }
    let bank = Bank {
        journal: journal.clone(),
        suppliers,
    };
    let (bank, _) = Actor::spawn(None, bank, ()).await?;
    let flow_ns = measured(flow, count, || async {
        let (from, to, amount) = (from.clone(), to.clone(), flow.amount());
        let outcome = match flow {
            Flow::Transfer => call!(bank, BankMessage::Transfer, from, to, amount),
            Flow::Compensated => call!(bank, BankMessage::Pay, from, to, amount),
            Flow::Purchase | Flow::LatePurchase => call!(bank, BankMessage::Buy, flow.limit()),
        };
        outcome.expect("the bank answers")
    });
    Ok(Seen {
        flow_ns: flow_ns.await,
        from: call!(from, AccountMessage::Balance)?,
        to: call!(to, AccountMessage::Balance)?,
        written: call!(journal, JournalMessage::Written)?,
    })
}

pub(super) fn run(flow: Flow, parties: Parties, count: u64) -> Seen {
    let runtime = crate::runtime();
    let client = runtime.spawn(seen(flow, parties, count));
    let seen = runtime.block_on(client).expect("the client ends");
    seen.expect("every actor answers")
}
