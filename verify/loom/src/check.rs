//! How a model is checked, and how a canary is.

use loom::model::Builder;
use std::env;
use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Unless `LOOM_MAX_PREEMPTIONS` says otherwise. Two show nearly all known bugs of such protocols. A debug build is ten
/// times slower, and there one is a glance for those who run all tests; it is `cargo xtask loom` that proves.
const PREEMPTIONS_DEFAULT: usize = if cfg!(debug_assertions) { 1 } else { 2 };

/// What each canary needs at least. It ends at the first find, so it costs little.
const PREEMPTIONS_CANARY_MIN: usize = 2;

/// Steps of one interleaving; more can only be a loop that waits for somebody without sleeping.
const STEPS_MAX: usize = 5_000;

/// The larger models run only if this is set.
const LONG: &str = "VIVANT_LOOM_LONG";

/// Set for the process in which a canary dies.
const CAGE: &str = "VIVANT_LOOM_CAGE";

/// `model` holds in every interleaving, up to the bound of preemptions, and under every weak order of memory that loom
/// knows.
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

/// A model with a planted bug, which loom must find.
#[derive(Debug)]
pub struct Canary {
    /// The full name of the canary's own test.
    pub test: &'static str,
}

impl Canary {
    /// It dies: loom finds the bug in `model` and says `why`.
    ///
    /// In a process of its own, because loom does not survive what it finds: at a deadlock it panics while it panics.
    pub(crate) fn dies(self, why: &str, model: impl Fn() + Send + Sync + 'static) {
        if env::var_os(CAGE).is_some() {
            return holds(model);
        }
        let caged = Command::new(env::current_exe().expect("a test knows its own file"))
            .args([self.test, "--exact", "--nocapture"])
            .env(CAGE, "1")
            .env("RUST_BACKTRACE", "0")
            .output()
            .expect("a test can be run again");
        let said = String::from_utf8_lossy(&caged.stderr);
        assert!(
            !caged.status.success(),
            "the planted bug was not found, so the model proves nothing: {said}"
        );
        assert!(
            said.contains(why),
            "found something else than `{why}`: {said}"
        );
    }
}
