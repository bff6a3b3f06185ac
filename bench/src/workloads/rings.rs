//! Many tokens at once, each in a ring of its own: the cost of keeping all workers busy with short
//! turns.
//!
//! Protocol: rings of the ORCA benchmarks, with the sizes of the peers: 64 rings of 20 actors,
//! 50,000 hops in each.
//!
//! Timed: from the first token's first message to the end of the last token. The rings are made
//! before. An operation is a hop, in whichever ring.

use super::ring::Ring;
use super::sink::Sink;
use crate::prelude::*;
use vivant::System;

pub(super) const RINGS: Bench = Bench::new(
    Group::Messages,
    "rings",
    "many tokens, each round a ring of its own",
    &[
        Param::count("rings", 64, 4, "rings"),
        Param::count("actors", 20, 5, "actors in each ring"),
        Param::count("hops", 50_000, 101, "hops of each token"),
    ],
    run,
)
.peer_ops(64 * 50_000);

/// All tokens, to the end of the last one; and the sum of the places at which they end.
pub(super) fn turn(
    system: &System,
    count: u64,
    actors: u64,
    hops: u64,
) -> Result<(Spent, u64), Failure> {
    let sink = system.spawn(Sink::new(count));
    let rings = (0..count)
        .map(|_| Ring::in_order(system, actors, &sink))
        .collect::<Result<Vec<_>, _>>()?;
    let places = sink.sum().ask();
    let meter = Meter::start();
    for ring in &rings {
        ring.send(hops);
    }
    let places = system.block_on(places)?;
    Ok((meter.stop(), places))
}

/// What the sum must be.
pub(super) fn sum_of_places(count: u64, actors: u64, hops: u64) -> u64 {
    count * (hops % actors + 1)
}

fn run(run: &Run) -> Result<Vec<Figures>, Failure> {
    let (count, actors, hops) = (run.count("rings"), run.count("actors"), run.count("hops"));
    let (spent, places) = turn(&run.system(), count, actors, hops)?;
    let check = run.check(
        "sum of the actors at which the tokens end",
        sum_of_places(count, actors, hops),
        places,
    )?;
    Ok(vec![Figures::new(spent, count * hops, check)])
}
