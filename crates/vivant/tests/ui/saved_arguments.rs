//! What the messages of a saved actor cannot have in them.

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
    fn instant(&mut self, amount: u64, at: Instant) {}
    fn text(&mut self, of: &'static str) {}
    fn code(&mut self, f: fn(u64) -> u64) {}
    fn shared(&mut self, amount: u64, shared: Arc<Mutex<u64>>, times: u64) {}
    fn atomic(&mut self, count: Arc<AtomicU64>) {}
    fn unordered(&mut self, map: HashMap<u64, u64>) {}
    fn other_order(&mut self, #[saved(any_order)] list: Vec<u64>) {}
}

fn main() {}
