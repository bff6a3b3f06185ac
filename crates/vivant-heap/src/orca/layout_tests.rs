//! No step follows the order of addresses (R5): one program in two layouts records the same deltas
//! in the same order.

use super::count_audit::{self, Account, CountAudit};
use super::model_tests::{Both, Layout, Thing};
use crate::alloc::header::Header;
use crate::injected_fault::{self, InjectedFault};
use std::cell::RefCell;
use std::ptr::NonNull;

/// A delta, by the number of its object.
type Posted = (Account, usize, i64);

thread_local! {
    static POSTED: RefCell<Vec<Posted>> = RefCell::default();
}

fn note(account: Account, object: NonNull<Header>, by: i64) {
    // SAFETY: all shared objects here are things; an object with a delta is counted until the step
    // that records the delta is over.
    let thing = unsafe { object.add(1).cast::<Thing<'_>>().as_ref() };
    POSTED.with(|posted| posted.borrow_mut().push((account, thing.noted.0, by)));
}

/// The deltas that a program records.
fn posted(seed: u64, layout: Layout) -> Vec<Posted> {
    let mut both = Both::new(seed, layout);
    count_audit::observe_with(Some(note));
    for _ in 0..if cfg!(miri) { 30 } else { 400 } {
        both.step();
    }
    count_audit::observe_with(None);
    both.end();
    POSTED.take()
}

fn differs(seed: u64) -> bool {
    posted(seed, Layout::InOrder) != posted(seed, Layout::Reversed)
}

#[test]
fn deltas_have_the_same_order_in_two_layouts() {
    let count = posted(0, Layout::InOrder).len();
    assert!(count > if cfg!(miri) { 10 } else { 200 }, "{count} changes");
    assert!(!(0..if cfg!(miri) { 1 } else { 20 }).any(differs));
}

#[test]
fn injected_faults_of_layouts_are_caught() {
    let caught =
        (0..20).any(|seed| injected_fault::with(InjectedFault::OrderByAddress, || differs(seed)));
    assert!(caught);
    assert_eq!(CountAudit::check(), Ok(()));
}
