//! [`House`]: a lobby and its rooms, under a supervisor.

use crate::connection::Connection;
use crate::event::Event;
use crate::lobby::Lobby;
use crate::planted::Planted;
use crate::player::Player;
use std::sync::Arc;
use std::time::Duration;
use vivant::prelude::*;
use vivant::{Supervisor, Topic};

/// A lobby and its rooms. Dropped, it ends them.
#[derive(Clone, Debug)]
pub struct House {
    system: System,
    // An actor ends with its last address, and a supervisor ends its children then.
    _rooms: Address<Supervisor>,
    _tree: Address<Supervisor>,
    lobby: Address<Lobby>,
    planted: Planted,
    /// What happens in all rooms.
    pub events: Topic<Event>,
}

impl House {
    /// A house without players. A player has `turn_limit` for each turn.
    #[must_use]
    pub fn open(system: &System, turn_limit: Duration) -> House {
        House::with(system, turn_limit, Planted::Nothing)
    }

    /// As [`open`](House::open), with a planted bug.
    #[doc(hidden)]
    #[must_use]
    pub fn with(system: &System, turn_limit: Duration, planted: Planted) -> House {
        let supervision = || Supervisor::one_for_one().budget(100, Duration::from_secs(10));
        let events = Topic::new();
        let tree = supervision().spawn(system);
        let rooms = tree.add(supervision());
        let lobby = tree.add(Lobby::child(
            Arc::default(),
            rooms.clone(),
            events.clone(),
            turn_limit,
            planted,
        ));
        House {
            system: system.clone(),
            _rooms: rooms,
            _tree: tree,
            lobby,
            planted,
            events,
        }
    }

    /// Lets a client in. It stays until it disconnects.
    pub fn admit(&self, connection: Connection) {
        Player::spawn(&self.system, self.lobby.clone(), connection, self.planted);
    }
}
