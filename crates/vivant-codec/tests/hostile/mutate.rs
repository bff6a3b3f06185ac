//! Changes of valid bytes, and the seeds of random ones.

use fastrand::Rng;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

/// Runs a program for each seed. A failure prints the seed.
pub(super) fn seeds(unless_requested: u64, mut program: impl FnMut(&mut Rng)) {
    let number = |name| std::env::var(name).ok().and_then(|text| text.parse().ok());
    let seeds = match number("VIVANT_SEED") {
        Some(seed) => seed..seed + 1,
        None => 0..number("VIVANT_SEEDS").unwrap_or(unless_requested),
    };
    for seed in seeds {
        let mut rng = Rng::with_seed(seed);
        if let Err(panic) = catch_unwind(AssertUnwindSafe(|| program(&mut rng))) {
            eprintln!("VIVANT_SEED={seed} fails");
            resume_unwind(panic);
        }
    }
}

/// The bytes with one to four changes.
pub(super) fn mutated(bytes: &[u8], rng: &mut Rng) -> Vec<u8> {
    let mut bytes = bytes.to_vec();
    for _ in 0..rng.u8(1..5) {
        let at = rng.usize(0..bytes.len() + 1);
        let to = rng.usize(at..bytes.len() + 1);
        match rng.u8(0..9) {
            0 => bytes.truncate(at),
            1 => bytes.insert(at, rng.u8(..)),
            2 => drop(bytes.drain(at..to.min(at + 5))),
            3 => {
                let part = bytes[at..to.min(at + 30)].to_vec();
                bytes.splice(at..at, part);
            }
            // A large number.
            4 => drop(bytes.splice(at..at, [0xff, 0xff, 0xff, 0xff, rng.u8(..)])),
            _ => match bytes.get_mut(at) {
                Some(byte) if rng.bool() => *byte ^= 1 << rng.u8(0..8),
                Some(byte) => *byte = [0, 1, 2, 0x7f, 0x80, 0xff][rng.usize(0..6)],
                None => {}
            },
        }
    }
    bytes
}
