//! Images of a system: what a consistent cut contains, as data in a store, and a system made of it.
//! The README beside this file says how, and describes the format.
//!
//! - [`image`]: the records; [`message_record`], [`message_kinds`], [`start_record`], [`tables`],
//!   [`alarms`], [`memberships`], [`synchronizers`], [`monitors`], [`ended`], [`supervised`],
//!   [`stopping`]: parts of them.
//! - [`census`]: the actors of a cut by type.
//! - [`promises`]: the promises of a restored system.
//! - [`recorder`]: a cut that is being taken; [`unsaved`]: what no image contains.
//! - [`restore`]: a system from an image; [`held`], [`values`], [`by_id`], [`restored_tables`],
//!   [`restored_memberships`], [`restored_synchronizers`], [`restored_trees`], [`restored_start`],
//!   [`intervals`], [`repeated_message`], [`paths`], [`not_restored`].
//! - [`schedule`]: snapshots that a clock, a number of messages or the program asks for.
//! - [`take`]: a snapshot into a store; [`line`], [`pause`], [`error`]; [`chains`], [`heap_chain`]:
//!   what it leaves to earlier ones.
//! - [`restored`]: a system from a store.
//! - [`file`]: the records in a store.

mod alarms;
#[cfg(all(test, feature = "macros", feature = "snapshots"))]
mod alarms_tests;
mod by_id;
#[cfg(all(test, feature = "macros", feature = "snapshots"))]
mod callers_tests;
mod census;
#[cfg(feature = "snapshots")]
mod chains;
#[cfg(all(test, feature = "macros", feature = "snapshots"))]
mod changed_types_tests;
mod death_watches;
#[cfg(all(test, feature = "macros", feature = "snapshots"))]
mod death_watches_tests;
#[cfg(all(test, feature = "macros", feature = "snapshots"))]
mod encoders_tests;
mod ended;
#[cfg(all(test, feature = "macros", feature = "snapshots"))]
mod ended_tests;
#[cfg(feature = "snapshots")]
mod error;
#[cfg(all(test, feature = "macros", feature = "snapshots"))]
mod failed_restore_tests;
#[cfg(all(test, feature = "macros", feature = "snapshots"))]
mod far_tests;
#[cfg(feature = "snapshots")]
mod file;
#[cfg(all(test, feature = "macros", feature = "snapshots"))]
mod graph_steps_tests;
#[cfg(all(test, feature = "macros", feature = "snapshots"))]
mod graphs_tests;
#[cfg(all(test, feature = "macros", feature = "snapshots"))]
mod groups_tests;
mod handles;
mod heap_chain;
mod heap_records;
mod held;
#[cfg(all(test, feature = "macros", feature = "snapshots"))]
mod hostile_tests;
mod image;
#[cfg(all(test, feature = "macros", feature = "snapshots"))]
mod incremental_tests;
mod intervals;
#[cfg(all(test, feature = "macros", feature = "snapshots"))]
mod joins_tests;
#[cfg(all(test, feature = "macros", feature = "snapshots"))]
mod large_graphs_tests;
#[cfg(feature = "snapshots")]
mod last_state;
#[cfg(all(test, feature = "macros", feature = "snapshots"))]
mod limits_tests;
#[cfg(feature = "snapshots")]
mod line;
#[cfg(all(test, feature = "macros", feature = "snapshots"))]
mod line_tests;
mod memberships;
#[cfg(all(test, feature = "macros", feature = "snapshots"))]
mod memberships_hostile_tests;
#[cfg(all(test, feature = "macros", feature = "snapshots"))]
mod memory_store;
mod message_kinds;
mod message_record;
#[cfg(all(test, feature = "macros", feature = "snapshots"))]
mod mid_turn;
mod monitors;
#[cfg(all(test, feature = "macros", feature = "snapshots"))]
mod monitors_tests;
mod not_restored;
mod noted;
#[cfg(all(test, feature = "macros", feature = "snapshots"))]
mod ok_tests;
mod paths;
#[cfg(feature = "snapshots")]
mod pause;
#[cfg(all(test, feature = "macros", feature = "snapshots"))]
mod program_tests;
#[cfg(all(test, feature = "macros", feature = "snapshots"))]
mod promise_tests;
mod promises;
mod recorder;
#[cfg(all(test, feature = "macros", feature = "snapshots"))]
mod regions_tests;
#[cfg(all(test, feature = "macros", feature = "snapshots"))]
mod reminder_tests;
mod repeated_message;
mod restore;
#[cfg(feature = "snapshots")]
mod restored;
mod restored_memberships;
mod restored_start;
mod restored_synchronizers;
mod restored_tables;
mod restored_trees;
#[cfg(feature = "snapshots")]
mod saved_program;
#[cfg(feature = "snapshots")]
mod schedule;
#[cfg(all(test, feature = "macros", feature = "snapshots"))]
mod shared_values_tests;
#[cfg(all(test, feature = "macros", feature = "snapshots"))]
mod sharing_hostile_tests;
#[cfg(all(test, feature = "macros", feature = "snapshots"))]
mod sharing_tests;
mod start_record;
#[cfg(all(test, feature = "macros", feature = "snapshots"))]
mod steps_tests;
mod stopping;
#[cfg(all(test, feature = "macros", feature = "snapshots"))]
mod stopping_tests;
#[cfg(all(test, feature = "macros", feature = "snapshots"))]
mod streams_kinds_tests;
#[cfg(all(test, feature = "macros", feature = "snapshots"))]
mod streams_tests;
#[cfg(all(test, feature = "macros", feature = "snapshots"))]
mod streams_threads_tests;
mod supervised;
#[cfg(all(test, feature = "macros", feature = "snapshots"))]
mod supervised_hostile_tests;
#[cfg(all(test, feature = "macros", feature = "snapshots"))]
mod supervised_kinds_tests;
#[cfg(all(test, feature = "macros", feature = "snapshots"))]
mod supervised_program;
#[cfg(all(test, feature = "macros", feature = "snapshots"))]
mod supervised_tests;
mod synchronizers;
#[cfg(all(test, feature = "macros", feature = "snapshots"))]
mod synchronizers_kinds_tests;
#[cfg(all(test, feature = "macros", feature = "snapshots"))]
mod synchronizers_program;
#[cfg(all(test, feature = "macros", feature = "snapshots"))]
mod synchronizers_tests;
#[cfg(all(test, feature = "macros", feature = "snapshots"))]
mod synchronizers_threads_tests;
mod tables;
#[cfg(all(test, feature = "macros", feature = "snapshots"))]
mod tables_tests;
#[cfg(all(test, feature = "macros", feature = "snapshots"))]
mod tables_threads_tests;
#[cfg(feature = "snapshots")]
mod take;
#[cfg(all(test, feature = "macros", feature = "snapshots"))]
mod taking;
#[cfg(all(test, feature = "macros", feature = "snapshots"))]
mod tests;
#[cfg(all(test, feature = "macros", feature = "snapshots"))]
mod threads_tests;
#[cfg(all(test, feature = "macros", feature = "snapshots"))]
mod topic_handles_tests;
#[cfg(all(test, feature = "macros", feature = "snapshots"))]
mod topic_numbers_tests;
#[cfg(all(test, feature = "macros", feature = "snapshots"))]
mod topics_tests;
#[cfg(all(test, feature = "macros", feature = "snapshots"))]
mod topics_threads_tests;
#[cfg(all(test, feature = "macros", feature = "snapshots"))]
mod tree_supervised_tests;
#[cfg(all(test, feature = "macros", feature = "snapshots"))]
mod tree_tests;
#[cfg(all(test, feature = "macros", feature = "snapshots"))]
mod trees_threads_tests;
#[cfg(all(test, feature = "macros", feature = "snapshots"))]
mod two_systems_tests;
#[cfg(all(test, feature = "macros", feature = "snapshots"))]
mod types_tests;
#[cfg(all(test, feature = "macros", feature = "snapshots"))]
mod unnamed_topics_tests;
mod unsaved;
mod values;
#[cfg(all(test, feature = "macros", feature = "snapshots"))]
mod weak_interval_tests;

#[cfg(feature = "snapshots")]
pub use {
    census::{ActorsOfType, SavedAs, SlowEncoding},
    error::{RunningTurn, SnapshotError, WaitedFor},
    file::NotRead,
    last_state::{ActorNotRestored, TreeRestored},
    not_restored::NotRestored,
    restored::{RestoreError, RestoreReport, RestoredActors},
    schedule::{SnapshotAttempt, SnapshotCounts, SnapshotSchedule, SnapshotTrigger, Snapshots},
    take::SnapshotReport,
    unsaved::Unsaved,
};
#[cfg(feature = "snapshots")]
pub(crate) use {
    last_state::restore_tree,
    restored::restore_image,
    saved_program::SavedProgram,
    schedule::{next_due_ns, take_due},
    take::take,
};
