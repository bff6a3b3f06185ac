//! After every request a cache has the entries of a simple list, in its order, at whatever time it
//! is collected; and a reply's page does not change.

use crate::support::{Model, PAGES};
use cache::audit::Audit;
use cache::store::{Cache, Found, Html, Kind, Served, Stripe, Walk};
use fastrand::Rng;
use std::time::Duration;
use vivant::Pacing;
use vivant::heap::{Stress, When};
use vivant::prelude::*;
use vivant::simulation::{Faults, Simulation};

const REQUESTS: usize = 600;

/// From a capacity at which each request is about to evict to one at which hardly any does.
fn capacity(seed: u64) -> usize {
    [1, 2, 10, 40][seed as usize % 4]
}

/// Titles; some of them repeat more often.
fn titles(seed: u64) -> Vec<u64> {
    let mut chance = Rng::with_seed(seed);
    let draw = |_| {
        let below = chance.u64(1..60);
        chance.u64(0..below)
    };
    (0..REQUESTS).map(draw).collect()
}

fn walk(system: &System, stripe: &Stripe) -> Walk {
    system.block_on(stripe.walk()).expect("it lives")
}

/// Sends some requests at a time, and compares the answers with the model, and then the whole list.
fn agrees(
    simulation: &Simulation,
    kind: Kind,
    requests: usize,
    model: fn(&mut Model, u64) -> Found,
) {
    let (system, seed) = (simulation.system(), simulation.seed());
    let stripe = Stripe::open(system, kind, PAGES, capacity(seed));
    let mut expected = Model::new(capacity(seed));
    let mut kept: Vec<(u64, Html)> = Vec::new();
    for some in titles(seed)[..requests].chunks(30) {
        let asked: Vec<_> = some.iter().map(|title| ask(&stripe, *title)).collect();
        simulation.run_for(Duration::from_millis(seed % 3));
        for (title, asked) in some.iter().zip(asked) {
            let Served { html, found } = asked(system);
            assert_eq!(found, model(&mut expected, *title), "title {title}");
            assert!(PAGES.is_page(*title, html.as_ref()), "title {title}");
            if title % 7 == 0 {
                kept.push((*title, html));
            }
        }
        assert_eq!(
            walk(system, &stripe).newest_first,
            expected.titles.make_contiguous()
        );
    }
    let mut audit = Audit::default();
    let ledger = system.block_on(stripe.ledger()).expect("it lives");
    audit.add(&ledger, &walk(system, &stripe));
    assert!(audit.holds(), "{:?}", audit.findings);
    let counts = &ledger.counts;
    assert_eq!(counts.hits + counts.misses, requests as u64);
    assert_eq!(counts.turn.count(), requests as u64);
    assert_eq!(ledger.evicted, counts.misses - ledger.entries as u64);
    // L4: most of these were evicted long ago.
    drop(stripe);
    simulation.run();
    assert!(kept.len() > requests / 20);
    for (title, html) in kept {
        assert!(PAGES.is_page(title, html.as_ref()), "title {title}");
    }
}

/// Sends a request; its answer is read later.
fn ask(stripe: &Stripe, title: u64) -> Box<dyn FnOnce(&System) -> Served> {
    let now = Duration::ZERO;
    match stripe {
        Stripe::Graph(store) => {
            let asked = store.get(title, now).ask();
            Box::new(move |system| system.block_on(asked).expect("it lives"))
        }
        Stripe::Plain(store) => {
            let asked = store.get(title, now).ask();
            Box::new(move |system| system.block_on(asked).expect("it lives"))
        }
    }
}

#[vivant::test(seeds = 40)]
fn seeded_a_graph_has_the_order_of_a_list(simulation: &Simulation) {
    agrees(simulation, Kind::Graph, REQUESTS, Model::get);
}

#[vivant::test(seeds = 40)]
fn seeded_a_plain_cache_has_the_order_of_a_list(simulation: &Simulation) {
    agrees(simulation, Kind::Plain, REQUESTS, Model::get);
}

/// With heaps that collect at bad times, and verify themselves.
#[vivant::test(seeds = 16)]
fn seeded_a_graph_has_the_order_of_a_list_whenever_it_is_collected(simulation: &Simulation) {
    let seed = simulation.seed();
    let when = [When::Young, When::All, When::Chance, When::Paced][seed as usize / 4 % 4];
    let pacing = Pacing::new().stressed(Stress::new(when, seed));
    let builder = System::builder().pacing(pacing);
    let simulation = Simulation::with(seed, Faults::none(), builder);
    agrees(&simulation, Kind::Graph, 150, Model::get);
}

/// Self-test: a list that does not move the requested title is found out.
#[test]
#[should_panic(expected = "assertion `left == right` failed")]
fn canary_another_order_is_found() {
    let first_in_first_out = |model: &mut Model, title: u64| match model.titles.contains(&title) {
        true => Found::Hit,
        false => model.get(title),
    };
    agrees(
        &Simulation::new(2),
        Kind::Graph,
        REQUESTS,
        first_in_first_out,
    );
}

/// Requests the same page as all others.
#[derive(Actor)]
struct Browser {
    cache: Address<Cache>,
}

#[behaviours]
impl Browser {
    fn browse(&mut self, t: &Turn<Self>, title: u64) -> Promise<Option<Found>> {
        t.ask(self.cache.get(title, t.now())).then(t.me().got())
    }

    #[then]
    fn got(&mut self, served: Result<Served, AskError>) -> Option<Found> {
        served.ok().map(|it| it.found)
    }
}

#[vivant::test(seeds = 30)]
fn seeded_nobody_renders_what_another_is_about_to_insert(simulation: &Simulation) {
    let system = simulation.system();
    let cache = Cache::spawn(system, PAGES, 3);
    let browser = |_| {
        system.spawn(Browser {
            cache: cache.clone(),
        })
    };
    let browsers: Vec<_> = (0..20).map(browser).collect();
    let asked: Vec<_> = browsers.iter().map(|it| it.browse(5).ask()).collect();
    let met = asked
        .into_iter()
        .map(|it| system.block_on(it).expect("it lives"));
    let met: Vec<Found> = met.map(|it| it.expect("it was answered")).collect();
    let misses = met.iter().filter(|it| **it == Found::Miss).count();
    assert_eq!((met.len(), misses), (20, 1));
}
