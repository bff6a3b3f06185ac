//! Joins of promises: all of several, any of them, or a quorum. Each is a quorum, of another number
//! of values.

use super::arrival_type::arrival_type;
use super::receiver::Receiver;
use super::resolver::RELAYS_MAX;
use super::saved::{PromiseName, PromiseUnsaved, ShapedBytes, SinkSaver};
use super::shown::{Awaits, JoinLink, PromiseLink, RaceLink, Raced, Shown};
use super::sink::{Continue, SinkLink};
use super::sink_data::{JoinData, JoinKind, SinkData, SinkKind};
use super::{Promise, Resolver};
use crate::actor::{AddressRef, AskError, Next};
use crate::saving::saved_struct;
use crate::sync::{Arc, Mutex, lock, try_lock};

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
pub(super) type Outcome<T, R> = fn(Vec<T>) -> Option<R>;

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

pub(super) struct Join<T: Send + 'static, R: Send + 'static> {
    pub(super) kind: JoinKind,
    /// Values that have to arrive.
    pub(super) missing: usize,
    /// Errors that may still arrive.
    pub(super) spare: usize,
    /// What has arrived, also the errors that were spare. So each promise of the join is open, or
    /// has its place here.
    pub(super) values: Vec<Option<Result<T, AskError>>>,
    /// Until it is decided.
    pub(super) open: Option<(Resolver<R>, Outcome<T, R>)>,
}

pub(super) struct JoinSink<T: Send + 'static, R: Send + 'static> {
    pub(super) at: usize,
    pub(super) join: Arc<Mutex<Join<T, R>>>,
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
            let codec = saver.codec(arrival_type::<T>())?;
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
            Err(error) if join.spare > 0 => {
                join.spare -= 1;
                join.values[self.at] = Some(Err(error));
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
    pub(super) to: PromiseName,
    pub(super) at: u64,
    /// The first promise of a join has its state, and its values that have arrived.
    pub(super) state: Option<JoinState>,
}

pub(super) struct JoinState {
    pub(super) missing: u64,
    pub(super) spare: u64,
    /// The number of all its promises.
    pub(super) promises: u64,
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
