//! [`Files`]: the operations of a file system that [`DirectoryStore`](super::DirectoryStore) needs,
//! within one directory. Tests have a simulated one.

use super::NewFile;
use std::fmt;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Read, Seek, SeekFrom};
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};

/// The file by which a directory is reserved. It stays, empty.
const LOCK: &str = "lock";

/// One directory.
pub(crate) trait Files: fmt::Debug + Send + Sync {
    /// Reserves the directory for one writer.
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
    /// The directory `directory`, which is created if it does not exist.
    pub(super) fn new(directory: PathBuf) -> io::Result<RealFiles> {
        if !directory.is_dir() {
            fs::create_dir_all(&directory)?;
            // Its own name must survive too. An absolute path has a parent, or is the root.
            if let Some(parent) = std::path::absolute(&directory)?.parent() {
                sync(parent.to_owned())?;
            }
        }
        Ok(RealFiles {
            directory,
            lock: Mutex::new(None),
        })
    }
}

impl Files for RealFiles {
    fn lock(&self) -> io::Result<()> {
        let file = locked(self.directory.join(LOCK))?;
        *self.lock.lock().unwrap_or_else(PoisonError::into_inner) = Some(file);
        Ok(())
    }

    fn list(&self) -> io::Result<Vec<(String, u64)>> {
        let mut files = Vec::new();
        for entry in fs::read_dir(&self.directory)? {
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
        Ok(Box::new(
            options
                .write(true)
                .create_new(true)
                .open(self.directory.join(name))?,
        ))
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
        sync(self.directory.clone())
    }
}

impl NewFile for File {
    fn finish(self: Box<Self>) -> io::Result<()> {
        self.sync_all()
    }
}

/// Opens the file and locks it. The system unlocks it when the file is closed, or its process ends.
#[cfg(unix)]
fn locked(path: PathBuf) -> io::Result<File> {
    let file = options_of_lock().open(path)?;
    rustix::fs::flock(&file, rustix::fs::FlockOperation::NonBlockingLockExclusive)?;
    Ok(file)
}

/// Opens the file so that it cannot be opened again meanwhile.
#[cfg(windows)]
fn locked(path: PathBuf) -> io::Result<File> {
    use std::os::windows::fs::OpenOptionsExt as _;
    options_of_lock().share_mode(0).open(path)
}

/// Other systems have no locks here.
#[cfg(not(any(unix, windows)))]
fn locked(path: PathBuf) -> io::Result<File> {
    options_of_lock().open(path)
}

fn options_of_lock() -> OpenOptions {
    let mut options = OpenOptions::new();
    options.write(true).create(true).truncate(false);
    options
}

#[cfg(unix)]
fn sync(directory: PathBuf) -> io::Result<()> {
    File::open(directory)?.sync_all()
}

/// Other systems have no operation for it: their file systems log changes of names themselves.
#[cfg(not(unix))]
fn sync(_directory: PathBuf) -> io::Result<()> {
    Ok(())
}
