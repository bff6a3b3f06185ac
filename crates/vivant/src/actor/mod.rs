//! One actor as every thread sees it: the cell's header and the references to it, the messages
//! that it takes, the context of the worker that runs it, and the services of its system.
//! The protocols are in `README.md`, the fields of a cell in [`header`].

mod accounting;
mod actor_path;
mod address_count;
mod alarm;
mod bounded_queue;
mod candidate;
mod child_news;
#[allow(
    unsafe_code,
    reason = "the actor cell: see the README and docs/ARCHITECTURE.md"
)]
mod class;
mod cold_fields;
#[allow(
    unsafe_code,
    reason = "the actor cell: see the README and docs/ARCHITECTURE.md"
)]
mod current_actor;
mod dead_letters;
#[allow(
    unsafe_code,
    reason = "the message's erased type: see the README and docs/ARCHITECTURE.md"
)]
mod envelope;
mod error;
mod exit_hooks;
mod extensions;
mod faults;
mod header;
#[cfg(test)]
mod injected_fault;
#[cfg(test)]
mod mailbox_model;
#[cfg(test)]
mod mailbox_model_tests;
mod message_role;
mod next;
#[allow(
    unsafe_code,
    reason = "the actor cell: see the README and docs/ARCHITECTURE.md"
)]
mod once;
mod options;
mod outgoing;
#[allow(
    unsafe_code,
    reason = "the message's erased type: see the README and docs/ARCHITECTURE.md"
)]
mod post;
#[allow(
    unsafe_code,
    reason = "the actor cell: see the README and docs/ARCHITECTURE.md"
)]
mod published;
#[allow(
    unsafe_code,
    reason = "the actor cell: see the README and docs/ARCHITECTURE.md"
)]
mod reference;
mod reference_word;
mod refusal;
mod registry;
mod reports;
#[allow(
    unsafe_code,
    reason = "the actor cell: see the README and docs/ARCHITECTURE.md"
)]
mod runnable;
mod scheduler;
mod shared;
mod shown;
mod signals;
mod stage;
mod supervised_by;
mod timer;
mod timers;
mod waiting;
mod waiting_sender;
#[allow(
    unsafe_code,
    reason = "this thread's worker, by a pointer that its frame keeps valid"
)]
mod worker;
mod worker_shared;

pub(crate) use accounting::OwnBytes;
pub(crate) use alarm::{Alarm, Interval, ns, period_ns};
pub(crate) use bounded_queue::{BoundedQueue, Entry};
pub(crate) use child_news::{ChildNews, Heard};
pub(crate) use class::Class;
pub(crate) use class::StateRef;
pub(crate) use cold_fields::ColdFields;
pub(crate) use cold_fields::Pending;
pub(crate) use dead_letters::DeadLetterSubscriber;
pub use dead_letters::DeadLetters;
pub(crate) use envelope::{Envelope, Kind, MessageKind, Step};
pub use error::{AskError, NotSent, Overloaded, Undelivered};
pub(crate) use exit_hooks::ExitHookId;
pub use faults::Faults;
pub(crate) use header::Birth;
pub(crate) use header::Guards;
pub(crate) use header::{Batch, Header, Lifecycle, Mute, RunState, StepProgress, WorkerClass};
pub(crate) use message_role::{MessageRole, Route};
pub(crate) use next::{Delivery, Next, bury, for_others};
pub use options::{Guard, Mailbox, Pool, Steps};
pub use outgoing::OutgoingReferences;
pub(crate) use outgoing::{OutgoingReference, Sight, known};
pub(crate) use post::{To, post, post_by};
pub(crate) use reference::{AddressRef, CellRef, Dropped, Kept, count_back};
pub(crate) use reference_word::CommitResult;
pub(crate) use refusal::Refusal;
pub(crate) use reports::Listener;
pub(crate) use runnable::Runnable;
pub(crate) use scheduler::Scheduler;
pub(crate) use shared::{HeldBack, Shared};
pub(crate) use signals::Signals;
pub(crate) use stage::{SUPERVISOR, Stage};
pub(crate) use supervised_by::{Begin, SupervisedBy, Terms, tell};
pub use supervised_by::{Messages, OnPanic, Restart};
pub use timer::Timer;
pub(crate) use timers::TimerId;
pub(crate) use waiting::Waiting;
pub(crate) use waiting::{Found, first_speaks_for};
pub(crate) use waiting_sender::{Told, WaitingSender};
pub(crate) use worker::Worker;
pub(crate) use worker_shared::{News, Slow, Tenure, WorkerShared};
