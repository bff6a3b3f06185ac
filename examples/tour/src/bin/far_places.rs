//! A graph in one actor, and far references to its objects in others: `Far` and `Tag`.
//!
//! A city has places that refer to each other in cycles: private objects, which its own turns read
//! and write without a lock. Couriers have far references to some places: two words, the owner of
//! the object and the object. A courier cannot read a place; it sends the city a message about it,
//! and the city opens the tag. Far references can be sent on to other couriers, are equal if their
//! places are the same, and keep a place alive after the city has dropped it.
//!
//! Where to look: `t.far` makes one; `stop.to` makes the message; `open` in `deliver` fails for a
//! place of another city.
//!
//! To try: let `Courier` open a tag itself. Stop the city, and see what happens to the deliveries
//! (dead letters), and to the places (they end with the last courier that refers to them).

#![allow(clippy::print_stdout, reason = "the example prints what it does")]

use vivant::prelude::*;
use vivant::simulation::Simulation;

/// A place. Only its city reads and writes it.
#[derive(Object)]
struct Place<'gc> {
    name: String,
    next: Option<Gc<'gc, Mut<Place<'gc>>>>,
    letters: Vec<String>,
}

#[derive(Actor)]
struct CityState<'gc> {
    places: gc::HashMap<'gc, String, Gc<'gc, Mut<Place<'gc>>>>,
    last: Option<Gc<'gc, Mut<Place<'gc>>>>,
    gone: Vec<String>,
}

#[behaviours]
impl<'gc> CityState<'gc> {
    #[start]
    fn new() -> Self {
        CityState {
            places: gc::HashMap::new(),
            last: None,
            gone: Vec::new(),
        }
    }

    /// Makes a place, linked to the last one.
    fn build(&mut self, t: &Turn<'gc, City>, name: String) {
        let place = t.alloc(Mut::new(Place {
            name: name.clone(),
            next: self.last,
            letters: Vec::new(),
        }));
        t.on_death(place, t.me().gone(name.clone()));
        self.places.insert(t, name, place);
        self.last = Some(place);
    }

    fn find(&self, t: &Turn<'gc, City>, name: String) -> Option<Far<'gc, City, Mut<Place<'gc>>>> {
        self.places.get(&name).map(|place| t.far(*place))
    }

    /// Leaves a letter at a place, and at the next one. Returns the number of letters there.
    fn deliver(
        &mut self,
        t: &Turn<'gc, City>,
        place: Tag<'gc, Mut<Place<'gc>>>,
        letter: String,
    ) -> Result<usize, String> {
        let place = place.open(t).map_err(|refused| refused.to_string())?;
        place.borrow_mut(t).letters.push(letter.clone());
        if let Some(next) = place.borrow().next {
            next.borrow_mut(t).letters.push(letter);
        }
        println!("{}: {:?}", place.borrow().name, place.borrow().letters);
        Ok(place.borrow().letters.len())
    }

    /// Takes all places from the map.
    fn forget_all(&mut self) {
        self.places = gc::HashMap::new();
        self.last = None;
    }

    fn gone(&mut self, name: String) {
        self.gone.push(name);
    }

    fn all_gone(&self) -> Vec<String> {
        let mut gone = self.gone.clone();
        gone.sort_unstable();
        gone
    }
}

#[derive(Actor)]
struct CourierState<'gc> {
    stops: Vec<Far<'gc, City, Mut<Place<'gc>>>>,
}

#[behaviours]
impl<'gc> CourierState<'gc> {
    #[start]
    fn new() -> Self {
        CourierState { stops: Vec::new() }
    }

    /// Adds this place of that city to the stops; once, however often it is added.
    fn add(&mut self, t: &Turn<'gc, Courier>, city: Address<City>, name: String) -> Promise<usize> {
        t.ask(city.find(name)).then(t.me().found())
    }

    #[then]
    fn found(&mut self, stop: Result<Option<Far<'gc, City, Mut<Place<'gc>>>>, AskError>) -> usize {
        let stop = stop.ok().flatten();
        self.stops
            .extend(stop.filter(|stop| !self.stops.contains(stop)));
        self.stops.len()
    }

    fn go_round(&self, t: &Turn<'gc, Courier>, letter: String) {
        for stop in &self.stops {
            t.send(stop.to(|city, place| city.deliver(place, letter.clone())));
        }
    }

    /// Sends a letter for the first stop to another city, which does not have that place.
    fn lose_one(
        &self,
        t: &Turn<'gc, Courier>,
        to: Address<City>,
    ) -> Promise<Result<usize, String>> {
        t.ask(to.deliver(self.stops[0].tag(), "lost".into()))
    }

    fn hand_over(&mut self, t: &Turn<'gc, Courier>, to: Address<Courier>) {
        t.send(to.take(std::mem::take(&mut self.stops)));
    }

    fn take(&mut self, stops: Vec<Far<'gc, City, Mut<Place<'gc>>>>) {
        self.stops.extend(stops);
    }
}

fn main() -> Result<(), AskError> {
    let simulation = Simulation::new(1);
    let system = simulation.system();
    let (city, other) = (City::spawn(system), City::spawn(system));
    let [ann, ben] = [(); 2].map(|()| Courier::spawn(system));
    for name in ["mill", "bridge", "market"] {
        city.build(name.into()).send();
    }
    for name in ["bridge", "mill", "bridge"] {
        ann.add(city.clone(), name.into()).ask_blocking()?;
    }
    assert_eq!(ann.add(city.clone(), "moon".into()).ask_blocking()?, 2);
    ann.go_round("first".into()).send();
    let lost = ann.lose_one(other).ask_blocking()?.unwrap_err();
    println!("refused: {lost}");

    // The city drops its places: those with a far reference live, and so do the places reachable
    // from them.
    ann.hand_over(ben.clone()).send();
    city.forget_all().send();
    simulation.run();
    ben.go_round("second".into()).send();
    simulation.run();
    println!("gone: {:?}", city.all_gone().ask_blocking()?);
    assert_eq!(city.all_gone().ask_blocking()?, ["market"]);

    // The last courier that refers to them ends.
    Address::stop(&ben);
    simulation.run();
    let gone = city.all_gone().ask_blocking()?;
    println!("gone: {gone:?}");
    assert_eq!(gone, ["bridge", "market", "mill"]);
    Ok(())
}
