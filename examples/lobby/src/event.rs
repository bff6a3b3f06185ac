//! [`Event`]: what happens in games. Rooms publish it to a topic, for spectators.

use std::fmt;
use std::time::Duration;

/// Something that happened in a room.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Event {
    /// The number of the room.
    pub room: u64,
    /// When, since the system began.
    pub at: Duration,
    /// What.
    pub what: What,
}

/// What happened.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum What {
    /// A game has begun; again, if the room was restarted.
    Began {
        /// The players, in the order of their turns.
        players: [String; 2],
        /// Number of sticks.
        sticks: u32,
    },
    /// A player has taken sticks.
    Took {
        /// The player.
        player: String,
        /// Number of sticks that it took.
        taken: u32,
        /// Number of sticks that are left.
        left: u32,
    },
    /// A player's time was over, so that a stick was taken for it. `Took` follows.
    Late {
        /// The player.
        player: String,
    },
    /// A player has disconnected. `Won` follows.
    Left {
        /// The player.
        player: String,
    },
    /// The game is over.
    Won {
        /// The winner.
        player: String,
    },
}

impl fmt::Display for What {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            What::Began {
                players: [one, other],
                sticks,
            } => {
                write!(f, "game: {one} against {other}, {sticks} sticks")
            }
            What::Took {
                player,
                taken,
                left,
            } => write!(f, "{player} takes {taken}, {left} left"),
            What::Late { player } => write!(f, "{player} is late"),
            What::Left { player } => write!(f, "{player} has left"),
            What::Won { player } => write!(f, "{player} wins"),
        }
    }
}
