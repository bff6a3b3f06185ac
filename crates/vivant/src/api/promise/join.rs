//! Joins of promises: all of several, any of them, or a quorum. Each is a quorum, of another number
//! of values.

use super::receiver::Receiver;
use super::resolver::RELAYS_MAX;
use super::saved::{PromiseName, PromiseUnsaved, SavedValue, ShapedBytes, SinkSaver, StoredSink};
use super::shown::{Awaits, JoinLink, PromiseLink, RaceLink, Raced, Shown};
use super::sink::{Continue, SinkLink};
use super::sink_data::{JoinData, JoinKind, SinkData, SinkKind};
use super::{Promise, Resolver};
use crate::actor::{AddressRef, AskError, Next};
use crate::saving::saved_struct;
use crate::sync::{Arc, Mutex, lock, try_lock};
use vivant_codec::LoadError;

/// Returns a promise of all values, in the order of the promises, or of the first error that
/// arrives.
pub(crate) fn all<T: Send + 'static>(
    owner: AddressRef,
    promises: Vec<Promise<T>>,
) -> Promise<Vec<T>> {
    join_values(owner, (JoinKind::All, promises.len()), promises)
}

/// Returns a promise of the first value that arrives; if none arrives, of the last error.
pub(crate) fn any<T: Send + 'static>(owner: AddressRef, promises: Vec<Promise<T>>) -> Promise<T> {
    join(owner, (JoinKind::Any, 1), promises, |mut values| {
        values.pop()
    })
}

/// Returns a promise of the first `wanted` values that arrive, in the order of the promises, or of
/// the error with which so many cannot arrive any more.
pub(crate) fn quorum<T: Send + 'static>(
    owner: AddressRef,
    wanted: usize,
    promises: Vec<Promise<T>>,
) -> Promise<Vec<T>> {
    join_values(owner, (JoinKind::Quorum, wanted), promises)
}

fn join_values<T: Send + 'static>(
    owner: AddressRef,
    (kind, wanted): (JoinKind, usize),
    promises: Vec<Promise<T>>,
) -> Promise<Vec<T>> {
    match wanted {
        0 => Promise::ready(Vec::new()),
        _ => join(owner, (kind, wanted), promises, Some),
    }
}

/// What becomes of the values, which are as many as were wanted.
type Outcome<T, R> = fn(Vec<T>) -> Option<R>;

fn join<T: Send + 'static, R: Send + 'static>(
    owner: AddressRef,
    (kind, wanted): (JoinKind, usize),
    promises: Vec<Promise<T>>,
    outcome: Outcome<T, R>,
) -> Promise<R> {
    let (promise, resolver) = Promise::open(owner.clone());
    // With too few promises the resolver is dropped here, which breaks the promise.
    let Some(spare) = promises.len().checked_sub(wanted) else {
        return promise;
    };
    let join = Arc::new(Mutex::new(Join {
        kind,
        missing: wanted,
        spare,
        values: promises.iter().map(|_| None).collect(),
        open: Some((resolver, outcome)),
    }));
    for (at, one) in promises.into_iter().enumerate() {
        let join = join.clone();
        one.sink_into(&owner, JoinSink { at, join });
    }
    promise
}

struct Join<T: Send + 'static, R: Send + 'static> {
    kind: JoinKind,
    /// Values that have to arrive.
    missing: usize,
    /// Errors that may still arrive.
    spare: usize,
    /// Those that have arrived; none is an error.
    values: Vec<Option<Result<T, AskError>>>,
    /// Until it is decided.
    open: Option<(Resolver<R>, Outcome<T, R>)>,
}

pub(super) struct JoinSink<T: Send + 'static, R: Send + 'static> {
    at: usize,
    join: Arc<Mutex<Join<T, R>>>,
}

impl<T: Send + 'static, R: Send + 'static> JoinLink for JoinSink<T, R> {
    fn id(&self) -> *const () {
        Arc::as_ptr(&self.join).cast()
    }

    fn with_answer(&self, body: &mut dyn FnMut(&dyn PromiseLink)) {
        let join = lock(&self.join);
        // With spare promises the join may be decided without this value.
        if let (0, Some((resolver, _))) = (join.spare, &join.open) {
            body(resolver);
        }
    }
}

impl<T: Send + 'static, R: Send + 'static> RaceLink for JoinSink<T, R> {
    fn with_next(&self, body: &mut dyn FnMut(&dyn PromiseLink)) -> Raced {
        let Some(join) = try_lock(&self.join) else {
            return Raced::Busy;
        };
        let Some((resolver, _)) = &join.open else {
            return Raced::Decided;
        };
        body(resolver);
        Raced::Open
    }
}

impl<T: Send + 'static, R: Send + 'static> SinkLink for JoinSink<T, R> {
    fn shown(&self) -> Shown<'_> {
        Shown {
            join: Some(self),
            awaits: Awaits::Raced(self),
            ..Shown::default()
        }
    }

    fn data(&self) -> SinkData {
        let join = lock(&self.join);
        let to = match &join.open {
            Some((resolver, _)) => resolver.receiver(),
            None => Receiver::Nothing,
        };
        let data = JoinData {
            kind: join.kind,
            at: self.at,
            missing: join.missing,
            spare: join.spare,
        };
        SinkKind::Join(data).to(to)
    }

    fn save(&self, saver: &mut SinkSaver<'_>) -> Result<Option<ShapedBytes>, PromiseUnsaved> {
        let join = lock(&self.join);
        let Some((resolver, _)) = &join.open else {
            return Ok(None);
        };
        let to = resolver.promise_name(RELAYS_MAX);
        let PromiseName::Of { number, .. } = to else {
            return Err(PromiseUnsaved::Unlisted);
        };
        let is_first = saver.joins.insert(number);
        if is_first {
            let codec = saver.types.codec::<T>();
            let codec = codec.ok_or(PromiseUnsaved::UnknownValue)?;
            for (at, value) in join.values.iter().enumerate() {
                if let Some(value) = value {
                    saver.value(at, value, codec)?;
                }
            }
        }
        let content = JoinContent {
            to,
            at: self.at as u64,
            state: is_first.then_some(JoinState {
                missing: join.missing as u64,
                spare: join.spare as u64,
                promises: join.values.len() as u64,
            }),
        };
        saver.content(&content).map(Some)
    }
}

impl<T: Send + 'static, R: Send + 'static> Continue<T> for JoinSink<T, R> {
    fn fill(self, value: Result<T, AskError>) -> Next {
        let mut join = lock(&self.join);
        if join.open.is_none() {
            return Next::Nothing;
        }
        let decided = match value {
            Ok(value) => {
                join.values[self.at] = Some(Ok(value));
                join.missing -= 1;
                if join.missing > 0 {
                    return Next::Nothing;
                }
                Ok(std::mem::take(&mut join.values))
            }
            Err(_) if join.spare > 0 => {
                join.spare -= 1;
                return Next::Nothing;
            }
            Err(error) => Err(error),
        };
        let open = join.open.take();
        drop(join);
        let Some((resolver, outcome)) = open else {
            return Next::Nothing;
        };
        match decided.map(|values| outcome(values.into_iter().flatten().flatten().collect())) {
            Ok(Some(outcome)) => resolver.settled_by(Ok(outcome)),
            // No value, no outcome: dropping the resolver breaks the promise.
            Ok(None) => Next::Nothing,
            Err(error) => resolver.settled_by(Err(error)),
        }
    }
}

/// A join, as one of its promises has it in a file.
pub(super) struct JoinContent {
    /// What gets the outcome. No other join has the same.
    to: PromiseName,
    at: u64,
    /// The first promise of a join has its state, and its values that have arrived.
    state: Option<JoinState>,
}

struct JoinState {
    missing: u64,
    spare: u64,
    /// The number of all its promises.
    promises: u64,
}

saved_struct!(JoinContent as "vivant::Join" {
    0 to: PromiseName,
    1 at: u64,
    2 state: Option<JoinState>,
});
saved_struct!(JoinState as "vivant::JoinState" {
    0 missing: u64,
    1 spare: u64,
    2 promises: u64,
});

impl<T: Send + 'static, R: Send + 'static> JoinSink<T, R> {
    /// `V` is `T` with its codec.
    pub(super) fn loaded<V: SavedValue<Value = T>>(
        sink: &StoredSink<'_>,
        kind: JoinKind,
        outcome: Outcome<T, R>,
    ) -> Result<Self, LoadError> {
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
                let join = loaded::<V, R>(sink, kind, &state, (resolver, outcome))?;
                joins.insert(number, Box::new(join.clone()));
                Some(join)
            }
        };
        let join: Option<Arc<Mutex<Join<T, R>>>> = join;
        match join {
            Some(join) if lock(&join).values.get(at).is_some_and(Option::is_none) => {
                Ok(JoinSink { at, join })
            }
            _ => Err(sink.content.error("a join that is not whole")),
        }
    }
}

/// Limit of the promises of a join in a file, which a program does not reach.
const PROMISES_MAX: u64 = 1 << 24;

fn loaded<V: SavedValue, R: Send + 'static>(
    sink: &StoredSink<'_>,
    kind: JoinKind,
    state: &JoinState,
    open: (Resolver<R>, Outcome<V::Value, R>),
) -> Result<Arc<Mutex<Join<V::Value, R>>>, LoadError> {
    if state.promises > PROMISES_MAX || state.missing == 0 {
        return Err(sink
            .content
            .error("a join of a number of promises that none has"));
    }
    let mut values: Vec<_> = (0..state.promises).map(|_| None).collect();
    for (at, value) in &sink.values {
        let Some(place) = values.get_mut(*at as usize) else {
            return Err(value.error("a value of a join at a position that it lacks"));
        };
        *place = Some(value.settled::<V>()?);
    }
    Ok(Arc::new(Mutex::new(Join {
        kind,
        missing: state.missing as usize,
        spare: state.spare as usize,
        values,
        open: Some(open),
    })))
}
