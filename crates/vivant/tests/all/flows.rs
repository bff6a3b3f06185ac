//! Flows in one place: `?` in behaviours that return a promise.

use vivant::prelude::*;

/// Counts what it sells.
#[derive(Actor)]
struct Till {
    sold: u64,
}

#[behaviours]
impl Till {
    fn sell(&mut self, amount: u64) -> u64 {
        self.sold += amount;
        self.sold
    }

    fn panics(&mut self) -> u64 {
        panic!("no change")
    }
}

/// Refuses at once, or asks another.
#[derive(Actor)]
struct Clerk {
    limit: u64,
}

#[derive(Debug, PartialEq, Eq)]
struct TooMuch(u64);

#[behaviours]
impl Clerk {
    #[local]
    fn check(&self, amount: u64) -> Result<u64, TooMuch> {
        match amount > self.limit {
            true => Err(TooMuch(amount)),
            false => Ok(amount),
        }
    }

    fn buy(
        &mut self,
        t: &Turn<Self>,
        till: Address<Till>,
        amount: u64,
    ) -> Result<Promise<u64>, TooMuch> {
        let amount = self.check(amount)?;
        Ok(t.ask(till.sell(amount)))
    }

    fn buy_twice(
        &mut self,
        t: &Turn<Self>,
        till: Address<Till>,
        amount: u64,
    ) -> Result<Promise<u64>, TooMuch> {
        let amount = self.check(amount)?;
        Ok(t.ask(till.sell(amount)).then(t.me().again(till)))
    }

    #[then]
    fn again(
        &mut self,
        t: &Turn<Self>,
        sold: Result<u64, AskError>,
        till: Address<Till>,
    ) -> Promise<u64> {
        assert!(sold.is_ok());
        t.ask(till.sell(1))
    }

    fn nothing(&mut self) -> Result<Promise<u64>, TooMuch> {
        Ok(Promise::ready(0))
    }

    fn breaks(&mut self, t: &Turn<Self>, till: Address<Till>) -> Result<Promise<u64>, TooMuch> {
        Ok(t.ask(till.panics()))
    }
}

#[test]
fn a_behaviour_returns_an_error_or_a_promise() {
    let system = System::builder().workers(2).build();
    let clerk = system.spawn(Clerk { limit: 10 });
    let till = system.spawn(Till { sold: 0 });
    assert_eq!(clerk.buy(till.clone(), 4).ask_blocking(), Ok(Ok(4)));
    assert_eq!(
        clerk.buy(till.clone(), 11).ask_blocking(),
        Ok(Err(TooMuch(11)))
    );
    assert_eq!(clerk.buy_twice(till.clone(), 5).ask_blocking(), Ok(Ok(10)));
    assert_eq!(clerk.nothing().ask_blocking(), Ok(Ok(0)));
    let broken = clerk.breaks(till).ask_blocking();
    assert!(matches!(broken, Err(AskError::Panicked(_))), "{broken:?}");
    assert!(system.shutdown().is_complete());
}

#[derive(Actor)]
struct BookState<'gc> {
    title: Val<'gc, str>,
}

#[behaviours]
impl<'gc> BookState<'gc> {
    #[start]
    fn new(t: &Turn<'gc, Book>) -> Self {
        BookState {
            title: t.val_str("Alice"),
        }
    }

    fn title(&self) -> Val<'gc, str> {
        self.title
    }
}

#[derive(Actor)]
struct ShelfState<'gc> {
    best: Option<Val<'gc, str>>,
}

#[behaviours]
impl<'gc> ShelfState<'gc> {
    #[start]
    fn new() -> Self {
        ShelfState { best: None }
    }

    /// The title of a book, if there is one.
    fn title(
        &mut self,
        t: &Turn<'gc, Shelf>,
        book: Option<Address<Book>>,
    ) -> Result<Promise<Val<'gc, str>>, String> {
        let book = book.ok_or_else(|| format!("no book beside {:?}", self.best.is_some()))?;
        Ok(t.ask(book.title()))
    }
}

#[test]
fn a_behaviour_returns_an_error_or_a_promise_of_a_shared_object() {
    let system = System::builder().workers(2).build();
    let (shelf, book) = (Shelf::spawn(&system), Book::spawn(&system));
    let none = shelf.title(None).ask_blocking().expect("an answer");
    assert_eq!(none.err(), Some("no book beside false".to_owned()));
    let title = shelf.title(Some(book)).ask_blocking().expect("an answer");
    let title = title.map(|title| title.look(|title| title.to_string()));
    assert_eq!(title, Ok("Alice".to_owned()));
}

#[derive(Actor)]
struct Shop {
    till: Address<Till>,
    sold: Vec<Option<u64>>,
}

#[behaviours]
impl Shop {
    fn order(&mut self, t: &Turn<Self>) {
        t.ask(self.till.sell(3)).then_send(t.me().sold());
        t.ask(self.till.panics()).then_send(t.me().sold());
        Promise::ready(5).then_send(t.me().sold());
    }

    /// Its answer is not wanted.
    #[then]
    fn sold(&mut self, sold: Result<u64, AskError>) -> usize {
        self.sold.push(sold.ok());
        self.sold.len()
    }

    fn sales(&self) -> Vec<Option<u64>> {
        self.sold.clone()
    }
}

#[test]
fn a_continuation_has_an_answer_that_is_not_wanted() {
    let simulation = vivant::simulation::Simulation::new(3);
    let system = simulation.system();
    let till = system.spawn(Till { sold: 0 });
    let shop = system.spawn(Shop {
        till,
        sold: Vec::new(),
    });
    shop.order().send();
    simulation.run();
    assert_eq!(
        shop.sales().ask_blocking(),
        Ok(vec![Some(5), Some(3), None])
    );
}

/// Asks tills, of which some panic.
#[derive(Actor)]
struct Poll {
    tills: Vec<Address<Till>>,
}

#[behaviours]
impl Poll {
    fn sum(&mut self, t: &Turn<Self>, wanted: usize, broken: usize) -> Promise<Vec<u64>> {
        let ask = |(at, till): (usize, &Address<Till>)| match at < broken {
            true => t.ask(till.panics()),
            false => t.ask(till.sell(at as u64)),
        };
        t.quorum(wanted, self.tills.iter().enumerate().map(ask))
    }
}

#[test]
fn a_quorum_is_of_the_first_values() {
    for seed in 0..50 {
        let simulation = vivant::simulation::Simulation::new(seed);
        let system = simulation.system();
        let tills = [(); 4].map(|()| system.spawn(Till { sold: 0 })).to_vec();
        let poll = system.spawn(Poll { tills });
        assert_eq!(poll.sum(0, 0).ask_blocking(), Ok(vec![]));
        let two = poll.sum(2, 0).ask_blocking().expect("two values");
        assert!(two.len() == 2 && two[0] < two[1], "in their order: {two:?}");
        // Nothing else happens when the others arrive.
        simulation.run();
        let none = poll.sum(5, 0).ask_blocking();
        assert!(matches!(none, Err(AskError::Broken(_))), "{none:?}");
        // Two of them end.
        let others = poll.sum(2, 2).ask_blocking().expect("two values");
        assert!(others.iter().all(|sold| *sold >= 2), "{others:?}");
        let none = poll.sum(3, 0).ask_blocking();
        assert!(matches!(none, Err(AskError::Stopped(_))), "{none:?}");
    }
}

/// Refuses, or asks a clerk that may refuse for the same reason.
#[derive(Actor)]
struct Counter {
    clerk: Address<Clerk>,
    till: Option<Address<Till>>,
}

#[behaviours]
impl Counter {
    fn buy(
        &mut self,
        t: &Turn<Self>,
        amount: u64,
    ) -> Result<Promise<Result<u64, TooMuch>>, TooMuch> {
        let till = self.till.clone().ok_or(TooMuch(0))?;
        Ok(t.ask(self.clerk.buy(till, amount)))
    }

    /// Two kinds of errors, one in the other.
    fn describe(
        &mut self,
        t: &Turn<Self>,
        amount: u64,
    ) -> Result<Promise<Result<u64, TooMuch>>, String> {
        let till = self.till.clone().ok_or("closed")?;
        Ok(t.ask(self.clerk.buy(till, amount)))
    }
}

#[test]
fn an_error_is_the_same_at_once_and_later() {
    let simulation = vivant::simulation::Simulation::new(4);
    let system = simulation.system();
    let clerk = system.spawn(Clerk { limit: 10 });
    let till = Some(system.spawn(Till { sold: 0 }));
    let closed = system.spawn(Counter {
        clerk: clerk.clone(),
        till: None,
    });
    let open = system.spawn(Counter { clerk, till });
    assert_eq!(open.buy(4).ask_blocking(), Ok(Ok(4)));
    assert_eq!(open.buy(11).ask_blocking(), Ok(Err(TooMuch(11))));
    assert_eq!(closed.buy(4).ask_blocking(), Ok(Err(TooMuch(0))));
    let later = open.describe(11).ask_blocking();
    assert_eq!(later, Ok(Ok(Err(TooMuch(11)))));
    let at_once = closed.describe(4).ask_blocking();
    assert_eq!(at_once, Ok(Err("closed".to_owned())));
}
