//! What the state of a saved actor cannot have.

#![allow(unused_variables)]

use std::collections::HashMap;
use std::sync::atomic::AtomicU64;
use std::sync::{Arc, Mutex};
use std::time::Instant;
use vivant::prelude::*;

#[derive(Actor)]
#[actor(saved)]
struct Account {
    instant: Instant,
    text: &'static str,
    code: fn(u64) -> u64,
    shared: Arc<Mutex<u64>>,
    atomic: AtomicU64,
    unordered: HashMap<u64, u64>,
}

fn main() {}
