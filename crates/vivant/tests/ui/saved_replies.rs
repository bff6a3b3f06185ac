//! What a saved actor cannot reply.

#![allow(unused_variables)]

use std::collections::HashMap;
use std::sync::atomic::AtomicU64;
use std::sync::{Arc, Mutex};
use std::time::Instant;
use vivant::prelude::*;

#[derive(Actor)]
#[actor(saved)]
struct Account {}

#[behaviours]
impl Account {
    fn instant(&self) -> Instant { Instant::now() }
    fn text(&self) -> &'static str { "" }
    fn code(&self) -> fn(u64) -> u64 { |n| n }
    fn shared(&self) -> Arc<Mutex<u64>> { Arc::default() }
    fn atomic(&self) -> Arc<AtomicU64> { Arc::default() }
    fn unordered(&self) -> HashMap<u64, u64> { HashMap::new() }
}

fn main() {}
