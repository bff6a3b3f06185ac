//! The programs, for the `Ptr` of the enclosing module. Each returns a number that shows whether it
//! did its work.

use super::Ptr;
use crate::workloads::counted::program::Programs;

mod dna;
mod gcbench;
mod genes;
mod json;
mod pattern;
mod raytrace;
mod slice;

/// All programs with this pointer.
pub(in crate::workloads::counted) const PROGRAMS: Programs = Programs {
    gcbench: gcbench::run,
    json: json::run,
    raytrace: raytrace::run,
    dna: dna::run,
};

/// The same numbers for each pointer, and in every run.
const SEED: u64 = 1;

/// A number for these bytes and their order.
fn digest(seed: u64, bytes: &[u8]) -> u64 {
    let mut words = bytes.chunks_exact(8);
    let mut state = seed ^ bytes.len() as u64;
    let mut mix = |word: u64| {
        state = (state ^ word)
            .rotate_left(5)
            .wrapping_mul(0x9E37_79B9_7F4A_7C15)
    };
    for word in &mut words {
        mix(u64::from_le_bytes(word.try_into().expect("eight bytes")));
    }
    words
        .remainder()
        .iter()
        .for_each(|byte| mix(u64::from(*byte)));
    state
}
