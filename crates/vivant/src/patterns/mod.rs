//! What is built of actors: registered names, groups, topics, routers, unique timers, rate limits,
//! synchronizers.

mod group;
mod named_registries;
mod named_timer;
mod names;
mod numbered_tables;
mod rate_limit;
mod router;
mod synchronizer;
mod table_identity;
mod topic;
mod turn;

pub use group::Group;
pub(crate) use group::{MembersType, NoGroup, restored_group};
pub(crate) use named_registries::{NamedRegistries, RegistryKey};
pub use named_timer::NamedTimer;
pub(crate) use named_timer::{NamedTimerData, NamedTimers, Schedule};
pub(crate) use names::Names;
pub use names::{LookupError, RegisterError};
pub(crate) use numbered_tables::NumberedTables;
pub use rate_limit::{RateLimit, RateLimited};
pub use router::Router;
pub use synchronizer::{
    SavedSynchronizer, Synchronizer, SynchronizerBuilder, SynchronizerError, SynchronizerKind,
};
pub(crate) use table_identity::{SubscriptionNumbers, TableNumbers};
pub use topic::{Lagged, MaybePublished, NotPublished, Subscription, Topic};
