//! Roots that flows hold: private objects kept from one turn of an actor to a later one.

use crate::scenes::{live_bytes, stressed};
use crate::waits::ms;
use std::sync::Arc;
use std::time::Duration;
use vivant::heap::{Stress, When};
use vivant::prelude::*;
use vivant::simulation::{Faults, Simulation};
use vivant::{Clock, ForeignRoot, Leaf, OnPanic, Pacing, Supervisor};

/// Answers when it is told to, or never.
#[derive(Actor, Default)]
struct Clerk {
    open: bool,
    kept: Vec<Resolver<u64>>,
}

#[behaviours]
impl Clerk {
    #[when(self.open)]
    fn price(&mut self, name: u64) -> u64 {
        10 * name
    }

    fn open(&mut self) {
        self.open = true;
    }

    fn keep(&mut self, t: &Turn<Self>) -> Promise<u64> {
        let (promise, resolver) = t.promise();
        self.kept.push(resolver);
        promise
    }
}

/// An object in a circle, with a token that shows whether it is live.
#[derive(Object)]
struct Item<'gc> {
    name: u64,
    price: Option<u64>,
    itself: Option<Gc<'gc, Mut<Item<'gc>>>>,
    _token: Leaf<Arc<()>>,
}

type Kept = Rooted<Shop, Mut<Item<'static>>>;

#[derive(Actor)]
struct ShopState<'gc> {
    clerk: Address<Clerk>,
    shelf: Option<Gc<'gc, Mut<Item<'gc>>>>,
    refused: Vec<String>,
}

impl<'gc> ShopState<'gc> {
    fn item(t: &Turn<'gc, Shop>, name: u64, token: Arc<()>) -> Gc<'gc, Mut<Item<'gc>>> {
        let item = t.alloc(Mut::new(Item {
            name,
            price: None,
            itself: None,
            _token: Leaf(token),
        }));
        item.borrow_mut(t).itself = Some(item);
        item
    }

    fn set_price(&mut self, t: &Turn<'gc, Shop>, price: Option<u64>, item: &Kept) -> Option<u64> {
        match item.open(t) {
            Ok(item) => {
                item.borrow_mut(t).price = price;
                let itself = item.borrow().itself?;
                let name = itself.borrow().name;
                Some(name + itself.borrow().price?)
            }
            Err(foreign) => {
                self.refused.push(foreign.to_string());
                None
            }
        }
    }
}

#[behaviours]
impl<'gc> ShopState<'gc> {
    #[start]
    fn new(clerk: Address<Clerk>) -> Self {
        ShopState {
            clerk,
            shelf: None,
            refused: Vec::new(),
        }
    }

    fn sell(&mut self, t: &Turn<'gc, Shop>, name: u64, token: Arc<()>) -> Promise<Option<u64>> {
        let item = Self::item(t, name, token);
        t.ask(self.clerk.price(name))
            .then(t.me().priced(t.root(item)))
    }

    #[then]
    fn priced(
        &mut self,
        t: &Turn<'gc, Shop>,
        price: Result<u64, AskError>,
        item: Kept,
    ) -> Option<u64> {
        self.set_price(t, price.ok(), &item)
    }

    fn sell_in_time(&mut self, t: &Turn<'gc, Shop>, token: Arc<()>) {
        let item = Self::item(t, 0, token);
        t.ask(self.clerk.keep())
            .within(ms(10))
            .then_send(t.me().priced(t.root(item)));
    }

    fn sell_by_closure(&mut self, t: &Turn<'gc, Shop>, name: u64, token: Arc<()>) -> Promise<u64> {
        let item = t.root(Self::item(t, name, token));
        t.ask(self.clerk.price(name))
            .then_local(t, move |shop, t, price| {
                shop.set_price(t, price.ok(), &item).unwrap_or(0)
            })
    }

    /// The root goes through a future, which cannot open it, and comes back with its result.
    fn sell_by_future(&mut self, t: &Turn<'gc, Shop>, name: u64, token: Arc<()>) -> Promise<u64> {
        let item = t.root(Self::item(t, name, token));
        let clerk = self.clerk.clone();
        let flow = async move {
            let price = clerk.price(name).ask().await?;
            Ok::<_, AskError>((price, item))
        };
        t.spawn(flow).then(t.me().flowed())
    }

    #[then]
    fn flowed(
        &mut self,
        t: &Turn<'gc, Shop>,
        flow: Result<Result<(u64, Kept), AskError>, AskError>,
    ) -> u64 {
        let Ok(Ok((price, item))) = flow else {
            return 0;
        };
        self.set_price(t, Some(price), &item).unwrap_or(0)
    }

    /// The object is in a root alone, from step to step.
    fn count_to(
        &mut self,
        t: &Turn<'gc, Shop>,
        most: u64,
        item: Option<Kept>,
    ) -> Step<(u64, Option<Kept>), u64> {
        let item = item.unwrap_or_else(|| t.root(Self::item(t, 0, Arc::new(()))));
        let gc = item.open(t).expect("it is of this actor");
        gc.borrow_mut(t).name += 1;
        let name = gc.borrow().name;
        if name == most {
            return Step::Done(name);
        }
        Step::Again((most, Some(item)))
    }

    /// The result of the future is not wanted, and no turn follows its end.
    fn forget(&mut self, t: &Turn<'gc, Shop>, clock: Clock, token: Arc<()>) {
        let item = t.root(Self::item(t, 0, token));
        drop(t.spawn(async move {
            clock.sleep(Duration::from_secs(30)).await;
            drop(item);
        }));
    }

    fn shelve(&mut self, t: &Turn<'gc, Shop>, token: Arc<()>) -> Kept {
        let item = Self::item(t, 7, token);
        self.shelf = Some(item);
        t.root(item)
    }

    fn is_shelved(&mut self, t: &Turn<'gc, Shop>, item: Kept) -> Result<bool, ForeignRoot> {
        let item = item.open(t)?;
        Ok(self.shelf.is_some_and(|shelf| Gc::ptr_eq(shelf, item)))
    }

    fn root_and_panic(&mut self, t: &Turn<'gc, Shop>, token: Arc<()>) {
        let item = Self::item(t, 3, token);
        t.ask(self.clerk.price(3))
            .then_send(t.me().shelved(t.root(item)));
        std::panic::resume_unwind(Box::new("as planned"));
    }

    #[then]
    fn shelved(&mut self, t: &Turn<'gc, Shop>, _price: Result<u64, AskError>, item: Kept) {
        match item.open(t) {
            Ok(item) => self.shelf = Some(item),
            Err(foreign) => self.refused.push(foreign.to_string()),
        }
    }

    fn name_on_shelf(&self) -> Option<u64> {
        Some(self.shelf?.borrow().name)
    }

    fn refused(&self) -> Vec<String> {
        self.refused.clone()
    }
}

fn shop(simulation: &Simulation) -> (Address<Clerk>, Address<Shop>) {
    let clerk = simulation.system().spawn(Clerk::default());
    (clerk.clone(), Shop::spawn(simulation.system(), clerk))
}

/// Flows by messages; there are a quarter as many by closures, and by futures.
const FLOWS: u64 = if cfg!(miri) { 4 } else { 20 };

#[vivant::test(seeds = 30)]
fn seeded_flows_keep_their_objects(simulation: &Simulation) {
    for when in [When::All, When::Chance, When::Concurrent] {
        let stress = Stress::new(when, simulation.seed());
        let builder = System::builder().pacing(Pacing::new().nursery(2_000).stressed(stress));
        let simulation = Simulation::with(simulation.seed(), Faults::none(), builder);
        let system = simulation.system();
        let (clerk, shop) = shop(&simulation);
        let token = Arc::new(());
        let sold: Vec<_> = (0..FLOWS)
            .map(|name| shop.sell(name, token.clone()).ask())
            .collect();
        let by_closure: Vec<_> = (0..FLOWS / 4)
            .map(|name| shop.sell_by_closure(name, token.clone()).ask())
            .collect();
        let by_future: Vec<_> = (0..FLOWS / 4)
            .map(|name| shop.sell_by_future(name, token.clone()).ask())
            .collect();
        // Everything is collected several times while the flows wait.
        simulation.run_for(Duration::from_secs(10));
        assert_eq!(Arc::strong_count(&token) as u64, 1 + FLOWS + FLOWS / 2);
        clerk.open().send();
        for (name, sold) in (0..).zip(sold) {
            assert_eq!(system.block_on(sold), Ok(Some(11 * name)));
        }
        for (name, sold) in (0..).zip(by_closure.into_iter().chain(by_future)) {
            assert_eq!(system.block_on(sold), Ok(11 * (name % (FLOWS / 4))));
        }
        simulation.run_for(Duration::from_secs(10));
        assert_eq!(Arc::strong_count(&token), 1, "the ended flows keep nothing");
        assert_eq!(shop.refused().ask_blocking(), Ok(Vec::new()));
    }
}

#[test]
fn a_root_gives_the_same_object_again() {
    let simulation = stressed(1);
    let (_, shop) = shop(&simulation);
    let kept = shop.shelve(Arc::new(())).ask_blocking().unwrap();
    simulation.run_for(Duration::from_secs(10));
    assert_eq!(shop.is_shelved(kept).ask_blocking(), Ok(Ok(true)));
}

#[test]
fn a_behaviour_in_steps_keeps_its_object() {
    let simulation = stressed(1);
    let (_, shop) = shop(&simulation);
    assert_eq!(shop.count_to(9, None).ask_blocking(), Ok(9));
}

#[vivant::test(seeds = 20)]
fn seeded_a_time_limit_ends_the_flow_and_its_root(simulation: &Simulation) {
    let (_clerk, shop) = shop(simulation);
    let token = Arc::new(());
    shop.sell_in_time(token.clone()).send();
    simulation.run_for(Duration::from_secs(10));
    assert_eq!(Arc::strong_count(&token), 1);
}

/// The handle is dropped outside any turn of the actor, which is idle.
#[vivant::test(seeds = 20)]
fn seeded_a_root_that_another_actor_drops_is_collected(simulation: &Simulation) {
    let (_clerk, shop) = shop(simulation);
    let token = Arc::new(());
    let clock = simulation.system().clock();
    shop.forget(clock, token.clone()).send();
    simulation.run_for(Duration::from_secs(25));
    assert_eq!(Arc::strong_count(&token), 2, "the future has the root");
    simulation.run_for(Duration::from_secs(10));
    assert_eq!(Arc::strong_count(&token), 1);
}

#[test]
fn the_end_of_the_actor_ends_its_objects() {
    let simulation = stressed(1);
    let (clerk, shop) = shop(&simulation);
    let token = Arc::new(());
    let kept = shop.shelve(token.clone()).ask_blocking().unwrap();
    let open = shop.sell(1, token.clone()).ask();
    simulation.run();
    Address::stop(&shop);
    simulation.run();
    assert_eq!(
        Arc::strong_count(&token),
        1,
        "a handle keeps no object of an ended actor"
    );
    clerk.open().send();
    assert!(simulation.system().block_on(open).is_err());
    drop(kept);
}

/// The root of an ended flow is used again by the next one.
#[test]
fn the_table_of_roots_does_not_grow() {
    let simulation = stressed(1);
    let (clerk, shop) = shop(&simulation);
    clerk.open().send();
    let kept = shop.shelve(Arc::new(())).ask_blocking().unwrap();
    let before = live_bytes(simulation.system());
    for name in 0..if cfg!(miri) { 10 } else { 300 } {
        assert_eq!(
            shop.sell(name, Arc::new(())).ask_blocking(),
            Ok(Some(11 * name))
        );
    }
    simulation.run_for(Duration::from_secs(10));
    assert_eq!(live_bytes(simulation.system()), before);
    assert_eq!(shop.is_shelved(kept).ask_blocking(), Ok(Ok(true)));
}

#[test]
fn a_turn_that_panics_has_made_its_root() {
    let simulation = stressed(5);
    let clerk = simulation.system().spawn(Clerk::default());
    let tree = Supervisor::one_for_one().spawn(simulation.system());
    let shop = tree.add(Shop::child(clerk.clone()).on_panic(OnPanic::Resume));
    shop.root_and_panic(Arc::new(())).send();
    simulation.run_for(Duration::from_secs(10));
    clerk.open().send();
    simulation.run();
    assert_eq!(shop.name_on_shelf().ask_blocking(), Ok(Some(3)));
}

/// The answer comes to the next incarnation, which has other objects.
#[vivant::test(seeds = 20)]
fn seeded_a_restarted_actor_cannot_open_its_earlier_roots(simulation: &Simulation) {
    let clerk = simulation.system().spawn(Clerk::default());
    let tree = Supervisor::one_for_one().spawn(simulation.system());
    let shop = tree.add(Shop::child(clerk.clone()));
    let token = Arc::new(());
    shop.root_and_panic(token.clone()).send();
    simulation.run_for(Duration::from_secs(10));
    assert_eq!(Arc::strong_count(&token), 1, "the restart has ended it");
    let new = shop.shelve(token.clone()).ask_blocking().unwrap();
    clerk.open().send();
    simulation.run();
    let refused = shop.refused().ask_blocking().unwrap();
    let [refused] = &*refused else {
        panic!("{refused:?}");
    };
    assert!(refused.contains("before its restart"), "{refused}");
    assert_eq!(shop.is_shelved(new).ask_blocking(), Ok(Ok(true)));
}

#[test]
fn another_actor_of_the_same_type_cannot_open_it() {
    let simulation = stressed(2);
    let (clerk, shop) = shop(&simulation);
    let other = Shop::spawn(simulation.system(), clerk);
    let kept = shop.shelve(Arc::new(())).ask_blocking().unwrap();
    let refused = other.is_shelved(kept).ask_blocking().unwrap();
    assert!(refused.is_err());
    // An actor that has roots of its own is refused as well.
    let kept = shop.shelve(Arc::new(())).ask_blocking().unwrap();
    let own = other.shelve(Arc::new(())).ask_blocking().unwrap();
    assert!(other.is_shelved(kept).ask_blocking().unwrap().is_err());
    assert_eq!(other.is_shelved(own).ask_blocking(), Ok(Ok(true)));
}
