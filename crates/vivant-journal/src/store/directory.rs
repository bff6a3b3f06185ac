//! [`DirectoryStore`]: files in one directory. The order of its operations is that of `FORMAT.md`.

use super::files::{Files, RealFiles};
use super::{NewFile, Store};
use crate::format::names::ASIDE;
use std::io::{self, Write as _};
use std::path::PathBuf;

#[cfg(test)]
use crate::injected_fault::{InjectedFault, is_injected};

/// Files in a directory, which survive a loss of power.
///
/// Files are synced before they are named by anything that is read, and the directory is synced
/// before and after a publication. On systems other than Unix, directories are not synced: there
/// the order in which a loss of power keeps names is the file system's own.
#[derive(Debug)]
pub struct DirectoryStore {
    files: Box<dyn Files>,
}

impl DirectoryStore {
    /// The files in `directory`. [`Journal::open`](crate::Journal::open) makes the directory if it
    /// does not exist. Other files in it are left alone.
    pub fn new(directory: impl Into<PathBuf>) -> DirectoryStore {
        let files = Box::new(RealFiles::new(directory.into()));
        DirectoryStore { files }
    }

    #[cfg(test)]
    pub(crate) fn of(files: impl Files + 'static) -> DirectoryStore {
        DirectoryStore {
            files: Box::new(files),
        }
    }

    fn sync_directory(&self) -> io::Result<()> {
        #[cfg(test)]
        if is_injected(InjectedFault::DirectoryNotSynced) {
            return Ok(());
        }
        self.files.sync_directory()
    }
}

impl Store for DirectoryStore {
    fn lock(&self) -> io::Result<()> {
        self.files.lock()
    }

    fn list(&self) -> io::Result<Vec<(String, u64)>> {
        self.files.list()
    }

    fn create(&self, name: &str) -> io::Result<Box<dyn NewFile>> {
        self.files.create(name)
    }

    fn publish(&self, name: &str, bytes: &[u8]) -> io::Result<()> {
        self.sync_directory()?;
        let aside = format!("{name}{ASIDE}");
        let mut file = self.files.create(&aside)?;
        file.write_all(bytes)?;
        #[cfg(test)]
        if is_injected(InjectedFault::ManifestBeforeSync) {
            self.files.rename(&aside, name)?;
            file.finish()?;
            return self.sync_directory();
        }
        file.finish()?;
        self.files.rename(&aside, name)?;
        self.sync_directory()
    }

    fn read(&self, name: &str, offset: u64, buffer: &mut [u8]) -> io::Result<()> {
        self.files.read(name, offset, buffer)
    }

    fn remove(&self, name: &str) -> io::Result<()> {
        match self.files.remove(name) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
            outcome => outcome,
        }
    }

    fn sync(&self) -> io::Result<()> {
        self.sync_directory()
    }
}
