//! A file cannot supply a `&'static str`.

use vivant_codec::Saved;

#[derive(Saved)]
struct State {
    field: &'static str,
}

fn main() {}
