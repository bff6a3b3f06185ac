//! [`Header`]: what a list of images shows of each. The metadata of the journal's image.

use super::super::census::{ActorsOfType, SavedAs, sum};
use crate::saving::saved_struct;
use std::time::SystemTime;
use vivant_codec::{LoadError, SaveError, from_bytes, to_bytes};

/// The version of the format.
pub(super) const FORMAT: u32 = 2;

/// What is known of an image before its records are read. The version comes first: what follows
/// depends on it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Header {
    pub(crate) format: u32,
    /// Name of the system.
    pub(crate) system: String,
    /// The number of the cut in the life of that system.
    pub(crate) phase: u64,
    pub(crate) taken_at: SystemTime,
    /// Numbers of actors.
    pub(crate) saved: u64,
    pub(crate) restarting: u64,
    pub(crate) not_saved: u64,
    /// The number of waiting messages.
    pub(crate) messages: u64,
}

impl Header {
    pub(crate) fn new(
        system: String,
        phase: u64,
        taken_at: SystemTime,
        types: &[ActorsOfType],
        messages: u64,
    ) -> Header {
        Header {
            format: FORMAT,
            system,
            phase,
            taken_at,
            saved: sum(types, SavedAs::State),
            restarting: sum(types, SavedAs::Start),
            not_saved: sum(types, SavedAs::Nothing),
            messages,
        }
    }

    pub(super) fn encode(&self) -> Result<Vec<u8>, SaveError> {
        to_bytes(self)
    }

    /// Returns the header, or a version that this program does not know.
    pub(super) fn decode(metadata: &[u8]) -> Result<Result<Header, u32>, LoadError> {
        let mut input = vivant_codec::Decoder::new(metadata);
        let format = <u32 as vivant_codec::Saved<'_>>::load(&mut input)?;
        match format {
            FORMAT => from_bytes(metadata).map(Ok),
            other => Ok(Err(other)),
        }
    }
}

saved_struct!(Header as "vivant::ImageHeader" {
    0 format: u32,
    1 system: String,
    2 phase: u64,
    3 taken_at: SystemTime,
    4 saved: u64,
    5 restarting: u64,
    6 not_saved: u64,
    7 messages: u64,
});
