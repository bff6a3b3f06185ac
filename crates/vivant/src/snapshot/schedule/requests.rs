//! [`Requests`]: the requests that no snapshot has fulfilled yet (R1, R2).

use super::attempt::{SnapshotCounts, SnapshotTrigger};
#[cfg(test)]
use crate::injected_fault::{InjectedFault, is_planted};
use crate::sync::{Condvar, Mutex, PoisonError, lock};
use std::time::Duration;

/// The requests of a schedule.
#[derive(Default)]
pub(super) struct Requests {
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Default)]
struct State {
    waiting: Group,
    /// What the snapshot that is being taken stands for.
    joined: Group,
    counts: SnapshotCounts,
    mode: Mode,
}

/// Requests for one snapshot.
#[derive(Default)]
struct Group {
    first: Option<SnapshotTrigger>,
    count: u64,
}

#[derive(Clone, Copy, PartialEq, Eq, Default)]
enum Mode {
    #[default]
    Open,
    /// What waits is the last.
    Ending,
}

/// What the taker of snapshots does next.
#[derive(PartialEq, Eq, Debug)]
pub(super) enum Next {
    /// Takes a snapshot.
    Take,
    /// Looks whether one is due.
    Look,
    End,
}

/// What a snapshot stood for.
pub(super) struct Ended {
    pub(super) trigger: SnapshotTrigger,
    /// Number of requests beside the first.
    pub(super) joined: u64,
    pub(super) counts: SnapshotCounts,
}

/// Whether a snapshot exists.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Taken {
    Yes,
    No,
}

impl Group {
    fn append(&mut self, other: Group) {
        self.first = self.first.or(other.first);
        self.count += other.count;
    }
}

impl Requests {
    /// A schedule that ends takes no more.
    pub(super) fn request(&self, trigger: SnapshotTrigger) {
        let mut state = lock(&self.state);
        if state.mode == Mode::Ending {
            return;
        }
        state.counts.requested += 1;
        state.waiting.append(Group {
            first: Some(trigger),
            count: 1,
        });
        self.changed.notify_all();
    }

    /// The line of a snapshot is about to begin: it fulfils what was requested until now (R1).
    pub(super) fn join(&self) {
        let mut state = lock(&self.state);
        let waiting = std::mem::take(&mut state.waiting);
        state.joined.append(waiting);
    }

    /// A snapshot exists, or has failed. If it fails before its line it fails what waits. `None`:
    /// it was not requested.
    pub(super) fn ended(&self, taken: Taken) -> Option<Ended> {
        let mut state = lock(&self.state);
        if state.joined.first.is_none() {
            state.joined = std::mem::take(&mut state.waiting);
        }
        #[cfg(test)]
        if is_planted(InjectedFault::JoinedBehindLine) {
            let waiting = std::mem::take(&mut state.waiting);
            state.joined.append(waiting);
        }
        let ended = std::mem::take(&mut state.joined);
        let trigger = ended.first?;
        state.counts.joined += ended.count - 1;
        match taken {
            Taken::Yes => state.counts.taken += 1,
            Taken::No => state.counts.failed += 1,
        }
        Some(Ended {
            trigger,
            joined: ended.count - 1,
            counts: state.counts,
        })
    }

    /// No snapshot is due after those that are requested now.
    pub(super) fn end(&self) {
        lock(&self.state).mode = Mode::Ending;
        self.changed.notify_all();
    }

    /// What is to be done now.
    pub(super) fn next(&self) -> Next {
        lock(&self.state).next()
    }

    /// What is to be done after this time, or as soon as there is something.
    pub(super) fn wait(&self, limit: Duration) -> Next {
        let state = lock(&self.state);
        let (state, _) = self
            .changed
            .wait_timeout_while(state, limit, |state| state.next() == Next::Look)
            .unwrap_or_else(PoisonError::into_inner);
        state.next()
    }

    pub(super) fn counts(&self) -> SnapshotCounts {
        lock(&self.state).counts
    }
}

impl State {
    fn next(&self) -> Next {
        match (self.waiting.first, self.mode) {
            (Some(_), _) => Next::Take,
            (None, Mode::Open) => Next::Look,
            (None, Mode::Ending) => Next::End,
        }
    }
}
