//! Joins of promises: all of several, any of them, or a quorum. Each is a quorum, of another number
//! of values; or of outcomes, where errors count too.

use super::Promise;
use super::any_resolver::AnyResolver;
use super::arrival_type::arrival_type;
use super::receiver::Receiver;
use super::resolver::RELAYS_MAX;
use super::saved::{OutcomeCodec, PromiseName, PromiseUnsaved, ShapedBytes, SinkSaver};
use super::shown::{Awaits, JoinLink, PromiseLink, RaceLink, Raced, Shown};
use super::sink::{Continue, SinkLink};
use super::sink_data::{JoinData, JoinKind, SinkData, SinkKind};
use crate::actor::{AddressRef, AskError, Next, drop_foreign};
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
        let number = match to {
            PromiseName::Of { number, .. } => number,
            // The join was restored without its promise, which was not wanted.
            PromiseName::Nothing => return Ok(None),
            _ => return Err(PromiseUnsaved::Unlisted),
        };
        let is_first = saver.joins.insert(number);
        if is_first {
            let codec: &OutcomeCodec<T> = saver.codec(arrival_type::<T>())?;
            for (at, outcome) in join.outcomes.iter().enumerate() {
                if let Some(outcome) = outcome {
                    let outcome = codec.encoded(outcome, saver.contexts())?;
                    saver.arrived(at, outcome);
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
        let arrived = lock(&self.join).arrives(self.at, outcome);
        match arrived {
            Arrived::Waits => Next::Nothing,
            Arrived::Late(outcome) => {
                drop_foreign("the drop of an answer", outcome);
                Next::Nothing
            }
            Arrived::Failed(resolver, error, unwanted) => {
                // One by one: two panics in one drop would end the process.
                for outcome in unwanted {
                    drop_foreign("the drop of an answer", outcome);
                }
                resolver.failed_by(error)
            }
            Arrived::Joined(resolver, kind, outcomes) => match joined(kind, outcomes) {
                Some(outcome) => resolver.settled_by(outcome),
                // No value, no outcome: dropping the resolver breaks the promise.
                None => Next::Nothing,
            },
        }
    }
}

/// What an outcome does to its join. Code of users is called without the lock.
enum Arrived<T> {
    /// Others have to arrive.
    Waits,
    /// The join is decided.
    Late(Result<T, AskError>),
    Failed(Box<dyn AnyResolver>, AskError, Outcomes<T>),
    Joined(Box<dyn AnyResolver>, JoinKind, Outcomes<T>),
}

impl<T: Send + 'static> Join<T> {
    fn arrives(&mut self, at: usize, outcome: Result<T, AskError>) -> Arrived<T> {
        let Some(open) = &self.open else {
            return Arrived::Late(outcome);
        };
        let is_spare = match &outcome {
            Ok(_) => false,
            // What an owner that has ended would do with the errors does not come any more.
            Err(_) if self.kind == JoinKind::AllSettled && open.has_listener() => false,
            Err(_) if self.spare > 0 => true,
            Err(_) => return self.decided(outcome),
        };
        self.outcomes[at] = Some(outcome);
        match is_spare {
            true => self.spare -= 1,
            false => self.missing -= 1,
        }
        let is_whole = self.missing == 0;
        match self.open.take_if(|_| is_whole) {
            Some(open) => Arrived::Joined(open, self.kind, std::mem::take(&mut self.outcomes)),
            None => Arrived::Waits,
        }
    }

    /// An error decides the join.
    fn decided(&mut self, outcome: Result<T, AskError>) -> Arrived<T> {
        match (self.open.take(), outcome) {
            (Some(open), Err(error)) => {
                Arrived::Failed(open, error, std::mem::take(&mut self.outcomes))
            }
            (_, outcome) => Arrived::Late(outcome),
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
