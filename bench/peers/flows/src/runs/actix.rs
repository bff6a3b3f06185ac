//! All actors and the client are on one thread, as actix has them.

use super::{Seen, measured};
use crate::domain::Refused;
use crate::flow::{Flow, Parties};
use crate::programs::actix::{
    Account, Balance, Bank, Buy, Journal, Pay, Supplier, Transfer, Written,
};
use actix::{Actor, System};

async fn seen(flow: Flow, parties: Parties, count: u64) -> Result<Seen, Refused> {
    let [from, to] = [true, parties.is_open].map(|open| {
        let balance = parties.balance;
        Account { balance, open }.start()
    });
    let journal = Journal::default().start();
    let suppliers = parties.suppliers.into_iter();
    let suppliers = suppliers.map(|(price, delay)| Supplier { price, delay }.start());
    let bank = Bank {
        journal: journal.clone(),
        suppliers: suppliers.collect(),
    };
    let bank = bank.start();
    let flow_ns = measured(flow, count, || async {
        let (from, to, amount) = (from.clone(), to.clone(), flow.amount());
        match flow {
            Flow::Transfer => bank.send(Transfer { from, to, amount }).await?,
            Flow::Compensated => bank.send(Pay { from, to, amount }).await?,
            Flow::Purchase | Flow::LatePurchase => bank.send(Buy(flow.limit())).await?,
        }
    });
    Ok(Seen {
        flow_ns: flow_ns.await,
        from: from.send(Balance).await?,
        to: to.send(Balance).await?,
        written: journal.send(Written).await?,
    })
}

pub(super) fn run(flow: Flow, parties: Parties, count: u64) -> Seen {
    let seen = System::new().block_on(seen(flow, parties, count));
    seen.expect("every actor answers")
}
