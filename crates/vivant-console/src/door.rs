//! Admission: the connections that are open, their places, and the shutdown of all of them.

use crate::limits::Limits;
use crate::peer::Peer;
use crate::places::{Entry, Places};
use std::collections::BTreeMap;
use std::io;
use std::net::{Shutdown, TcpStream};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// Gives clients their places. Strangers, which have not sent the token yet, and guests, which
/// have, have separate places: no number of strangers keeps an admitted guest out.
pub(crate) struct Door {
    limits: Limits,
    rooms: Mutex<Rooms>,
    /// Notified when the door closes, and when a client loses its place.
    ends: Condvar,
}

struct Rooms {
    closing: bool,
    next: u64,
    strangers: Places,
    guests: Places,
    /// The connections of the clients that have a place.
    streams: BTreeMap<u64, TcpStream>,
}

/// A client's place, until it is dropped or a client of another peer takes it.
pub(crate) struct Stay<'d> {
    door: &'d Door,
    client: u64,
    peer: Peer,
}

impl Door {
    pub(crate) fn new(limits: Limits) -> Door {
        Door {
            limits,
            rooms: Mutex::new(Rooms {
                closing: false,
                next: 0,
                strangers: Places::new(limits.strangers_max),
                guests: Places::new(limits.guests_max),
                streams: BTreeMap::new(),
            }),
            ends: Condvar::new(),
        }
    }

    /// A place among the strangers; `None` if there is none for this peer.
    pub(crate) fn enter(&self, stream: &TcpStream, peer: Peer) -> io::Result<Option<Stay<'_>>> {
        let stream = stream.try_clone()?;
        let mut rooms = self.rooms();
        if rooms.closing {
            return Ok(None);
        }
        let client = rooms.next;
        rooms.next += 1;
        let entry = rooms.strangers.enter(client, peer);
        if !self.admits(&mut rooms, &entry) {
            return Ok(None);
        }
        rooms.streams.insert(client, stream);
        let door = self;
        Ok(Some(Stay { door, client, peer }))
    }

    /// Ends every connection, now and from now on.
    pub(crate) fn close(&self) {
        let mut rooms = self.rooms();
        rooms.closing = true;
        for stream in rooms.streams.values() {
            end(stream);
        }
        self.ends.notify_all();
    }

    pub(crate) fn is_closing(&self) -> bool {
        self.rooms().closing
    }

    /// Waits for `time`, or until the door closes.
    pub(crate) fn wait(&self, time: Duration) {
        self.wait_while(time, |rooms| !rooms.closing);
    }

    fn wait_while(&self, time: Duration, goes_on: impl Fn(&Rooms) -> bool) {
        let rooms = self.rooms();
        let waited = self
            .ends
            .wait_timeout_while(rooms, time, |rooms| goes_on(rooms));
        drop(waited);
    }

    /// Returns true if the newcomer has a place. Ends the connection of the client that lost it.
    fn admits(&self, rooms: &mut Rooms, entry: &Entry) -> bool {
        if let Entry::TakenFrom(client) = entry
            && let Some(stream) = rooms.streams.remove(client)
        {
            end(&stream);
            self.ends.notify_all();
        }
        *entry != Entry::Refused
    }

    fn rooms(&self) -> MutexGuard<'_, Rooms> {
        self.rooms.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Stay<'_> {
    pub(crate) fn limits(&self) -> &Limits {
        &self.door.limits
    }

    /// The token was right: moves to a place among the guests. Returns false if there is none for
    /// this peer, or if the client has lost its place among the strangers.
    pub(crate) fn becomes_guest(&self) -> bool {
        let mut rooms = self.door.rooms();
        if !rooms.streams.contains_key(&self.client) {
            return false;
        }
        let entry = rooms.guests.enter(self.client, self.peer);
        if !self.door.admits(&mut rooms, &entry) {
            return false;
        }
        rooms.strangers.leave(self.client);
        true
    }

    /// Waits for `time`, or until the door closes or the client loses its place.
    pub(crate) fn wait(&self, time: Duration) {
        self.door.wait_while(time, |rooms| {
            !rooms.closing && rooms.streams.contains_key(&self.client)
        });
    }
}

impl Drop for Stay<'_> {
    fn drop(&mut self) {
        let mut rooms = self.door.rooms();
        rooms.strangers.leave(self.client);
        rooms.guests.leave(self.client);
        rooms.streams.remove(&self.client);
    }
}

fn end(stream: &TcpStream) {
    // A connection that is closed already needs no end.
    let _ended = stream.shutdown(Shutdown::Both);
}
