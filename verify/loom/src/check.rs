//! How a model is checked, and the self-tests of the check.

use crate::fault::{self, Fault, REACHED};
use loom::model::Builder;
use std::env;
use std::panic::{self, AssertUnwindSafe};
use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Unless `LOOM_MAX_PREEMPTIONS` says otherwise. Two preemptions show nearly all known bugs of such
/// protocols. A debug build is ten times slower; there one preemption is a quick check within a run
/// of all tests. `cargo xtask loom` proves.
const PREEMPTIONS_DEFAULT: usize = if cfg!(debug_assertions) { 1 } else { 2 };

/// Preemptions that each self-test needs at least. It ends at the first find, so it costs little.
const PREEMPTIONS_CANARY_MIN: usize = 2;

/// Steps of one interleaving. More can only be a loop that waits for another thread without
/// sleeping.
const STEPS_MAX: usize = 5_000;

/// The larger models run only if this is set.
const LONG: &str = "VIVANT_LOOM_LONG";

/// Set for the process in which a self-test dies.
const CAGE: &str = "VIVANT_LOOM_CAGE";

/// `model` holds in every interleaving, up to the bound of preemptions, and under every weak order
/// of memory that loom knows.
pub(crate) fn holds(model: impl Fn() + Send + Sync + 'static) {
    let mut builder = Builder::new();
    let bound = builder.preemption_bound.get_or_insert(PREEMPTIONS_DEFAULT);
    if env::var_os(CAGE).is_some() {
        *bound = PREEMPTIONS_CANARY_MIN.max(*bound);
    }
    builder.max_branches = STEPS_MAX;
    let count = Arc::new(AtomicUsize::new(0));
    let counted = count.clone();
    builder.check(move || {
        counted.fetch_add(1, Ordering::Relaxed);
        model();
    });
    let count = count.load(Ordering::Relaxed);
    assert!(count > 1, "a model without choices proves nothing");
    eprintln!("{count} interleavings");
}

/// As [`holds`], for a model that takes long.
pub(crate) fn holds_long(model: impl Fn() + Send + Sync + 'static) {
    if env::var_os(LONG).is_some() {
        holds(model);
    }
}

/// A self-test: a model with a fault, which loom must find.
#[derive(Debug)]
pub struct Canary {
    /// The full name of the self-test's own test.
    pub test: &'static str,
}

impl Canary {
    /// The process dies: loom finds the fault of `model` itself, and its message contains `why`.
    ///
    /// In a process of its own, because loom does not survive its finds: at a deadlock it panics
    /// while it panics.
    pub(crate) fn dies(self, why: &str, model: impl Fn() + Send + Sync + 'static) {
        if env::var_os(CAGE).is_some() {
            return holds(model);
        }
        self.found(why);
    }

    /// The same for `fault`, which `model` must reach in a file of a crate.
    pub(crate) fn dies_of(self, fault: Fault, why: &str, model: impl Fn() + Send + Sync + 'static) {
        if env::var_os(CAGE).is_some() {
            fault::inject(fault);
            return holds(model);
        }
        let said = self.found(why);
        assert!(
            said.contains(&format!("{REACHED} {fault:?}\n")),
            "the model does not come to {fault:?}: {said}"
        );
    }

    /// The self-test fails where a model finds nothing, because it never reaches the fault.
    pub fn fails_without_a_find(self) {
        self.fails("the fault was not found", count_together);
    }

    /// The self-test fails where a model finds another bug than the fault.
    pub fn fails_without_the_fault(self) {
        self.fails("the model does not come to Loses", || {
            count_together();
            panic!("something else");
        });
    }

    fn fails(self, how: &str, model: impl Fn() + Send + Sync + 'static) {
        if env::var_os(CAGE).is_some() {
            return self.dies_of(Fault::Loses, "", model);
        }
        let dies = AssertUnwindSafe(|| self.dies_of(Fault::Loses, "", model));
        let panic = panic::catch_unwind(dies).expect_err("it accepts what proves nothing");
        let words = panic.downcast_ref::<String>().expect("an assertion");
        assert!(words.starts_with(how), "{words}");
    }

    /// The output of the process that found it.
    fn found(self, why: &str) -> String {
        let caged = Command::new(env::current_exe().expect("a test knows its own file"))
            .args([self.test, "--exact", "--nocapture"])
            .env(CAGE, "1")
            .env("RUST_BACKTRACE", "0")
            .output()
            .expect("a test can be run again");
        let said = String::from_utf8_lossy(&caged.stderr).into_owned();
        assert!(
            !caged.status.success(),
            "the fault was not found, so the model proves nothing: {said}"
        );
        assert!(
            said.contains(why),
            "found something else than `{why}`: {said}"
        );
        said
    }
}

/// A model with choices that uses no file of a crate.
fn count_together() {
    let count = loom::sync::Arc::new(loom::sync::atomic::AtomicUsize::new(0));
    let other = loom::thread::spawn({
        let count = count.clone();
        move || count.fetch_add(1, Ordering::Relaxed)
    });
    count.fetch_add(1, Ordering::Relaxed);
    other.join().unwrap();
}
