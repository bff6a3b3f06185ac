//! A game lobby over TCP. The game is Nim: two players take one to three sticks in turn, and the
//! player that takes the last one wins.
//!
//! | module | what |
//! |---|---|
//! | [`lobby`] | the actor that brings two players together, by a join |
//! | [`room`] | the actor of a game: its turns, and the timer of a turn |
//! | [`player`] | the actor of a connection: reads lines |
//! | [`screen`] | the actor that writes lines, and loses the oldest if its client is slow |
//! | [`command`] | a line from a client |
//! | [`connection`] | a stream of bytes, cut into lines |
//! | [`event`] | what happens in games, as a topic |
//! | [`house`] | all of it, under a supervisor |
//! | [`planted`] | bugs for the tests of the tests |

pub mod command;
pub mod connection;
pub mod event;
pub mod house;
pub mod lobby;
pub mod planted;
pub mod player;
pub mod room;
pub mod screen;
