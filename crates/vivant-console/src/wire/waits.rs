//! Which actor waits for which: exclusive waits with their edges, and open requests. Times are
//! milliseconds.

use super::durations::ms;
use crate::limits::NEEDS_MAX;
use serde::{Deserialize, Serialize};

/// An actor that takes no message before a promise has settled.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Wait {
    /// Path of the actor.
    pub actor: String,
    /// The place in the source where the wait began.
    pub waits_at: String,
    /// How long it has lasted.
    pub for_ms: u64,
    /// The edges of the wait-for graph that begin at this wait: the requests that it needs and that
    /// other actors defer, because these wait exclusively too. Not all of them if there are very
    /// many.
    pub needs: Vec<WaitEdge>,
    /// Number of further edges.
    pub more_needs: usize,
}

/// A request that an exclusive wait needs, and that another actor defers because it waits too.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct WaitEdge {
    /// Stable name of the behaviour that was asked for.
    pub behaviour: String,
    /// The place in the source that made the request: in the actor that waits, or in an actor with
    /// an answer that depends on the request.
    pub asked_at: String,
    /// Path of the actor that defers the request.
    pub deferred_by: String,
}

/// A request that is not answered yet.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct OpenRequest {
    /// Path of the actor that asked; `None` for a thread or a future outside of all actors.
    pub asker: Option<String>,
    /// Path of the actor that has to answer; `None` if it is of another system or has ended.
    pub answerer: Option<String>,
    /// Stable name of the behaviour, or of the method of an interface.
    pub behaviour: String,
    /// The place in the source that made the request.
    pub asked_at: String,
    /// How long it has been open.
    pub for_ms: u64,
    /// `queued`, `deferred`, or `begun`: the turn that answers has begun.
    pub progress: String,
}

impl Wait {
    pub(super) fn of(wait: &vivant::OpenWait) -> Wait {
        Wait {
            actor: wait.actor.clone(),
            waits_at: wait.waits_at.to_string(),
            for_ms: ms(wait.lasts),
            needs: wait
                .needs
                .iter()
                .take(NEEDS_MAX)
                .map(WaitEdge::of)
                .collect(),
            more_needs: wait.needs.len().saturating_sub(NEEDS_MAX),
        }
    }
}

impl WaitEdge {
    fn of(edge: &vivant::WaitEdge) -> WaitEdge {
        WaitEdge {
            behaviour: edge.behaviour.into(),
            asked_at: edge.asked_at.to_string(),
            deferred_by: edge.deferred_by.clone(),
        }
    }
}

impl OpenRequest {
    pub(super) fn of(request: &vivant::OpenRequest) -> OpenRequest {
        OpenRequest {
            asker: request.asker.actor().map(str::to_owned),
            answerer: request.answerer.clone(),
            behaviour: request.behaviour.into(),
            asked_at: request.asked_at.to_string(),
            for_ms: ms(request.open_for),
            progress: request.progress.to_string(),
        }
    }
}
