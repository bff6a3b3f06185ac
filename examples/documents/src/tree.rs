//! [`Tree`]: both actors under a supervisor.

use crate::disk::Disk;
use crate::journal::Journal;
use crate::planted::Planted;
use crate::store::Store;
use std::error::Error;
use std::sync::Arc;
use std::time::Duration;
use vivant::Supervisor;
use vivant::prelude::*;

/// A journal, and a store that depends on it: if the journal fails, both are started again.
#[derive(Clone, Debug)]
pub struct Tree {
    supervisor: Address<Supervisor>,
    /// The store. Its address stays the same when it is started again.
    pub store: Address<Store>,
}

impl Tree {
    /// Starts both.
    #[must_use]
    pub fn open(system: &System, disk: Arc<dyn Disk>) -> Tree {
        Tree::with(system, disk, Planted::Nothing)
    }

    /// As [`open`](Tree::open), with a planted bug.
    #[doc(hidden)]
    #[must_use]
    pub fn with(system: &System, disk: Arc<dyn Disk>, planted: Planted) -> Tree {
        let supervisor = Supervisor::rest_for_one()
            .budget(20, Duration::from_secs(10))
            .spawn(system);
        let journal = supervisor.add(Journal::child(disk));
        let store = supervisor.add(Store::child(journal, planted));
        Tree { supervisor, store }
    }

    /// Waits until the journal is read.
    ///
    /// # Errors
    ///
    /// It cannot be read.
    pub async fn is_up(&self) -> Result<(), Box<dyn Error + Send + Sync>> {
        Ok(self.supervisor.settled().ask().await??)
    }
}
