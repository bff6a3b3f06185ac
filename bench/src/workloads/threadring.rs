//! One token goes round a ring: what it costs to hand one message to one waiting actor, with
//! nothing else to do.
//!
//! Protocol: threadring of the Computer Language Benchmarks Game, with the sizes of the peers. 503
//! actors, each with the address of the next; the token carries the number of remaining hops, and
//! the actor that gets it with none left reports its position. In the order of creation neighbours
//! are adjacent in memory; shuffled, they are not.
//!
//! Timed: from the token's first message to the answer. The ring is made before. An operation is a
//! hop.

use super::ring::{Node, Ring};
use super::sink::Sink;
use crate::prelude::*;

const ACTORS: Param = Param::count("actors", 503, 7, "actors in the ring");
const HOPS: Param = Param::count("hops", 10_000_000, 1_000, "hops of the token");
const MEANING: &str = "the order in which the ring visits the actors";

pub(super) const THREADRING: Bench = Bench::new(
    Group::Messages,
    "threadring",
    "one token round a ring, in the order of creation",
    &[
        ACTORS,
        HOPS,
        Param::choice("order", &["creation", "shuffled"], MEANING),
        FAIR,
    ],
    run,
)
.saved::<(Node, Sink)>()
.peer_ops(10_000_000);

pub(super) const THREADRING_SHUFFLED: Bench = Bench {
    name: "threadring_shuffled",
    about: "one token round a ring of actors that do not lie side by side",
    peer_ops: None,
    params: &[
        ACTORS,
        HOPS,
        Param::choice("order", &["shuffled", "creation"], MEANING),
        FAIR,
    ],
    ..THREADRING
};

fn run(run: &Run) -> Result<Vec<Figures>, Failure> {
    let (actors, hops) = (run.count("actors"), run.count("hops"));
    let system = run.system();
    let sink = system.spawn(Sink::new(1));
    let ring = match run.choice("order") {
        "shuffled" => Ring::shuffled(&system, actors, &sink)?,
        _ => Ring::in_order(&system, actors, &sink)?,
    };
    let place = sink.sum().ask();
    let first_half = ring.expect_snapshot_point(hops)?;
    let meter = Meter::start();
    ring.send(first_half);
    let place = system.block_on(place)?;
    let spent = meter.stop();
    run.row(
        spent,
        hops,
        ("actor at which the token ends", hops % actors + 1, place),
    )
}
