//! [`RestoredActors`]: the actors of a restored system, until the program has their addresses.

use super::by_id::Actors;
use super::census::ActorsOfType;
use super::file::{Header, NotRead, read};
use super::last_state::image_exists;
use super::not_restored::NotRestored;
use super::restore::restore;
use super::saved_program::SavedProgram;
use crate::actor::{Scope, Shared};
use crate::api::{Address, SavedKinds, Target, address_by};
use crate::sync::Arc;
use std::error::Error;
use std::fmt;
use std::time::{Duration, SystemTime};
use vivant_journal::{Catalog, Unreadable};

/// The actors of a restored system. It keeps them alive: drop it when the program has taken the
/// addresses that it needs. An actor to which then no address leads ends, as always.
pub struct RestoredActors {
    actors: Arc<Actors>,
    kinds: Arc<SavedKinds>,
}

/// What was restored.
#[derive(Debug)]
#[non_exhaustive]
pub struct RestoreReport {
    /// Number of the image in its store.
    pub number: u64,
    /// Name of the system that was saved.
    pub system: String,
    /// When the image was taken.
    pub taken_at: SystemTime,
    /// The actors that the cut had, by type. Those that are not saved have ended.
    pub types: Vec<ActorsOfType>,
    /// Number of messages that wait again.
    pub messages: u64,
    /// Newer images, which are damaged and were passed over, newest first.
    pub damaged: Vec<Unreadable>,
}

/// Why a system was not restored. No actor has run.
#[derive(Debug)]
#[non_exhaustive]
pub enum RestoreError {
    /// The builder was not told what the program saves.
    NothingListed,
    /// The image cannot be read.
    NotRead(NotRead),
    /// The program cannot be filled with what the image contains.
    NotRestored(NotRestored),
    /// The store has images, and each is damaged. Newest first.
    AllDamaged(Vec<Unreadable>),
    /// The actor that is to be restored is of another system; its path.
    OtherSystem {
        /// Path of the actor.
        actor: String,
    },
    /// The image has no state of a living actor of the tree.
    NotInImage {
        /// Path of the actor that is the root of the tree.
        actor: String,
    },
    /// Not all actors of the tree have come to the restore in time. Those that are left are
    /// restored when they come to it.
    Deadline {
        /// The limit.
        limit: Duration,
        /// Number of actors that are left.
        left: usize,
    },
}

/// Fills a new system with what `image` contains.
pub(crate) fn restore_image(
    system: &Arc<Shared>,
    image: &vivant_journal::Image,
) -> Result<(RestoredActors, RestoreReport), RestoreError> {
    let kinds = SavedProgram::of(system).ok_or(RestoreError::NothingListed)?;
    let (header, content) = read(image)?;
    let actors = restore(system, &content, &kinds)?;
    let made_of = (&Catalog::of(image), image.number());
    image_exists(system, made_of, 0, &Scope::System);
    let Header {
        system,
        taken_at,
        messages,
        ..
    } = header;
    let report = RestoreReport {
        number: image.number(),
        system,
        taken_at,
        types: content.into_types(),
        messages,
        damaged: Vec::new(),
    };
    Ok((RestoredActors { actors, kinds }, report))
}

impl RestoredActors {
    /// The actor with this [path](Address::path). `None`: the cut had none, or it is not saved, or
    /// `T` is another type, or an interface that it does not list. Costs a look at each actor.
    pub fn actor<T: ?Sized + Target>(&self, path: &str) -> Option<Address<T>> {
        let mut all = self.actors.values();
        address_by(all.find(|actor| actor.path() == path)?, &self.kinds)
    }

    /// The actors of this type, or with this interface, in the order in which they were made.
    pub fn actors<T: ?Sized + Target>(&self) -> impl Iterator<Item = Address<T>> + '_ {
        let all = self.actors.values();
        all.filter_map(|actor| address_by(actor, &self.kinds))
    }

    /// The number of actors.
    pub fn len(&self) -> usize {
        self.actors.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.actors.is_empty()
    }
}

impl fmt::Debug for RestoredActors {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "RestoredActors({})", self.len())
    }
}

impl From<NotRead> for RestoreError {
    fn from(error: NotRead) -> RestoreError {
        RestoreError::NotRead(error)
    }
}

impl From<NotRestored> for RestoreError {
    fn from(error: NotRestored) -> RestoreError {
        RestoreError::NotRestored(error)
    }
}

impl From<vivant_journal::Error> for RestoreError {
    fn from(error: vivant_journal::Error) -> RestoreError {
        RestoreError::NotRead(NotRead::Store(error))
    }
}

impl fmt::Display for RestoreError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            RestoreError::NothingListed => f.write_str(
                "the system does not know what it may restore: name the saved actors in \
                 `System::builder().saved::<(…)>()`",
            ),
            RestoreError::NotRead(error) => write!(f, "{error}"),
            RestoreError::NotRestored(error) => write!(f, "{error}"),
            RestoreError::AllDamaged(images) => {
                write!(f, "each image of the store is damaged")?;
                for image in images {
                    write!(f, "; image {}: {}", image.number, image.error)?;
                }
                Ok(())
            }
            RestoreError::OtherSystem { actor } => {
                write!(f, "{actor} is an actor of another system")
            }
            RestoreError::NotInImage { actor } => write!(
                f,
                "the image has no state of {actor} or a living actor below: it may be of another \
                 system, or older than these actors"
            ),
            RestoreError::Deadline { limit, left } => write!(
                f,
                "{left} actors were not restored within {limit:?}: each comes to it after the \
                 messages that it has now"
            ),
        }
    }
}

impl Error for RestoreError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        match self {
            RestoreError::NotRead(error) => Some(error),
            RestoreError::NotRestored(error) => Some(error),
            RestoreError::NothingListed
            | RestoreError::AllDamaged(_)
            | RestoreError::OtherSystem { .. }
            | RestoreError::NotInImage { .. }
            | RestoreError::Deadline { .. } => None,
        }
    }
}
