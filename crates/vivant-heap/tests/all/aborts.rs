//! Faults that end the process, because the heap could not be trusted afterwards: each in a child
//! process, which reports the reason.

#![cfg(not(miri))]
#![allow(unsafe_code, reason = "objects that do what they must not")]

use std::process::Command;
use std::sync::Arc;
use vivant_heap::{Evacuator, Gc, Heap, MarkStart, Mut, Object, Pacing, PageSource, Root, Tracer};

/// Set in the child process, which runs the faulty code.
const CHILD: &str = "VIVANT_HEAP_CHILD";

/// Runs this test once more, in a child process that must not reach the end of `run`. Returns the
/// child's output.
fn dies(test: &str, run: impl FnOnce()) -> String {
    if std::env::var_os(CHILD).is_some() {
        run();
        std::process::exit(0);
    }
    let child = Command::new(std::env::current_exe().unwrap())
        .args([
            &format!("aborts::{test}"),
            "--exact",
            "--nocapture",
            "--test-threads=1",
        ])
        .env(CHILD, "1")
        .env("RUST_BACKTRACE", "0")
        .output()
        .unwrap();
    let says = String::from_utf8_lossy(&child.stderr).into_owned();
    // The child did not exit, not even as a failing test does: 101.
    assert!(!matches!(child.status.code(), Some(0 | 101)), "{says}");
    says
}

struct Numbers;

impl Root for Numbers {
    type Of<'gc> = Vec<Gc<'gc, [u64; 10]>>;
}

fn fill(pages: usize, objects: u64) -> Heap<Numbers> {
    let source = Arc::new(PageSource::exhausted_at(pages));
    Heap::new(&source, Pacing::default(), |m| {
        (0..objects).map(|n| m.alloc([n; 10])).collect()
    })
}

#[test]
fn self_test_a_child_that_comes_to_its_end_is_noticed() {
    let test = "self_test_a_child_that_comes_to_its_end_is_noticed";
    let survived = std::panic::catch_unwind(|| dies(test, || {}));
    assert!(survived.is_err());
}

#[test]
fn no_memory_in_the_middle_of_a_collection() {
    let says = dies("no_memory_in_the_middle_of_a_collection", || {
        // Two pages of live young objects, and one page left for them.
        fill(3, 90).collect_young();
    });
    assert!(
        says.contains("no memory for the objects that survive a collection"),
        "{says}"
    );
    assert!(says.contains("Pacing::nursery"), "{says}");
    // With more pages there is room.
    let mut heap = fill(16, 90);
    heap.collect_young();
    heap.turn(|_, numbers| assert!(numbers.iter().zip(0..).all(|(number, n)| number[9] == n)));
}

/// A list as it should not be built in a heap: one value, as deep as it is long.
struct Boxes<'gc> {
    number: Gc<'gc, u64>,
    next: Option<Box<Boxes<'gc>>>,
}

// SAFETY: what the derive would write, if it did not refuse such types (`ui/owns_itself`).
unsafe impl<'gc> Object<'gc> for Boxes<'gc> {
    type Static = Boxes<'static>;
    const NEEDS_TRACE: bool = true;
    fn trace(&self, tracer: &mut Tracer<'_>) {
        self.number.trace(tracer);
        self.next.trace(tracer);
    }
    fn evacuate(&mut self, evacuator: &mut Evacuator<'_>) {
        self.number.evacuate(evacuator);
        self.next.evacuate(evacuator);
    }
}

root!(Deep = Gc<'gc, Boxes<'gc>>);

/// Nests this number of boxes, on a thread with a stack of 256 KiB, runs this number of
/// collections, and drops them.
fn deep(boxes: u64, collections: u64) {
    let run = move || {
        let source = Arc::new(PageSource::new());
        let mut heap = Heap::<Deep>::new(&source, Pacing::default(), |m| {
            let last = Boxes {
                number: m.alloc(0),
                next: None,
            };
            m.alloc((1..boxes).fold(last, |next, n| Boxes {
                number: m.alloc(n),
                next: Some(Box::new(next)),
            }))
        });
        for _ in 0..collections {
            heap.collect_young();
            heap.collect();
        }
        heap.turn(|_, all| {
            let all = std::iter::successors(Some(Gc::as_ref(*all)), |it| it.next.as_deref());
            assert!(all.map(|it| *it.number).eq((0..boxes).rev()));
        });
        drop(heap);
    };
    let thread = std::thread::Builder::new().stack_size(256 * 1024);
    thread.spawn(run).unwrap().join().unwrap();
}

#[test]
fn boxes_in_boxes_are_as_deep_as_the_stack() {
    // A few hundred are harmless.
    deep(500, 2);
    // More than the stack holds: collections end as dropping such a list ends in any program, at
    // the stack's guard page.
    for collections in 0..2 {
        let says = dies("boxes_in_boxes_are_as_deep_as_the_stack", || {
            deep(1_000_000, collections)
        });
        assert!(says.contains("overflowed its stack"), "{says}");
    }
}

/// Panics while it is traced.
struct Rude(Panics);

#[derive(Clone, Copy, PartialEq)]
enum Panics {
    InTrace,
    InEvacuate,
}

// SAFETY: it has no reference. The panic violates the contract on purpose.
unsafe impl<'gc> Object<'gc> for Rude {
    type Static = Rude;
    const NEEDS_TRACE: bool = true;
    fn trace(&self, _: &mut Tracer<'_>) {
        assert!(self.0 != Panics::InTrace, "a trace of this test panics");
    }
    fn evacuate(&mut self, _: &mut Evacuator<'_>) {
        assert!(
            self.0 != Panics::InEvacuate,
            "an evacuation of this test panics"
        );
    }
}

root!(Impolite = Gc<'gc, Rude>);

fn impolite(panics: Panics) {
    let source = Arc::new(PageSource::new());
    let mut heap = Heap::<Impolite>::new(&source, Pacing::default(), |m| m.alloc(Rude(panics)));
    // Such a heap cannot be used any more.
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

/// In a turn that is about to write the object, during a concurrent mark.
#[test]
fn a_panic_in_a_trace_before_a_write() {
    let says = dies("a_panic_in_a_trace_before_a_write", || {
        root!(Desk = (Gc<'gc, Mut<Rude>>, Gc<'gc, [u64]>));
        let source = Arc::new(PageSource::new());
        let mut heap = Heap::<Desk>::new(&source, Pacing::default(), |m| {
            let rude = m.alloc(Mut::new(Rude(Panics::InTrace)));
            (rude, m.alloc_slice(vec![0; 40_000]))
        });
        assert_eq!(heap.begin_mark(), MarkStart::Running);
        let _caught = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
            heap.turn(|m, (rude, _)| drop(rude.borrow_mut(m)));
        }));
    });
    assert!(says.contains("a trace of this test panics"), "{says}");
    assert!(
        says.contains("a panic in the middle of a collection"),
        "{says}"
    );
}

#[test]
fn a_panic_in_an_evacuation() {
    let says = dies("a_panic_in_an_evacuation", || impolite(Panics::InEvacuate));
    assert!(says.contains("an evacuation of this test panics"), "{says}");
    assert!(
        says.contains("a panic in the middle of a collection"),
        "{says}"
    );
}
