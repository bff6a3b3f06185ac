//! Who is within, how many may be, and the closing of the house.

use crate::limits::Limits;
use std::collections::BTreeMap;
use std::io;
use std::net::{Shutdown, TcpStream};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// Counts visitors. Strangers, who have not shown the token yet, and guests have bounds of their
/// own: no number of strangers keeps a guest out who is within.
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

/// A visitor's place, until it is dropped.
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

    /// A place among the strangers, if one is free.
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

    /// Ends every conversation, now and from now on.
    pub(crate) fn close(&self) {
        let mut rooms = self.rooms();
        rooms.closing = true;
        for stream in rooms.strangers.values().chain(rooms.guests.values()) {
            // It may be closed already: then there is nothing to end.
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
    /// The token was right: a place among the guests; false if there is none.
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
