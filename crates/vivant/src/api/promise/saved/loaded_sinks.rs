//! Sinks that have more than a resolver, from a file: joins, time limits and exclusive waits.

use super::super::exclusive::{OpenWait, WaitContent, WaitSink};
use super::super::join::{Join, JoinContent, JoinSink, JoinState};
use super::super::limit::InTime;
use super::super::sink_data::JoinKind;
use super::data::PromiseName;
use super::outcome_codec::OutcomeCodec;
use super::stored::StoredSink;
use crate::actor::{AskError, WaitPurpose};
use crate::api::RunningSystem;
use crate::sync::{Arc, Mutex, lock};
use std::collections::BTreeSet;
use vivant_codec::LoadError;

/// The actor waits again, unless the incarnation is over that waited.
pub(super) fn loaded_wait<T: Send + 'static>(
    sink: &StoredSink<'_>,
    purpose: WaitPurpose,
) -> Result<WaitSink<T>, LoadError> {
    let WaitContent {
        place,
        has_ended,
        to,
    } = sink.content.load()?;
    let resolver = sink.content.resolver_of(to)?;
    if has_ended {
        let wait = OpenWait::of_earlier(sink.owner, purpose, place);
        return Ok(WaitSink { wait, resolver });
    }
    let wait = OpenWait::open(sink.owner, purpose, place);
    sink.waits.borrow_mut().push(wait.wait);
    Ok(WaitSink { wait, resolver })
}

/// The limit passes after the time that was left.
pub(super) fn loaded_limit<T: 'static>(sink: &StoredSink<'_>) -> Result<InTime, LoadError> {
    match sink.content.load()? {
        PromiseName::InTime {
            timer,
            left,
            limit,
            then,
        } => {
            let then = sink.content.any_resolver_of::<T>(*then)?;
            let system = &sink.owner.system;
            Ok(match sink.content.context() {
                // The alarm with that number is that of the incarnation before.
                Some(RunningSystem) => InTime::begins(system, (left, limit), then),
                None => InTime::restored(system, timer, (left, limit), then),
            })
        }
        _ => Err(sink.content.error("a time limit without its time")),
    }
}

pub(super) fn loaded_join<T: Send + 'static>(
    sink: &StoredSink<'_>,
    codec: &OutcomeCodec<T>,
    kind: JoinKind,
) -> Result<JoinSink<T>, LoadError> {
    let JoinContent { to, at, state } = sink.content.load()?;
    let PromiseName::Of { number, .. } = to else {
        return Err(sink.content.error("a join without a promise"));
    };
    let at = at as usize;
    let mut joins = sink.joins.borrow_mut();
    if let Some(state) = state {
        joins.insert(number, Box::new(join(sink, codec, (kind, to), &state)?));
    }
    let join = joins.get_mut(&number);
    let join: Option<&mut LoadedJoin<T>> = join.and_then(|join| join.downcast_mut());
    if let Some(loaded) = join
        && lock(&loaded.join).kind == kind
        && loaded.free.remove(&at)
    {
        let join = loaded.join.clone();
        return Ok(JoinSink { at, join });
    }
    Err(sink.content.error("a join that is not whole"))
}

/// A join, and its positions that no promise has yet.
struct LoadedJoin<T: Send + 'static> {
    join: Arc<Mutex<Join<T>>>,
    free: BTreeSet<usize>,
}

fn join<T: Send + 'static>(
    sink: &StoredSink<'_>,
    codec: &OutcomeCodec<T>,
    (kind, to): (JoinKind, PromiseName),
    state: &JoinState,
) -> Result<LoadedJoin<T>, LoadError> {
    let content = &sink.content;
    // Each promise of a join is open, or has brought something.
    let others = sink.promises.get().checked_sub(state.promises);
    let Some(others) = others.filter(|_| (1..=state.promises).contains(&state.missing)) else {
        return Err(content.error("a join of a number of promises that none has"));
    };
    sink.promises.set(others);
    let mut outcomes = Vec::new();
    outcomes.resize_with(state.promises as usize, || None);
    for (at, outcome) in &sink.values {
        let Some(place) = outcomes.get_mut(*at as usize) else {
            return Err(outcome.error("a value of a join at a position that it lacks"));
        };
        *place = Some(outcome.outcome(codec)?);
    }
    let free: BTreeSet<_> = (0..outcomes.len())
        .filter(|at| outcomes[*at].is_none())
        .collect();
    let is_all = matches!(kind, JoinKind::All | JoinKind::AllSettled);
    if state.missing.checked_add(state.spare) != Some(free.len() as u64)
        || is_all && state.spare > 0
    {
        return Err(content.error("a join that misses more or fewer values than it has promises"));
    }
    let open = match kind {
        JoinKind::All | JoinKind::Quorum => content.any_resolver_of::<Vec<T>>(to)?,
        JoinKind::Any => content.any_resolver_of::<T>(to)?,
        JoinKind::AllSettled => content.any_resolver_of::<Vec<Result<T, AskError>>>(to)?,
    };
    let join = Arc::new(Mutex::new(Join {
        kind,
        missing: state.missing as usize,
        spare: state.spare as usize,
        outcomes,
        open: Some(open),
    }));
    Ok(LoadedJoin { join, free })
}
