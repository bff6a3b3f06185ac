//! Requests that are delegated as the `Ok` of a result, in images: at every turn.

use super::image::Image;
use super::not_restored::NotRestored;
use super::restore::restore;
use super::taking::{goes_on_at_every_step, restored, simulated, take_now, try_take_now};
use crate::api::SavedKinds;
use crate::prelude::*;
use crate::simulation::Simulation;
use crate::sync::Arc;
use std::time::Duration;

/// Sells, some time later.
#[derive(Actor, Default)]
#[actor(saved)]
struct Till {
    waiting: Vec<(u64, Resolver<u64>)>,
}

#[behaviours]
impl Till {
    #[start]
    fn new() -> Till {
        Till::default()
    }

    fn sell(&mut self, t: &Turn<Self>, pieces: u64) -> Promise<u64> {
        let (promise, resolver) = t.promise();
        self.waiting.push((pieces, resolver));
        t.send(t.me().ring());
        promise
    }

    fn count(&self, pieces: u64) -> u64 {
        pieces
    }

    fn ring(&mut self) {
        if !self.waiting.is_empty() {
            let (pieces, resolver) = self.waiting.remove(0);
            resolver.resolve(pieces);
        }
    }
}

#[derive(Actor)]
#[actor(saved)]
struct Shop {
    till: Address<Till>,
    shop: Option<Address<Shop>>,
}

type Sold = Result<u64, String>;

#[behaviours]
impl Shop {
    #[start]
    fn new(till: Address<Till>, shop: Option<Address<Shop>>) -> Shop {
        Shop { till, shop }
    }

    /// The reply of the till goes to the customer.
    fn buy(&mut self, t: &Turn<Self>, pieces: u64) -> Result<Promise<u64>, String> {
        match pieces {
            0 => Err("nothing is left".to_owned()),
            1..4 => Ok(t.ask(self.till.sell(pieces))),
            4..6 => Ok(t.delegate(self.till.count(pieces))),
            6..8 => Ok(t.ask(self.till.sell(pieces)).then(t.me().is_sold())),
            _ => Ok(t.ask(self.till.sell(pieces)).within(Duration::from_secs(9))),
        }
    }

    #[then]
    fn is_sold(&mut self, t: &Turn<Self>, pieces: Result<u64, AskError>) -> Promise<u64> {
        t.delegate(self.till.sell(pieces.unwrap_or(99)))
    }

    /// A result within a result.
    fn order(&mut self, t: &Turn<Self>, pieces: u64) -> Result<Promise<Sold>, u64> {
        match &self.shop {
            Some(shop) => Ok(t.delegate(shop.buy(pieces))),
            None => Err(pieces),
        }
    }
}

#[derive(Actor)]
#[actor(saved)]
struct Customer {
    got: Vec<(u64, u64)>,
}

#[behaviours]
impl Customer {
    #[start]
    fn new() -> Customer {
        Customer { got: Vec::new() }
    }

    fn goes_to(&mut self, t: &Turn<Self>, shop: Address<Shop>) {
        for pieces in 0..10 {
            t.ask(shop.buy(pieces)).then_send(t.me().has(pieces));
            t.ask(shop.order(pieces))
                .then_send(t.me().has_order(pieces));
            t.ask(shop.buy(pieces))
                .within(Duration::from_secs(5))
                .then_send(t.me().has(200 + pieces));
        }
    }

    fn counts(&mut self, t: &Turn<Self>, gateway: Address<Gateway>) {
        t.ask(gateway.count(7)).then_send(t.me().has_counted());
    }

    fn counts_deep(&mut self, t: &Turn<Self>, gateway: Address<Gateway>) {
        t.ask(gateway.deep(7)).then_send(t.me().has_deep());
    }

    #[then]
    fn has_counted(&mut self, counted: Result<Counted, AskError>) {
        self.got
            .push((300, worth(counted.map(|it| it.map_err(|_| String::new())))));
    }

    #[then]
    fn has_deep(&mut self, counted: Result<Deep, AskError>) {
        let pieces = counted.map(|it| it.is_ok_and(|it| it == Ok(7)));
        self.got.push((400, u64::from(pieces == Ok(true))));
    }

    #[then]
    fn has(&mut self, sold: Result<Sold, AskError>, wanted: u64) {
        self.got.push((wanted, worth(sold)));
    }

    #[then]
    fn has_order(&mut self, sold: Result<Result<Sold, u64>, AskError>, wanted: u64) {
        let sold = sold.map(|it| it.unwrap_or_else(|_| Err("no shop".to_owned())));
        self.got.push((100 + wanted, worth(sold)));
    }
}

/// Asks the till, and is in no image.
#[derive(Actor)]
struct Gateway {
    till: Address<Till>,
}

type Counted = Result<u64, u8>;
type Deep = Result<Result<u64, i8>, u16>;

#[behaviours]
impl Gateway {
    fn count(&self, t: &Turn<Self>, pieces: u64) -> Result<Promise<u64>, u8> {
        Ok(t.delegate(self.till.count(pieces)))
    }

    fn deep(&self, t: &Turn<Self>, pieces: u64) -> Result<Promise<Result<u64, i8>>, u16> {
        Ok(t.delegate(t.me().deeper(pieces)))
    }

    fn deeper(&self, t: &Turn<Self>, pieces: u64) -> Result<Promise<u64>, i8> {
        Ok(t.delegate(self.till.count(pieces)))
    }
}

fn worth(sold: Result<Sold, AskError>) -> u64 {
    match sold {
        Ok(Ok(pieces)) => pieces,
        Ok(Err(_)) => 1_000,
        Err(_) => 2_000,
    }
}

fn kinds() -> Arc<SavedKinds> {
    let kinds = SavedKinds::of::<(Till, Shop, Customer)>();
    Arc::new(kinds.expect("no two names are equal"))
}

fn begin(simulation: &Simulation) {
    let system = simulation.system();
    let till = Till::spawn(system);
    let inner = Shop::spawn(system, till.clone(), None);
    let shop = Shop::spawn(system, till, Some(inner));
    let customer = Customer::spawn(system);
    system.keep(&customer);
    customer.goes_to(shop).send();
}

fn end(simulation: &Simulation) -> Vec<(u64, u64)> {
    simulation.run();
    let mut got = Vec::new();
    for cell in simulation.system().shared().actors() {
        if let Ok(mut idle) = cell.hold_idle() {
            let _none = idle
                .state()
                .look::<Customer, _>(|it| got.extend(it.got.clone()));
            idle.park();
        }
    }
    got.sort_unstable();
    got
}

#[test]
fn a_delegated_ok_is_answered_after_a_restore() {
    let images = goes_on_at_every_step(2, &kinds(), begin, end);
    assert!(images > 20, "{images} images");
}

/// An image in which a delegated request waits.
fn waiting() -> Image {
    let simulation = simulated(&kinds(), 1);
    begin(&simulation);
    (0..8).for_each(|_| assert!(simulation.step()));
    take_now(&simulation)
}

/// The promise of the customer is named as one of another type.
#[test]
fn an_ok_of_a_promise_of_another_type_is_an_error() {
    let mut errors = 0;
    let promises: usize = waiting().promises();
    for at in 0..promises {
        let mut image = waiting();
        let all = image.actors.iter_mut().flat_map(|it| &mut it.promises);
        let values: Vec<_> = all.map(|it| it.value.clone()).collect();
        let other = values.iter().find(|it| **it != values[at]);
        let Some(other) = other.cloned() else {
            continue;
        };
        let mut all = image.actors.iter_mut().flat_map(|it| &mut it.promises);
        if let Some(promise) = all.nth(at) {
            promise.value = other;
        }
        let simulation = simulated(&kinds(), 1);
        let restored = restore(simulation.system().shared(), &image, &kinds());
        if let Err(error) = restored {
            assert!(matches!(error, NotRestored::Value { .. }), "{error}");
            errors += 1;
        }
        simulation.run();
    }
    assert!(errors > 5, "{errors} errors");
}

/// The gateway is in no image. What the till has by then, the customer gets.
#[test]
fn an_ok_of_an_actor_that_is_not_saved_is_answered_after_a_restore() {
    let (mut answered, mut steps) = (0, 0);
    loop {
        let simulation = simulated(&kinds(), 1);
        let system = simulation.system();
        let gateway = system.spawn(Gateway {
            till: Till::spawn(system),
        });
        let customer = Customer::spawn(system);
        system.keep(&customer);
        customer.counts(gateway).send();
        let is_over = (0..steps).any(|_| !simulation.step());
        let image = take_now(&simulation);
        let (simulation, _actors) = restored(&image, 1, &kinds());
        let got = end(&simulation);
        assert!(got == [(300, 7)] || got == [(300, 2_000)], "{got:?}");
        let waits = image.promises() > 0;
        answered += usize::from(waits && got == [(300, 7)]);
        if is_over {
            break;
        }
        steps += 1;
    }
    assert!(answered > 0, "no image had the request in the till");
}

/// The inner result is of no message and no continuation that a saved actor has.
#[test]
fn an_ok_of_a_type_that_is_not_listed_is_an_error_of_the_snapshot() {
    let simulation = simulated(&kinds(), 1);
    let system = simulation.system();
    let gateway = system.spawn(Gateway {
        till: Till::spawn(system),
    });
    let customer = Customer::spawn(system);
    customer.counts_deep(gateway).send();
    let mut errors = 0;
    loop {
        match try_take_now(&simulation) {
            Ok(image) => drop(restored(&image, 1, &kinds())),
            Err(error) => {
                assert!(error.to_string().contains("`Ok`"), "{error}");
                errors += 1;
            }
        }
        if !simulation.step() {
            break;
        }
    }
    assert!(errors > 0, "no image had the request in the till");
}
