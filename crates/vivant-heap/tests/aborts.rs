//! What ends the process, because nothing in the heap could be trusted any more: each in a child, which says why.

#![cfg(not(miri))]
#![allow(unsafe_code, reason = "objects that do what they must not")]

use std::process::Command;
use std::sync::Arc;
use vivant_heap::{Gc, Heap, Object, Pacing, Relocator, Root, Source, Tracer};

/// Set for the child: it runs what its parent waits for.
const CHILD: &str = "VIVANT_HEAP_CHILD";

/// Runs this test once more, in a process of its own, which must not come to the end of `run`. What it said.
fn dies(test: &str, run: impl FnOnce()) -> String {
    if std::env::var_os(CHILD).is_some() {
        run();
        std::process::exit(0);
    }
    let child = Command::new(std::env::current_exe().unwrap())
        .args([test, "--exact", "--nocapture", "--test-threads=1"])
        .env(CHILD, "1")
        .env("RUST_BACKTRACE", "0")
        .output()
        .unwrap();
    let says = String::from_utf8_lossy(&child.stderr).into_owned();
    // No exit, not even that of a test that fails: 101.
    assert!(!matches!(child.status.code(), Some(0 | 101)), "{says}");
    says
}

struct Numbers;

impl Root for Numbers {
    type Of<'gc> = Vec<Gc<'gc, [u64; 10]>>;
}

fn fill(pages: usize, objects: u64) -> Heap<Numbers> {
    let source = Arc::new(Source::exhausted_at(pages));
    Heap::new(&source, Pacing::default(), |m| {
        (0..objects).map(|n| m.alloc([n; 10])).collect()
    })
}

#[test]
fn canary_a_child_that_comes_to_its_end_is_noticed() {
    let test = "canary_a_child_that_comes_to_its_end_is_noticed";
    let survived = std::panic::catch_unwind(|| dies(test, || {}));
    assert!(survived.is_err());
}

#[test]
fn no_memory_in_the_middle_of_a_collection() {
    let says = dies("no_memory_in_the_middle_of_a_collection", || {
        // Two pages of young objects, all alive, and one page left for them.
        fill(3, 90).collect_young();
    });
    assert!(
        says.contains("no memory for the objects that survive a collection"),
        "{says}"
    );
    assert!(says.contains("Pacing::nursery"), "{says}");
    // With more there is room.
    let mut heap = fill(16, 90);
    heap.collect_young();
    heap.turn(|_, numbers| assert!(numbers.iter().zip(0..).all(|(number, n)| number[9] == n)));
}

/// Panics while it is gone through.
struct Rude(Panics);

#[derive(Clone, Copy, PartialEq)]
enum Panics {
    InTrace,
    InRelocate,
}

// SAFETY: there is no reference in it. That it panics is not allowed.
unsafe impl<'gc> Object<'gc> for Rude {
    type Static = Rude;
    const NEEDS_TRACE: bool = true;
    fn trace(&self, _: &mut Tracer<'_>) {
        assert!(self.0 != Panics::InTrace, "a trace of this test panics");
    }
    fn relocate(&mut self, _: &mut Relocator<'_>) {
        assert!(self.0 != Panics::InRelocate, "a move of this test panics");
    }
}

struct Impolite;

impl Root for Impolite {
    type Of<'gc> = Gc<'gc, Rude>;
}

fn impolite(panics: Panics) {
    let source = Arc::new(Source::new());
    let mut heap = Heap::<Impolite>::new(&source, Pacing::default(), |m| m.alloc(Rude(panics)));
    // Nobody can go on with such a heap.
    let _caught = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| heap.collect()));
}

#[test]
fn a_panic_in_a_trace() {
    let says = dies("a_panic_in_a_trace", || impolite(Panics::InTrace));
    assert!(says.contains("a trace of this test panics"), "{says}");
    assert!(
        says.contains("a panic in the middle of a collection"),
        "{says}"
    );
}

#[test]
fn a_panic_in_a_move() {
    let says = dies("a_panic_in_a_move", || impolite(Panics::InRelocate));
    assert!(says.contains("a move of this test panics"), "{says}");
    assert!(
        says.contains("a panic in the middle of a collection"),
        "{says}"
    );
}
