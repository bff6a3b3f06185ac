//! So does a static one.

use vivant_heap::*;

static KEPT: std::sync::Mutex<Option<Gc<'static, u64>>> = std::sync::Mutex::new(None);

fn keep<'gc>(number: Gc<'gc, u64>) {
    *KEPT.lock().unwrap() = Some(number);
}

fn main() {}
