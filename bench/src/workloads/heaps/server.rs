//! Requests that each make a tree, one after the other: how long each takes, collections included.
//!
//! Protocol: serverSim of the ORCA paper, in the peers' form: two servers, each of which makes, for
//! each of its requests, a tree of depth 14 or 8 and counts its nodes, 2,000 or 100,000 times. Each
//! server has a thread and a heap, and no messages are sent. The measure is the time between two
//! completions, of all but the first fifth: the paper's jitter.
//!
//! An operation is a request.

use super::sides::{self, BOX, BOX_MIMALLOC, HEAP, Outcome, ROUNDS, SIDE, Work};
use super::tree::{Boxed, forest};
use crate::prelude::*;
use crate::workloads::graphs::{build, nodes as size};
use std::thread;
use std::time::{Duration, Instant};

const SERVERS: Param = Param::count("servers", 2, 2, "servers, each with a thread");

pub(in crate::workloads) const HEAP_SERVER14: Bench = Bench::new(
    Group::Heaps,
    "heap_server14",
    "requests that make trees of depth 14, in a heap and with `Box`",
    &[
        Param::count("depth", 14, 3, "depth of the trees"),
        Param::count("requests", 2_000, 50, "requests to each server").at_least(10),
        SERVERS,
        ROUNDS,
        SIDE,
    ],
    |run| compare(run, &HEAP_SERVER14),
)
.child(|run| sides::print(run, WORKS));

pub(in crate::workloads) const HEAP_SERVER8: Bench = Bench {
    name: "heap_server8",
    about: "requests that make trees of depth 8, in a heap and with `Box`",
    params: &[
        Param::count("depth", 8, 3, "depth of the trees"),
        Param::count("requests", 100_000, 50, "requests to each server").at_least(10),
        SERVERS,
        ROUNDS,
        SIDE,
    ],
    run: |run| compare(run, &HEAP_SERVER8),
    ..HEAP_SERVER14
};

const WORKS: &[(&str, Work)] = &[(HEAP, heap), (BOX, boxed), (BOX_MIMALLOC, boxed)];

fn compare(run: &Run, bench: &Bench) -> Result<Vec<Figures>, Failure> {
    let requests = run.count("requests") * run.count("servers");
    let nodes = requests * size(run.count("depth"));
    sides::compare(run, bench, WORKS, ("nodes", nodes), requests)
}

fn heap(run: &Run) -> Outcome {
    let depth = run.count("depth");
    serve(run, || {
        let mut heap = forest();
        move || {
            let nodes = heap.turn(|m, _| build(*m, depth).count());
            heap.pace();
            nodes
        }
    })
}

fn boxed(run: &Run) -> Outcome {
    let depth = run.count("depth");
    serve(run, || move || Boxed::make(depth).nodes())
}

/// Runs all servers; `server` makes what answers a request.
fn serve<S: FnMut() -> u64>(run: &Run, server: impl Fn() -> S + Sync) -> Outcome {
    let requests = run.count("requests") as usize;
    let one = || {
        let mut answer = server();
        let mut times = Vec::with_capacity(requests);
        let (mut sum, mut last) = (0, Instant::now());
        for _ in 0..requests {
            sum += answer();
            let now = Instant::now();
            times.push(now - last);
            last = now;
        }
        (sum, times)
    };
    let mut latencies = Latencies::new();
    let (nodes, mut figures) = sides::timed(|_| {
        let servers: Vec<(u64, Vec<Duration>)> = thread::scope(|scope| {
            let threads: Vec<_> = (0..run.count("servers"))
                .map(|_| scope.spawn(one))
                .collect();
            let join = |thread: thread::ScopedJoinHandle<'_, _>| thread.join();
            let joined = threads.into_iter().map(join);
            joined.map(|it| it.expect("servers do not panic")).collect()
        });
        let counted = servers.iter().flat_map(|(_, times)| &times[requests / 5..]);
        counted.for_each(|time| latencies.record(*time));
        servers.iter().map(|(sum, _)| sum).sum()
    });
    figures.latency = Some(latencies.quantiles());
    (nodes, figures)
}
