//! [`Lobby`]: the actor that brings two players together.
//!
//! `host` and `join` have no body: they wait for each other, and `meet` takes one of each in one
//! turn, as soon as there are two that want the same game. The request of a player that has
//! disconnected waits for the next one, and goes with it: so none is left.

use crate::event::Event;
use crate::planted::Planted;
use crate::room::{Room, Seat};
use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;
use vivant::prelude::*;
use vivant::{Messages, Restart, Supervisor, Topic};

/// What becomes of a player that asked for a game.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Met {
    /// There is a room, which will call the player.
    Game,
    /// The other player has disconnected meanwhile: ask again.
    AskAgain,
}

/// Brings players together.
#[derive(Actor)]
pub struct Lobby {
    rooms: Address<Supervisor>,
    events: Topic<Event>,
    turn_limit: Duration,
    /// Number of games so far. It outlives a restart of this actor, as the rooms do.
    games: Arc<AtomicU64>,
    planted: Planted,
}

impl fmt::Debug for Lobby {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Lobby({:?} games)", self.games)
    }
}

#[behaviours]
impl Lobby {
    #[start]
    /// A lobby with rooms below this supervisor.
    pub fn new(
        games: Arc<AtomicU64>,
        rooms: Address<Supervisor>,
        events: Topic<Event>,
        turn_limit: Duration,
        planted: Planted,
    ) -> Self {
        Lobby {
            rooms,
            events,
            turn_limit,
            games: match planted {
                Planted::NumbersTwice => Arc::default(),
                _ => games,
            },
            planted,
        }
    }

    /// A player wants a game with this number of sticks.
    pub fn host(host: Seat, sticks: u32) -> Met;

    /// A player wants a game with at most this number of sticks.
    pub fn join(guest: Seat, sticks_max: u32) -> Met;

    #[join(host, join)]
    #[when(sticks <= sticks_max || !host.is_there() || !guest.is_there())]
    fn meet(&mut self, host: Seat, sticks: u32, guest: Seat, sticks_max: u32) -> (Met, Met) {
        if !host.is_there() || !guest.is_there() {
            return (Met::AskAgain, Met::AskAgain);
        }
        // Only this actor changes it, so no other memory depends on it.
        let number = self.games.fetch_add(1, Ordering::Relaxed) + 1;
        let (events, planted) = (self.events.clone(), self.planted);
        let room = Room::child(
            number,
            [host, guest],
            sticks,
            self.turn_limit,
            events,
            planted,
        );
        // The supervisor keeps it, until it ends itself. Moves that wait when it crashes were meant
        // for the old game: they are returned.
        let room = room
            .restart(Restart::OnFailure)
            .messages(Messages::Returned);
        self.rooms.add(room);
        (Met::Game, Met::Game)
    }
}
