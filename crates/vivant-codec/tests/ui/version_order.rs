//! `from` names an older version.

use vivant_codec::{Saved, from_bytes};

#[derive(Saved)]
#[saved(version = 2)]
struct Old {}

#[derive(Saved)]
#[saved(version = 2, from = Old)]
struct New {}

impl From<Old> for New {
    fn from(_: Old) -> New {
        New {}
    }
}

fn main() {
    let _ = from_bytes::<New>(&[]);
}
