//! Admission: the connections that are open, their limits, and the shutdown of all of them.

use crate::limits::Limits;
use std::collections::BTreeMap;
use std::io;
use std::net::{Shutdown, TcpStream};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// Counts clients. Strangers, which have not sent the token yet, and guests, which have, have
/// separate limits: no number of strangers keeps an admitted guest out.
pub(crate) struct Door {
    limits: Limits,
    rooms: Mutex<Rooms>,
    closes: Condvar,
}

#[derive(Default)]
struct Rooms {
    closing: bool,
    next: u64,
    strangers: BTreeMap<u64, TcpStream>,
    guests: BTreeMap<u64, TcpStream>,
}

/// A client's place, until it is dropped.
pub(crate) struct Stay<'d> {
    door: &'d Door,
    number: u64,
}

impl Door {
    pub(crate) fn new(limits: Limits) -> Door {
        Door {
            limits,
            rooms: Mutex::default(),
            closes: Condvar::new(),
        }
    }

    pub(crate) fn limits(&self) -> &Limits {
        &self.limits
    }

    /// A place among the strangers; `None` if none is free.
    pub(crate) fn enter(&self, stream: &TcpStream) -> io::Result<Option<Stay<'_>>> {
        let stream = stream.try_clone()?;
        let mut rooms = self.rooms();
        if rooms.closing || rooms.strangers.len() >= self.limits.strangers_max {
            return Ok(None);
        }
        let number = rooms.next;
        rooms.next += 1;
        rooms.strangers.insert(number, stream);
        Ok(Some(Stay { door: self, number }))
    }

    /// Ends every connection, now and from now on.
    pub(crate) fn close(&self) {
        let mut rooms = self.rooms();
        rooms.closing = true;
        for stream in rooms.strangers.values().chain(rooms.guests.values()) {
            // A connection that is closed already needs no end.
            let _ended = stream.shutdown(Shutdown::Both);
        }
        self.closes.notify_all();
    }

    pub(crate) fn is_closing(&self) -> bool {
        self.rooms().closing
    }

    /// Waits for `time`, or until the door closes.
    pub(crate) fn wait(&self, time: Duration) {
        let rooms = self.rooms();
        let waited = self
            .closes
            .wait_timeout_while(rooms, time, |rooms| !rooms.closing);
        drop(waited);
    }

    fn rooms(&self) -> MutexGuard<'_, Rooms> {
        self.rooms.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Stay<'_> {
    /// The token was right: takes a place among the guests. Returns false if none is free.
    pub(crate) fn becomes_guest(&self) -> bool {
        let mut rooms = self.door.rooms();
        if rooms.guests.len() >= self.door.limits.guests_max {
            return false;
        }
        let Some(stream) = rooms.strangers.remove(&self.number) else {
            return false;
        };
        rooms.guests.insert(self.number, stream);
        true
    }
}

impl Drop for Stay<'_> {
    fn drop(&mut self) {
        let mut rooms = self.door.rooms();
        rooms.strangers.remove(&self.number);
        rooms.guests.remove(&self.number);
    }
}
