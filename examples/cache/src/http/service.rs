//! The data that handlers share: the cache, and the limit of a request.

use crate::audit::Audit;
use crate::stats::Stats;
use crate::store::Served;
use crate::stripes::Stripes;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::Notify;
use vivant::{AskError, Clock, System};

/// Limit of the time for which a request waits for a page; after it the answer is 504.
pub const PATIENCE: Duration = Duration::from_secs(5);

/// The cache behind the server.
#[derive(Clone, Debug)]
pub struct Service {
    system: System,
    clock: Clock,
    stripes: Stripes,
    stopped: Arc<Notify>,
}

impl Service {
    /// A service of this cache; `system` runs its actors.
    #[must_use]
    pub fn new(system: &System, stripes: Stripes) -> Service {
        Service {
            clock: system.clock(),
            system: system.clone(),
            stripes,
            stopped: Arc::new(Notify::new()),
        }
    }

    /// Requests a page.
    ///
    /// # Errors
    ///
    /// No answer came.
    pub async fn get(&self, title: u64) -> Result<Served, AskError> {
        let asked = self.clock.now();
        self.stripes.of(title).get(title, asked).await
    }

    /// The statistics of the cache.
    ///
    /// # Errors
    ///
    /// It has ended.
    pub async fn stats(&self) -> Result<Stats, AskError> {
        let ledger = self.stripes.ledger().await?;
        let stripes = self.stripes.all().len();
        let kind = self.stripes.settings().kind;
        Ok(Stats::of(&self.system, kind, stripes, &ledger))
    }

    /// Audits it.
    ///
    /// # Errors
    ///
    /// It has ended.
    pub async fn audit(&self) -> Result<Audit, AskError> {
        self.stripes.audit(&self.system).await
    }

    /// Requests the end of the service.
    pub fn stop(&self) {
        self.stopped.notify_one();
    }

    /// Waits until the end is requested.
    pub async fn stopped(&self) {
        self.stopped.notified().await;
    }
}
