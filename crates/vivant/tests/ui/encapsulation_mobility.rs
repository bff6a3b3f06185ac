use std::sync::{Mutex, MutexGuard};
use vivant::prelude::*;

static LOCK: Mutex<u64> = Mutex::new(0);

#[derive(Actor)]
struct Holder {
    held: MutexGuard<'static, u64>,
}

fn main() {
    let held = LOCK.lock().unwrap();
    let holder = System::new().spawn(Holder { held });
    drop(holder);
}
