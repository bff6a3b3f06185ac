//! Futures beside the actors (T9): each is an actor of the runtime's own, with the only message
//! "poll".
//!
//! So futures are scheduled, simulated and inspected like everything else. Their wakers are
//! addresses.

use super::open_futures::{OpenFuture, OpenFutures};
use crate::actor::Refusal;
use crate::actor::{
    AddressRef, AskError, CellRef, Delivery, Envelope, KindTable, MessageKind, Next, Processed,
    Shared, StateRef, To, Worker, post,
};
use crate::api::{Actor, Handle, InlineState, Link, Resolver, Target, Turn};
use crate::api::{birth, birth_of_stop_hook};
use crate::failures::{Caught, StopReason, catch};
use crate::failures::{Inside, Panic};
use crate::interned::Place;
use crate::message::MessageRole;
use crate::saving::NotSaved;
use crate::sync::{Arc, AtomicBool, Ordering};
use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll, Wake, Waker};

/// The state.
pub(crate) struct FutureActor {
    task: Box<dyn Task>,
    poll_queued: Arc<AtomicBool>,
    /// The turn that spawned the future, and where: for errors.
    origin: Inside,
    place: Place,
}

/// A future and the resolver of its promise, or a stream and its continuation, whatever their
/// types.
pub(crate) trait Task: Send {
    fn poll(&mut self, context: &mut Context<'_>) -> Poll<()>;
    /// A poll has panicked.
    fn fail(&mut self, error: AskError);

    /// The actor that gets a message if the task is lost, and no promise breaks.
    fn reader(&self) -> Option<&AddressRef> {
        None
    }

    /// That message.
    fn lost(&self, error: AskError) -> Option<Delivery> {
        let _ = error;
        None
    }
}

struct FutureTask<F: Future>
where
    F::Output: Send + 'static,
{
    future: Pin<Box<F>>,
    resolver: Option<Resolver<F::Output>>,
    /// Dropped with the future.
    _open: OpenFuture,
}

impl<F: Future + Send> Task for FutureTask<F>
where
    F::Output: Send + 'static,
{
    fn poll(&mut self, context: &mut Context<'_>) -> Poll<()> {
        self.future.as_mut().poll(context).map(|value| {
            if let Some(resolver) = self.resolver.take() {
                resolver.resolve(value);
            }
        })
    }

    fn fail(&mut self, error: AskError) {
        if let Some(resolver) = self.resolver.take() {
            resolver.fail(error);
        }
    }
}

impl Actor for FutureActor {
    type State<'gc> = FutureActor;
    type Storage = InlineState;
    type SaveKind = NotSaved;

    fn stopping<'gc>(_: &mut FutureActor, turn: &Turn<'gc, Self>, _: &StopReason) {
        OpenFutures::of(&turn.worker().system).has_ended(turn.owner().id);
    }
}

/// The actor that reads a stream which has not ended, if the actor with this state polls one.
pub(crate) fn stream_reader(state: &mut StateRef<'_>) -> Option<CellRef> {
    let reader = state.look::<FutureActor, _>(|it| Some(it.task.reader()?.cell()));
    reader.flatten()
}

/// The last message of that stream to its reader if it is lost. Runs code of users: it clones
/// arguments.
pub(crate) fn lost_stream(state: &mut StateRef<'_>, error: AskError) -> Option<Delivery> {
    state
        .look::<FutureActor, _>(|it| it.task.lost(error))
        .flatten()
}

impl Target for FutureActor {
    type Handle = FutureHandle;
    type Table = ();
    const NAME: &'static str = "vivant::Future";
}

pub(crate) struct FutureHandle(Link<FutureActor>);

impl Handle for FutureHandle {
    type Target = FutureActor;
    fn from_link(link: Link<FutureActor>) -> Self {
        FutureHandle(link)
    }
    fn link(&self) -> &Link<FutureActor> {
        &self.0
    }
}

/// The only message of a future's actor. A poll that comes when the future is done is no dead
/// letter.
struct PollFuture;

impl MessageKind for PollFuture {
    type Content = ();
    const KIND: KindTable = KindTable::new::<Self>("vivant::Future::poll", MessageRole::Poll);

    fn run((): (), state: &mut StateRef<'_>, worker: &Worker) -> Processed {
        let _none = state.turn::<FutureActor, _>(worker, |state, _| state.poll(worker));
        Processed::Done
    }

    fn refuse((): (), _: &Refusal, _: Place) -> Next {
        Next::Nothing
    }
}

impl FutureActor {
    fn poll(&mut self, worker: &Worker) {
        // AcqRel: pairs with the swap of a wake. A wake before this one is for this poll, which
        // sees what it published; a wake after it polls again.
        self.poll_queued.swap(false, Ordering::AcqRel);
        let waker = Waker::from(Arc::new(Wakeup {
            poll_queued: self.poll_queued.clone(),
            to: worker.me(),
        }));
        let system = &worker.system;
        let poll = || self.task.poll(&mut Context::from_waker(&waker));
        match catch(|| system.in_executor(|| worker.polling(poll))) {
            Ok(Poll::Pending) => {}
            Ok(Poll::Ready(())) => worker.request_end(StopReason::Finished),
            Err(caught) => {
                let message = format!("{} (in a future spawned at {})", caught.message, self.place);
                let panic = Panic::of(self.origin.clone(), Caught { message, ..caught });
                system.reports.panicked(&panic);
                system.complain(|| format!("a future panicked: {panic}"));
                self.task.fail(AskError::Panicked(panic));
                worker.request_end(StopReason::Finished);
            }
        }
    }
}

/// A waker: an address. While one exists the future is reachable. When the last is dropped and no
/// poll is queued, nothing can ever wake the future. Then its actor ends like any unreachable one,
/// which breaks its promise.
struct Wakeup {
    poll_queued: Arc<AtomicBool>,
    to: AddressRef,
}

impl Wake for Wakeup {
    fn wake(self: Arc<Self>) {
        self.wake_by_ref();
    }

    fn wake_by_ref(self: &Arc<Self>) {
        // AcqRel: pairs with the swap before the poll; one poll for many wakes.
        if !self.poll_queued.swap(true, Ordering::AcqRel) {
            let origin = || format!("a future of {} was woken by another thread", self.to.path());
            self.to.system.complain_if_foreign(origin);
            poll(&self.to);
        }
    }
}

fn poll(to: &AddressRef) {
    let envelope = Envelope::new::<PollFuture>((), Place::caller());
    // An ended actor needs no poll.
    drop(post(To::Lent(to), envelope));
}

/// Starts `future` as a child of the actor of the current turn.
pub(crate) fn spawn<F>(worker: &Worker, future: F, resolver: Resolver<F::Output>, place: Place)
where
    F: Future + Send + 'static,
    F::Output: Send + 'static,
{
    let task = Box::new(FutureTask {
        future: Box::pin(future),
        resolver: Some(resolver),
        _open: OpenFutures::of(&worker.system).open(),
    });
    let origin = Inside {
        actor: worker.path(),
        behaviour: worker.behaviour(),
    };
    let _cell = start(&worker.system, task, origin, place);
}

/// Makes the actor of a task, as a child of the actor of the current turn, if there is one.
pub(crate) fn start(
    system: &Arc<Shared>,
    task: Box<dyn Task>,
    origin: Inside,
    place: Place,
) -> CellRef {
    // Woken from the start: the first poll is on its way.
    let poll_queued = Arc::new(AtomicBool::new(true));
    let state = FutureActor {
        task,
        poll_queued,
        origin,
        place,
    };
    // While the system closes, the turns that still run are of ending actors, as a rule.
    let of_stop_hook = system.is_closing() || Worker::runs_stop_hook(system);
    let actor = match of_stop_hook {
        true => birth_of_stop_hook::<FutureActor>(system, state, |id| {
            OpenFutures::of(system).belongs_to_stop_hook(id)
        }),
        false => birth::<FutureActor>(system, Some(state)),
    };
    poll(&actor);
    actor.cell()
}
