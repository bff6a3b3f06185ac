//! The services of a system: what its actors share, and what names no actor. Time and timers,
//! reports, dead letters, exit hooks, the registry, the record of a simulation.

mod accounting;
mod alarm;
mod dead_letters;
mod deadlines;
mod exit_hooks;
mod extensions;
mod faults;
mod fire_turn;
mod registry;
mod reports;
#[allow(
    unsafe_code,
    reason = "a table of what futures keep alive until they leave it"
)]
mod requests;
#[allow(
    clippy::module_inception,
    reason = "the folder is named after what it makes up"
)]
mod services;
mod stage;
mod timers;
mod turn_record;

pub(crate) use accounting::OwnBytes;
pub(crate) use alarm::{
    Action, Alarm, AlarmEntry, Delayed, Expires, Interval, Periodic, SystemCall, ns, period_ns,
};
pub use dead_letters::DeadLetters;
pub(crate) use dead_letters::{DeadLetterSubscriber, Receiver};
pub(crate) use exit_hooks::{ActorTable, ExitAction, ExitHookId, ExitHooks, Membership};
pub use faults::Faults;
pub(crate) use registry::{Registry, RegistryWalk};
pub(crate) use reports::Listener;
pub use requests::RequestProgress;
pub(crate) use requests::{Asked, OutsidePlace, OutsideRequest, RequestState};
pub(crate) use services::Services;
pub(crate) use stage::{PROBE, SUPERVISOR, Stage};
pub(crate) use timers::{TimerId, Timers};
pub(crate) use turn_record::{BeginningTurn, RecordedTurn, Trace};
