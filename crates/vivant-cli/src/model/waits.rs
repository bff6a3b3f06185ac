//! Which actor waits for which: the exclusive waits and the open requests, as one list.

use std::collections::BTreeSet;
use vivant_console::wire::{OpenRequest, Snapshot, Wait, WaitEdge};

/// The text for an unknown actor or place.
const UNKNOWN: &str = "-";

/// The text for a thread or a future outside of all actors.
const OUTSIDE: &str = "outside";

/// Whether the waiting actor takes messages meanwhile.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Hold {
    /// It goes on with other messages.
    Open,
    /// It waits exclusively: all its messages wait too.
    Exclusive,
}

/// One actor that waits for another one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct WaitLine {
    pub(crate) hold: Hold,
    pub(crate) for_ms: u64,
    /// The path of the waiting actor, or [`OUTSIDE`].
    pub(crate) asker: String,
    pub(crate) answerer: String,
    pub(crate) behaviour: String,
    pub(crate) asked_at: String,
    /// Where the exclusive wait began.
    pub(crate) waits_at: Option<String>,
    /// A word: `blocked` is an edge of the wait-for graph; otherwise how far the request has come.
    pub(crate) state: String,
}

impl WaitLine {
    /// The exclusive waits, the oldest first; then the other requests, the oldest first.
    pub(super) fn of(snapshot: &Snapshot) -> Vec<WaitLine> {
        let requests = &snapshot.requests;
        let mut lines: Vec<WaitLine> = snapshot
            .waits
            .iter()
            .flat_map(|wait| lines_of(wait, requests))
            .collect();
        let exclusive: BTreeSet<&str> = snapshot.waits.iter().map(|it| &*it.actor).collect();
        let is_listed = |request: &&OpenRequest| {
            let asker = request.asker.as_deref();
            asker.is_some_and(|asker| exclusive.contains(asker))
        };
        lines.extend(
            requests
                .iter()
                .filter(|request| !is_listed(request))
                .map(|request| WaitLine::of_request(request, None)),
        );
        lines
    }

    /// Whether the line has `text`, in lower case, in a name or a place.
    pub(crate) fn contains(&self, text: &str) -> bool {
        [&self.asker, &self.answerer, &self.behaviour, &self.asked_at]
            .into_iter()
            .any(|field| field.to_lowercase().contains(text))
    }

    /// The path of the waiting actor, if it is one.
    pub(crate) fn actor(&self) -> Option<&str> {
        Some(&*self.asker).filter(|asker| *asker != OUTSIDE)
    }

    /// The asker, the answerer, and from there along exclusive waits, of each actor the oldest.
    pub(crate) fn chain<'w>(&'w self, all: &'w [WaitLine]) -> Vec<&'w str> {
        let mut chain = vec![&*self.asker];
        let mut line = Some(self);
        while let Some(WaitLine { answerer, .. }) = line
            && !chain.contains(&&**answerer)
        {
            chain.push(answerer);
            let waits = |next: &&WaitLine| {
                next.hold == Hold::Exclusive && next.asker == *answerer && next.answerer != UNKNOWN
            };
            line = all.iter().find(waits);
        }
        chain
    }

    fn of_request(request: &OpenRequest, wait: Option<&Wait>) -> WaitLine {
        let or = |text: &Option<String>, other: &str| text.as_deref().unwrap_or(other).to_owned();
        WaitLine {
            hold: wait.map_or(Hold::Open, |_| Hold::Exclusive),
            for_ms: request.for_ms,
            asker: or(&request.asker, OUTSIDE),
            answerer: or(&request.answerer, UNKNOWN),
            behaviour: request.behaviour.clone(),
            asked_at: request.asked_at.clone(),
            waits_at: wait.map(|wait| wait.waits_at.clone()),
            state: request.progress.clone(),
        }
    }

    fn of_edge(wait: &Wait, edge: &WaitEdge) -> WaitLine {
        WaitLine {
            hold: Hold::Exclusive,
            for_ms: wait.for_ms,
            asker: wait.actor.clone(),
            answerer: edge.deferred_by.clone(),
            behaviour: edge.behaviour.clone(),
            asked_at: edge.asked_at.clone(),
            waits_at: Some(wait.waits_at.clone()),
            state: "blocked".to_owned(),
        }
    }

    fn of_wait(wait: &Wait) -> WaitLine {
        WaitLine {
            hold: Hold::Exclusive,
            for_ms: wait.for_ms,
            asker: wait.actor.clone(),
            answerer: UNKNOWN.to_owned(),
            behaviour: UNKNOWN.to_owned(),
            asked_at: wait.waits_at.clone(),
            waits_at: Some(wait.waits_at.clone()),
            state: UNKNOWN.to_owned(),
        }
    }
}

/// The edges of an exclusive wait, and the actor's other open requests. Without any, the wait
/// alone: it may be for a promise of the actor itself.
fn lines_of(wait: &Wait, requests: &[OpenRequest]) -> Vec<WaitLine> {
    let edges = wait.needs.iter().map(|edge| WaitLine::of_edge(wait, edge));
    let is_edge = |request: &OpenRequest| {
        wait.needs.iter().any(|edge| {
            let answerer = request.answerer.as_ref();
            answerer == Some(&edge.deferred_by)
                && request.behaviour == edge.behaviour
                && request.asked_at == edge.asked_at
        })
    };
    let others = requests
        .iter()
        .filter(|request| request.asker.as_ref() == Some(&wait.actor) && !is_edge(request))
        .map(|request| WaitLine::of_request(request, Some(wait)));
    let mut lines: Vec<WaitLine> = edges.chain(others).collect();
    if lines.is_empty() {
        lines.push(WaitLine::of_wait(wait));
    }
    lines
}
