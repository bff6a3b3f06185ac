//! Large hash maps, of which the entries are saved in the order of their keys' bytes.

use serde::{Deserialize, Serialize};
use std::collections::HashMap;
use vivant_codec::Saved;

#[derive(Saved, Serialize, Deserialize, Debug)]
pub(crate) struct Pairs {
    #[saved(any_order)]
    pairs: HashMap<u64, u64>,
}

/// Pairs of integers.
pub(crate) fn pairs(rng: &mut fastrand::Rng) -> Pairs {
    let pair = |key| (key, rng.u64(0..1 << 20));
    Pairs {
        pairs: (0..524_287).map(pair).collect(),
    }
}

#[derive(Saved, Serialize, Deserialize, Debug)]
pub(crate) struct Texts {
    #[saved(any_order)]
    texts: HashMap<String, u32>,
}

/// Keys that begin in the same way.
pub(crate) fn texts() -> Texts {
    Texts {
        texts: (0..100_000)
            .map(|number| (format!("uid{number}@email.com"), number))
            .collect(),
    }
}
