//! `bndbuffer`, `logmap` and `ask_chain` for kameo, with unbounded mailboxes. The buffer delegates
//! the answers to waiting requests and keeps their senders. All other actors await answers within a
//! handler; meanwhile kameo gives the actor no other message, so no stash is needed.

use kameo::Actor;
use kameo::actor::{ActorRef, Spawn};
use kameo::mailbox;
use kameo::message::{Context, Message};
use kameo::reply::{DelegatedReply, ReplySender};
use savina::{CHAINS, CONSUMERS, ITEMS, LINKS, PLACES, PRODUCERS, SERIES, TERMS, Workload};
use std::collections::VecDeque;
use std::error::Error;
use std::hint::black_box;
use std::time::Instant;
use tokio::task::JoinSet;

type Outcome = Result<(), Box<dyn Error + Send + Sync>>;

fn spawn<A: Actor<Args = A>>(actor: A) -> ActorRef<A> {
    A::spawn_with_mailbox(actor, mailbox::unbounded())
}

#[derive(Actor, Default)]
struct Buffer {
    items: VecDeque<f64>,
    puts: VecDeque<(f64, ReplySender<()>)>,
    takes: VecDeque<ReplySender<f64>>,
}

struct Put(f64);
struct Take;

impl Message<Put> for Buffer {
    type Reply = DelegatedReply<()>;

    async fn handle(&mut self, put: Put, c: &mut Context<Self, Self::Reply>) -> Self::Reply {
        let (reply, sender) = c.reply_sender();
        let sender = sender.expect("it is asked");
        match self.takes.pop_front() {
            Some(take) => {
                take.send(put.0);
                sender.send(());
            }
            None if self.items.len() < PLACES => {
                self.items.push_back(put.0);
                sender.send(());
            }
            None => self.puts.push_back((put.0, sender)),
        }
        reply
    }
}

impl Message<Take> for Buffer {
    type Reply = DelegatedReply<f64>;

    async fn handle(&mut self, _: Take, c: &mut Context<Self, Self::Reply>) -> Self::Reply {
        let (reply, sender) = c.reply_sender();
        let sender = sender.expect("it is asked");
        match self.items.pop_front() {
            Some(item) => {
                sender.send(item);
                if let Some((item, sender)) = self.puts.pop_front() {
                    self.items.push_back(item);
                    sender.send(());
                }
            }
            None => self.takes.push_back(sender),
        }
        reply
    }
}

#[derive(Actor)]
struct Producer {
    buffer: ActorRef<Buffer>,
    cost: u64,
}

struct Produce;

impl Message<Produce> for Producer {
    type Reply = ();

    async fn handle(&mut self, _: Produce, _: &mut Context<Self, ()>) {
        let mut item = 0.0;
        for _ in 0..ITEMS {
            item = savina::worked(item, self.cost);
            self.buffer.ask(Put(item)).await.expect("the buffer lives");
        }
    }
}

#[derive(Actor)]
struct Consumer {
    buffer: ActorRef<Buffer>,
    cost: u64,
}

/// Answered with the sum of the items.
struct Consume;

impl Message<Consume> for Consumer {
    type Reply = u64;

    async fn handle(&mut self, _: Consume, _: &mut Context<Self, u64>) -> u64 {
        let (mut sum, mut result) = (0, 0.0);
        for _ in 0..ITEMS {
            let item = self.buffer.ask(Take).await.expect("the buffer lives");
            sum += savina::thousandths(item);
            result = savina::worked(result + item, self.cost);
        }
        black_box(result);
        sum
    }
}

async fn bndbuffer(cost: u64) -> Outcome {
    let began = Instant::now();
    let buffer = spawn(Buffer::default());
    let mut consumed = JoinSet::new();
    for _ in 0..CONSUMERS {
        let buffer = buffer.clone();
        let consumer = spawn(Consumer { buffer, cost });
        consumed.spawn(async move { consumer.ask(Consume).await });
    }
    let mut producers = Vec::new();
    for _ in 0..PRODUCERS {
        let buffer = buffer.clone();
        let producer = spawn(Producer { buffer, cost });
        producer.tell(Produce).try_send()?;
        producers.push(producer);
    }
    let mut sum = 0;
    while let Some(consumed) = consumed.join_next().await {
        sum += consumed??;
    }
    let wall = began.elapsed();
    let ops = PRODUCERS * ITEMS;
    savina::tell("bndbuffer", wall, ops, savina::sum_of_items(cost), sum);
    Ok(())
}

#[derive(Actor)]
struct Computer {
    rate: f64,
}

struct Compute(f64);

impl Message<Compute> for Computer {
    type Reply = f64;

    async fn handle(&mut self, compute: Compute, _: &mut Context<Self, f64>) -> f64 {
        savina::next(self.rate, compute.0)
    }
}

#[derive(Actor)]
struct Series {
    computer: ActorRef<Computer>,
    term: f64,
}

struct NextTerm;
struct Term;

impl Message<NextTerm> for Series {
    type Reply = ();

    async fn handle(&mut self, _: NextTerm, _: &mut Context<Self, ()>) {
        let term = self.computer.ask(Compute(self.term)).await;
        self.term = term.expect("the computer lives");
    }
}

impl Message<Term> for Series {
    type Reply = f64;

    async fn handle(&mut self, _: Term, _: &mut Context<Self, f64>) -> f64 {
        self.term
    }
}

#[derive(Actor)]
struct Master {
    series: Vec<ActorRef<Series>>,
}

/// Answered with the sum of the last terms.
struct Sum;

impl Message<Sum> for Master {
    type Reply = f64;

    async fn handle(&mut self, _: Sum, _: &mut Context<Self, f64>) -> f64 {
        for _ in 0..TERMS {
            for series in &self.series {
                series.tell(NextTerm).try_send().expect("a series lives");
            }
        }
        let mut got = 0.0;
        for series in &self.series {
            got += series.ask(Term).await.expect("a series lives");
        }
        got
    }
}

async fn logmap() -> Outcome {
    let of = |number| {
        let (rate, term) = savina::beginning(number);
        let computer = spawn(Computer { rate });
        spawn(Series { computer, term })
    };
    let series = (0..SERIES).map(of).collect();
    let master = spawn(Master { series });
    let began = Instant::now();
    let got = savina::trillionths(master.ask(Sum).await?);
    let wall = began.elapsed();
    let expected = savina::trillionths(savina::sum_of_terms());
    savina::tell("logmap", wall, SERIES * TERMS, expected, got);
    Ok(())
}

#[derive(Actor)]
struct ChainLink {
    next: Option<ActorRef<ChainLink>>,
}

/// Answered with the number plus one for each link from here on.
struct Inc(u64);

impl Message<Inc> for ChainLink {
    type Reply = u64;

    async fn handle(&mut self, Inc(x): Inc, _: &mut Context<Self, u64>) -> u64 {
        match &self.next {
            Some(next) => next.ask(Inc(x + 1)).await.expect("the next link lives"),
            None => x + 1,
        }
    }
}

#[derive(Actor)]
struct Driver {
    first: ActorRef<ChainLink>,
}

/// Answered with the answer of the last chain.
struct Drive;

impl Message<Drive> for Driver {
    type Reply = u64;

    async fn handle(&mut self, _: Drive, _: &mut Context<Self, u64>) -> u64 {
        let mut x = 0;
        for _ in 0..CHAINS {
            x = self.first.ask(Inc(x)).await.expect("the first link lives");
        }
        x
    }
}

async fn ask_chain() -> Outcome {
    let last = spawn(ChainLink { next: None });
    let first = (1..LINKS).fold(last, |next, _| spawn(ChainLink { next: Some(next) }));
    let driver = spawn(Driver { first });
    let began = Instant::now();
    let got = driver.ask(Drive).await?;
    savina::tell("ask_chain", began.elapsed(), CHAINS, CHAINS * LINKS, got);
    Ok(())
}

fn main() -> Outcome {
    let (workload, threads) = savina::command();
    let tokio = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(threads)
        .enable_all()
        .build()?;
    // On a worker, as the actors are.
    tokio.block_on(tokio.spawn(async move {
        match workload {
            Workload::Bndbuffer { cost } => bndbuffer(cost).await,
            Workload::Logmap => logmap().await,
            Workload::AskChain => ask_chain().await,
        }
    }))?
}
