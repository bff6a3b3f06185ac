//! Joins of promises: all of several, any of them, or a quorum. Each is a quorum, of another number
//! of values; or of outcomes, where errors count too.

use super::any_resolver::AnyResolver;
use super::arrival_type::arrival_type;
use super::receiver::Receiver;
use super::resolver::RELAYS_MAX;
use super::saved::{PromiseName, PromiseUnsaved, ShapedBytes, SinkSaver};
use super::shown::{Awaits, JoinLink, PromiseLink, RaceLink, Raced, Shown};
use super::sink::{Continue, SinkLink};
use super::sink_data::{JoinData, JoinKind, SinkData, SinkKind};
use super::Promise;
use crate::actor::{AddressRef, AskError, Next};
use crate::saving::saved_struct;
use crate::sync::{Arc, Mutex, lock, try_lock};
use std::any::Any;

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
    join(owner, (JoinKind::Any, 1), promises)
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

/// Returns a promise of all outcomes, in the order of the promises.
pub(crate) fn all_settled<T: Send + 'static>(
    owner: AddressRef,
    promises: Vec<Promise<T>>,
) -> Promise<Vec<Result<T, AskError>>> {
    match promises.len() {
        0 => Promise::ready(Vec::new()),
        all => join(owner, (JoinKind::AllSettled, all), promises),
    }
}

fn join_values<T: Send + 'static>(
    owner: AddressRef,
    (kind, wanted): (JoinKind, usize),
    promises: Vec<Promise<T>>,
) -> Promise<Vec<T>> {
    match wanted {
        0 => Promise::ready(Vec::new()),
        _ => join(owner, (kind, wanted), promises),
    }
}

/// `R` is what `joined` makes of the outcomes.
fn join<T: Send + 'static, R: Send + 'static>(
    owner: AddressRef,
    (kind, wanted): (JoinKind, usize),
    promises: Vec<Promise<T>>,
) -> Promise<R> {
    let (promise, resolver) = Promise::<R>::open(owner.clone());
    // With too few promises the resolver is dropped here, which breaks the promise.
    let Some(spare) = promises.len().checked_sub(wanted) else {
        return promise;
    };
    let join = Arc::new(Mutex::new(Join {
        kind,
        missing: wanted,
        spare,
        outcomes: promises.iter().map(|_| None).collect(),
        open: Some(Box::new(resolver)),
    }));
    for (at, one) in promises.into_iter().enumerate() {
        let join = join.clone();
        one.sink_into(&owner, JoinSink { at, join });
    }
    promise
}

pub(super) struct Join<T: Send + 'static> {
    pub(super) kind: JoinKind,
    /// Number of values that have to arrive; with `AllSettled`, of outcomes.
    pub(super) missing: usize,
    /// Number of errors that may still arrive besides.
    pub(super) spare: usize,
    /// What has arrived, also the errors that were spare. So each promise of the join is open, or
    /// has its place here.
    pub(super) outcomes: Outcomes<T>,
    /// Gets what `joined` makes of the outcomes, until it is decided.
    pub(super) open: Option<Box<dyn AnyResolver>>,
}

type Outcomes<T> = Vec<Option<Result<T, AskError>>>;

/// The outcome of a join for its resolver: a `Result<R, AskError>`. `None`: no value has arrived.
fn joined<T: Send + 'static>(kind: JoinKind, outcomes: Outcomes<T>) -> Option<Box<dyn Any + Send>> {
    // Not by adapters: each is code for each type of values.
    if kind == JoinKind::AllSettled {
        let mut all = Vec::with_capacity(outcomes.len());
        for outcome in outcomes {
            all.extend(outcome);
        }
        return Some(boxed(all));
    }
    let mut values = Vec::with_capacity(outcomes.len());
    for outcome in outcomes {
        if let Some(Ok(value)) = outcome {
            values.push(value);
        }
    }
    match kind {
        JoinKind::Any => Some(boxed(values.pop()?)),
        _ => Some(boxed(values)),
    }
}

fn boxed<R: Send + 'static>(value: R) -> Box<dyn Any + Send> {
    Box::new(Ok::<R, AskError>(value))
}

pub(super) struct JoinSink<T: Send + 'static> {
    pub(super) at: usize,
    pub(super) join: Arc<Mutex<Join<T>>>,
}

impl<T: Send + 'static> JoinLink for JoinSink<T> {
    fn id(&self) -> *const () {
        Arc::as_ptr(&self.join).cast()
    }

    fn with_answer(&self, body: &mut dyn FnMut(&dyn PromiseLink)) {
        let join = lock(&self.join);
        // With spare promises the join may be decided without this value.
        if let (0, Some(resolver)) = (join.spare, &join.open) {
            body(&**resolver);
        }
    }
}

impl<T: Send + 'static> RaceLink for JoinSink<T> {
    fn with_next(&self, body: &mut dyn FnMut(&dyn PromiseLink)) -> Raced {
        let Some(join) = try_lock(&self.join) else {
            return Raced::Busy;
        };
        let Some(resolver) = &join.open else {
            return Raced::Decided;
        };
        body(&**resolver);
        Raced::Open
    }
}

impl<T: Send + 'static> SinkLink for JoinSink<T> {
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
            Some(resolver) => resolver.receiver(RELAYS_MAX),
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
        let Some(resolver) = &join.open else {
            return Ok(None);
        };
        let to = resolver.promise_name(RELAYS_MAX);
        let PromiseName::Of { number, .. } = to else {
            return Err(PromiseUnsaved::Unlisted);
        };
        let is_first = saver.joins.insert(number);
        if is_first {
            let codec = saver.codec(arrival_type::<T>())?;
            for (at, outcome) in join.outcomes.iter().enumerate() {
                if let Some(outcome) = outcome {
                    saver.value(at, outcome, codec)?;
                }
            }
        }
        let content = JoinContent {
            to,
            at: self.at as u64,
            state: is_first.then_some(JoinState {
                missing: join.missing as u64,
                spare: join.spare as u64,
                promises: join.outcomes.len() as u64,
            }),
        };
        saver.content(&content).map(Some)
    }
}

impl<T: Send + 'static> Continue<T> for JoinSink<T> {
    fn fill(self, outcome: Result<T, AskError>) -> Next {
        let mut join = lock(&self.join);
        if join.open.is_none() {
            return Next::Nothing;
        }
        let failed = match outcome {
            Err(error) if join.kind != JoinKind::AllSettled => {
                if join.spare > 0 {
                    join.spare -= 1;
                    join.outcomes[self.at] = Some(Err(error));
                    return Next::Nothing;
                }
                Some(error)
            }
            outcome => {
                join.outcomes[self.at] = Some(outcome);
                join.missing -= 1;
                if join.missing > 0 {
                    return Next::Nothing;
                }
                None
            }
        };
        let (kind, outcomes) = (join.kind, std::mem::take(&mut join.outcomes));
        let open = join.open.take();
        drop(join);
        let Some(resolver) = open else {
            return Next::Nothing;
        };
        match failed {
            Some(error) => resolver.failed_by(error),
            None => match joined(kind, outcomes) {
                Some(outcome) => resolver.settled_by(outcome),
                // No value, no outcome: dropping the resolver breaks the promise.
                None => Next::Nothing,
            },
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
