//! [`SharedTable`]: a group or a topic, and by what an image names it.

use super::shared::Shared;
use crate::saving::saved_enum;
use crate::services::Membership;
use crate::sync::Arc;
use std::any::Any;

/// What actors share by handles: a group or a topic.
pub(crate) trait SharedTable: Membership + Any {
    /// Whether no actor is in it.
    fn is_empty(&self) -> bool;

    /// L10: records the entries of actors of this system that are older than the phase of the
    /// system.
    fn record_older(&self, system: &Arc<Shared>);

    /// The number of its next subscription.
    fn next_subscription(&self) -> u64 {
        0
    }

    /// What the messages of the subscription with this number have of it.
    fn subscription(&self, number: u64) -> Option<Arc<dyn Any + Send + Sync>> {
        let _ = number;
        None
    }
}

/// A group or a topic, as an image names it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum TableName {
    /// It has this name in the system.
    Named(String),
    /// Only handles lead to it. Groups and topics have their numbers from one counter of the
    /// system.
    Numbered(u64),
}

impl TableName {
    pub(crate) fn number(&self) -> Option<u64> {
        match self {
            TableName::Named(_) => None,
            TableName::Numbered(number) => Some(*number),
        }
    }

    /// For errors: its name, or `#` and its number.
    pub(crate) fn shown(&self) -> String {
        match self {
            TableName::Named(name) => name.clone(),
            TableName::Numbered(number) => format!("#{number}"),
        }
    }
}

saved_enum!(TableName as "vivant::TableName" {
    0 Named { 0: String },
    1 Numbered { 0: u64 },
});
