//! [`Files`]: the operations of a file system that [`DirectoryStore`](super::DirectoryStore) needs,
//! within one directory. Tests have a simulated one.

use super::NewFile;
use std::fmt;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{self, Path, PathBuf};
use std::sync::{Mutex, PoisonError};

/// The file by which a directory is reserved. It stays, empty.
const LOCK: &str = "lock";

/// One directory.
pub(crate) trait Files: fmt::Debug + Send + Sync {
    /// Makes the directory, if there is none, and reserves it for one writer.
    fn lock(&self) -> io::Result<()>;
    /// Names and lengths of all files.
    fn list(&self) -> io::Result<Vec<(String, u64)>>;
    /// Creates a file, which must not exist. [`NewFile::finish`] syncs its bytes, not its name.
    fn create(&self, name: &str) -> io::Result<Box<dyn NewFile>>;
    /// Gives the file `from` the name `to`.
    fn rename(&self, from: &str, to: &str) -> io::Result<()>;
    /// Removes a name.
    fn remove(&self, name: &str) -> io::Result<()>;
    /// Fills `buffer` with the bytes from `offset` on.
    fn read(&self, name: &str, offset: u64, buffer: &mut [u8]) -> io::Result<()>;
    /// Syncs the directory: creations, renames and removals are durable afterwards.
    fn sync_directory(&self) -> io::Result<()>;
}

/// A directory of the operating system.
#[derive(Debug)]
pub(super) struct RealFiles {
    directory: PathBuf,
    /// Open while the directory is reserved.
    lock: Mutex<Option<File>>,
}

impl RealFiles {
    pub(super) fn new(directory: PathBuf) -> RealFiles {
        let lock = Mutex::new(None);
        RealFiles { directory, lock }
    }

    fn make(&self) -> io::Result<()> {
        if self.directory.is_dir() {
            return Ok(());
        }
        fs::create_dir_all(&self.directory)?;
        // Its own name must survive too. An absolute path has a parent, or is the root.
        match path::absolute(&self.directory)?.parent() {
            Some(parent) => sync(parent),
            None => Ok(()),
        }
    }

    /// Names the directory in an error.
    fn named<T>(&self, outcome: io::Result<T>) -> io::Result<T> {
        let name = self.directory.display();
        outcome.map_err(|error| io::Error::new(error.kind(), format!("{name}: {error}")))
    }
}

impl Files for RealFiles {
    fn lock(&self) -> io::Result<()> {
        self.named(self.make())?;
        let file = self.named(locked(&self.directory.join(LOCK)))?;
        *self.lock.lock().unwrap_or_else(PoisonError::into_inner) = Some(file);
        Ok(())
    }

    fn list(&self) -> io::Result<Vec<(String, u64)>> {
        let mut files = Vec::new();
        for entry in self.named(fs::read_dir(&self.directory))? {
            let entry = entry?;
            // A name that is not Unicode is no name of ours.
            if let Ok(name) = entry.file_name().into_string() {
                match entry.metadata() {
                    Ok(metadata) if metadata.is_file() => files.push((name, metadata.len())),
                    Ok(_) => {}
                    // Removed since the directory was read.
                    Err(error) if error.kind() == io::ErrorKind::NotFound => {}
                    Err(error) => return Err(error),
                }
            }
        }
        Ok(files)
    }

    fn create(&self, name: &str) -> io::Result<Box<dyn NewFile>> {
        let mut options = OpenOptions::new();
        let options = options.write(true).create_new(true);
        let file = options.open(self.directory.join(name))?;
        Ok(Box::new(NewRealFile { file, unsynced: 0 }))
    }

    fn rename(&self, from: &str, to: &str) -> io::Result<()> {
        fs::rename(self.directory.join(from), self.directory.join(to))
    }

    fn remove(&self, name: &str) -> io::Result<()> {
        fs::remove_file(self.directory.join(name))
    }

    fn read(&self, name: &str, offset: u64, buffer: &mut [u8]) -> io::Result<()> {
        let mut file = File::open(self.directory.join(name))?;
        file.seek(SeekFrom::Start(offset))?;
        file.read_exact(buffer)
    }

    fn sync_directory(&self) -> io::Result<()> {
        self.named(sync(&self.directory))
    }
}

/// A file that is being written.
#[derive(Debug)]
struct NewRealFile {
    file: File,
    /// Bytes that were written since the last sync.
    unsynced: usize,
}

/// After so many bytes a file is synced: the disk works while the program makes the next ones, and
/// the end has little to wait for.
const SYNC: usize = 16 << 20;

impl Write for NewRealFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.file.write(bytes)?;
        self.unsynced += written;
        if self.unsynced >= SYNC {
            self.unsynced = 0;
            self.file.sync_data()?;
        }
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

impl NewFile for NewRealFile {
    fn finish(self: Box<Self>) -> io::Result<()> {
        self.file.sync_all()
    }
}

/// Opens the file and locks it. The system unlocks it when the file is closed, or its process ends.
#[cfg(unix)]
fn locked(path: &Path) -> io::Result<File> {
    let file = options_of_lock().open(path)?;
    rustix::fs::flock(&file, rustix::fs::FlockOperation::NonBlockingLockExclusive)?;
    Ok(file)
}

/// Opens the file so that it cannot be opened again meanwhile.
#[cfg(windows)]
fn locked(path: &Path) -> io::Result<File> {
    use std::os::windows::fs::OpenOptionsExt as _;
    options_of_lock().share_mode(0).open(path)
}

/// Other systems have no locks here.
#[cfg(not(any(unix, windows)))]
fn locked(path: &Path) -> io::Result<File> {
    options_of_lock().open(path)
}

fn options_of_lock() -> OpenOptions {
    let mut options = OpenOptions::new();
    options.write(true).create(true).truncate(false);
    options
}

#[cfg(unix)]
fn sync(directory: &Path) -> io::Result<()> {
    File::open(directory)?.sync_all()
}

/// Other systems have no operation for it: their file systems log changes of names themselves.
#[cfg(not(unix))]
fn sync(_directory: &Path) -> io::Result<()> {
    Ok(())
}
