//! T8: joins with guards that read arguments, in actors of other shapes: generic, and graphs.

use super::joins::answer;
use std::sync::Arc;
use vivant::prelude::*;
use vivant::simulation::Simulation;

/// A generic actor, three replies, and a guard that reads state and arguments.
#[derive(Actor)]
struct Market<T: Send + 'static> {
    least: u64,
    done: Vec<T>,
}

#[behaviours]
impl<T: Clone + PartialEq + Send + 'static> Market<T> {
    fn offer(goods: T, price: u64) -> u64;
    fn want(goods: T, limit: u64) -> Result<u64, String>;
    fn seal() -> T;

    #[join(offer, want, seal)]
    #[when(goods == wanted && price <= limit && price >= self.least)]
    fn trade(
        &mut self,
        t: &Turn<Self>,
        goods: T,
        price: u64,
        wanted: T,
        limit: u64,
    ) -> (Promise<u64>, Result<Promise<u64>, String>, T) {
        let _ = wanted;
        self.done.push(goods.clone());
        let paid = match limit {
            13 => Err("an unlucky number".to_owned()),
            _ => Ok(Promise::ready(price)),
        };
        (t.ask(t.me().price(price)), paid, goods)
    }

    fn price(&self, price: u64) -> u64 {
        price
    }

    fn set_least(&mut self, least: u64) {
        self.least = least;
    }

    fn done(&self) -> Vec<T> {
        self.done.clone()
    }
}

#[test]
fn a_guard_chooses_the_first_combination_for_which_it_holds() {
    let simulation = Simulation::new(1);
    let market = simulation.system().spawn(Market {
        least: 5,
        done: Vec::new(),
    });
    let offers: Vec<_> = [("tea", 4), ("salt", 9), ("tea", 7), ("tea", 6)]
        .map(|(goods, price)| market.offer(goods, price).ask())
        .into();
    let (tea, salt) = (market.want("tea", 10).ask(), market.want("salt", 13).ask());
    simulation.run();
    // All of them wait for a seal. The first combination is that of the older offer.
    assert_eq!(market.seal().ask_blocking(), Ok("salt"));
    assert_eq!(answer(salt), Ok(Err("an unlucky number".into())));
    assert_eq!(market.seal().ask_blocking(), Ok("tea"));
    assert_eq!(answer(tea), Ok(Ok(7)));
    // What was too cheap is not so any more.
    let last = market.want("tea", 5).ask();
    market.seal().send();
    simulation.run();
    market.set_least(0).send();
    simulation.run();
    assert_eq!(answer(last), Ok(Ok(4)));
    let mut offers = offers.into_iter();
    assert_eq!(offers.next().map(answer), Some(Ok(4)));
    assert_eq!(offers.next().map(answer), Some(Ok(9)));
    assert_eq!(offers.next().map(answer), Some(Ok(7)));
    assert_eq!(market.done().ask_blocking(), Ok(vec!["salt", "tea", "tea"]));
}

/// Shared objects in the messages of a join, in its guard and in its replies.
#[derive(Object)]
struct Page<'gc> {
    number: u64,
    next: Option<Val<'gc, Page<'gc>>>,
}

#[derive(Actor)]
struct BinderState<'gc> {
    last: Option<Val<'gc, Page<'gc>>>,
    token: Arc<()>,
}

#[behaviours]
impl<'gc> BinderState<'gc> {
    #[start]
    fn new(token: Arc<()>) -> Self {
        BinderState { last: None, token }
    }

    fn make(&self, t: &Turn<'gc, Binder>, number: u64) -> Val<'gc, Page<'gc>> {
        t.val(Page {
            number,
            next: self.last,
        })
    }

    fn give_left(
        &self,
        t: &Turn<'gc, Binder>,
        to: Address<Binder>,
        number: u64,
    ) -> Promise<Val<'gc, Page<'gc>>> {
        t.ask(to.left(self.make(t, number)))
    }

    fn give_right(
        &self,
        t: &Turn<'gc, Binder>,
        to: Address<Binder>,
        number: u64,
        label: String,
    ) -> Promise<u64> {
        t.delegate(to.right(self.make(t, number), label))
    }

    fn left(page: Val<'gc, Page<'gc>>) -> Val<'gc, Page<'gc>>;
    fn right(page: Val<'gc, Page<'gc>>, label: String) -> u64;
    fn ask_last() -> Val<'gc, Page<'gc>>;

    #[join(left, right)]
    #[when(left.number < right.number && !label.is_empty())]
    fn bind(
        &mut self,
        t: &Turn<'gc, Binder>,
        left: Val<'gc, Page<'gc>>,
        right: Val<'gc, Page<'gc>>,
        label: String,
    ) -> (Val<'gc, Page<'gc>>, u64) {
        let bound = t.val(Page {
            number: left.number * 10 + right.number,
            next: Some(right),
        });
        self.last = Some(bound);
        let _ = (label, &self.token);
        (bound, bound.number)
    }

    #[join(ask_last, right)]
    #[when(self.last.is_some() && label.is_empty())]
    fn tell_last(
        &mut self,
        t: &Turn<'gc, Binder>,
        right: Val<'gc, Page<'gc>>,
        label: String,
    ) -> (Promise<Val<'gc, Page<'gc>>>, u64) {
        let _ = label;
        (t.ask(t.me().make(right.number)), right.number)
    }
}

#[test]
fn a_graph_joins_messages_with_shared_objects() {
    for seed in 0..20 {
        let simulation = Simulation::new(seed);
        let (system, token) = (simulation.system(), Arc::new(()));
        let binder = Binder::spawn(system, token.clone());
        let maker = Binder::spawn(system, token.clone());
        let give_left = |number| maker.give_left(binder.clone(), number).ask();
        let give_right = |number, label: &str| {
            let given = maker.give_right(binder.clone(), number, label.to_owned());
            given.ask_blocking()
        };
        let five = give_left(5);
        maker.give_right(binder.clone(), 3, "three".into()).send();
        assert_eq!(give_right(7, "seven"), Ok(57));
        simulation.run();
        let bound = answer(five).expect("a page");
        let numbers = bound.look(|page| (page.number, page.next.map(|next| next.number)));
        assert_eq!(numbers, (57, Some(7)));
        // The page with the number 3 waits for another on the left.
        let last = binder.ask_last().ask();
        assert_eq!(give_right(9, ""), Ok(9));
        simulation.run();
        let last = answer(last).expect("a page");
        assert_eq!(last.look(|page| page.number), 9);
        drop((bound, last, binder, maker));
        assert!(system.shutdown().is_complete());
        assert_eq!(Arc::strong_count(&token), 1);
    }
}

/// A guard that panics.
#[derive(Actor)]
struct Trap {
    is_set: bool,
}

#[behaviours]
impl Trap {
    fn step(n: u32) -> u32;
    fn look() -> u32;

    #[join(step, look)]
    #[when(self.holds(n))]
    fn go(&mut self, n: u32) -> (u32, u32) {
        (n, n)
    }

    #[local]
    fn holds(&self, n: u32) -> bool {
        assert!(!self.is_set, "the trap closes on {n}");
        n > 0
    }

    fn set(&mut self) {
        self.is_set = true;
    }
}

#[test]
fn a_combination_whose_guard_panics_meets_the_fault_in_its_turn() {
    let simulation = Simulation::new(1);
    let system = simulation.system();
    let trap = system.spawn(Trap { is_set: false });
    let (step, look) = (trap.step(0).ask(), trap.look().ask());
    simulation.run();
    trap.set().send();
    simulation.run();
    for answer in [step, look].map(answer) {
        let Err(AskError::Panicked(panic)) = answer else {
            panic!("{answer:?}");
        };
        assert_eq!(panic.message(), "the trap closes on 0");
        assert!(panic.behaviour().ends_with("go"), "{panic}");
    }
    assert_eq!(system.dead_letters().total(), 0);
}
