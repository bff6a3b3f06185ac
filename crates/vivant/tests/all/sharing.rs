//! Graphs that share immutable objects by messages: one pointer, whatever the size of the graph
//! below it.

use crate::scenes::{live_bytes, stressed};
use std::collections::BTreeMap;
use vivant::heap::{Stress, When};
use vivant::prelude::*;
use vivant::simulation::Simulation;
use vivant::{Pacing, Step, System};

#[derive(Object)]
struct Page<'gc> {
    text: String,
    next: Option<Val<'gc, Page<'gc>>>,
}

/// Has pages: its own, and imports from others.
#[derive(Actor)]
struct ShelfState<'gc> {
    pages: BTreeMap<u64, Val<'gc, Page<'gc>>>,
}

#[behaviours]
impl<'gc> ShelfState<'gc> {
    #[start]
    fn new(first: Option<Val<'gc, Page<'gc>>>) -> Self {
        ShelfState {
            pages: first.into_iter().map(|page| (0, page)).collect(),
        }
    }

    /// Writes a book of this many pages.
    fn write(&mut self, t: &Turn<'gc, Shelf>, key: u64, pages: u64) {
        let mut next = None;
        for number in (0..pages).rev() {
            let text = format!("{key}.{number}");
            next = Some(t.val(Page { text, next }));
        }
        self.pages.extend(next.map(|first| (key, first)));
    }

    fn put(&mut self, key: u64, page: Val<'gc, Page<'gc>>) {
        self.pages.insert(key, page);
    }

    fn get(&mut self, key: u64) -> Option<Val<'gc, Page<'gc>>> {
        self.pages.get(&key).copied()
    }

    fn forget(&mut self, key: u64) {
        self.pages.remove(&key);
    }

    /// Keeps a later page in the place of a book.
    fn tear(&mut self, key: u64, pages: u64) {
        for _ in 0..pages {
            let rest = self.pages.get(&key).and_then(|page| page.next);
            self.pages.extend(rest.map(|rest| (key, rest)));
        }
    }

    fn read(&self, key: u64) -> Vec<String> {
        let mut at = self.pages.get(&key).copied();
        let next = || {
            let page = at?;
            at = page.next;
            Some(page.text.clone())
        };
        std::iter::from_fn(next).collect()
    }

    fn give(&mut self, t: &Turn<'gc, Shelf>, to: Address<Shelf>, key: u64) {
        t.send(to.put(key, self.pages[&key]));
    }

    /// Fetches a book of another actor.
    fn fetch(&mut self, t: &Turn<'gc, Shelf>, from: Address<Shelf>, key: u64) -> Promise<bool> {
        t.ask(from.get(key)).then(t.me().got(key))
    }

    #[then]
    fn got(&mut self, page: Result<Option<Val<'gc, Page<'gc>>>, AskError>, key: u64) -> bool {
        let page = page.ok().flatten();
        self.pages.extend(page.map(|page| (key, page)));
        page.is_some()
    }

    /// Answers with the answer of another actor.
    fn get_from(
        &mut self,
        t: &Turn<'gc, Shelf>,
        from: Address<Shelf>,
        key: u64,
    ) -> Promise<Option<Val<'gc, Page<'gc>>>> {
        t.ask(from.get(key))
    }

    /// Drops a book until another actor has answered.
    fn lay_aside(&mut self, t: &Turn<'gc, Shelf>, until: Address<Shelf>, key: u64) {
        let page = self.pages.remove(&key).expect("it has the book");
        let _done = t.ask(until.read(key)).then(t.me().take_back(key, page));
    }

    #[then]
    fn take_back(&mut self, _: Result<Vec<String>, AskError>, key: u64, page: Val<'gc, Page<'gc>>) {
        self.pages.insert(key, page);
    }

    /// Waits until it has the book, and the book is not shorter than this.
    #[when(self.pages.get(&key).is_some_and(|own| own.text >= page.text))]
    fn compare(&mut self, key: u64, page: Val<'gc, Page<'gc>>) -> bool {
        Val::ptr_eq(self.pages[&key], page)
    }

    #[when(one.text == other.text && self.pages.is_empty())]
    fn same(&self, one: Val<'gc, Page<'gc>>, other: Val<'gc, Page<'gc>>) -> bool {
        Val::ptr_eq(one, other)
    }

    /// Makes `to` compare.
    fn ask_to_compare(
        &mut self,
        t: &Turn<'gc, Shelf>,
        to: Address<Shelf>,
        key: u64,
    ) -> Promise<bool> {
        t.ask(to.compare(key, self.pages[&key]))
    }

    fn ask_whether_same(
        &mut self,
        t: &Turn<'gc, Shelf>,
        of: Address<Shelf>,
        key: u64,
    ) -> Promise<bool> {
        t.ask(of.same(self.pages[&key], self.pages[&key]))
    }

    /// The last page, by a step for each.
    fn last(
        &self,
        page: Val<'gc, Page<'gc>>,
        before: u64,
    ) -> Step<(Val<'gc, Page<'gc>>, u64), (u64, Val<'gc, Page<'gc>>)> {
        match page.next {
            Some(next) => Step::Again((next, before + 1)),
            None => Step::Done((before, page)),
        }
    }

    /// Makes `of` find the last page, and drops the book.
    fn ask_for_last(&mut self, t: &Turn<'gc, Shelf>, of: Address<Shelf>, key: u64) -> Promise<u64> {
        let page = self.pages.remove(&key).expect("it has the book");
        t.ask(of.last(page, 0)).then(t.me().found_last(key))
    }

    #[then]
    fn found_last(&mut self, found: Result<(u64, Val<'gc, Page<'gc>>), AskError>, key: u64) -> u64 {
        let (number, page) = found.expect("it was found");
        self.pages.insert(key, page);
        number
    }

    fn found(&self, t: &Turn<'gc, Shelf>, key: u64) -> Address<Shelf> {
        Shelf::spawn(t, self.pages.get(&key).copied())
    }

    fn put_and_panic(&mut self, page: Val<'gc, Page<'gc>>) {
        panic!("in the middle of {}", page.text);
    }

    fn give_to_break(&self, t: &Turn<'gc, Shelf>, to: Address<Shelf>, key: u64) {
        t.send(to.put_and_panic(self.pages[&key]));
    }

    fn nothing(&mut self) {}
}

/// Keeps parcels as they are: it has no heap.
#[derive(Actor)]
struct Store {
    kept: Vec<Parcel<Option<Val<'static, Page<'static>>>>>,
}

#[behaviours]
impl Store {
    fn keep(&mut self, page: Parcel<Option<Val<'static, Page<'static>>>>) -> usize {
        self.kept.push(page);
        self.kept.len()
    }

    fn fetch(&mut self, t: &Turn<Self>, from: Address<Shelf>, key: u64) -> Promise<usize> {
        t.ask(from.get(key)).then(t.me().fetched())
    }

    #[then]
    fn fetched(
        &mut self,
        page: Result<Parcel<Option<Val<'static, Page<'static>>>>, AskError>,
    ) -> usize {
        self.kept.extend(page);
        self.kept.len()
    }

    /// Its local data belongs to it for the time of the call.
    fn count<'gc>(
        &mut self,
        t: &Turn<Self>,
        page: Val<'gc, Page<'gc>>,
        to: Address<Shelf>,
    ) -> usize {
        t.send(to.put(9, page));
        let pages = std::iter::successors(Some(page), |page| page.next);
        pages.count()
    }

    #[when(pair.0 == self.kept.len())]
    fn when_full<'a>(&self, pair: (usize, Val<'a, Page<'a>>)) -> String {
        pair.1.text.clone()
    }

    fn weigh(&mut self, t: &Turn<Self>, from: Address<Shelf>, key: u64) -> Promise<Option<usize>> {
        t.ask(from.get(key)).then(t.me().weighed())
    }

    #[then]
    fn weighed<'gc>(
        &mut self,
        page: Result<Option<Val<'gc, Page<'gc>>>, AskError>,
    ) -> Option<usize> {
        page.ok().flatten().map(|page| page.text.len())
    }

    fn give_all(&mut self, t: &Turn<Self>, to: Address<Shelf>, key: u64) {
        for parcel in self.kept.drain(..) {
            parcel.open(|page| page.into_iter().for_each(|page| t.send(to.put(key, page))));
        }
    }
}

/// Bytes of old objects in all heaps, after enough turns for every heap to drain its count inbox.
fn live(system: &System, shelves: &[&Address<Shelf>]) -> u64 {
    for _ in 0..3 {
        for shelf in shelves {
            shelf.nothing().ask_blocking().expect("it lives");
        }
    }
    live_bytes(system)
}

fn pages(key: u64, numbers: std::ops::Range<u64>) -> Vec<String> {
    numbers.map(|number| format!("{key}.{number}")).collect()
}

#[cfg_attr(miri, vivant::test(seeds = 1))]
#[cfg_attr(not(miri), vivant::test(seeds = 20))]
fn seeded_a_book_returns_to_its_owner(simulation: &Simulation) {
    let simulation = &stressed(simulation.seed());
    let system = simulation.system();
    let [a, b, c] = [(); 3].map(|()| Shelf::spawn(system, None));
    a.write(5, 10).send();
    a.give(b.clone(), 5).send();
    simulation.run();
    a.forget(5).send();
    assert_eq!(c.fetch(b.clone(), 5).ask_blocking(), Ok(true));
    assert_eq!(c.fetch(b.clone(), 6).ask_blocking(), Ok(false));
    b.forget(5).send();
    // By way of b, which has it no more.
    let far = b.get_from(c.clone(), 5).ask_blocking().unwrap();
    assert_eq!(
        far.look(|page| page.map(|page| page.text.clone())),
        Some("5.0".into())
    );
    assert_eq!(c.read(5).ask_blocking(), Ok(pages(5, 0..10)));
    // And back to its owner.
    far.look(|page| a.put(5, page.expect("a book")).send());
    drop(far);
    c.forget(5).send();
    assert!(live(system, &[&a, &b, &c]) > 0);
    assert_eq!(a.read(5).ask_blocking(), Ok(pages(5, 0..10)));
    a.forget(5).send();
    assert_eq!(live(system, &[&a, &b, &c]), 0);
}

#[cfg_attr(miri, vivant::test(seeds = 1))]
#[cfg_attr(not(miri), vivant::test(seeds = 20))]
fn seeded_a_component_outlives_its_container(simulation: &Simulation) {
    let simulation = &stressed(simulation.seed());
    let system = simulation.system();
    let [a, b, c] = [(); 3].map(|()| Shelf::spawn(system, None));
    a.write(1, 20).send();
    let whole = live(system, &[&a, &b, &c]);
    a.give(b.clone(), 1).send();
    simulation.run();
    a.forget(1).send();
    b.tear(1, 15).send();
    b.give(c.clone(), 1).send();
    simulation.run();
    c.tear(1, 3).send();
    b.forget(1).send();
    let part = live(system, &[&a, &b, &c]);
    assert!(
        part > 0 && part <= whole / 10,
        "two pages of twenty: {part} of {whole}"
    );
    assert_eq!(c.read(1).ask_blocking(), Ok(pages(1, 18..20)));
    c.forget(1).send();
    assert_eq!(live(system, &[&a, &b, &c]), 0);
}

#[cfg_attr(miri, vivant::test(seeds = 1))]
#[cfg_attr(not(miri), vivant::test(seeds = 20))]
fn seeded_waiting_messages_keep_their_objects_alive(simulation: &Simulation) {
    let simulation = &stressed(simulation.seed());
    let system = simulation.system();
    let [a, b] = [(); 2].map(|()| Shelf::spawn(system, None));
    a.write(1, 3).send();
    // A guard that reads the book, and the state: not yet.
    let compared = a.ask_to_compare(b.clone(), 1).ask();
    simulation.run();
    assert_eq!(b.fetch(a.clone(), 1).ask_blocking(), Ok(true));
    assert_eq!(system.block_on(compared), Ok(true));
    // A continuation that carries a book.
    a.lay_aside(b.clone(), 1).send();
    assert_eq!(a.read(1).ask_blocking().map(|it| it.len()), Ok(0));
    simulation.run();
    assert_eq!(a.read(1).ask_blocking(), Ok(pages(1, 0..3)));
    b.forget(1).send();
    // Two books, two parcels.
    assert_eq!(a.ask_whether_same(b.clone(), 1).ask_blocking(), Ok(true));
    a.forget(1).send();
    assert_eq!(live(system, &[&a, &b]), 0);
}

#[cfg_attr(miri, vivant::test(seeds = 1))]
#[cfg_attr(not(miri), vivant::test(seeds = 20))]
fn seeded_steps_and_start_arguments_keep_their_objects_alive(simulation: &Simulation) {
    let simulation = &stressed(simulation.seed());
    let system = simulation.system();
    let [a, b] = [(); 2].map(|()| Shelf::spawn(system, None));
    a.write(1, 9).send();
    assert_eq!(a.ask_for_last(b.clone(), 1).ask_blocking(), Ok(8));
    assert_eq!(a.read(1).ask_blocking(), Ok(pages(1, 8..9)));
    let c = a.found(1).ask_blocking().unwrap();
    a.forget(1).send();
    assert!(live(system, &[&a, &b, &c]) > 0);
    assert_eq!(c.read(0).ask_blocking(), Ok(pages(1, 8..9)));
    c.forget(0).send();
    assert_eq!(live(system, &[&a, &b, &c]), 0);
}

#[cfg_attr(miri, vivant::test(seeds = 1))]
#[cfg_attr(not(miri), vivant::test(seeds = 20))]
fn seeded_undelivered_objects_are_released(simulation: &Simulation) {
    let simulation = &stressed(simulation.seed());
    let system = simulation.system();
    let [a, b] = [(); 2].map(|()| Shelf::spawn(system, None));
    a.write(1, 5).send();
    // A send to an ended actor: a dead letter.
    Address::stop(&b);
    simulation.run();
    a.give(b.clone(), 1).send();
    simulation.run();
    let dead = system.dead_letters().counts();
    assert_eq!(dead.iter().map(|it| it.count).sum::<u64>(), 1, "{dead:?}");
    // Unwanted answers, now or later.
    a.get(1).send();
    let unwanted = a.get(1).ask();
    simulation.run();
    drop(unwanted);
    drop(a.get(1).ask());
    simulation.run();
    // A message that waits for its guard when its actor ends.
    let d = Shelf::spawn(system, None);
    let waits = a.ask_to_compare(d.clone(), 1).ask();
    simulation.run();
    Address::stop(&d);
    assert!(system.block_on(waits).is_err());
    // A continuation of an actor that ends before the answer.
    let e = Shelf::spawn(system, None);
    assert_eq!(e.fetch(a.clone(), 1).ask_blocking(), Ok(true));
    e.lay_aside(a.clone(), 1).send();
    Address::stop(&e);
    simulation.run();
    a.forget(1).send();
    assert_eq!(live(system, &[&a]), 0);
}

#[cfg_attr(miri, vivant::test(seeds = 1))]
#[cfg_attr(not(miri), vivant::test(seeds = 20))]
fn seeded_a_panic_loses_no_count(simulation: &Simulation) {
    let simulation = &stressed(simulation.seed());
    let system = simulation.system();
    let [a, b] = [(); 2].map(|()| Shelf::spawn(system, None));
    a.write(1, 5).send();
    a.give_to_break(b.clone(), 1).send();
    simulation.run();
    a.forget(1).send();
    assert_eq!(live(system, &[&a]), 0);
}

#[cfg_attr(miri, vivant::test(seeds = 1))]
#[cfg_attr(not(miri), vivant::test(seeds = 20))]
fn seeded_an_actor_without_a_heap_keeps_parcels(simulation: &Simulation) {
    let simulation = &stressed(simulation.seed());
    let system = simulation.system();
    let [a, b] = [(); 2].map(|()| Shelf::spawn(system, None));
    let store = system.spawn(Store { kept: Vec::new() });
    a.write(1, 4).send();
    assert_eq!(store.fetch(a.clone(), 1).ask_blocking(), Ok(1));
    let parcel = a.get(1).ask_blocking().unwrap();
    assert_eq!(store.keep(parcel.clone()).ask_blocking(), Ok(2));
    let full = parcel.look(|page| store.when_full((3, page.expect("a book"))).ask());
    let counted = parcel.look(|page| store.count(page.expect("a book"), b.clone()).ask());
    assert_eq!(system.block_on(counted), Ok(4));
    assert_eq!(b.read(9).ask_blocking(), Ok(pages(1, 0..4)));
    assert_eq!(store.weigh(a.clone(), 1).ask_blocking(), Ok(Some(3)));
    assert_eq!(store.weigh(a.clone(), 2).ask_blocking(), Ok(None));
    assert_eq!(store.keep(parcel.clone()).ask_blocking(), Ok(3));
    assert_eq!(system.block_on(full), Ok("1.0".into()));
    drop(parcel);
    a.forget(1).send();
    b.forget(9).send();
    assert!(live(system, &[&a, &b]) > 0);
    store.give_all(b.clone(), 1).send();
    simulation.run();
    assert_eq!(b.read(1).ask_blocking(), Ok(pages(1, 0..4)));
    b.forget(1).send();
    assert_eq!(live(system, &[&a, &b]), 0);
}

#[test]
fn books_are_passed_on_threads() {
    let rounds = if cfg!(miri) { 3 } else { 200 };
    let stress = Stress::new(When::All, 1);
    let system = System::builder()
        .workers(2)
        .pacing(Pacing::new().stressed(stress))
        .build();
    let shelves: Vec<Address<Shelf>> = (0..4).map(|_| Shelf::spawn(&system, None)).collect();
    shelves[0].write(1, 8).send();
    let mut books = vec![shelves[0].get(1).ask_blocking().unwrap()];
    for round in 0..rounds {
        let (from, to) = (&shelves[round % 4], &shelves[(round + 1) % 4]);
        assert_eq!(to.fetch(from.clone(), 1).ask_blocking(), Ok(true));
        from.forget(1).send();
        books.push(to.get(1).ask_blocking().unwrap());
        books.truncate(2);
    }
    drop(books);
    let at = &shelves[rounds % 4];
    assert_eq!(at.read(1).ask_blocking(), Ok(pages(1, 0..8)));
    at.forget(1).send();
    let all: Vec<&Address<Shelf>> = shelves.iter().collect();
    assert_eq!(live(&system, &all), 0);
}
