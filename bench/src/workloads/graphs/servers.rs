//! Servers that make garbage: how steadily they answer.
//!
//! Protocol: `serverSim` of the Orca paper with the sizes of the peers: two servers, each with a
//! client that has eight requests in flight. For a request a server makes, counts and drops a
//! tree: of depth 14 (2,000 requests each) or of depth 8 (100,000).
//!
//! Shown are the times between two answers of one server, without the first fifth, of both servers
//! together. Timed: from the first request to the last answer. An operation is a request.

use super::tree::{build, nodes};
use super::with_collections;
use crate::prelude::*;
use crate::workloads;
use std::any::Any;
use std::time::Instant;
use vivant::heap::Leaf;
use vivant::prelude::*;

pub(in crate::workloads) const SERVER14: Bench = Bench::new(
    Group::Graphs,
    "server14",
    "time between answers of servers that make trees of 32,767 nodes",
    &[
        Param::count("servers", 2, 2, "servers"),
        Param::count("requests", 2_000, 20, "requests to each server"),
        Param::count("depth", 14, 4, "depth of a tree"),
    ],
    run,
)
.peer_ops(2 * 2_000);

pub(in crate::workloads) const SERVER8: Bench = Bench {
    name: "server8",
    about: "time between answers of servers that make trees of 511 nodes",
    peer_ops: Some(2 * 100_000),
    params: &[
        Param::count("servers", 2, 2, "servers"),
        Param::count("requests", 100_000, 20, "requests to each server"),
        Param::count("depth", 8, 4, "depth of a tree"),
    ],
    ..SERVER14
};

/// Requests in flight to a server.
const WINDOW: u64 = 8;

#[derive(Actor)]
struct ServerState<'gc> {
    depth: u64,
    times: Vec<Leaf<Instant>>,
    brand: std::marker::PhantomData<Gc<'gc, u64>>,
}

#[behaviours]
impl<'gc> ServerState<'gc> {
    #[start]
    fn new(depth: u64, requests: u64) -> Self {
        ServerState {
            depth,
            times: Vec::with_capacity(requests as usize),
            brand: std::marker::PhantomData,
        }
    }

    fn serve(&mut self, t: &Turn<'gc, Server>, client: Address<Client>) {
        let sum = build(**t, self.depth).count();
        t.send(client.answered(sum));
        self.times.push(Leaf(Instant::now()));
    }

    fn times(&self) -> Vec<Instant> {
        self.times.iter().map(|it| it.0).collect()
    }
}

#[derive(Actor)]
struct Client {
    server: Address<Server>,
    to_send: u64,
    to_come: u64,
    sum: u64,
    done: Option<Resolver<u64>>,
}

#[behaviours]
impl Client {
    /// Answers with the sum of all answers.
    fn begin(&mut self, t: &Turn<Self>) -> Promise<u64> {
        let (promise, done) = t.promise();
        self.done = Some(done);
        for _ in 0..WINDOW {
            self.send(t);
        }
        promise
    }

    fn answered(&mut self, t: &Turn<Self>, sum: u64) {
        self.sum += sum;
        self.to_come -= 1;
        if self.to_come == 0
            && let Some(done) = self.done.take()
        {
            done.resolve(self.sum);
        }
        self.send(t);
    }

    #[local]
    fn send(&mut self, t: &Turn<Self>) {
        if self.to_send > 0 {
            self.to_send -= 1;
            t.send(self.server.serve(t.me()));
        }
    }
}

/// What servers did.
pub(in crate::workloads) struct Served {
    pub(in crate::workloads) spent: Spent,
    /// Nodes of all trees.
    pub(in crate::workloads) sum: u64,
    /// Between two answers of a server.
    pub(in crate::workloads) between: Latencies,
    /// The servers: their heaps are there as long as this is.
    pub(in crate::workloads) kept: Box<dyn Any>,
}

/// As many servers, each with so many requests for trees of this depth.
pub(in crate::workloads) fn serve(
    system: &System,
    servers: u64,
    requests: u64,
    depth: u64,
) -> Result<Served, Failure> {
    let servers: Vec<_> = (0..servers)
        .map(|_| Server::spawn(system, depth, requests))
        .collect();
    let meter = Meter::start();
    let sums: Vec<_> = servers
        .iter()
        .map(|server| {
            let client = system.spawn(Client {
                server: server.clone(),
                to_send: requests,
                to_come: requests,
                sum: 0,
                done: None,
            });
            client.begin().ask()
        })
        .collect();
    let sum = workloads::sum(system, sums)?;
    let spent = meter.stop();
    let mut between = Latencies::new();
    for server in &servers {
        let times = server.times().ask_blocking()?;
        let settled = &times[times.len() / 5..];
        settled
            .windows(2)
            .for_each(|two| between.record(two[1] - two[0]));
    }
    Ok(Served {
        spent,
        sum,
        between,
        kept: Box::new(servers),
    })
}

fn run(run: &Run) -> Result<Vec<Figures>, Failure> {
    let (servers, requests, depth) = (
        run.count("servers"),
        run.count("requests"),
        run.count("depth"),
    );
    let system = run.system();
    let Served {
        spent,
        sum,
        between,
        kept: _kept,
    } = serve(&system, servers, requests, depth)?;
    let answers = servers * requests;
    let check = run.check("nodes counted", answers * nodes(depth), sum)?;
    let mut figures = Figures::new(spent, answers, check);
    figures.latency = Some(between.quantiles());
    Ok(vec![with_collections(figures, &system)])
}
