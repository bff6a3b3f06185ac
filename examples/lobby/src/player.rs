//! [`Player`]: the actor of a connection.
//!
//! The stream of lines is attached to it, and keeps it alive; the end of either is the end of both.
//! While a move is not answered no line is processed, and after a few lines none is read: a client
//! that sends faster than the room answers waits in its own socket.

use crate::command::{Command, HELP};
use crate::connection::{Connection, lines};
use crate::lobby::{Lobby, Met};
use crate::planted::Planted;
use crate::room::{Refusal, Room, Seat};
use crate::screen::Screen;
use std::fmt;
use vivant::prelude::*;
use vivant::{Attached, StreamItem};

/// Where a player is.
#[derive(Debug)]
enum Place {
    Idle,
    /// In the lobby, with this request.
    Waiting(Command),
    At(Address<Room>),
}

/// A client.
#[derive(Actor)]
pub struct Player {
    name: String,
    place: Place,
    lobby: Address<Lobby>,
    screen: Address<Screen>,
    _lines: Attached,
    /// Whether a move is not answered yet.
    moves: bool,
    planted: Planted,
}

impl fmt::Debug for Player {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Player({}, {:?})", self.name, self.place)
    }
}

impl Player {
    fn show(&self, t: &Turn<Self>, line: impl fmt::Display) {
        t.send(self.screen.show(line.to_string()));
    }

    /// Sends a request to the lobby, which answers when there is another player.
    fn ask_for_game(&mut self, t: &Turn<Self>, command: Command) {
        let seat = Seat {
            name: self.name.clone(),
            player: t.me(),
            screen: self.screen.clone(),
        };
        let met = match &command {
            Command::Host(sticks) => t.ask(self.lobby.host(seat, *sticks)),
            Command::Join(sticks_max) => t.ask(self.lobby.join(seat, *sticks_max)),
            _ => return,
        };
        self.place = Place::Waiting(command);
        met.then_send(t.me().met());
    }
}

#[behaviours]
impl Player {
    #[start]
    /// A player behind a connection.
    pub fn new(
        t: &Turn<Self>,
        lobby: Address<Lobby>,
        connection: Connection,
        planted: Planted,
    ) -> Self {
        let Connection { reader, writer } = connection;
        let screen = t.spawn_actor(Screen::new(writer));
        t.watch(&screen).then_send(t.me().is_deaf());
        t.send(screen.show(format!("welcome; {HELP}")));
        Player {
            name: format!("guest {}", t.random_below(10_000)),
            place: Place::Idle,
            lobby,
            screen,
            _lines: t.attach(lines(reader)).then_each(t.me().line()),
            moves: false,
            planted,
        }
    }

    #[then]
    #[when(!self.moves)]
    fn line(&mut self, t: &Turn<Self>, line: StreamItem<String>) {
        let StreamItem::Item(line) = line else {
            return t.stop();
        };
        match (Command::parse(&line), &self.place) {
            (None, _) => self.show(t, HELP),
            (Some(Command::Quit), _) => t.stop(),
            (Some(Command::Name(name)), _) => self.name = name,
            (Some(Command::Take(taken)), Place::At(room)) => {
                let moved = t.ask(room.take(t.me(), taken));
                moved.then_send(t.me().moved());
                self.moves = true;
            }
            (Some(Command::Take(_)), _) => self.show(t, "no: you are in no game"),
            (Some(command), Place::Idle) => self.ask_for_game(t, command),
            (Some(command), Place::Waiting(_)) if self.planted == Planted::TwoRequests => {
                self.ask_for_game(t, command);
            }
            (Some(_), _) => self.show(t, "you have asked for a game, or are in one"),
        }
    }

    /// Each move has one answer.
    #[then]
    fn moved(&mut self, t: &Turn<Self>, left: Result<Result<u32, Refusal>, AskError>) {
        self.moves = false;
        match left {
            Ok(Ok(left)) => self.show(t, format_args!("ok: {left} left")),
            Ok(Err(refusal)) => self.show(t, format_args!("no: {refusal}")),
            Err(AskError::Restarted(_) | AskError::Panicked(_)) => {
                self.show(t, "no: the game begins anew")
            }
            Err(_) => self.show(t, "no: the game is over"),
        }
    }

    /// The lobby has answered. If there is a game, its room calls.
    #[then]
    fn met(&mut self, t: &Turn<Self>, met: Result<Met, AskError>) {
        match (met, &self.place) {
            (Ok(Met::AskAgain), Place::Waiting(command)) => self.ask_for_game(t, command.clone()),
            (Err(_), Place::Waiting(_)) => {
                self.place = Place::Idle;
                self.show(t, "idle: the lobby has failed, ask again");
            }
            _ => {}
        }
    }

    /// A room calls: the game begins, or begins anew.
    pub fn called(&mut self, t: &Turn<Self>, room: Address<Room>) {
        if !matches!(&self.place, Place::At(at) if *at == room) {
            t.watch(&room).then_send(t.me().is_over(room.clone()));
            self.place = Place::At(room);
        }
    }

    /// A room has ended; a restart is no end.
    #[then]
    fn is_over(&mut self, t: &Turn<Self>, _: Result<StopReason, AskError>, room: Address<Room>) {
        if matches!(&self.place, Place::At(at) if *at == room) {
            self.place = Place::Idle;
            self.show(t, "idle: the game is over, ask for another");
        }
    }

    /// The client does not take its lines.
    #[then]
    fn is_deaf(&mut self, t: &Turn<Self>, _: Result<StopReason, AskError>) {
        t.stop();
    }
}
