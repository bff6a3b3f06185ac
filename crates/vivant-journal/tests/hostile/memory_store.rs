//! A store in memory, over the public trait.

use crate::forge::Files;
use std::io::{self, ErrorKind, Write};
use std::sync::{Arc, Mutex};
use vivant_journal::{NewFile, Store};

#[derive(Clone, Debug)]
pub(crate) struct MemoryStore(Arc<Mutex<Files>>);

impl MemoryStore {
    pub(crate) fn of(files: Files) -> MemoryStore {
        MemoryStore(Arc::new(Mutex::new(files)))
    }

    pub(crate) fn files(&self) -> Files {
        self.0.lock().unwrap().clone()
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
        let files = self.0.lock().unwrap();
        Ok(files
            .iter()
            .map(|(name, bytes)| (name.clone(), bytes.len() as u64))
            .collect())
    }

    fn create(&self, name: &str) -> io::Result<Box<dyn NewFile>> {
        let (store, name, bytes) = (self.clone(), name.to_owned(), Vec::new());
        Ok(Box::new(MemoryFile { store, name, bytes }))
    }

    fn publish(&self, name: &str, bytes: &[u8]) -> io::Result<()> {
        self.0
            .lock()
            .unwrap()
            .insert(name.to_owned(), bytes.to_vec());
        Ok(())
    }

    fn read(&self, name: &str, offset: u64, buffer: &mut [u8]) -> io::Result<()> {
        let files = self.0.lock().unwrap();
        let bytes = files
            .get(name)
            .ok_or(io::Error::from(ErrorKind::NotFound))?;
        let rest = bytes
            .get(offset as usize..)
            .and_then(|rest| rest.get(..buffer.len()));
        buffer.copy_from_slice(rest.ok_or(io::Error::from(ErrorKind::UnexpectedEof))?);
        Ok(())
    }

    fn remove(&self, name: &str) -> io::Result<()> {
        self.0.lock().unwrap().remove(name);
        Ok(())
    }

    fn sync(&self) -> io::Result<()> {
        Ok(())
    }
}
