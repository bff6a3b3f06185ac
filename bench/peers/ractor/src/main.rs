//! `bndbuffer`, `logmap` and `ask_chain` for ractor. The buffer keeps the reply ports of waiting
//! requests. All other actors await answers within a handler; meanwhile ractor gives the actor no
//! other message, so no stash is needed.

use ractor::{Actor, ActorProcessingErr, ActorRef, RpcReplyPort, call};
use savina::{CHAINS, CONSUMERS, ITEMS, LINKS, PLACES, PRODUCERS, SERIES, TERMS, Workload};
use std::collections::VecDeque;
use std::hint::black_box;
use std::time::Instant;

type Handled = Result<(), ActorProcessingErr>;

/// An actor that gets its state at the spawn; `$handle` handles one message.
macro_rules! actor {
    ($name:ident, $message:ty, $state:ty, |$m:ident, $s:ident| $handle:block) => {
        struct $name;

        impl Actor for $name {
            type Msg = $message;
            type State = $state;
            type Arguments = $state;

            async fn pre_start(
                &self,
                _: ActorRef<$message>,
                state: $state,
            ) -> Result<$state, ActorProcessingErr> {
                Ok(state)
            }

            async fn handle(
                &self,
                _: ActorRef<$message>,
                $m: $message,
                $s: &mut $state,
            ) -> Handled {
                $handle
                Ok(())
            }
        }
    };
}

enum BufferMessage {
    Put(f64, RpcReplyPort<()>),
    Take(RpcReplyPort<f64>),
}

#[derive(Default)]
struct Places {
    items: VecDeque<f64>,
    puts: VecDeque<(f64, RpcReplyPort<()>)>,
    takes: VecDeque<RpcReplyPort<f64>>,
}

actor!(Buffer, BufferMessage, Places, |message, s| {
    match message {
        BufferMessage::Put(item, port) => match s.takes.pop_front() {
            Some(take) => {
                take.send(item)?;
                port.send(())?;
            }
            None if s.items.len() < PLACES => {
                s.items.push_back(item);
                port.send(())?;
            }
            None => s.puts.push_back((item, port)),
        },
        BufferMessage::Take(port) => match s.items.pop_front() {
            Some(item) => {
                port.send(item)?;
                if let Some((item, port)) = s.puts.pop_front() {
                    s.items.push_back(item);
                    port.send(())?;
                }
            }
            None => s.takes.push_back(port),
        },
    }
});

struct Produce;

actor!(
    Producer,
    Produce,
    (ActorRef<BufferMessage>, u64),
    |_m, s| {
        let (buffer, cost) = s;
        let mut item = 0.0;
        for _ in 0..ITEMS {
            item = savina::worked(item, *cost);
            call!(buffer, BufferMessage::Put, item)?;
        }
    }
);

/// Answered with the sum of the items.
struct Consume(RpcReplyPort<u64>);

actor!(
    Consumer,
    Consume,
    (ActorRef<BufferMessage>, u64),
    |consume, s| {
        let (buffer, cost) = s;
        let (mut sum, mut result) = (0, 0.0);
        for _ in 0..ITEMS {
            let item = call!(buffer, BufferMessage::Take)?;
            sum += savina::thousandths(item);
            result = savina::worked(result + item, *cost);
        }
        black_box(result);
        consume.0.send(sum)?;
    }
);

async fn bndbuffer(cost: u64) -> Handled {
    let began = Instant::now();
    let (buffer, _) = Actor::spawn(None, Buffer, Places::default()).await?;
    let mut consumed = Vec::new();
    for _ in 0..CONSUMERS {
        let (consumer, _) = Actor::spawn(None, Consumer, (buffer.clone(), cost)).await?;
        let (port, answer) = ractor::concurrency::oneshot();
        consumer.cast(Consume(port.into()))?;
        consumed.push(answer);
    }
    for _ in 0..PRODUCERS {
        let (producer, _) = Actor::spawn(None, Producer, (buffer.clone(), cost)).await?;
        producer.cast(Produce)?;
    }
    let mut sum = 0;
    for consumed in consumed {
        sum += consumed.await?;
    }
    let wall = began.elapsed();
    let ops = PRODUCERS * ITEMS;
    savina::tell("bndbuffer", wall, ops, savina::sum_of_items(cost), sum);
    Ok(())
}

struct Compute(f64, RpcReplyPort<f64>);

actor!(Computer, Compute, f64, |compute, rate| {
    let Compute(term, port) = compute;
    port.send(savina::next(*rate, term))?;
});

enum SeriesMessage {
    NextTerm,
    Term(RpcReplyPort<f64>),
}

actor!(
    Series,
    SeriesMessage,
    (ActorRef<Compute>, f64),
    |message, s| {
        match message {
            SeriesMessage::NextTerm => s.1 = call!(s.0, Compute, s.1)?,
            SeriesMessage::Term(port) => port.send(s.1)?,
        }
    }
);

/// Answered with the sum of the last terms.
struct Sum(RpcReplyPort<f64>);

actor!(Master, Sum, Vec<ActorRef<SeriesMessage>>, |sum, all| {
    for _ in 0..TERMS {
        for series in all.iter() {
            series.cast(SeriesMessage::NextTerm)?;
        }
    }
    let mut got = 0.0;
    for series in all.iter() {
        got += call!(series, SeriesMessage::Term)?;
    }
    sum.0.send(got)?;
});

async fn logmap() -> Handled {
    let mut all = Vec::new();
    for number in 0..SERIES {
        let (rate, first) = savina::beginning(number);
        let (computer, _) = Actor::spawn(None, Computer, rate).await?;
        all.push(Actor::spawn(None, Series, (computer, first)).await?.0);
    }
    let (master, _) = Actor::spawn(None, Master, all).await?;
    let began = Instant::now();
    let got = savina::trillionths(call!(master, Sum)?);
    let wall = began.elapsed();
    let expected = savina::trillionths(savina::sum_of_terms());
    savina::tell("logmap", wall, SERIES * TERMS, expected, got);
    Ok(())
}

/// Answered with the number plus one for each link from here on.
struct Inc(u64, RpcReplyPort<u64>);

actor!(ChainLink, Inc, Option<ActorRef<Inc>>, |message, next| {
    let Inc(x, port) = message;
    port.send(match next {
        Some(next) => call!(next, Inc, x + 1)?,
        None => x + 1,
    })?;
});

/// Answered with the answer of the last chain.
struct Drive(RpcReplyPort<u64>);

actor!(Driver, Drive, ActorRef<Inc>, |message, first| {
    let mut x = 0;
    for _ in 0..CHAINS {
        x = call!(first, Inc, x)?;
    }
    message.0.send(x)?;
});

async fn ask_chain() -> Handled {
    let (mut first, _) = Actor::spawn(None, ChainLink, None).await?;
    for _ in 1..LINKS {
        first = Actor::spawn(None, ChainLink, Some(first)).await?.0;
    }
    let (driver, _) = Actor::spawn(None, Driver, first).await?;
    let began = Instant::now();
    let got = call!(driver, Drive)?;
    savina::tell("ask_chain", began.elapsed(), CHAINS, CHAINS * LINKS, got);
    Ok(())
}

fn main() -> Handled {
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
