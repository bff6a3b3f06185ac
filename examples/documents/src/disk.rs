//! [`Disk`]: where a journal lies.

use std::fs::{File, OpenOptions};
use std::io::{self, Read, Seek, Write};
use std::path::Path;

/// Where a journal lies. Only one journal uses it at a time.
pub trait Disk: Send + Sync {
    /// Reads all bytes.
    ///
    /// # Errors
    ///
    /// Those of the disk.
    fn read(&self) -> io::Result<Vec<u8>>;

    /// Adds bytes at the end. They survive a loss of power once this has returned.
    ///
    /// # Errors
    ///
    /// Those of the disk: any part of the bytes may have been written.
    fn append(&self, bytes: &[u8]) -> io::Result<()>;

    /// Cuts off all bytes after the first `length`.
    ///
    /// # Errors
    ///
    /// Those of the disk.
    fn truncate(&self, length: usize) -> io::Result<()>;
}

/// A file.
#[derive(Debug)]
pub struct FileDisk(File);

impl FileDisk {
    /// Opens a file, or makes it.
    ///
    /// # Errors
    ///
    /// Those of the operating system.
    pub fn open(path: &Path) -> io::Result<FileDisk> {
        let mut options = OpenOptions::new();
        options.read(true).append(true).create(true);
        Ok(FileDisk(options.open(path)?))
    }
}

impl Disk for FileDisk {
    fn read(&self) -> io::Result<Vec<u8>> {
        let mut file = &self.0;
        let mut bytes = Vec::new();
        file.rewind()?;
        file.read_to_end(&mut bytes)?;
        Ok(bytes)
    }

    fn append(&self, bytes: &[u8]) -> io::Result<()> {
        (&self.0).write_all(bytes)?;
        self.0.sync_data()
    }

    fn truncate(&self, length: usize) -> io::Result<()> {
        self.0.set_len(length as u64)?;
        self.0.sync_data()
    }
}
