//! How a model is checked, and the self-tests of the check.

use crate::fault::{self, Fault, REACHED};
use loom::model::Builder;
use std::env;
use std::panic::{self, AssertUnwindSafe};
use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Unless `LOOM_MAX_PREEMPTIONS` says otherwise. Two preemptions show nearly all known bugs of such
/// protocols, in a minute or two: the workspace optimises these models in every build. The
/// self-tests need two.
const PREEMPTIONS_DEFAULT: usize = 2;

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
        *bound = PREEMPTIONS_DEFAULT.max(*bound);
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

/// A test of a protocol's file: a model, or a self-test.
#[derive(Clone, Copy, Debug)]
pub struct Test {
    path: &'static str,
    fault: Option<Fault>,
    run: fn(Canary),
}

impl Test {
    pub(crate) const fn new(path: &'static str, fault: Option<Fault>, run: fn(Canary)) -> Test {
        Test { path, fault, run }
    }

    /// The file's module, `canaries` for a self-test, and its own name.
    pub fn name(&self) -> &'static str {
        let (_crate, name) = self.path.split_once("::").expect("a path in this crate");
        name
    }

    /// The name of the fault that it injects into a file of a crate.
    pub fn fault(&self) -> Option<String> {
        self.fault.map(|fault| format!("{fault:?}"))
    }

    /// Panics if the model does not hold, or the fault is not found.
    pub fn run(&self) {
        (self.run)(Canary { test: self.name() });
    }
}

/// The models of a protocol: a name, [`holds`] or [`holds_long`], and what holds.
macro_rules! models {
    ($($(#[doc = $about:literal])+ $name:ident: $holds:ident $($model:expr),+;)+) => {
        pub(crate) const MODELS: &[crate::check::Test] = &[$(crate::check::Test::new(
            concat!(module_path!(), "::", stringify!($name)),
            None,
            |_| {
                $(crate::check::$holds($model);)+
            },
        ),)+];
    };
}
pub(crate) use models;

/// The self-tests of a protocol's models, which find each fault: a name, the fault if it is in a
/// file of a crate, a part of loom's message, and the model.
macro_rules! canaries {
    ($($(#[doc = $about:literal])+ $name:ident: $($fault:ident,)? $why:literal => $model:expr;)+) => {
        pub(crate) const CANARIES: &[crate::check::Test] = &[$(crate::check::Test::new(
            concat!(module_path!(), "::canaries::", stringify!($name)),
            crate::check::canaries!(@ $($fault)?),
            |canary| canary.dies(crate::check::canaries!(@ $($fault)?), $why, $model),
        ),)+];
    };
    (@) => { None };
    (@ $fault:ident) => { Some(crate::fault::Fault::$fault) };
}
pub(crate) use canaries;

/// A self-test: a model with a fault, which loom must find.
#[derive(Debug)]
pub struct Canary {
    /// The full name of the self-test's own test.
    pub test: &'static str,
}

impl Canary {
    /// The process dies: loom finds the fault, and its message contains `why`. The fault is one of
    /// `model` itself, or it is injected into a file of a crate, where `model` must reach it.
    ///
    /// In a process of its own, because loom does not survive its finds: at a deadlock it panics
    /// while it panics.
    pub(crate) fn dies(
        self,
        fault: Option<Fault>,
        why: &str,
        model: impl Fn() + Send + Sync + 'static,
    ) {
        if env::var_os(CAGE).is_some() {
            fault.into_iter().for_each(fault::inject);
            return holds(model);
        }
        let said = self.found(why);
        if let Some(fault) = fault {
            assert!(
                said.contains(&format!("{REACHED} {fault:?}\n")),
                "the model does not come to {fault:?}: {said}"
            );
        }
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
            return self.dies(Some(Fault::Loses), "", model);
        }
        let dies = AssertUnwindSafe(|| self.dies(Some(Fault::Loses), "", model));
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
