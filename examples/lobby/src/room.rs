//! [`Room`]: the actor of a game.
//!
//! A supervisor restarts it with the same players: the game begins anew. Moves that waited then are
//! returned to the players, because they were meant for the old game.

use crate::event::{Event, What};
use crate::planted::Planted;
use crate::player::Player;
use crate::screen::Screen;
use std::fmt;
use std::time::Duration;
use vivant::Topic;
use vivant::prelude::*;

/// Largest number of sticks that a player may take.
const TAKEN_MAX: u32 = 3;

/// A player at a table.
#[derive(Clone, Debug)]
pub struct Seat {
    /// Its name.
    pub name: String,
    /// Its connection.
    pub player: Address<Player>,
    /// Where it sees the game.
    pub screen: Address<Screen>,
}

impl Seat {
    pub(crate) fn is_there(&self) -> bool {
        Address::is_alive(&self.player)
    }
}

/// Why a move is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// It is the other player's turn.
    NotYourTurn,
    /// It is not one to three sticks, or more than are left.
    NotAllowed,
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Refusal::NotYourTurn => "it is not your turn",
            Refusal::NotAllowed => "take 1 to 3 sticks, and not more than are left",
        })
    }
}

/// A game of two players. The bound of its mailbox is above what can wait: two moves, the timer's
/// message, and the ends of both players.
#[derive(Actor)]
#[actor(mailbox = reject(16))]
pub struct Room {
    number: u64,
    seats: [Seat; 2],
    sticks: u32,
    /// Index of the player that moves next.
    turn: usize,
    turn_limit: Duration,
    /// When the turn's time is over, since the system began.
    deadline: Duration,
    events: Topic<Event>,
    planted: Planted,
}

impl fmt::Debug for Room {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Room({}, {} sticks)", self.number, self.sticks)
    }
}

impl Room {
    fn tell(&self, t: &Turn<Self>, what: What) {
        for seat in &self.seats {
            t.send(seat.screen.show(what.to_string()));
        }
        let (room, at) = (self.number, t.now());
        self.events.publish(Event { room, at, what });
    }

    fn name(&self, index: usize) -> String {
        self.seats[index].name.clone()
    }

    /// The next turn, with all its time.
    fn begin_turn(&mut self, t: &Turn<Self>, turn: usize) {
        self.turn = turn;
        self.deadline = t.now() + self.turn_limit;
        t.timer("turn").debounce(self.turn_limit, t.me().late());
        t.send(self.seats[turn].screen.show("your turn".to_owned()));
    }

    fn play(&mut self, t: &Turn<Self>, taken: u32) {
        self.sticks -= taken;
        let (player, left) = (self.name(self.turn), self.sticks);
        self.tell(
            t,
            What::Took {
                player,
                taken,
                left,
            },
        );
        match left {
            0 => self.end(t, self.turn),
            _ => self.begin_turn(t, 1 - self.turn),
        }
    }

    fn end(&self, t: &Turn<Self>, winner: usize) {
        let player = self.name(winner);
        self.tell(t, What::Won { player });
        t.timer("turn").cancel();
        t.stop();
    }
}

#[behaviours]
impl Room {
    #[start]
    /// Calls the players to the table; the first one has the first turn.
    pub fn new(
        t: &Turn<Self>,
        number: u64,
        seats: [Seat; 2],
        sticks: u32,
        turn_limit: Duration,
        events: Topic<Event>,
        planted: Planted,
    ) -> Self {
        let deadline = t.now();
        let mut room = Room {
            number,
            seats,
            sticks,
            turn: 0,
            turn_limit,
            deadline,
            events,
            planted,
        };
        for (index, seat) in room.seats.iter().enumerate() {
            t.send(seat.player.called(t.me()));
            t.watch(&seat.player).then_send(t.me().left(index));
        }
        let players = [room.name(0), room.name(1)];
        room.tell(t, What::Began { players, sticks });
        room.begin_turn(t, 0);
        room
    }

    /// A player takes sticks; returns the number of those that are left.
    ///
    /// # Errors
    ///
    /// The move is against the rules.
    pub fn take(
        &mut self,
        t: &Turn<Self>,
        player: Address<Player>,
        taken: u32,
    ) -> Result<u32, Refusal> {
        if self.seats[self.turn].player != player {
            return Err(Refusal::NotYourTurn);
        }
        if taken == 0 || taken > TAKEN_MAX.min(self.sticks) {
            return Err(Refusal::NotAllowed);
        }
        self.play(t, taken);
        Ok(self.sticks)
    }

    /// The timer of a turn. Its message may have waited while the player moved: then the new turn's
    /// time is not over.
    fn late(&mut self, t: &Turn<Self>) {
        if t.now() >= self.deadline || self.planted == Planted::StaleTimer {
            let player = self.name(self.turn);
            self.tell(t, What::Late { player });
            self.play(t, 1);
        }
    }

    /// A player has disconnected: the other one wins.
    #[then]
    fn left(&mut self, t: &Turn<Self>, _: Result<StopReason, AskError>, index: usize) {
        let player = self.name(index);
        self.tell(t, What::Left { player });
        self.end(t, 1 - index);
    }
}
