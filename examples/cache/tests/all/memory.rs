//! Evicted pages are reclaimed, and the audit would find it if they were not.

use crate::support::PAGES;
use cache::audit::{Audit, Finding};
use cache::page::Pages;
use cache::popularity::Popularity;
use cache::store::{Cache, Html, Kind};
use cache::stripes::{Settings, Stripes, heaps};
use std::time::Duration;
use vivant::prelude::*;
use vivant::simulation::Simulation;

const CAPACITY: usize = 100;
/// Number of titles that go through the small cache, all together about 30 MiB.
const TITLES: u64 = 20_000;

#[test]
fn what_went_out_is_reclaimed() {
    let simulation = Simulation::new(1);
    let system = simulation.system();
    let settings = Settings {
        kind: Kind::Graph,
        capacity: CAPACITY,
        stripes: 3,
        pages: Pages {
            mean_bytes: 1536,
            ..PAGES
        },
    };
    let stripes = Stripes::open(system, settings);
    for first in (0..TITLES).step_by(50) {
        for title in first..first + 50 {
            stripes.of(title).fill(vec![title]).expect("it lives");
        }
    }
    simulation.run();
    let audit = system.block_on(stripes.audit(system)).expect("all live");
    assert!(audit.holds(), "{:?}", audit.findings);
    // Each stripe has a third of the capacity, rounded up.
    assert_eq!(audit.entries, 102);
    let heaps = heaps(system);
    let (live, allocated) = heaps.iter().fold((0, 0), |(live, allocated), it| {
        (live + it.live, allocated + it.allocated)
    });
    assert_eq!(heaps.len(), 3);
    assert!(allocated > 25 << 20, "{allocated}");
    assert!(live < 4 << 20, "{live} of {allocated}");
}

/// The injected fault: a cache that never evicts.
#[derive(Actor)]
struct HoarderState<'gc> {
    pages: gc::Vec<'gc, Val<'gc, str>>,
}

#[behaviours]
impl<'gc> HoarderState<'gc> {
    #[start]
    fn new() -> Self {
        HoarderState {
            pages: gc::Vec::new(),
        }
    }

    fn get(&mut self, t: &Turn<'gc, Hoarder>, title: u64) -> usize {
        let html = t.val_str(&PAGES.render(title));
        self.pages.push(t, html);
        self.pages.len()
    }
}

#[test]
fn canary_a_cache_that_forgets_no_page_is_found() {
    let simulation = Simulation::new(1);
    let system = simulation.system();
    let hoarder = Hoarder::spawn(system);
    for title in 0..TITLES {
        hoarder.get(title).send();
    }
    simulation.run();
    assert_eq!(hoarder.get(0).ask_blocking(), Ok(TITLES as usize + 1));
    let bytes = (0..CAPACITY as u64).map(|title| PAGES.render(title).len() as u64);
    let mut audit = Audit {
        entries: CAPACITY as u64,
        page_bytes: bytes.sum(),
        ..Audit::default()
    };
    audit.add_heaps(&heaps(system));
    let [Finding::Memory { live, bound }] = audit.findings[..] else {
        panic!("{:?}", audit.findings);
    };
    assert!(live > bound && bound > audit.page_bytes);
}

/// The heap keeps pages that have references outside of it; they are reclaimed after those are
/// dropped.
#[test]
fn what_replies_hold_is_counted_and_given_up() {
    let simulation = Simulation::new(1);
    let system = simulation.system();
    let cache = Cache::spawn(system, PAGES, CAPACITY);
    let get = |title| {
        let served = cache.get(title, Duration::ZERO).ask_blocking();
        served.expect("it lives").html
    };
    let facts = || {
        simulation.run();
        heaps(system)[0]
    };
    // The last hundred are in the cache; only these references keep the others.
    let held: Vec<Html> = (0..1000).map(get).collect();
    let bytes: usize = held.iter().map(|html| html.as_ref().len()).sum();
    assert_eq!(facts().exports, 1000);
    assert!(facts().live as usize > bytes);
    drop(held);
    assert_eq!(facts().exports, 0);
    assert!((facts().live as usize) < bytes, "{:?}", facts());
}

/// A cache with room for all titles is filled with all titles, and filling ends.
#[test]
fn a_cache_is_filled_as_far_as_there_are_titles() {
    let simulation = Simulation::new(1);
    for (kind, stripes, capacity, titles, entries) in [
        (Kind::Graph, 1, 40, 200, 40),
        (Kind::Plain, 1, 40, 200, 40),
        (Kind::Graph, 4, 40, 400, 40),
        (Kind::Plain, 1, 40, 10, 10),
    ] {
        let settings = Settings {
            kind,
            capacity,
            stripes,
            pages: PAGES,
        };
        let stripes = Stripes::open(simulation.system(), settings);
        let filled = stripes.fill(&Popularity::new(titles), 1);
        assert_eq!(filled, Ok(entries), "{settings:?}");
    }
}
