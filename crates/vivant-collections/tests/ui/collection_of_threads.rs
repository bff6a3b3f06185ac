//! A collection stays with its turn's thread.

use vivant_collections::gc;

fn share<'gc>(map: &gc::HashMap<'gc, u64, u64>) {
    std::thread::scope(|scope| {
        scope.spawn(|| map.len());
    });
}

fn main() {}
