//! What keeps a shared object alive: [`vivant::System::why_alive`], called with a holder's
//! reference.

use super::*;
use std::time::Duration;
use vivant::Name;
use vivant::heap::Held;

#[derive(Object)]
struct Page<'gc> {
    text: Val<'gc, str>,
    before: Option<Val<'gc, Page<'gc>>>,
}

/// Prints pages, and keeps the last of them. Each refers to the one before.
#[derive(Actor)]
struct PressState<'gc> {
    last: Option<Val<'gc, Page<'gc>>>,
    readers: gc::Vec<'gc, Address<Reader>>,
}

#[behaviours]
impl<'gc> PressState<'gc> {
    #[start]
    fn new(_: &Turn<'gc, Press>) -> Self {
        PressState {
            last: None,
            readers: gc::Vec::new(),
        }
    }

    fn prints(&mut self, t: &Turn<'gc, Press>, text: String) -> Held<str> {
        let (text, before) = (t.val_str(&text), self.last);
        self.last = Some(t.val(Page { text, before }));
        t.hold(text)
    }

    fn sends(&self, t: &Turn<'gc, Press>, to: Address<Reader>) {
        if let Some(page) = self.last {
            t.send(to.reads(page));
        }
    }

    fn forgets(&mut self) {
        self.last = None;
    }
}

#[derive(Actor)]
struct ReaderState<'gc> {
    page: Option<Val<'gc, Page<'gc>>>,
}

#[behaviours]
impl<'gc> ReaderState<'gc> {
    #[start]
    fn new(_: &Turn<'gc, Reader>) -> Self {
        ReaderState { page: None }
    }

    fn reads(&mut self, page: Val<'gc, Page<'gc>>) {
        self.page = Some(page);
    }

    fn forgets(&mut self) {
        self.page = None;
    }
}

/// Private to its shelf.
#[derive(Object)]
struct Card<'gc> {
    text: Val<'gc, str>,
    other: Option<FarCard<'gc>>,
}

type FarCard<'gc> = Far<'gc, Shelf, Mut<Card<'gc>>>;

#[derive(Actor)]
struct ShelfState<'gc> {
    card: Option<Gc<'gc, Mut<Card<'gc>>>>,
}

#[behaviours]
impl<'gc> ShelfState<'gc> {
    #[start]
    fn new(t: &Turn<'gc, Shelf>, text: String) -> Self {
        let (text, other) = (t.val_str(&text), None);
        ShelfState {
            card: Some(t.alloc(Mut::new(Card { text, other }))),
        }
    }

    fn text(&self, t: &Turn<'gc, Shelf>) -> Option<Held<str>> {
        self.card.map(|card| t.hold(card.borrow().text))
    }

    fn tells(&self, t: &Turn<'gc, Shelf>, to: Address<Shelf>) {
        if let Some(card) = self.card {
            t.send(to.adds(t.far(card)));
        }
    }

    fn adds(&mut self, t: &Turn<'gc, Shelf>, other: FarCard<'gc>) {
        if let Some(card) = self.card {
            card.borrow_mut(t).other = Some(other);
        }
    }

    fn forgets(&mut self) {
        self.card = None;
    }
}

/// A press, and a reader that a kept plain actor refers to.
struct House {
    simulation: Simulation,
    press: Address<Press>,
    reader: Address<Reader>,
}

fn house() -> House {
    let simulation = Simulation::new(1);
    let (press, reader) = (
        Press::spawn(simulation.system()),
        Reader::spawn(simulation.system()),
    );
    House {
        simulation,
        press,
        reader,
    }
}

impl House {
    fn prints(&self, text: &str) -> Held<str> {
        self.press.prints(text.to_owned()).ask_blocking().unwrap()
    }

    fn why(&self, held: &Held<str>) -> WhyAlive {
        self.simulation.run();
        self.simulation.system().why_alive(held)
    }
}

#[test]
fn an_object_of_the_owners_state_is_kept_by_the_owner() {
    let house = house();
    let first = house.prints("rain");
    let second = house.prints("snow");
    let press = Address::path(&house.press);
    for held in [&first, &second] {
        let why = house.why(held);
        assert_eq!(why.what, format!("an object of {press}"));
        assert_eq!(
            (actors(&why), why.by),
            (vec![press.clone()], KeptBy::Outside(1))
        );
    }
    house.simulation.system().keep(&house.press);
    assert_eq!(house.why(&first).by, KeptBy::Kept);
}

#[test]
fn the_holder_of_an_object_or_its_container_is_named() {
    let house = house();
    let first = house.prints("rain");
    let second = house.prints("snow");
    house.press.sends(house.reader.clone()).send();
    house.press.forgets().send();
    let reader = Address::path(&house.reader);
    for held in [&first, &second] {
        let why = house.why(held);
        assert_eq!(
            (actors(&why), why.by),
            (vec![reader.clone()], KeptBy::Outside(1))
        );
    }
    // Another page belongs to the press alone, without any holder.
    let third = house.prints("hail");
    house.press.forgets().send();
    let why = house.why(&third);
    assert_eq!((actors(&why), why.by), (vec![], KeptBy::Nothing));
    house.reader.forgets().send();
    assert_eq!(house.why(&first).by, KeptBy::Nothing);
    assert_eq!(&*first, "rain");
}

#[test]
fn the_types_of_the_objects_on_the_way_are_named() {
    let house = house();
    let first = house.prints("rain");
    let _second = house.prints("snow");
    let is_page = |name: &Name| name.contains("Page");
    let why = house.why(&first);
    assert!(why.within.is_empty(), "{why}");
    let objects = &why.through[0].objects;
    assert!(objects.len() == 2 && objects.iter().all(is_page), "{why}");
    house.press.sends(house.reader.clone()).send();
    house.press.forgets().send();
    let why = house.why(&first);
    let within = &why.within;
    assert!(within.len() == 2 && within.iter().all(is_page), "{why}");
    assert!(why.through[0].objects.is_empty(), "{why}");
}

#[test]
fn a_cycle_of_objects_is_named() {
    let simulation = Simulation::new(1);
    let system = simulation.system();
    let shelves = [0, 1, 2].map(|name| Shelf::spawn(system, name.to_string()));
    let [a, b, c] = &shelves;
    let text = a.text().ask_blocking().unwrap().unwrap();
    a.tells(b.clone()).send();
    b.tells(c.clone()).send();
    c.tells(a.clone()).send();
    simulation.run();
    system.keep(c);
    a.forgets().send();
    b.forgets().send();
    simulation.run_for(Duration::from_micros(1));
    // The card of b, which c has, has that of a.
    let why = system.why_alive(&text);
    let path = Address::path;
    assert_eq!(actors(&why), [path(b), path(c)], "{why}");
    assert_eq!(why.by, KeptBy::Kept, "{why}");
    for objects in [
        &why.within,
        &why.through[0].objects,
        &why.through[1].objects,
    ] {
        assert!(objects.len() == 1 && objects[0].contains("Card"), "{why}");
    }
    c.forgets().send();
    simulation.run_for(Duration::from_micros(1));
    let why = system.why_alive(&text);
    assert_eq!(actors(&why), [path(b), path(c), path(a)], "{why}");
    assert_eq!(why.by, KeptBy::Cycle, "{why}");
    assert!(
        why.to_string()
            .ends_with("part of a cycle of objects that no state refers to")
    );
    simulation.run();
    let why = system.why_alive(&text);
    assert_eq!((actors(&why).len(), why.by), (0, KeptBy::Nothing), "{why}");
}

/// A cycle of private objects in one heap, which another heap may refer to, is freed by that heap's
/// own mark.
#[test]
fn a_cycle_within_one_heap_is_not_taken_for_one_of_several() {
    let simulation = Simulation::new(1);
    let system = simulation.system();
    let shelves = [0, 1].map(|name| Shelf::spawn(system, name.to_string()));
    let [a, b] = &shelves;
    let text = a.text().ask_blocking().unwrap().unwrap();
    // The card of a refers to itself, and is referred to by that of b.
    a.tells(a.clone()).send();
    a.tells(b.clone()).send();
    simulation.run();
    a.forgets().send();
    simulation.run_for(Duration::from_micros(1));
    assert_eq!(actors(&system.why_alive(&text)), [Address::path(b)]);
    b.forgets().send();
    simulation.run_for(Duration::from_micros(1));
    let why = system.why_alive(&text);
    assert_eq!((actors(&why).len(), why.by), (0, KeptBy::Nothing), "{why}");
}

#[test]
fn a_query_drains_the_counts_of_an_ended_owner() {
    let house = house();
    let page = house.prints("rain");
    Address::stop(&house.press);
    house.simulation.run();
    let why = || house.simulation.system().why_alive(&page);
    let other = page.clone();
    assert_eq!(why().by, KeptBy::Outside(1));
    drop(other);
    assert_eq!(why().by, KeptBy::Nothing);
    drop(page);
    house.simulation.run();
    assert_eq!(house.simulation.system().inspect().detached_heaps, 0);
}

#[test]
fn references_of_threads_and_messages_count_as_external() {
    let house = house();
    let page = house.prints("rain");
    house.press.forgets().send();
    let others = [page.clone(), page.clone()];
    let why = house.why(&page);
    assert_eq!((actors(&why), why.by), (vec![], KeptBy::Outside(2)));
    drop(others);
    assert_eq!(house.why(&page).by, KeptBy::Nothing);
}

#[test]
fn an_object_may_outlive_its_owner() {
    let house = house();
    let page = house.prints("rain");
    house.press.sends(house.reader.clone()).send();
    house.simulation.run();
    Address::stop(&house.press);
    let why = house.why(&page);
    assert_eq!(why.what, "an object of an actor that has ended");
    assert_eq!(actors(&why), vec![Address::path(&house.reader)]);
    let words = why.to_string();
    assert!(
        words.ends_with("which is kept by 1 reference outside of what states show"),
        "{words}"
    );
    house.reader.forgets().send();
    assert_eq!(house.why(&page).by, KeptBy::Nothing);
}

#[test]
fn a_query_loses_no_released_count() {
    let house = house();
    let page = house.prints("rain");
    house.press.forgets().send();
    house.simulation.run();
    let objects = || house.simulation.system().inspect().bytes;
    let other = page.clone();
    assert_eq!(
        house.simulation.system().why_alive(&page).by,
        KeptBy::Outside(1)
    );
    let with_it = objects();
    // The owner drains the count delta early because of the query.
    drop(other);
    assert_eq!(
        house.simulation.system().why_alive(&page).by,
        KeptBy::Nothing
    );
    drop(page);
    house.simulation.run();
    assert!(objects() <= with_it);
    Address::stop(&house.press);
    house.simulation.run();
    assert_eq!(house.simulation.system().inspect().detached_heaps, 0);
}
