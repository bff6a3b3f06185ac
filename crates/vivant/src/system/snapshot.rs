//! Snapshots of a running system.

use super::System;
use crate::actor::{Scope, Worker};
use crate::api::{Address, AskFuture, Target};
use crate::snapshot::{
    RestoreError, SnapshotError, SnapshotReport, Snapshots, TreeRestored, restore_tree, take,
};
use crate::sync::Arc;
use std::future::Future;
use std::time::Duration;
use std::{ptr, thread};
use vivant_journal::{Image, Journal};

/// The limit of a snapshot, if none is set.
const SNAPSHOT_WITHIN: Duration = Duration::from_secs(10);

impl System {
    /// Saves the system to the store of `journal`, while it runs: the state of each saved actor at
    /// one point of its history, and the messages that are on their way across these points. When
    /// this returns, the snapshot survives a loss of power.
    ///
    /// The builder of the system names the saved actors, in
    /// [`SystemBuilder::saved`](crate::SystemBuilder::saved). Of a program that
    /// [restores](crate::SystemBuilder::restore_or) a snapshot it is as if all that happened behind
    /// the cut had not happened yet.
    ///
    /// ```
    /// use vivant::journal::{DirectoryStore, Journal, Settings};
    /// use vivant::prelude::*;
    /// use vivant::{RestoredOr, SavedAs};
    ///
    /// #[derive(Actor)]
    /// #[actor(saved)]
    /// struct Counter { count: u64 }
    ///
    /// #[behaviours]
    /// impl Counter {
    ///     #[start]
    ///     fn new() -> Counter { Counter { count: 0 } }
    ///     fn add(&mut self, n: u64) -> u64 { self.count += n; self.count }
    /// }
    ///
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// # let folder = tempfile::tempdir()?;
    /// # let path = folder.path();
    /// let journal = Journal::open(DirectoryStore::new(path), Settings::default())?;
    /// let system = System::builder().saved::<(Counter,)>().build();
    /// let counter = Counter::spawn(&system);
    /// counter.add(3).ask_blocking()?;
    /// let report = system.snapshot(&journal)?;
    /// assert_eq!(report.actors(SavedAs::State), 1);
    /// drop((counter, system));                                 // or kill -9
    ///
    /// let builder = System::builder().saved::<(Counter,)>();
    /// let (system, counter) = match builder.restore_or(journal.catalog(), Counter::spawn)? {
    ///     RestoredOr::Restored(restored) => {
    ///         let counter = restored.actors.actors().next().ok_or("the counter is saved")?;
    ///         (restored.system, counter)
    ///     }
    ///     RestoredOr::New(system, counter) => (system, counter),
    /// };
    /// assert_eq!(counter.add(1).ask_blocking()?, 4);
    /// # drop(system);
    /// # Ok(()) }
    /// ```
    ///
    /// Calls take their snapshots one after the other; the requests of a schedule join each other
    /// ([`System::snapshots`]). No actor waits for the snapshot, except while its own
    /// state is encoded, between two of its turns; the report lists what took over a millisecond.
    /// This thread writes the records. A turn that runs when the snapshot begins must end before it
    /// is complete: within ten seconds, or the snapshot fails and the program goes on
    /// ([`System::snapshot_within`] has another limit). In a simulation, actors run meanwhile.
    ///
    /// The old objects of graphs are written while turns run: by the actors, between their
    /// messages, and as fast as the store takes them. The limit is then that of some of them, not
    /// of all.
    ///
    /// # Errors
    ///
    /// Something cannot be saved, the limit has passed, the store has failed, or the system is shut
    /// down: see [`SnapshotError`]. The snapshots before are unchanged.
    ///
    /// # Panics
    ///
    /// Within a turn, because the snapshot would wait for it.
    pub fn snapshot(&self, journal: &Journal) -> Result<SnapshotReport, SnapshotError> {
        self.snapshot_within(journal, SNAPSHOT_WITHIN)
    }

    /// Like [`System::snapshot`] with another limit: of the time until all actors are captured, and
    /// then of the time in which some objects of graphs are written. What is left to write then is
    /// written.
    ///
    /// # Errors
    ///
    /// As [`System::snapshot`].
    ///
    /// # Panics
    ///
    /// As [`System::snapshot`].
    pub fn snapshot_within(
        &self,
        journal: &Journal,
        limit: Duration,
    ) -> Result<SnapshotReport, SnapshotError> {
        assert_outside("snapshot", ", or await `snapshot_async` in a future");
        take(self.shared(), journal, limit, Scope::System, &mut || ())
    }

    /// Like [`System::snapshot`], of a part of the system: this actor, and all that its turns and
    /// those of its descendants have made. All others are to the image as actors that are not
    /// saved: what they have sent to the tree waits in it, and what they asked is answered to
    /// nothing; an address of them leads to an actor that has ended, and a promise that waits for
    /// them breaks. The image has the names, timers and links of the tree alone. If the actor has
    /// ended, the image has its descendants. The restored actor has no supervisor if that is
    /// outside; a child that a supervisor in the tree got from outside is gone to that one.
    ///
    /// The image should have a store of its own: a restore takes the newest of a store, whatever it
    /// contains.
    ///
    /// Each actor of the system is visited, as for a whole snapshot; the tree alone is encoded.
    ///
    /// # Errors
    ///
    /// As [`System::snapshot`]; the actor is of another system; or its supervisor, outside of the
    /// tree, is restarting it.
    ///
    /// # Panics
    ///
    /// As [`System::snapshot`].
    pub fn snapshot_of<T: ?Sized + Target>(
        &self,
        root: &Address<T>,
        journal: &Journal,
    ) -> Result<SnapshotReport, SnapshotError> {
        assert_outside("snapshot", ", or await `snapshot_async` in a future");
        let (system, root) = (self.shared(), Address::counted(root));
        if !ptr::eq(&*root.system, &**system) {
            let actor = root.path();
            return Err(SnapshotError::OtherSystem { actor });
        }
        let scope = Scope::tree(&root);
        take(system, journal, SNAPSHOT_WITHIN, scope, &mut || ())
    }

    /// Gives this actor, and all that its turns and those of its descendants have made, the states
    /// that they have in `image`, while the system runs. Addresses, mailboxes, links and
    /// timers stay as they are: what [`OnPanic::RestoreLast`](crate::OnPanic::RestoreLast) says of
    /// a restart holds here too. This system has taken `image`, or was restored from it.
    ///
    /// Each actor comes to it as to a message: what was sent to it before is processed with the old
    /// state, and what is sent later with the restored one. So actors that send each other messages
    /// meanwhile need not agree; an actor that must not see others in between is stopped first. No
    /// stop hook runs. Supervisors, actors of types that are not saved, actors that are younger
    /// than the image, and those that begin or stop just now go on as they are, and the report
    /// names them. A tree is the actor and all that its turns have made; actors that a program has
    /// added to a supervisor are not below it.
    ///
    /// Reads the image whole, on this thread. Each actor loads its state in its own turn.
    ///
    /// ```
    /// use vivant::prelude::*;
    /// use vivant::journal::{DirectoryStore, Journal, Settings};
    ///
    /// #[derive(Actor)] #[actor(saved)] struct Counter { count: u64 }
    /// #[behaviours] impl Counter {
    ///     #[start] fn new() -> Self { Counter { count: 0 } }
    ///     fn add(&mut self, n: u64) -> u64 { self.count += n; self.count }
    /// }
    ///
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// # let folder = tempfile::tempdir()?;
    /// let journal = Journal::open(DirectoryStore::new(folder.path()), Settings::default())?;
    /// let system = System::builder().saved::<(Counter,)>().build();
    /// let counter = Counter::spawn(&system);
    /// counter.add(3).ask_blocking()?;
    /// let snapshot = system.snapshot(&journal)?;
    /// counter.add(40).ask_blocking()?;
    ///
    /// let image = journal.catalog().image(snapshot.number)?;
    /// assert_eq!(system.restore_tree(&counter, &image)?.restored, 1);
    /// assert_eq!(counter.add(1).ask_blocking()?, 4);
    /// # Ok(()) }
    /// ```
    ///
    /// # Errors
    ///
    /// The image cannot be read, or has no state of a living actor of the tree; the actor is of
    /// another system; or not all have come to it within ten seconds, because a turn does not end,
    /// or an actor is muted or down. Then the others are restored later.
    ///
    /// An actor of which the state cannot be loaded goes on as it was, and the report names it.
    ///
    /// # Panics
    ///
    /// Within a turn, because the restore would wait for it.
    pub fn restore_tree<T: ?Sized + Target>(
        &self,
        root: &Address<T>,
        image: &Image,
    ) -> Result<TreeRestored, RestoreError> {
        assert_outside("restore_tree", "");
        let (system, root) = (self.shared(), Address::counted(root));
        if !ptr::eq(&*root.system, &**system) {
            let actor = root.path();
            return Err(RestoreError::OtherSystem { actor });
        }
        restore_tree(system, &root, image, SNAPSHOT_WITHIN)
    }

    /// Like [`System::snapshot`], for `async` code, also within a turn's future: the snapshot is
    /// taken on a thread of its own. It begins when the future is polled first. A future that is
    /// dropped then does not stop it. In a simulation it is taken in the first poll.
    ///
    /// # Errors
    ///
    /// As [`System::snapshot`].
    ///
    /// # Panics
    ///
    /// In a simulation within a turn, in the first poll.
    pub fn snapshot_async(
        &self,
        journal: &Arc<Journal>,
    ) -> impl Future<Output = Result<SnapshotReport, SnapshotError>> + Send + use<> {
        self.clone().snapshot_beside(journal.clone())
    }

    /// A schedule of snapshots: every so often, every so many messages, and when the program asks.
    /// The settings of `journal` say which images are kept
    /// ([`Retention`](vivant_journal::Retention)).
    ///
    /// ```
    /// use std::sync::Arc;
    /// use std::time::Duration;
    /// use vivant::journal::{DirectoryStore, Journal, Retention, Settings};
    /// use vivant::prelude::*;
    ///
    /// # #[derive(Actor)]
    /// # #[actor(saved)]
    /// # struct Counter { count: u64 }
    /// # #[behaviours]
    /// # impl Counter {
    /// #     #[start]
    /// #     fn new() -> Counter { Counter { count: 0 } }
    /// #     fn add(&mut self, n: u64) -> u64 { self.count += n; self.count }
    /// # }
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// # let folder = tempfile::tempdir()?;
    /// # let path = folder.path();
    /// let settings = Settings::default().retention(Retention::last(3));
    /// let journal = Arc::new(Journal::open(DirectoryStore::new(path), settings)?);
    /// let system = System::builder().saved::<(Counter,)>().build();
    /// let counter = Counter::spawn(&system);
    /// let schedule = system
    ///     .snapshots(&journal)
    ///     .every(Duration::from_secs(60))
    ///     .every_messages(1_000_000)
    ///     .start(|attempt| println!("{attempt}"))?;
    /// counter.add(1).ask_blocking()?;
    /// schedule.request();                                      // and one now
    /// assert_eq!(schedule.end().taken, 1);
    /// # Ok(()) }
    /// ```
    pub fn snapshots(&self, journal: &Arc<Journal>) -> Snapshots {
        Snapshots::new(self.shared(), journal.clone(), SNAPSHOT_WITHIN)
    }

    /// Takes the snapshot on a thread of its own; in a simulation, on this one.
    async fn snapshot_beside(self, journal: Arc<Journal>) -> Result<SnapshotReport, SnapshotError> {
        let shared = self.shared();
        if shared.stage().is_some() {
            return self.snapshot(&journal);
        }
        let (report, resolver) = AskFuture::new(shared);
        let name = format!("{}-snapshot", shared.config.name);
        let system = shared.clone();
        let taking = move || {
            let taken = take(
                &system,
                &journal,
                SNAPSHOT_WITHIN,
                Scope::System,
                &mut || (),
            );
            resolver.resolve(taken);
        };
        let thread = thread::Builder::new().name(name).spawn(taking);
        thread.map_err(SnapshotError::NoThread)?;
        match report.await {
            Ok(report) => report,
            Err(error) => panic!("the snapshot panicked: {error}"),
        }
    }
}

/// `otherwise`: what else a turn may do.
fn assert_outside(called: &str, otherwise: &str) {
    if let Some(inside) = Worker::inside() {
        panic!(
            "{called} was called in {} of {}, and would wait for this turn; call it from a thread outside{otherwise}",
            inside.behaviour, inside.actor
        );
    }
}
