//! One actor as every thread sees it: the cell's header and the references to it, the messages
//! that it takes, the context of the worker that runs it, and the services of its system.
//! The protocols are in `README.md`, the fields of a cell in [`header`].

mod actor_path;
#[allow(
    unsafe_code,
    reason = "the actor cell: see the README and docs/ARCHITECTURE.md"
)]
mod bounded_queue;
mod child_news;
#[allow(
    unsafe_code,
    reason = "the actor cell: see the README and docs/ARCHITECTURE.md"
)]
mod class;
mod constraint;
#[allow(
    unsafe_code,
    reason = "the actor cell: see the README and docs/ARCHITECTURE.md"
)]
mod current_actor;
mod dead_letter;
mod deferred_messages;
mod delayed;
mod dependents;
mod entry_stamp;
#[allow(
    unsafe_code,
    reason = "the message's erased type: see the README and docs/ARCHITECTURE.md"
)]
mod envelope;
mod error;
mod exclusive_wait;
mod header;
#[cfg(test)]
mod injected_fault;
mod inside_turn;
mod kept;
mod last_states;
mod line;
#[allow(unsafe_code, reason = "an owned path, with a tag in its pointer")]
mod lineage;
mod link_message;
#[cfg(all(test, feature = "macros"))]
mod mailbox_model;
#[cfg(all(test, feature = "macros"))]
mod mailbox_model_tests;
mod observation;
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
mod raise;
mod recorder;
#[allow(
    unsafe_code,
    reason = "the actor cell: see the README and docs/ARCHITECTURE.md"
)]
mod reference;
mod reference_word;
mod refusal;
#[allow(
    unsafe_code,
    reason = "the record of a request, in memory that any thread scans: see the README of promises"
)]
mod request_record;
mod restore_message;
mod restored_mark;
mod run_state;
#[allow(
    unsafe_code,
    reason = "the actor cell: see the README and docs/ARCHITECTURE.md"
)]
mod runnable;
mod saved_cells;
mod saved_errors;
mod saved_link;
mod saved_news;
mod saved_terms;
mod scope;
mod shared;
mod shared_table;
mod shown;
mod signals;
mod simulated_turn;
#[allow(
    unsafe_code,
    reason = "a list that is linked through the slots of promises: see their README"
)]
mod slot_list;
mod supervised_by;
mod table_entry;
mod ticket;
mod timer;
mod turn_requests;
mod user_code;
mod waiting_sender;
#[allow(
    unsafe_code,
    reason = "this thread's worker, by a pointer that its frame keeps valid"
)]
mod worker;
mod worker_pass;
mod worker_shared;

pub(crate) use actor_path::ActorPath;
pub(crate) use bounded_queue::{BoundedQueue, Reservation};
pub(crate) use child_news::ChildNews;
pub(crate) use class::{
    Class, EachWatch, HeapFunctions, HostCell, Loaded, LoadedState, RestoredNotice, SavedClass,
    StateFunctions, StateRef, StateSource,
};
pub(crate) use constraint::{Decision, Restored, Rule, Update};
pub(crate) use dead_letter::{bury_letter, note_dead_letter, note_unresolved};
pub(crate) use deferred_messages::{
    Completes, DeferredMessages, Evaluated, Evaluation, Guarded, Open, first_decides_for,
};
pub(crate) use dependents::{ChainEnd, Dependent, Dependents};
pub(crate) use entry_stamp::EntryStamp;
pub(crate) use envelope::{
    ActorRestored, Combination, Envelope, GuardOutcome, KindTable, LinkMessage, LinkedPeer,
    MessageKind, NotLoaded, Processed, RestoreMessage, RestoredParts,
};
pub use envelope::{JoinTable, JoinedMessage};
pub use error::{AskError, NeverDispatched, NotSent, Overloaded, Undelivered};
pub(crate) use exclusive_wait::{AfterStop, ExclusiveWait, StopWait, WaitNumber, WaitPurpose};
pub(crate) use header::{Birth, Ended, Header};
pub(crate) use last_states::LastStates;
pub(crate) use link_message::peer_is_over;
pub(crate) use observation::{
    Answer, Answered, Changed, Entry, Observation, Source, Table, observed,
};
pub(crate) use once::SetOnce;
pub(crate) use options::JOIN_MAX;
pub use options::{Guard, JoinGuard, Mailbox, Pool, Steps, Unawaited};
pub use outgoing::OutgoingReferences;
pub(crate) use outgoing::{OutgoingReference, TraceCoverage, known};
pub(crate) use post::{Received, To, bury, post, post_by, post_or_bury, report};
#[cfg(feature = "snapshots")]
pub(crate) use recorder::release_recorders;
pub(crate) use recorder::{
    CutRecorder, OpenHeap, Recorder, WaitingPlace, end_recorder, give_up_recorder, record,
    record_with, recorder, set_recorder,
};
pub(crate) use reference::{AddressRef, Cached, CellRef, Dropped, count_back};
pub(crate) use reference_word::CommitResult;
pub(crate) use refusal::{DelayedMessage, Delivery, Next, Refusal};
pub(crate) use request_record::{RECORD_AT, RequestFacts, RequestRecord, open_requests};
pub(crate) use restored_mark::{RestoredMark, WaitsAs};
pub(crate) use run_state::{
    Batch, Begin, ColdFields, Constrained, Guards, Lifecycle, Mute, NamedStart, NextState, Pattern,
    RunState, StepProgress, SupervisedBy, TreeEnd, WorkerClass,
};
pub(crate) use runnable::Runnable;
#[cfg_attr(not(test), allow(unused_imports, reason = "a restore will make it"))]
pub(crate) use saved_cells::{CellsById, Receiver, References, SeenActors};
pub(crate) use scope::Scope;
pub(crate) use shared::{MutedSender, Scheduler, Shared};
pub(crate) use shared_table::{SharedTable, TableName};
pub(crate) use signals::{HaltNumber, Raised, Signals};
pub(crate) use slot_list::{Closed, LINK_AT, SlotLink, SlotList};
pub(crate) use supervised_by::Terms;
pub use supervised_by::{Messages, OnPanic, Restart};
pub(crate) use table_entry::{
    Lasts, SavedArguments, SubscriptionEntry, SynchronizerContent, SynchronizerEntry, TableEntry,
};
pub use timer::Timer;
pub(crate) use user_code::{admit, drop_foreign, run_foreign_code};
pub(crate) use waiting_sender::{Admission, WaitingSender};
pub(crate) use worker::{WaitChange, WaitOutcome, Worker};
pub(crate) use worker_shared::{SlowReport, SlowTurn, Tenure, WorkerShared};
