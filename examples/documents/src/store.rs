//! [`Store`]: the actor with the current version and the history.
//!
//! A commit is checked against the current version, written to the journal, and only then made the
//! current version. Between the check and that no other message is processed: the wait for the
//! journal is exclusive. Readers are not held up, because a version that they have needs no store.
//!
//! If the journal does not answer, it is not known whether the commit is on the disk. Then the
//! store fails, and its supervisor starts it again from the journal.

use crate::commit::{Commit, Refusal};
use crate::journal::{Journal, Record};
use crate::planted::Planted;
use crate::version::Version;
use std::fmt;
use std::io;
use vivant::prelude::*;

/// Number of versions that are kept, besides those with a name.
pub const HISTORY_LIMIT: usize = 64;

/// The state of the store; see the [module](self).
#[derive(Actor)]
pub struct StoreState<'gc> {
    journal: Address<Journal>,
    /// The last one is the current version.
    history: gc::VecDeque<'gc, Version<'gc>>,
    named: gc::BTreeMap<'gc, String, Version<'gc>>,
    planted: Planted,
}

impl fmt::Debug for StoreState<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Store(version {})", self.current().number)
    }
}

impl<'gc> StoreState<'gc> {
    fn current(&self) -> Version<'gc> {
        self.history.back().copied().unwrap_or_else(Version::empty)
    }

    /// Older versions than the limit are garbage, unless a name or a reader has them.
    fn advance(&mut self, t: &Turn<'gc, Store>, version: Version<'gc>) {
        self.history.push_back(t, version);
        if self.history.len() > HISTORY_LIMIT {
            self.history.pop_front(t);
        }
    }

    fn checked(&self, t: &Turn<'gc, Store>, commit: &Commit) -> Result<Version<'gc>, Refusal> {
        self.current().admits(commit)?;
        self.current().next(t, &commit.edits)
    }
}

#[behaviours]
impl<'gc> StoreState<'gc> {
    #[start]
    /// A store with all that the journal has. Messages wait until it is read.
    pub fn new(
        t: &Turn<'gc, Store>,
        journal: Address<Journal>,
        planted: Planted,
    ) -> (Self, Promise<()>) {
        let read = t.ask(journal.records()).then(t.me().recovered());
        let store = StoreState {
            journal,
            history: gc::VecDeque::new(),
            named: gc::BTreeMap::new(),
            planted,
        };
        (store, read)
    }

    #[then]
    fn recovered(
        &mut self,
        t: &Turn<'gc, Store>,
        records: Result<Result<Vec<Record>, io::ErrorKind>, AskError>,
    ) {
        let records = records
            .expect("the journal answers")
            .expect("the journal can be read");
        self.advance(t, Version::empty());
        for record in records {
            let next = self
                .current()
                .next(t, &record.edits)
                .expect("its edits were good once");
            self.advance(t, next);
        }
    }

    /// Makes the next version; returns its number, when it is on the disk.
    ///
    /// # Errors
    ///
    /// Nothing was changed, and why.
    pub fn commit(
        &mut self,
        t: &Turn<'gc, Store>,
        commit: Commit,
    ) -> Result<Promise<Result<u64, Refusal>>, Refusal> {
        let next = self.checked(t, &commit)?;
        let record = Record {
            version: next.number,
            edits: commit.edits,
        };
        let written = t.ask(self.journal.append(record));
        Ok(match self.planted {
            Planted::Nothing => written.exclusive().then(t.me().written(next)),
            Planted::NotExclusive => written.then(t.me().written(next)),
            Planted::EarlyAnswer => {
                self.advance(t, next);
                Promise::ready(Ok(next.number))
            }
        })
    }

    #[then]
    fn written(
        &mut self,
        t: &Turn<'gc, Store>,
        written: Result<Result<(), io::ErrorKind>, AskError>,
        next: Version<'gc>,
    ) -> Result<u64, Refusal> {
        match written {
            Ok(Ok(())) => {
                self.advance(t, next);
                Ok(next.number)
            }
            Ok(Err(kind)) => Err(Refusal::NotWritten(kind)),
            Err(error) => {
                t.fail(format_args!(
                    "it is not known whether the commit is in the journal: {error}"
                ));
                Err(Refusal::NoAnswer(error))
            }
        }
    }

    /// Returns the current version. No document is copied.
    pub fn head(&self) -> Version<'gc> {
        self.current()
    }

    /// Returns an older version, if it is still there.
    pub fn version(&self, number: u64) -> Option<Version<'gc>> {
        let mut all = self.history.iter().chain(self.named.values());
        all.find(|it| it.number == number).copied()
    }

    /// Returns the version with this name.
    pub fn named(&self, name: String) -> Option<Version<'gc>> {
        self.named.get(&name).copied()
    }

    /// Gives a version a name, so that it is kept; the name may have been another's. Names are not
    /// in the journal. Returns false if the version is not there.
    pub fn name(&mut self, t: &Turn<'gc, Store>, name: String, number: u64) -> bool {
        let version = self.version(number);
        if let Some(version) = version {
            self.named.insert(t, name, version);
        }
        version.is_some()
    }

    /// Returns the numbers of the versions that are there.
    pub fn versions(&self) -> Vec<u64> {
        let all = self.history.iter().chain(self.named.values());
        let mut numbers: Vec<_> = all.map(|it| it.number).collect();
        numbers.sort_unstable();
        numbers.dedup();
        numbers
    }
}
