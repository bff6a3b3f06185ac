//! `promise.map(f)`: what a closure makes of a reply, without a turn.

use vivant::prelude::*;
use vivant::simulation::Simulation;

#[derive(Actor)]
struct Shelf {
    books: u64,
    searched: u64,
}

#[behaviours]
impl Shelf {
    fn books(&self) -> u64 {
        self.books
    }

    fn panics(&self) -> u64 {
        panic!("the shelf falls");
    }

    fn is_awaited(&self, _t: &Turn<Self>, asker: &vivant::Asker) -> bool {
        asker.is_waiting()
    }

    #[if_awaited]
    fn search(&mut self) -> u64 {
        self.searched += 1;
        self.searched
    }

    fn searched(&self) -> u64 {
        self.searched
    }
}

#[derive(Actor)]
struct Library {
    shelves: Vec<Address<Shelf>>,
    seen: Vec<String>,
}

#[behaviours]
impl Library {
    fn books(&self, t: &Turn<Self>) -> Promise<u64> {
        let all = t.all(self.shelves.iter().map(|shelf| t.ask(shelf.books())));
        all.map(|books| books.iter().sum())
    }

    fn label(&self, t: &Turn<Self>) -> Promise<String> {
        let books = t.ask(self.shelves[0].books());
        books.map(|n| n + 1).map(|n| format!("{n} books"))
    }

    fn here(&self) -> Promise<String> {
        Promise::ready(7).map(|n: u64| n.to_string())
    }

    fn delegated(&self, t: &Turn<Self>) -> Promise<String> {
        t.delegate(self.shelves[0].books()).map(|n| n.to_string())
    }

    fn broken(&self, t: &Turn<Self>) -> Promise<u64> {
        t.ask(self.shelves[0].panics())
            .map(|_| unreachable!("there is no value"))
    }

    fn panics(&self, t: &Turn<Self>) -> Promise<u64> {
        t.ask(self.shelves[0].books()).map(|n| 10 / (n - 3))
    }

    fn panics_at_once(&self) -> Promise<u64> {
        Promise::ready(0).map(|n| 1 / n)
    }

    fn or_error(&self, t: &Turn<Self>, shelf: usize) -> Result<Promise<String>, String> {
        let shelf = self.shelves.get(shelf).ok_or("no such shelf")?;
        Ok(t.ask(shelf.books()).map(|n| n.to_string()))
    }

    fn look(&mut self, t: &Turn<Self>) -> Promise<usize> {
        let books = t.ask(self.shelves[0].books());
        books.map(|n| format!("{n}!")).then(t.me().seen())
    }

    #[then]
    fn seen(&mut self, text: Result<String, AskError>) -> usize {
        self.seen.push(text.expect("a text"));
        self.seen.len()
    }

    fn is_awaited(&self, t: &Turn<Self>) -> Promise<bool> {
        t.ask(self.shelves[0].is_awaited()).map(|it| it)
    }

    /// Keeps no promise.
    fn search_for_nothing(&self, t: &Turn<Self>) {
        let _unused = t.ask(self.shelves[0].search()).map(|n| n + 1);
    }
}

fn library(simulation: &Simulation) -> (Address<Library>, Address<Shelf>) {
    let shelf = |books| simulation.system().spawn(Shelf { books, searched: 0 });
    let shelves = vec![shelf(3), shelf(4)];
    let first = shelves[0].clone();
    let seen = Vec::new();
    (simulation.system().spawn(Library { shelves, seen }), first)
}

#[test]
fn a_map_converts_a_reply() {
    let simulation = Simulation::new(1);
    let (library, _) = library(&simulation);
    assert_eq!(library.books().ask_blocking(), Ok(7));
    assert_eq!(library.label().ask_blocking().as_deref(), Ok("4 books"));
    assert_eq!(library.here().ask_blocking().as_deref(), Ok("7"));
    assert_eq!(library.delegated().ask_blocking().as_deref(), Ok("3"));
    assert_eq!(library.or_error(1).ask_blocking(), Ok(Ok("4".to_owned())));
    let none = library.or_error(2).ask_blocking();
    assert_eq!(none, Ok(Err("no such shelf".to_owned())));
    assert_eq!(library.look().ask_blocking(), Ok(1));
}

#[test]
fn a_map_of_a_broken_promise_has_its_error() {
    let simulation = Simulation::new(1);
    let (library, _) = library(&simulation);
    let error = library.broken().ask_blocking().expect_err("no value");
    assert!(error.to_string().contains("the shelf falls"), "{error}");
}

#[test]
fn a_map_that_panics_breaks_its_promise_and_no_actor() {
    let simulation = Simulation::new(1);
    let (library, _) = library(&simulation);
    for error in [
        library.panics().ask_blocking(),
        library.panics_at_once().ask_blocking(),
    ] {
        let error = error.expect_err("no value");
        assert!(error.to_string().contains("divide by zero"), "{error}");
        assert!(matches!(error, AskError::Panicked(_)), "{error:?}");
    }
    assert_eq!(library.books().ask_blocking(), Ok(7));
    assert_eq!(simulation.system().inspect().panics, 2);
}

#[test]
fn a_value_is_awaited_if_its_map_is() {
    let simulation = Simulation::new(1);
    let (library, shelf) = library(&simulation);
    assert_eq!(library.is_awaited().ask_blocking(), Ok(true));
    library.search_for_nothing().send();
    simulation.run();
    assert_eq!(shelf.searched().ask_blocking(), Ok(0));
}
