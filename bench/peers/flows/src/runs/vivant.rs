//! The client of vivant: a future of an actor.

use super::{Seen, measured};
use crate::THREADS;
use crate::flow::{Flow, Parties};
use crate::programs::vivant::{Account, Bank, Journal, Supplier};
use vivant::prelude::*;

#[derive(Actor)]
struct Client;

#[behaviours]
impl Client {
    fn run(
        &mut self,
        t: &Turn<Self>,
        flow: Flow,
        parties: Parties,
        count: u64,
    ) -> Promise<Result<Seen, AskError>> {
        let [from, to] = [true, parties.is_open].map(|open| {
            t.spawn_actor(Account {
                balance: parties.balance,
                open,
            })
        });
        let journal = t.spawn_actor(Journal::default());
        let suppliers = parties.suppliers.into_iter();
        let suppliers = suppliers.map(|(price, delay)| t.spawn_actor(Supplier { price, delay }));
        let bank = t.spawn_actor(Bank {
            journal: journal.clone(),
            suppliers: suppliers.collect(),
        });
        t.spawn(async move {
            let flow_ns = measured(flow, count, || async {
                let (from, to) = (from.clone(), to.clone());
                Ok(match flow {
                    Flow::Transfer => bank.transfer(from, to, flow.amount()).ask().await?,
                    Flow::Compensated => bank.pay(from, to, flow.amount()).ask().await?,
                    Flow::Purchase | Flow::LatePurchase => bank.buy(flow.limit()).ask().await?,
                }?)
            });
            Ok(Seen {
                flow_ns: flow_ns.await,
                from: from.balance().ask().await?,
                to: to.balance().ask().await?,
                written: journal.written().ask().await?,
            })
        })
    }
}

pub(super) fn run(flow: Flow, parties: Parties, count: u64) -> Seen {
    let system = System::builder().workers(THREADS).build();
    let seen = system
        .spawn(Client)
        .run(flow, parties, count)
        .ask_blocking();
    seen.and_then(|seen| seen).expect("every actor answers")
}
