//! Open requests: asks that wait for their answers, as an inspection lists them.

use crate::actor::{CellRef, Header, RequestFacts, Shared, open_requests};
use crate::interned::{Name, Place};
use crate::services::{Asked, OutsideRequest, RequestProgress};
use std::cmp::Ordering;
use std::collections::{BinaryHeap, HashMap};
use std::fmt;
use std::time::Duration;

/// An ask that waits for its answer; in [`Inspection::requests`](crate::Inspection::requests).
///
/// A request is open until it is answered, fails, or its asker drops the promise or the future. A
/// time limit of a promise ([`Promise::within`](crate::Promise::within)) does not close it: the
/// other actor still has to answer.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct OpenRequest {
    /// Where the answer goes.
    pub asker: RequestOrigin,
    /// Path of the actor that was asked, or that the request was delegated to. `None` if it is of
    /// another system, or has ended: then the resolver is elsewhere.
    pub answerer: Option<String>,
    /// Stable name of the message: of a behaviour, or of a method of an interface.
    pub behaviour: Name,
    /// Where in the source the message was made.
    pub asked_at: Place,
    /// How long it has been open, to a millisecond.
    pub open_for: Duration,
    /// How far the actor that was asked has come with it.
    pub progress: RequestProgress,
}

/// Where the answer of a request goes.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum RequestOrigin {
    /// To a promise of the actor with this path. A future that an actor has spawned is an actor:
    /// its child.
    Actor(String),
    /// To a future or a thread outside of all turns; [`OpenRequest::asked_at`] says which.
    Outside,
}

impl RequestOrigin {
    /// The path of the actor that asked, if it was one.
    pub fn actor(&self) -> Option<&str> {
        match self {
            RequestOrigin::Actor(path) => Some(path),
            RequestOrigin::Outside => None,
        }
    }
}

impl fmt::Display for RequestOrigin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.actor().unwrap_or("outside"))
    }
}

impl fmt::Display for OpenRequest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let answerer = self.answerer.as_deref().unwrap_or("an ended actor");
        write!(
            f,
            "{} waits for `{}` of {answerer}, asked at {}, {}, for {:?}",
            self.asker, self.behaviour, self.asked_at, self.progress, self.open_for
        )
    }
}

/// Limit of the requests that an inspection lists.
const LISTED_MAX: usize = 10_000;

/// The oldest requests of a scan, up to the limit.
#[derive(Default)]
struct Found {
    /// The youngest is on top.
    oldest: BinaryHeap<FoundRequest>,
    more: usize,
}

struct FoundRequest {
    key: RequestKey,
    behaviour: Name,
    place: Place,
    progress: RequestProgress,
}

/// Requests are listed in this order: by age, and those of the same age by their actors and places,
/// so that the order depends on no address in memory.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct RequestKey {
    since_ms: u64,
    asker: Option<u64>,
    /// System and id.
    answerer: (u64, u64),
}

impl Found {
    fn add(&mut self, asker: Option<u64>, asked: Asked, since_ms: u64, progress: RequestProgress) {
        let key = RequestKey {
            since_ms,
            asker,
            answerer: (asked.system, asked.answerer),
        };
        let is_full = self.oldest.len() == LISTED_MAX;
        if is_full && self.oldest.peek().is_some_and(|last| last.key < key) {
            self.more += 1;
            return;
        }
        self.oldest.push(FoundRequest {
            key,
            behaviour: *asked.behaviour,
            place: asked.place,
            progress,
        });
        if self.oldest.len() > LISTED_MAX {
            self.oldest.pop();
            self.more += 1;
        }
    }

    /// Returns the oldest first, and the number of the others.
    fn into_sorted(self) -> (Vec<FoundRequest>, usize) {
        (self.oldest.into_sorted_vec(), self.more)
    }
}

impl FoundRequest {
    fn order(&self) -> (RequestKey, Name, Place, RequestProgress) {
        (self.key, self.behaviour, self.place, self.progress)
    }
}

impl PartialEq for FoundRequest {
    fn eq(&self, other: &FoundRequest) -> bool {
        self.order() == other.order()
    }
}

impl Eq for FoundRequest {}

impl PartialOrd for FoundRequest {
    fn partial_cmp(&self, other: &FoundRequest) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for FoundRequest {
    fn cmp(&self, other: &FoundRequest) -> Ordering {
        self.order().cmp(&other.order())
    }
}

/// The open requests of a system: the oldest, and the number of the others.
pub(super) struct OpenRequests {
    pub(super) oldest: Vec<OpenRequest>,
    pub(super) more: usize,
}

impl OpenRequests {
    /// `cells` are the actors of the system, in the order of their numbers. A promise of an actor
    /// that was born later is not among the result. The future of an actor that is not among them
    /// is one from outside: the actor has ended, as a rule, and the future was given away.
    pub(super) fn of(system: &Shared, cells: &[CellRef], now_ms: u64) -> OpenRequests {
        let mut found = Found::default();
        system.outside.each(|request: OutsideRequest| {
            found.add(
                request.asker,
                request.asked,
                request.since_ms,
                request.progress,
            );
        });
        let mut askers = None;
        open_requests(|request: RequestFacts| {
            // The cells are kept alive, so an address of a cell is that cell.
            let askers = askers.get_or_insert_with(|| {
                let ids = cells
                    .iter()
                    .map(|cell| (std::ptr::from_ref::<Header>(cell), cell.id));
                ids.collect::<HashMap<_, _>>()
            });
            if let Some(asker) = askers.get(&request.asker) {
                found.add(
                    Some(*asker),
                    request.asked,
                    request.since_ms,
                    request.progress,
                );
            }
        });
        let path = |id: u64| {
            let at = cells.binary_search_by_key(&id, |cell| cell.id).ok()?;
            Some(cells[at].path())
        };
        let (found, more) = found.into_sorted();
        let request = |request: FoundRequest| OpenRequest {
            asker: match request.key.asker {
                Some(asker) => path(asker).map_or(RequestOrigin::Outside, RequestOrigin::Actor),
                None => RequestOrigin::Outside,
            },
            answerer: match request.key.answerer {
                (of, id) if of == system.number => path(id),
                _ => None,
            },
            behaviour: request.behaviour,
            asked_at: request.place,
            open_for: Duration::from_millis(now_ms.saturating_sub(request.key.since_ms)),
            progress: request.progress,
        };
        OpenRequests {
            oldest: found.into_iter().map(request).collect(),
            more,
        }
    }
}
