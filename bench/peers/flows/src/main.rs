//! Three flows over several actors for vivant, kameo, ractor and actix, in one run: the time of a
//! flow, and the length of the program.
//!
//! `peer-flows [ROUNDS [FLOWS]]`: in each round each platform runs so many flows of each kind, one
//! after the other. Prints a JSON line for each flow and platform: `p50_us` and `p99_us` are the
//! medians of the rounds. Then a line for each program: `lines` of code, without blanks and
//! comments, and their ratio to kameo's.

mod domain;
mod flow;
mod programs;
mod runs;

use flow::{FLOWS, Flow};
use runs::{PLATFORMS, Platform};
use std::env;
use std::process::exit;
use tokio::runtime::{Builder, Runtime};

const THREADS: usize = 2;

fn runtime() -> Runtime {
    let mut builder = Builder::new_multi_thread();
    let builder = builder.worker_threads(THREADS).enable_time();
    builder.build().expect("a runtime")
}

/// The times of a flow on a platform, in a round.
struct Round {
    flow: Flow,
    platform: &'static str,
    p50_ns: u64,
    p99_ns: u64,
}

fn round(flow: Flow, platform: &Platform, flows: u64) -> Round {
    let count = flow.count(flows);
    let mut seen = (platform.run)(flow, flow.parties(), count);
    let left = flow.left(flow.warm_up(count) + count);
    let name = platform.name;
    assert_eq!(
        (seen.from, seen.to, seen.written),
        left,
        "{flow:?} on {name}"
    );
    seen.flow_ns.sort_unstable();
    let at = |share: usize| seen.flow_ns[(seen.flow_ns.len() - 1) * share / 100];
    Round {
        flow,
        platform: name,
        p50_ns: at(50),
        p99_ns: at(99),
    }
}

fn median_us(rounds: &[&Round], of: fn(&Round) -> u64) -> f64 {
    let mut times: Vec<u64> = rounds.iter().map(|round| of(round)).collect();
    times.sort_unstable();
    times[times.len() / 2] as f64 / 1_000.0
}

/// Lines of code, without blanks and comments.
fn lines(program: &str) -> usize {
    let is_code = |line: &&str| !line.is_empty() && !line.starts_with("//");
    program.lines().map(str::trim).filter(is_code).count()
}

fn print_times(rounds: &[Round], flows: u64) {
    for flow in FLOWS {
        for platform in &PLATFORMS {
            let name = platform.name;
            let is_its = |round: &&Round| round.flow == flow && round.platform == name;
            let rounds: Vec<&Round> = rounds.iter().filter(is_its).collect();
            let (flow, count, times) = (flow.name(), flow.count(flows), rounds.len());
            let p50_us = median_us(&rounds, |round| round.p50_ns);
            let p99_us = median_us(&rounds, |round| round.p99_ns);
            println!(
                "{{\"bench\":\"flows\",\"params\":{{\"flow\":\"{flow}\",\"platform\":\"{name}\"}},\
                 \"rounds\":{times},\"ops\":{count},\"p50_us\":{p50_us},\"p99_us\":{p99_us}}}"
            );
        }
    }
}

fn print_lengths() {
    let kameo = PLATFORMS.iter().find(|platform| platform.name == "kameo");
    let theirs = kameo.map_or(1, |kameo| lines(kameo.program));
    for Platform { name, program, .. } in &PLATFORMS {
        let lines = lines(program);
        let ratio = lines as f64 / theirs as f64;
        println!(
            "{{\"bench\":\"flows\",\"params\":{{\"platform\":\"{name}\"}},\"lines\":{lines},\
             \"ratio\":{ratio:.2}}}"
        );
    }
}

fn main() {
    let words: Vec<String> = env::args().skip(1).collect();
    let numbers: Result<Vec<u64>, _> = words.iter().map(|word| word.parse()).collect();
    let (rounds, flows) = match numbers.as_deref() {
        Ok([]) => (5, 20_000),
        Ok(&[rounds]) if rounds > 0 => (rounds, 20_000),
        Ok(&[rounds, flows]) if rounds > 0 && flows > 0 => (rounds, flows),
        _ => {
            eprintln!("usage: peer-flows [ROUNDS [FLOWS]], both at least 1");
            exit(2);
        }
    };
    let mut measured = Vec::new();
    for number in 1..=rounds {
        for flow in FLOWS {
            for platform in &PLATFORMS {
                measured.push(round(flow, platform, flows));
            }
        }
        eprintln!("round {number} of {rounds}");
    }
    print_times(&measured, flows);
    print_lengths();
}
