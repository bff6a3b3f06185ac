//! A client of each platform, which measures its flows. A client is a future on the platform's own
//! threads: no flow waits for a thread outside to wake.

mod actix;
mod kameo;
mod ractor;
mod vivant;

use crate::domain::Refused;
use crate::flow::{Flow, Parties};
use std::future::Future;
use std::time::Instant;

/// What a client has seen.
#[derive(Debug)]
pub struct Seen {
    /// The time of each flow, the warm-up excluded.
    pub flow_ns: Vec<u64>,
    pub from: u64,
    pub to: u64,
    pub written: u64,
}

pub struct Platform {
    pub name: &'static str,
    pub program: &'static str,
    /// Runs so many flows.
    pub run: fn(Flow, Parties, u64) -> Seen,
}

pub const PLATFORMS: [Platform; 4] = [
    Platform {
        name: "vivant",
        program: include_str!("../programs/vivant.rs"),
        run: vivant::run,
    },
    Platform {
        name: "kameo",
        program: include_str!("../programs/kameo.rs"),
        run: kameo::run,
    },
    Platform {
        name: "ractor",
        program: include_str!("../programs/ractor.rs"),
        run: ractor::run,
    },
    Platform {
        name: "actix",
        program: include_str!("../programs/actix.rs"),
        run: actix::run,
    },
];

/// Runs flows one after the other, a tenth more than are measured, and checks each outcome.
async fn measured<R>(flow: Flow, count: u64, run: impl Fn() -> R) -> Vec<u64>
where
    R: Future<Output = Result<u64, Refused>>,
{
    let mut flow_ns = Vec::with_capacity(count as usize);
    let warm_up = flow.warm_up(count);
    for number in 1..=warm_up + count {
        let began = Instant::now();
        let outcome = run().await;
        let ns = began.elapsed().as_nanos() as u64;
        assert!(
            flow.is_right(outcome, number),
            "{flow:?}, number {number}: {outcome:?}"
        );
        if number > warm_up {
            flow_ns.push(ns);
        }
    }
    flow_ns
}
