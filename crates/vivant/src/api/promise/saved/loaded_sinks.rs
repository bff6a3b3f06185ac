//! Sinks that have more than a resolver, from a file: joins, time limits, exclusive waits, and the
//! `Ok` of a result.

use super::super::Resolver;
use super::super::exclusive::{OpenWait, WaitContent, WaitSink};
use super::super::join::{Join, JoinContent, JoinSink, JoinState, Outcome};
use super::super::limit::InTime;
use super::super::resolver::RELAYS_MAX;
use super::super::shown::{Awaits, Shown};
use super::super::sink::{Continue, SinkLink};
use super::super::sink_data::{JoinKind, SinkData, SinkKind};
use super::data::{PromiseName, PromiseUnsaved, ShapedBytes, SinkSaver};
use super::stored::StoredSink;
use super::value_codecs::{SavedValue, settled};
use crate::actor::{AskError, Next, WaitPurpose};
use crate::sync::{Arc, Mutex, lock};
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
    let resolver = sink.content.resolver(to)?;
    if has_ended {
        let wait = OpenWait::of_earlier(sink.owner, purpose, place);
        return Ok(WaitSink { wait, resolver });
    }
    let wait = OpenWait::open(sink.owner, purpose, place);
    sink.waits.borrow_mut().push(wait.wait);
    Ok(WaitSink { wait, resolver })
}

/// The limit passes after the time that was left.
pub(super) fn loaded_limit<T: Send + 'static>(
    sink: &StoredSink<'_>,
) -> Result<InTime<T>, LoadError> {
    match sink.content.load()? {
        PromiseName::InTime {
            timer,
            left,
            limit,
            then,
        } => {
            let then = sink.content.resolver(*then)?;
            let system = &sink.owner.system;
            Ok(InTime::restored(system, timer, (left, limit), then))
        }
        _ => Err(sink.content.error("a time limit without its time")),
    }
}

pub(super) fn loaded_join<V: SavedValue, R: Send + 'static>(
    sink: &StoredSink<'_>,
    kind: JoinKind,
    outcome: Outcome<V::Value, R>,
) -> Result<JoinSink<V::Value, R>, LoadError> {
    let JoinContent { to, at, state } = sink.content.load()?;
    let PromiseName::Of { number, .. } = to else {
        return Err(sink.content.error("a join without a promise"));
    };
    let at = at as usize;
    let mut joins = sink.joins.borrow_mut();
    let join = match state {
        None => joins
            .get(&number)
            .and_then(|join| join.downcast_ref())
            .cloned(),
        Some(state) => {
            let resolver = sink.content.resolver(to)?;
            let join = join::<V, R>(sink, kind, &state, (resolver, outcome))?;
            joins.insert(number, Box::new(join.clone()));
            Some(join)
        }
    };
    let join: Option<Arc<Mutex<Join<V::Value, R>>>> = join;
    match join {
        Some(join) if lock(&join).values.get(at).is_some_and(Option::is_none) => {
            Ok(JoinSink { at, join })
        }
        _ => Err(sink.content.error("a join that is not whole")),
    }
}

fn join<V: SavedValue, R: Send + 'static>(
    sink: &StoredSink<'_>,
    kind: JoinKind,
    state: &JoinState,
    open: (Resolver<R>, Outcome<V::Value, R>),
) -> Result<Arc<Mutex<Join<V::Value, R>>>, LoadError> {
    // Each promise of a join is open, or has brought something.
    let others = sink.promises.get().checked_sub(state.promises);
    let Some(others) = others.filter(|_| (1..=state.promises).contains(&state.missing)) else {
        return Err(sink
            .content
            .error("a join of a number of promises that none has"));
    };
    sink.promises.set(others);
    let mut values: Vec<_> = (0..state.promises).map(|_| None).collect();
    for (at, value) in &sink.values {
        let Some(place) = values.get_mut(*at as usize) else {
            return Err(value.error("a value of a join at a position that it lacks"));
        };
        *place = Some(settled::<V>(value)?);
    }
    Ok(Arc::new(Mutex::new(Join {
        kind,
        missing: state.missing as usize,
        spare: state.spare as usize,
        values,
        open: Some(open),
    })))
}

/// The sink of a promise of which the value is the `Ok` of a result, from a file.
pub(super) struct LoadedOkSink<T: Send + 'static>(pub(super) Resolver<T>);

impl<T: Send + 'static> Continue<T> for LoadedOkSink<T> {
    fn fill(self, value: Result<T, AskError>) -> Next {
        self.0.settled_by(value)
    }
}

impl<T: Send + 'static> SinkLink for LoadedOkSink<T> {
    fn shown(&self) -> Shown<'_> {
        Shown {
            answer: Some(&self.0),
            awaits: Awaits::Passed(&self.0),
            ..Shown::default()
        }
    }

    fn data(&self) -> SinkData {
        SinkKind::Ok.to(self.0.receiver())
    }

    fn save(&self, saver: &mut SinkSaver<'_>) -> Result<Option<ShapedBytes>, PromiseUnsaved> {
        saver.content(&self.0.promise_name(RELAYS_MAX)).map(Some)
    }
}
