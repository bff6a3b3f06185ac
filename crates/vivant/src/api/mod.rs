//! What a program names: actors and their behaviours, addresses, calls, turns and promises.

mod actor;
mod address;
mod ask_future;
mod behaviour;
mod call;
mod inline_state;
mod interface;
mod offer;
pub(crate) mod promise;
mod references;
mod step;
mod storage;
#[allow(unsafe_code, reason = "a turn reaches its worker by a pointer")]
mod turn;

pub use actor::{Actor, Mailbox, Pool};
pub use address::{Address, Handle, Link, Target, WeakAddress};
pub(crate) use ask_future::block_on_thread;
pub use ask_future::{AskFuture, Cancelled};
pub use behaviour::{Access, Answer, Behaviour, Continuation, Guard, Message};
pub use call::{Call, Then};
pub(crate) use call::{Delivery, outcome, own};
pub use inline_state::{InlineActor, InlineState};
pub use interface::{Entry, Implements};
pub use offer::Offer;
pub(crate) use promise::given_up;
pub use promise::{Promise, Resolver};
pub use references::{NoReferences, Probe};
pub(crate) use references::{OutgoingReference, known};
pub use references::{OutgoingReferences, TraceReferences};
pub use step::{Step, Steps};
pub use storage::StateStorage;
pub(crate) use storage::StoreState;
pub(crate) use storage::{FactsOf, Host, Stored};
pub use turn::Turn;
