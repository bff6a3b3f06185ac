//! The client of kameo: a task of its tokio runtime.

use super::{Seen, measured};
use crate::domain::Refused;
use crate::flow::{Flow, Parties};
use crate::programs::kameo::{
    Account, Balance, Bank, Buy, Journal, Pay, Supplier, Transfer, Written,
};
use kameo::actor::{ActorRef, Spawn};
use kameo::{Actor, mailbox};

/// Not bounded, as all the others.
fn spawn<A: Actor<Args = A>>(actor: A) -> ActorRef<A> {
    A::spawn_with_mailbox(actor, mailbox::unbounded())
}

async fn seen(flow: Flow, parties: Parties, count: u64) -> Result<Seen, Refused> {
    let [from, to] = [true, parties.is_open].map(|open| {
        spawn(Account {
            balance: parties.balance,
            open,
        })
    });
    let journal = spawn(Journal::default());
    let suppliers = parties.suppliers.into_iter();
    let suppliers = suppliers.map(|(price, delay)| spawn(Supplier { price, delay }));
    let bank = spawn(Bank {
        journal: journal.clone(),
        suppliers: suppliers.collect(),
    });
    let flow_ns = measured(flow, count, || async {
        let (from, to, amount) = (from.clone(), to.clone(), flow.amount());
        Ok(match flow {
            Flow::Transfer => bank.ask(Transfer { from, to, amount }).await?,
            Flow::Compensated => bank.ask(Pay { from, to, amount }).await?,
            Flow::Purchase | Flow::LatePurchase => {
                bank.ask(Buy {
                    limit: flow.limit(),
                })
                .await?
            }
        })
    });
    Ok(Seen {
        flow_ns: flow_ns.await,
        from: from.ask(Balance).await?,
        to: to.ask(Balance).await?,
        written: journal.ask(Written).await?,
    })
}

pub(super) fn run(flow: Flow, parties: Parties, count: u64) -> Seen {
    let runtime = crate::runtime();
    let client = runtime.spawn(seen(flow, parties, count));
    let seen = runtime.block_on(client).expect("the client ends");
    seen.expect("every actor answers")
}
