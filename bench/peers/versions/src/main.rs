//! `fanout_val` for ractor, and for tasks of tokio beside an `arc_swap`, with the maps of `imbl`
//! and `rpds` in an `Arc`: sizes and counts are those of ours.
//!
//! `peer-versions ractor-imbl|ractor-rpds|swap-imbl|swap-rpds THREADS`. `reclaimed_ms`: until no
//! version is left but the newest, which the writer keeps.

mod map;
mod ractors;
mod seen;
mod tasks;

use map::Map;
use seen::Seen;
use std::env;
use std::future::Future;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

pub const ENTRIES: u64 = 1_000_000;
pub const READERS: usize = 64;
pub const VERSIONS: u64 = 300;
pub const CHANGES: u64 = 100;
pub const PERIOD: Duration = Duration::from_millis(10);
pub const KEPT: usize = 16;
pub const LOOK_UPS: u64 = 16;

/// Versions that are there.
static ALIVE: AtomicUsize = AtomicUsize::new(0);

pub struct Version<M>(pub M);

impl<M> Version<M> {
    pub fn new(map: M) -> Arc<Version<M>> {
        ALIVE.fetch_add(1, Ordering::SeqCst);
        Arc::new(Version(map))
    }
}

impl<M> Drop for Version<M> {
    fn drop(&mut self) {
        ALIVE.fetch_sub(1, Ordering::SeqCst);
    }
}

pub fn mixed(number: u64) -> u64 {
    let mixed = number.wrapping_add(1).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    let mixed = (mixed ^ mixed >> 32).wrapping_mul(0xD6E8_FEB8_6659_FD93);
    mixed ^ mixed >> 32
}

pub fn entry(key: u64, version: u64) -> (u64, u64) {
    (key, key | version << 32)
}

/// What changes with a version.
pub fn changes(version: u64) -> impl Iterator<Item = (u64, u64)> {
    let keys = (0..CHANGES).map(move |change| mixed(version * CHANGES + change) % ENTRIES);
    keys.map(move |key| entry(key, version))
}

/// The readers and the writer.
pub trait Platform<M: Map>: Sized {
    fn begin(first: M) -> impl Future<Output = Self> + Send;
    /// Has the writer publish a version; it notes how long that takes.
    fn publish(&mut self, version: u64) -> impl Future<Output = ()> + Send;
    fn stop(&mut self) -> impl Future<Output = (Seen, Vec<Duration>)> + Send;
    fn forget(&mut self);
}

async fn run<M: Map, P: Platform<M>>(side: String) {
    let first = M::of((0..ENTRIES).map(|key| entry(key, 0)));
    let mut platform = P::begin(first).await;
    let began = Instant::now();
    for version in 1..=VERSIONS {
        let due = PERIOD * (version - 1) as u32;
        tokio::time::sleep(due.saturating_sub(began.elapsed())).await;
        platform.publish(version).await;
    }
    let (seen, mut took) = platform.stop().await;
    let wall = began.elapsed().as_secs_f64();
    assert_eq!(seen.found, seen.looked, "look-ups that found their entry");
    took.sort();
    let began = Instant::now();
    platform.forget();
    while ALIVE.load(Ordering::SeqCst) > 1 {
        assert!(began.elapsed() < Duration::from_secs(30), "versions stay");
        tokio::time::sleep(Duration::from_millis(1)).await;
    }
    let reclaimed = began.elapsed().as_secs_f64() * 1e3;
    let per_s = seen.looked as f64 / wall;
    let (ns, looked) = (1e9 / per_s, seen.looked);
    let us = |at: usize| took[at.min(took.len() - 1)].as_secs_f64() * 1e6;
    let wait = |q: f64| seen.waits.value_at_quantile(q) as f64 / 1e3;
    let gap = |q: f64| seen.gaps.value_at_quantile(q) as f64 / 1e3;
    println!(
        "{{\"bench\":\"fanout_val\",\"params\":{{\"side\":\"{side}\"}},\"wall_s\":{wall},\"ops\":{looked},\"ns_per_op\":{ns},\
         \"lookups_per_s\":{per_s},\"publish_us\":{},\"publish_p99_us\":{},\"publish_max_us\":{},\"p50_us\":{},\"p99_us\":{},\
         \"p999_us\":{},\"p9999_us\":{},\"max_us\":{},\"gap_p999_us\":{},\"gap_p9999_us\":{},\"gap_max_us\":{},\"versions\":{},\"reclaimed_ms\":{reclaimed}}}",
        us(took.len() / 2),
        us(took.len() * 99 / 100),
        us(took.len()),
        wait(0.5),
        wait(0.99),
        wait(0.999),
        wait(0.9999),
        seen.waits.max() as f64 / 1e3,
        gap(0.999),
        gap(0.9999),
        seen.gaps.max() as f64 / 1e3,
        seen.versions,
    );
}

fn main() {
    let mut words = env::args().skip(1);
    let side = words.next().unwrap_or_default();
    let threads = words.next().and_then(|it| it.parse().ok()).unwrap_or(2);
    let tokio = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(threads)
        .enable_all()
        .build()
        .expect("tokio begins");
    // The clock is outside of the workers, as ours is.
    tokio.block_on(async {
        match side.as_str() {
            "ractor-imbl" => run::<map::Imbl, ractors::Ractors<_>>(side).await,
            "ractor-rpds" => run::<map::Rpds, ractors::Ractors<_>>(side).await,
            "swap-imbl" => run::<map::Imbl, tasks::Tasks<_>>(side).await,
            "swap-rpds" => run::<map::Rpds, tasks::Tasks<_>>(side).await,
            _ => panic!("usage: peer-versions ractor-imbl|ractor-rpds|swap-imbl|swap-rpds THREADS"),
        }
    });
}
