//! Cycles through a shared object of an actor that has ended.

use super::{Token, nodes, seeded};
use crate::waits::wait_while;
use std::time::Duration;
use vivant::heap::{Stress, When};
use vivant::prelude::*;

/// An object that may refer to a card.
#[derive(Object)]
struct Board<'gc> {
    card: Option<Card<'gc>>,
    _token: Token,
}

type FarBoard<'gc> = Far<'gc, Room, Mut<Board<'gc>>>;
type Card<'gc> = Val<'gc, Vec<FarBoard<'gc>>>;

#[derive(Actor)]
struct RoomState<'gc> {
    boards: Vec<Gc<'gc, Mut<Board<'gc>>>>,
}

#[behaviours]
impl<'gc> RoomState<'gc> {
    #[start]
    fn new() -> Self {
        RoomState { boards: Vec::new() }
    }

    fn make(&mut self, t: &Turn<'gc, Room>, token: Token) -> FarBoard<'gc> {
        let board = t.alloc(Mut::new(Board {
            card: None,
            _token: token,
        }));
        self.boards.push(board);
        t.far(board)
    }

    /// The last board gets the card, and the state does not refer to it any more.
    fn put(&mut self, t: &Turn<'gc, Room>, card: Card<'gc>) {
        if let Some(board) = self.boards.pop() {
            board.borrow_mut(t).card = Some(card);
        }
    }
}

#[derive(Actor)]
struct MakerState<'gc> {
    made: Vec<Card<'gc>>,
}

#[behaviours]
impl<'gc> MakerState<'gc> {
    #[start]
    fn new() -> Self {
        MakerState { made: Vec::new() }
    }

    /// A card that refers to the board, for the board.
    fn make(&mut self, t: &Turn<'gc, Maker>, board: FarBoard<'gc>) {
        let card = t.val(vec![board.clone()]);
        self.made.push(card);
        t.send(board.owner().put(card));
    }

    fn shows(&self, t: &Turn<'gc, Maker>, to: Address<Witness>) {
        t.send(to.takes(self.made[0]));
    }
}

/// A room, and a maker that has made a card. Only the maker's state leads to the card, and only the
/// card leads to the room's board, which refers to the card.
fn scene(system: &System, token: &Token) -> (Address<Room>, Address<Maker>) {
    let (room, maker) = (Room::spawn(system), Maker::spawn(system));
    let board = room.make(token.clone()).ask_blocking().expect("it lives");
    let made = board.look(|board| maker.make(board.clone()).ask_blocking());
    made.expect("it lives");
    (room, maker)
}

#[test]
fn seeded_a_cycle_through_the_heap_of_an_ended_actor_is_freed() {
    let name = "seeded_a_cycle_through_the_heap_of_an_ended_actor_is_freed";
    seeded(name, |simulation, token| {
        let system = simulation.system();
        let (room, maker) = scene(system, token);
        simulation.run();
        assert_eq!(nodes(token), 1, "the maker has the card");
        Address::stop(&maker);
        simulation.run();
        assert_eq!((system.inspect().detached_heaps, nodes(token)), (0, 0));
        assert_eq!(system.inspect().actors.len(), 1);
        drop(room);
    });
}

/// Has a card, and shares nothing itself.
#[derive(Actor)]
struct WitnessState<'gc> {
    card: Option<Card<'gc>>,
}

#[behaviours]
impl<'gc> WitnessState<'gc> {
    #[start]
    fn new() -> Self {
        WitnessState { card: None }
    }

    fn takes(&mut self, card: Card<'gc>) {
        self.card = Some(card);
    }

    fn forgets(&mut self) {
        self.card = None;
    }
}

/// Nothing but a released count of the detached heap shows that the cycle is unreachable.
#[test]
fn seeded_a_cycle_that_a_third_actor_releases_is_freed() {
    let name = "seeded_a_cycle_that_a_third_actor_releases_is_freed";
    seeded(name, |simulation, token| {
        let system = simulation.system();
        let (room, maker) = scene(system, token);
        let witness = Witness::spawn(system);
        maker.shows(witness.clone()).send();
        simulation.run();
        Address::stop(&maker);
        simulation.run();
        assert_eq!((system.inspect().detached_heaps, nodes(token)), (1, 1));
        witness.forgets().send();
        simulation.run();
        assert_eq!((system.inspect().detached_heaps, nodes(token)), (0, 0));
        drop((room, witness));
    });
}

#[test]
fn seeded_an_ended_actor_leaves_what_a_living_one_refers_to() {
    let name = "seeded_an_ended_actor_leaves_what_a_living_one_refers_to";
    seeded(name, |simulation, token| {
        let system = simulation.system();
        let (room, maker) = scene(system, token);
        simulation.run();
        let kept = room.make(token.clone()).ask_blocking().expect("it lives");
        kept.look(|board| maker.make(board.clone()).send());
        simulation.run();
        Address::stop(&maker);
        simulation.run();
        assert_eq!((system.inspect().detached_heaps, nodes(token)), (1, 1));
        drop((room, kept));
    });
}

#[test]
fn cycles_through_the_heaps_of_ended_actors_are_freed_on_threads() {
    let token = Token::default();
    let system = System::builder()
        .workers(2)
        .idle_after(Duration::from_millis(2))
        .pacing(vivant::Pacing::new().stressed(Stress::new(When::Chance, 1)))
        .build();
    let scenes = (0..if cfg!(miri) { 1 } else { 20 }).map(|_| scene(&system, &token));
    let rooms: Vec<_> = scenes
        .map(|(room, maker)| {
            Address::stop(&maker);
            room
        })
        .collect();
    wait_while(|| nodes(&token) != 0 || system.inspect().detached_heaps != 0);
    drop(rooms);
    assert!(system.shutdown().is_complete());
}
