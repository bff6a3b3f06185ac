//! The file of a report: tried before the run, written after it.

use std::error::Error;
use std::fmt;
use std::fs::{self, OpenOptions};
use std::path::{Path, PathBuf};

/// A file that could be opened for writing. What it has stays until it is written.
#[derive(Debug)]
pub struct ReportFile(PathBuf);

impl ReportFile {
    /// Opens the file for writing, and makes it if there is none.
    ///
    /// # Errors
    ///
    /// It cannot be written.
    pub fn open(path: &Path) -> Result<ReportFile, Box<dyn Error>> {
        let opened = OpenOptions::new().append(true).create(true).open(path);
        opened.map_err(|error| unwritten(path, &error))?;
        Ok(ReportFile(path.to_owned()))
    }

    /// Replaces what the file has.
    ///
    /// # Errors
    ///
    /// It cannot be written any more: the disk is full, for example.
    pub fn write(self, report: &str) -> Result<(), Box<dyn Error>> {
        let ReportFile(path) = self;
        fs::write(&path, report).map_err(|error| unwritten(&path, &error))
    }
}

fn unwritten(path: &Path, error: &dyn fmt::Display) -> Box<dyn Error> {
    format!("cannot write {}: {error}", path.display()).into()
}
