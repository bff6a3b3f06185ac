//! Tests that count the allocations of the whole process. Each runs in a child process of its own.

mod count_inbox;
mod messages;

use stats_alloc::{INSTRUMENTED_SYSTEM, StatsAlloc};
use std::alloc::System;
use std::process::Command;

#[global_allocator]
static COUNTED: &StatsAlloc<System> = &INSTRUMENTED_SYSTEM;

/// Set for the child: it runs the test itself.
const CHILD: &str = "VIVANT_ALLOCATIONS_CHILD";

/// Runs `body` as the only test of a process: in the child that the test `name` starts of itself.
fn in_a_process_of_its_own(name: &str, body: impl FnOnce()) {
    if cfg!(miri) || std::env::var_os(CHILD).is_some() {
        return body();
    }
    let child = Command::new(std::env::current_exe().unwrap())
        .args([name, "--exact", "--nocapture", "--test-threads=1"])
        .env(CHILD, "1")
        .output()
        .unwrap();
    let says = [child.stdout, child.stderr].map(|said| String::from_utf8_lossy(&said).into_owned());
    assert!(child.status.success(), "{}\n{}", says[0], says[1]);
    assert!(says[0].contains("1 passed"), "{}", says[0]);
}
