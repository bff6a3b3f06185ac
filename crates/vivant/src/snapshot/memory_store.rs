//! A store in memory, for tests.

use crate::sync::{Arc, Mutex, lock};
use std::collections::BTreeMap;
use std::io::{self, ErrorKind, Write};
use vivant_journal::{Journal, NewFile, Settings, Store};

#[derive(Clone, Debug, Default)]
pub(super) struct MemoryStore(Arc<Mutex<Files>>);

#[derive(Debug, Default)]
struct Files {
    by_name: BTreeMap<String, Vec<u8>>,
    is_full: bool,
}

impl MemoryStore {
    pub(super) fn journal(&self) -> Journal {
        Journal::open(self.clone(), Settings::default()).expect("memory does not fail")
    }

    /// All files, by name.
    pub(super) fn files(&self) -> BTreeMap<String, Vec<u8>> {
        lock(&self.0).by_name.clone()
    }

    /// From here on the store has no room, or has room again.
    pub(super) fn set_full(&self, is_full: bool) {
        lock(&self.0).is_full = is_full;
    }

    /// Removes the files of this image.
    pub(super) fn remove_image(&self, image: u64) {
        let number = format!("{image:020}");
        let files = &mut lock(&self.0).by_name;
        let before = files.len();
        files.retain(|name, _| !name.starts_with(&number));
        assert!(files.len() < before, "no file of the image {number}");
    }

    /// Changes a byte in the middle of each file of this image.
    pub(super) fn damage(&self, image: u64) {
        let number = format!("{image:016x}");
        let mut damaged = 0;
        for (name, bytes) in &mut lock(&self.0).by_name {
            if name.contains(&number) {
                let middle = bytes.len() / 2;
                bytes[middle] ^= 1;
                damaged += 1;
            }
        }
        assert!(damaged > 0, "no file of the image {number}");
    }
}

#[derive(Debug)]
struct MemoryFile {
    store: MemoryStore,
    name: String,
    bytes: Vec<u8>,
}

impl Write for MemoryFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.bytes.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl NewFile for MemoryFile {
    fn finish(self: Box<Self>) -> io::Result<()> {
        self.store.publish(&self.name, &self.bytes)
    }
}

impl Store for MemoryStore {
    fn lock(&self) -> io::Result<()> {
        Ok(())
    }

    fn list(&self) -> io::Result<Vec<(String, u64)>> {
        let files = &lock(&self.0).by_name;
        let length = |(name, bytes): (&String, &Vec<u8>)| (name.clone(), bytes.len() as u64);
        Ok(files.iter().map(length).collect())
    }

    fn create(&self, name: &str) -> io::Result<Box<dyn NewFile>> {
        let (store, name, bytes) = (self.clone(), name.to_owned(), Vec::new());
        Ok(Box::new(MemoryFile { store, name, bytes }))
    }

    fn publish(&self, name: &str, bytes: &[u8]) -> io::Result<()> {
        let mut files = lock(&self.0);
        if files.is_full {
            return Err(ErrorKind::StorageFull.into());
        }
        files.by_name.insert(name.to_owned(), bytes.to_vec());
        Ok(())
    }

    fn read(&self, name: &str, offset: u64, buffer: &mut [u8]) -> io::Result<()> {
        let files = lock(&self.0);
        let bytes = files.by_name.get(name).ok_or(ErrorKind::NotFound)?;
        let rest = bytes.get(offset as usize..);
        let rest = rest.and_then(|rest| rest.get(..buffer.len()));
        buffer.copy_from_slice(rest.ok_or(ErrorKind::UnexpectedEof)?);
        Ok(())
    }

    fn remove(&self, name: &str) -> io::Result<()> {
        lock(&self.0).by_name.remove(name);
        Ok(())
    }

    fn sync(&self) -> io::Result<()> {
        Ok(())
    }
}
