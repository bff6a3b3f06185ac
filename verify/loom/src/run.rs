//! The run word and the mailbox together, as `post`, `cell::run` and the run queues use them
//! (`crates/vivant/src/cell/README.md`, and M4 of the mailbox).
//!
//! Proved, on the files of the runtime: C1 no two workers hold an actor at once, and what one wrote the next one sees; it
//! never lies in two queues; M4 no message stays behind when all is quiet; a stop racing with sends processes or refuses
//! each message, once; a notification that comes after the end is harmless.
//!
//! | model | real |
//! |---|---|
//! | `Actor::post` | `mailbox::post`, `CellRef::notify` |
//! | `Actor::tell` | `CellRef::signal` |
//! | `Actor::run`, `Actor::work` | `cell::run` and the steps of `Held` |
//! | `Actor::end` | `Held::end`, `Held::refuse_all` |
//! | `Queue` | `RunQueue`; there is one, and one actor |
//!
//! Left out: muting (`muting.rs`), references (`address.rs`), guards, and which queue it is.

mod broken;

use crate::check::{Canary, holds, holds_long};
use crate::letters::{Letter, Mailbox, Node, in_order, letter};
use crate::runtime::inbox::{Inbox, Pushed};
use crate::runtime::state::{Parked, RunWord, Signals, Told};
use crate::sync::{Arc, Mutex, lock};
use crate::tracked::Tracked;
use loom::thread::{self, JoinHandle};

/// The real run word, or one with a planted bug.
pub(crate) trait Word {
    fn notify(&self) -> Told;
    fn signal(&self, signal: Signals) -> Told;
    fn hold(&self) -> Signals;
    fn look(&self) -> Signals;
    fn park(&self) -> Parked;
    fn requeue(&self);
}

impl Word for RunWord {
    fn notify(&self) -> Told {
        RunWord::notify(self)
    }
    fn signal(&self, signal: Signals) -> Told {
        RunWord::signal(self, signal)
    }
    fn hold(&self) -> Signals {
        RunWord::hold(self)
    }
    fn look(&self) -> Signals {
        RunWord::look(self)
    }
    fn park(&self) -> Parked {
        RunWord::park(self)
    }
    fn requeue(&self) {
        RunWord::requeue(self);
    }
}

/// One run queue for one actor.
struct Queue(Mutex<usize>);

impl Queue {
    fn push(&self) {
        let mut tokens = lock(&self.0);
        assert_eq!(*tokens, 0, "the actor lies in the queue twice");
        *tokens += 1;
    }

    fn pop(&self) -> bool {
        std::mem::take(&mut *lock(&self.0)) == 1
    }
}

struct Actor<W> {
    word: W,
    inbox: Inbox<Node>,
    queue: Queue,
    owner: Tracked<Owner>,
    budget: u32,
}

/// What only the holder touches: the model's `Owner` and state in one.
#[derive(Default)]
struct Owner {
    backlog: Vec<Letter>,
    processed: Vec<Letter>,
    refused: Vec<Letter>,
    life: Life,
}

#[derive(Default, PartialEq, Eq, Clone, Copy)]
enum Life {
    #[default]
    Running,
    Ended,
}

/// Why the holder stopped working.
#[derive(PartialEq, Eq)]
enum Why {
    NothingLeft,
    BudgetSpent,
}

impl<W: Word + 'static> Actor<W> {
    fn new(word: W, budget: u32) -> Arc<Actor<W>> {
        Arc::new(Actor {
            word,
            inbox: Inbox::new(),
            queue: Queue(Mutex::new(0)),
            owner: Tracked::new(Owner::default()),
            budget,
        })
    }

    fn post(&self, letter: Letter) -> Result<(), Letter> {
        if Mailbox::push(&self.inbox, letter)? == Pushed::First {
            self.enqueue_if(self.word.notify());
        }
        Ok(())
    }

    fn tell(&self, signal: Signals) {
        self.enqueue_if(self.word.signal(signal));
    }

    fn enqueue_if(&self, told: Told) {
        if told == Told::Enqueue {
            self.queue.push();
        }
    }

    /// One look at the queue, and a run if the actor was in it.
    fn serve(&self) {
        if self.queue.pop() && self.run() == Why::BudgetSpent {
            self.queue.push();
        }
    }

    fn run(&self) -> Why {
        let mut signals = self.word.hold();
        loop {
            // The touch lasts as long as the work: another holder meanwhile would be seen even if no step met another.
            let why = self.owner.change(|owner| self.work(owner, signals));
            if why == Why::BudgetSpent {
                self.word.requeue();
                return why;
            }
            match self.word.park() {
                Parked::Yes => return Why::NothingLeft,
                Parked::Again(told) => signals = told,
            }
        }
    }

    fn work(&self, owner: &mut Owner, signals: Signals) -> Why {
        self.heed(owner, signals);
        let mut messages = 0;
        while owner.life == Life::Running {
            if messages == self.budget {
                let more = !owner.backlog.is_empty() || !Mailbox::is_empty(&self.inbox);
                return if more {
                    Why::BudgetSpent
                } else {
                    Why::NothingLeft
                };
            }
            if owner.backlog.is_empty() {
                owner.backlog = Mailbox::take(&self.inbox);
            }
            if owner.backlog.is_empty() {
                break;
            }
            owner.processed.push(owner.backlog.remove(0));
            messages += 1;
            self.heed(owner, self.word.look());
        }
        Why::NothingLeft
    }

    fn heed(&self, owner: &mut Owner, signals: Signals) {
        if owner.life == Life::Running && signals.has(Signals::STOP) {
            owner.life = Life::Ended;
            owner.refused.append(&mut owner.backlog);
            owner.refused.extend(Mailbox::close(&self.inbox));
        }
    }

    /// Everybody has finished; this thread runs what is queued, and then looks at what has become of all messages.
    fn when_quiet(&self, sent: u32, refused: Vec<Letter>, end: Life) {
        for _ in 0..3 {
            self.serve();
        }
        self.all_accounted_for(sent, &refused, end);
        // The word is idle, or this notification, which comes late, would be left to a holder that is not there.
        assert_eq!(self.word.notify(), Told::Enqueue, "held by nobody");
        assert!(self.run() == Why::NothingLeft);
        self.all_accounted_for(sent, &refused, end);
        self.owner.change(|owner| owner.life = Life::Ended);
        assert_eq!(Mailbox::close(&self.inbox), [], "M4: left behind");
    }

    fn all_accounted_for(&self, sent: u32, refused: &[Letter], end: Life) {
        self.owner.read(|owner| {
            assert!(owner.life == end, "a stop was lost");
            let all = [&owner.processed[..], &owner.refused, refused].concat();
            let different = all.iter().collect::<std::collections::BTreeSet<_>>();
            assert_eq!(different.len(), all.len(), "M1: twice: {all:?}");
            assert_eq!(all.len() as u32, sent, "M4: one stays behind: {all:?}");
            in_order(&owner.processed);
        });
    }
}

/// A thread that posts letters 1 to `count`; gives back those that were refused.
fn poster<W: Word + 'static>(
    to: &Arc<Actor<W>>,
    from: char,
    count: u32,
) -> JoinHandle<Vec<Letter>> {
    let to = to.clone();
    let post = move |number| to.post(letter(from, number)).err();
    thread::spawn(move || (1..=count).filter_map(post).collect())
}

fn worker<W: Word + 'static>(actor: &Arc<Actor<W>>) -> JoinHandle<()> {
    let actor = actor.clone();
    thread::spawn(move || actor.serve())
}

/// One poster and two workers.
fn two_workers<W: Word + 'static>(word: W, messages: u32, budget: u32) {
    let actor = Actor::new(word, budget);
    let poster = poster(&actor, 'a', messages);
    for worker in [worker(&actor), worker(&actor)] {
        worker.join().unwrap();
    }
    let refused = poster.join().unwrap();
    actor.when_quiet(messages, refused, Life::Running);
}

/// Two posters and a worker.
fn two_posters<W: Word + 'static>(word: W, sizes: [u32; 2]) {
    let actor = Actor::new(word, u32::MAX);
    let posters = [poster(&actor, 'a', sizes[0]), poster(&actor, 'b', sizes[1])];
    worker(&actor).join().unwrap();
    let refused = posters
        .into_iter()
        .flat_map(|poster| poster.join().unwrap());
    actor.when_quiet(sizes.iter().sum(), refused.collect(), Life::Running);
}

/// A poster, somebody who stops the actor, and a worker.
fn stop_and_sends<W: Word + 'static>(word: W, messages: u32) {
    let actor = Actor::new(word, u32::MAX);
    let poster = poster(&actor, 'a', messages);
    let stopper = thread::spawn({
        let actor = actor.clone();
        move || actor.tell(Signals::STOP)
    });
    worker(&actor).join().unwrap();
    stopper.join().unwrap();
    let refused = poster.join().unwrap();
    actor.when_quiet(messages, refused, Life::Ended);
}

/// M4, C1: two workers, one of whom may find the actor held.
pub fn no_message_stays_behind() {
    holds(|| two_workers(RunWord::new(), 2, u32::MAX));
    holds(|| two_workers(RunWord::new(), 3, 2));
}

/// C1: a budget of one message, so that the actor goes from holder to holder through the queue.
pub fn requeued_it_is_held_by_one() {
    holds(|| two_workers(RunWord::new(), 2, 1));
}

/// M3, M4: only the first of two posters notifies.
pub fn two_posters_need_one_notification() {
    holds(|| two_posters(RunWord::new(), [1, 1]));
    holds(|| two_posters(RunWord::new(), [2, 2]));
}

/// Each message is processed or refused, once, and a notification that comes after the end does no harm.
pub fn stop_races_with_sends() {
    holds(|| stop_and_sends(RunWord::new(), 2));
}

/// Two posters and two workers.
pub fn long_two_posters_two_workers() {
    holds_long(|| {
        let actor = Actor::new(RunWord::new(), u32::MAX);
        let posters = [poster(&actor, 'a', 1), poster(&actor, 'b', 1)];
        for worker in [worker(&actor), worker(&actor)] {
            worker.join().unwrap();
        }
        let refused = posters
            .into_iter()
            .flat_map(|poster| poster.join().unwrap());
        actor.when_quiet(2, refused.collect(), Life::Running);
    });
}

/// The copy of the file in which bugs are planted does what the file does.
pub fn without_a_flaw_the_copy_holds() {
    canaries::copy_holds();
}

/// Each planted bug is met by the very models above.
pub mod canaries {
    use super::broken::{Flaw, FlawedWord};
    use super::*;

    fn two_workers_with(flaw: Flaw) -> impl Fn() + Send + Sync + 'static {
        move || two_workers(FlawedWord::with(flaw), 2, u32::MAX)
    }

    fn two_posters_with(flaw: Flaw) -> impl Fn() + Send + Sync + 'static {
        move || two_posters(FlawedWord::with(flaw), [1, 1])
    }

    /// The sender that is first does not notify.
    pub fn a_first_that_does_not_notify_is_caught(canary: Canary) {
        canary.dies("M4", two_workers_with(Flaw::NotifyNobody));
    }

    /// A notification that changes no bit is left out: the holder that parks may miss the push.
    pub fn a_notification_skipped_when_already_told_is_caught(canary: Canary) {
        canary.dies("M4", two_posters_with(Flaw::TellOnlyNews));
    }

    /// `notify` does not release.
    pub fn a_notification_that_does_not_release_is_caught(canary: Canary) {
        canary.dies("M4", two_workers_with(Flaw::TellRelaxed));
    }

    /// The holder lets go without looking whether something arrived.
    pub fn a_park_that_does_not_look_is_caught(canary: Canary) {
        canary.dies("M4", two_workers_with(Flaw::ParkBlindly));
    }

    /// The holder that must look again does not acquire what it was told of.
    pub fn looking_again_without_acquire_is_caught(canary: Canary) {
        canary.dies("M4", two_workers_with(Flaw::AgainRelaxed));
    }

    /// `park` does not release, so the next holder does not see the state.
    pub fn a_park_that_does_not_release_is_caught(canary: Canary) {
        canary.dies("Causality violation", two_workers_with(Flaw::ParkRelaxed));
    }

    /// Everybody who tells enqueues, whoever holds the actor.
    pub fn an_enqueue_while_it_is_held_is_caught(canary: Canary) {
        canary.dies("", two_workers_with(Flaw::EnqueueAlways));
    }

    /// `look` takes the signals away and does not say which.
    pub fn a_stop_that_is_forgotten_is_caught(canary: Canary) {
        canary.dies("a stop was lost", || {
            stop_and_sends(FlawedWord::with(Flaw::LookForgets), 2);
        });
    }

    /// No canary: the copy itself is faithful.
    pub(crate) fn copy_holds() {
        holds(two_workers_with(Flaw::None));
        holds(two_posters_with(Flaw::None));
        holds(|| two_workers(FlawedWord::with(Flaw::None), 2, 1));
    }
}
