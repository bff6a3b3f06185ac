//! Folders of tests.

use std::fs;
use std::path::{Path, PathBuf};

/// An empty folder, which is removed with this value.
#[derive(Debug)]
pub(crate) struct Scratch(PathBuf);

impl Scratch {
    /// The folder of this name, among those of the tests.
    pub(crate) fn new(name: &str) -> Scratch {
        let scratch = Scratch(PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name));
        // What a test that failed has left.
        let _none = fs::remove_dir_all(scratch.path());
        fs::create_dir_all(scratch.path()).unwrap();
        scratch
    }

    pub(crate) fn path(&self) -> &Path {
        &self.0
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _removed = fs::remove_dir_all(self.path());
    }
}
