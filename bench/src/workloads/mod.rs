//! The benches, one file each. A file names the property that its bench stresses, the source of its
//! protocol, and the timed part.

/// Declares the type of a heap's state: `root!(Names = Vec<Gc<'gc, str>>)`.
macro_rules! root {
    ($vis:vis $name:ident = $of:ty) => {
        $vis struct $name;
        impl vivant_heap::Root for $name {
            type Of<'gc> = $of;
        }
    };
}

mod ask;
mod ask_chain;
mod big;
mod bndbuffer;
mod chameneos;
mod collections;
mod count;
mod counted;
mod cycles;
mod echo;
mod fair_cost;
mod fairness;
mod fib;
mod fjcreate;
mod gcbench;
mod graphs;
mod guards;
mod heaps;
mod hello;
mod idle;
mod idle_snapshot;
mod keyed;
mod large;
mod logmap;
mod mailbox;
mod object_cycles;
mod persistent;
mod pingpong;
mod restarts;
mod ring;
mod rings;
mod round_trips;
mod savina;
mod sharing;
mod sides;
mod sink;
mod spawn;
mod synchronizer;
mod threadring;
mod wait_cycles;

pub(crate) use savina::listen;
pub use savina::snapshot_points;

use crate::bench::Bench;
use vivant::{AskError, AskFuture, System};

/// All benches, in the order in which `list` and the report show them.
pub const BENCHES: &[Bench] = &[
    threadring::THREADRING,
    threadring::THREADRING_SHUFFLED,
    pingpong::PINGPONG,
    ask::ASK,
    ask_chain::ASK_CHAIN,
    rings::RINGS,
    chameneos::CHAMENEOS3,
    chameneos::CHAMENEOS10,
    mailbox::MAILBOX,
    mailbox::MAILBOX_BURST,
    count::COUNT,
    big::BIG,
    bndbuffer::BNDBUFFER,
    logmap::LOGMAP,
    guards::GUARD_CLOSED,
    guards::GUARD_RELEASED,
    synchronizer::SYNCHRONIZER,
    fib::FIB,
    fjcreate::FJCREATE,
    restarts::RESTARTS,
    spawn::SPAWN,
    cycles::CYCLES,
    wait_cycles::WAIT_CYCLES,
    object_cycles::OBJECT_CYCLES,
    echo::ECHO,
    fairness::FAIRNESS,
    fair_cost::FAIR_COST,
    hello::HELLO,
    idle::IDLE,
    idle_snapshot::IDLE_SNAPSHOT,
    savina::FJTHRPUT,
    savina::CONCDICT,
    savina::CONCSLL,
    savina::PHILOSOPHER,
    savina::BARBER,
    savina::CIGSMOK,
    savina::BANKING,
    savina::RADIXSORT,
    savina::UCT,
    savina::TRAPEZOID,
    savina::ASTAR,
    savina::NQUEENK,
    counted::REFCOUNT,
    counted::BIAS,
    counted::GCBENCH_SINGLE,
    counted::GCBENCH_MULTI,
    counted::JSON,
    counted::RAYTRACE,
    counted::DNA,
    counted::SERVER_JSON,
    counted::SERVER_BLOG,
    counted::QUEUED,
    #[cfg(feature = "counters")]
    counted::SHARES,
    graphs::TREES,
    graphs::TREES2,
    graphs::SERVER14,
    graphs::SERVER8,
    graphs::GCBENCH,
    graphs::LIST_ALLOC,
    graphs::SMALL_HEAPS,
    large::KV_STORE,
    large::REWRITES,
    large::TEXT_SEARCH,
    large::EDIT_DISTANCE,
    large::OCCUPANCY,
    large::SOAK,
    heaps::HEAP_ALLOC,
    heaps::HEAP_TREES,
    heaps::HEAP_LIST,
    heaps::HEAP_OLD,
    heaps::HEAP_SERVER14,
    heaps::HEAP_SERVER8,
    heaps::HEAP_GCBENCH,
    collections::COLLECTIONS,
    persistent::PERSISTENT,
    sharing::HEAVYRING,
    sharing::HANDOVER,
    sharing::BIGRING,
    sharing::FANOUT,
    sharing::FANOUT_VAL,
    sharing::ORCA,
    sharing::NO_COLLECTOR,
];

/// The sum of all answers.
fn sum(system: &System, asked: Vec<AskFuture<u64>>) -> Result<u64, AskError> {
    let answers = asked.into_iter().map(|one| system.block_on(one));
    answers.sum()
}
