//! What a program names: actors and their behaviours, addresses, calls, turns and promises.

mod actor;
mod address;
mod ask_future;
mod behaviour;
mod call;
mod dead_letter_subscription;
mod inline_state;
mod interface;
mod interval;
mod offer;
pub(crate) mod promise;
mod references;
mod send_error;
mod spawner;
mod step;
mod storage;
#[allow(unsafe_code, reason = "a turn reaches its worker by a pointer")]
mod turn;

pub use actor::Actor;
pub use address::{Address, Handle, Link, Target, WeakAddress};
pub(crate) use ask_future::block_on_thread;
pub use ask_future::{AskFuture, Cancelled};
pub use behaviour::{Answer, Behaviour, Continuation, Message};
pub use call::{Call, Then};
pub(crate) use call::{outcome, own};
pub use inline_state::{InlineActor, InlineState};
pub use interface::{Entry, Implements};
pub(crate) use interval::interval;
pub use offer::Offer;
pub(crate) use promise::given_up;
pub use promise::{Promise, Resolver};
pub use references::{NoReferences, Probe, TraceReferences};
pub use send_error::SendError;
pub use spawner::Spawner;
pub(crate) use spawner::SystemRef;
pub use step::Step;
pub use storage::StateStorage;
pub(crate) use storage::{FactsOf, Host, StoreState, Stored};
pub use turn::Turn;
