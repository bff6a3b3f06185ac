//! Self-tests of the audit: consistent data, and the findings after one injected fault.

use crate::support::PAGES;
use cache::audit::{Audit, Finding};
use cache::store::{Kind, Ledger, Stripe, Walk};
use vivant::simulation::Simulation;

/// The data of a cache for 5 after 8 pages: it has the pages from 3 to 7.
fn records() -> (Ledger, Walk) {
    let simulation = Simulation::new(1);
    let system = simulation.system();
    let stripe = Stripe::open(system, Kind::Graph, PAGES, 5);
    stripe.fill((0..8).collect()).expect("it lives");
    let ledger = system.block_on(stripe.ledger()).expect("it lives");
    let walk = system.block_on(stripe.walk()).expect("it lives");
    (ledger, walk)
}

/// The findings after a change.
fn found(change: impl FnOnce(&mut Ledger, &mut Walk)) -> Vec<Finding> {
    let (mut ledger, mut walk) = records();
    change(&mut ledger, &mut walk);
    let mut audit = Audit::default();
    audit.add(&ledger, &walk);
    audit.findings
}

#[test]
fn a_true_story_holds() {
    let (ledger, walk) = records();
    assert_eq!(walk.newest_first, [7, 6, 5, 4, 3]);
    let mut audit = Audit::default();
    audit.add(&ledger, &walk);
    audit.add_live(2 * walk.page_bytes, 1);
    assert!(audit.holds(), "{:?}", audit.findings);
    assert_eq!((audit.entries, audit.page_bytes), (5, walk.page_bytes));
}

#[test]
fn canary_more_entries_than_there_is_room_for_are_found() {
    let findings = found(|ledger, _| ledger.capacity = 4);
    let too_many = Finding::TooMany {
        entries: 5,
        capacity: 4,
    };
    assert_eq!(findings, [too_many]);
}

#[test]
fn canary_a_list_that_is_another_one_backwards_is_found() {
    let findings = found(|_, walk| walk.oldest_first.swap(0, 1));
    assert_eq!(findings, [Finding::Torn { at: 3 }]);
    let findings = found(|_, walk| walk.oldest_first.truncate(4));
    assert_eq!(findings, [Finding::Torn { at: 0 }]);
    let findings = found(|_, walk| walk.oldest_first.insert(0, 9));
    assert_eq!(findings, [Finding::Torn { at: 5 }]);
}

#[test]
fn canary_a_title_that_is_there_twice_is_found() {
    let findings = found(|_, walk| {
        walk.newest_first[4] = 7;
        walk.oldest_first[0] = 7;
    });
    assert_eq!(findings, [Finding::Twice { title: 7 }]);
}

#[test]
fn canary_an_index_of_other_entries_is_found() {
    let index = |indexed, in_index| Finding::Index {
        indexed,
        listed: 5,
        in_index,
    };
    let findings = found(|_, walk| walk.indexed = 4);
    assert_eq!(findings, [index(4, 5)]);
    let findings = found(|_, walk| walk.in_index = 6);
    assert_eq!(findings, [index(5, 6)]);
}

#[test]
fn canary_bytes_that_were_counted_wrongly_are_found() {
    let findings = found(|ledger, _| ledger.page_bytes += 1);
    let bytes =
        |it: &Finding| matches!(it, Finding::Bytes { counted, there } if counted - 1 == *there);
    assert!(findings.len() == 1 && bytes(&findings[0]), "{findings:?}");
}

#[test]
fn canary_memory_that_was_not_reclaimed_is_found() {
    let mut audit = Audit::default();
    audit.add_live(4 << 20, 1);
    assert!(audit.holds());
    audit.add_live((4 << 20) + 1, 1);
    let memory = Finding::Memory {
        live: (4 << 20) + 1,
        bound: 4 << 20,
    };
    assert_eq!(audit.findings, [memory]);
}
