//! References leaked in a loop: the process aborts before a count wraps (B9).

#![cfg(unix)]

use std::env;
use std::mem;
use std::os::unix::process::ExitStatusExt;
use std::process::Command;
use std::thread;
use vivant_brc::Brc;

/// Set for the process that is to abort.
const CAGE: &str = "VIVANT_BRC_CAGE";

/// The longer tests run only if this is set, as the long form of `stress.rs`.
const LONG: &str = "VIVANT_OPERATIONS";

const SIGABRT: i32 = 6;

fn forget_clones<T>(of: &Brc<T>) -> ! {
    loop {
        mem::forget(of.clone());
    }
}

fn caged(name: &str) -> Command {
    let mut command = Command::new(env::current_exe().unwrap());
    command
        .args([&format!("overflow::{name}"), "--exact", "--nocapture"])
        .env(CAGE, "1");
    command
}

/// Runs the test `name` again in a process of its own, which runs `body` and must abort.
fn dies(name: &str, body: impl FnOnce()) {
    if env::var_os(CAGE).is_some() {
        return body();
    }
    let caged = caged(name).output().unwrap();
    let said = String::from_utf8_lossy(&caged.stderr);
    assert_eq!(caged.status.signal(), Some(SIGABRT), "{said}");
    assert!(said.contains("references to one object"), "{said}");
}

#[test]
#[cfg_attr(miri, ignore = "it starts a process, and counts for long")]
fn too_many_references_of_the_owner_abort() {
    dies("too_many_references_of_the_owner_abort", || {
        forget_clones(&Brc::new(1))
    });
}

#[test]
#[cfg_attr(miri, ignore = "it starts a process, and counts for long")]
fn long_too_many_references_of_another_thread_abort() {
    if env::var_os(LONG).is_some() {
        dies("long_too_many_references_of_another_thread_abort", || {
            let one = Brc::new(1);
            let other = thread::spawn(move || forget_clones(&one));
            other.join().unwrap();
        });
    }
}

#[test]
#[cfg(target_os = "linux")]
#[cfg_attr(miri, ignore = "it starts a process, and counts for long")]
fn long_too_many_references_without_a_message_abort() {
    use std::fs::File;
    use std::panic::{AssertUnwindSafe, catch_unwind};

    if env::var_os(CAGE).is_some() {
        let one = Brc::new(1);
        loop {
            let _ = catch_unwind(AssertUnwindSafe(|| mem::forget(one.clone())));
        }
    }
    if env::var_os(LONG).is_some() {
        let name = "long_too_many_references_without_a_message_abort";
        let status = caged(name).stderr(full()).status().unwrap();
        assert_eq!(status.signal(), Some(SIGABRT));
    }

    /// A file to which nothing can be written.
    fn full() -> File {
        File::options().write(true).open("/dev/full").unwrap()
    }
}

#[test]
#[cfg_attr(miri, ignore = "it starts a process, and counts for long")]
fn long_too_many_weak_references_abort() {
    if env::var_os(LONG).is_some() {
        dies("long_too_many_weak_references_abort", || {
            let weak = Brc::downgrade(&Brc::new(1));
            loop {
                mem::forget(weak.clone());
            }
        });
    }
}
