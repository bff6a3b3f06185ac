//! The benches, one file each. A file says what its bench stresses, whose protocol it is, and what is timed.

mod ask;
mod big;
mod chameneos;
mod count;
mod echo;
mod fib;
mod fjcreate;
mod hello;
mod idle;
mod mailbox;
mod pingpong;
mod restarts;
mod ring;
mod rings;
mod spawn;
mod threadring;

use crate::bench::Bench;

/// All benches, in the order in which `list` and the report show them.
pub const BENCHES: &[Bench] = &[
    threadring::THREADRING,
    threadring::THREADRING_SHUFFLED,
    pingpong::PINGPONG,
    ask::ASK,
    rings::RINGS,
    chameneos::CHAMENEOS3,
    chameneos::CHAMENEOS10,
    mailbox::MAILBOX,
    mailbox::MAILBOX_BURST,
    count::COUNT,
    big::BIG,
    fib::FIB,
    fjcreate::FJCREATE,
    restarts::RESTARTS,
    spawn::SPAWN,
    echo::ECHO,
    hello::HELLO,
    idle::IDLE,
];
