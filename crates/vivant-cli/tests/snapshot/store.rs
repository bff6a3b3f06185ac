//! [`MemoryStore`]: files in memory, which a test may change.

use std::collections::BTreeMap;
use std::io::{self, Write};
use std::sync::{Arc, Mutex, MutexGuard};
use vivant_journal::{Catalog, Journal, NewFile, Record, Retention, Settings, Store};

type Files = BTreeMap<String, Vec<u8>>;

#[derive(Clone, Debug, Default)]
pub(crate) struct MemoryStore(Arc<Mutex<Files>>);

impl MemoryStore {
    pub(crate) fn files(&self) -> MutexGuard<'_, Files> {
        self.0.lock().expect("no test panics in here")
    }

    pub(crate) fn of(files: Files) -> MemoryStore {
        MemoryStore(Arc::new(Mutex::new(files)))
    }

    pub(crate) fn journal(&self) -> Journal {
        let settings = Settings::default().retention(Retention::All);
        Journal::open(self.clone(), settings).expect("memory does not fail")
    }

    pub(crate) fn catalog(&self) -> Catalog {
        Catalog::new(self.clone())
    }

    /// Metadata and records of an image.
    pub(crate) fn records(&self, number: u64) -> (Vec<u8>, Vec<Record>) {
        let image = self.catalog().image(number).expect("it exists");
        let records = image.reader().values().map(|it| it.expect("it is intact"));
        (image.metadata().to_vec(), records.collect())
    }

    /// Writes an image with these records, whatever they are. Returns its number.
    pub(crate) fn write(&self, metadata: &[u8], records: &[(u64, u16, Vec<u8>)]) -> u64 {
        let journal = self.journal();
        let image = journal.begin().expect("memory does not fail");
        let mut segment = image.segment().expect("memory does not fail");
        for (id, kind, value) in records {
            segment
                .append(*id, *kind, value)
                .expect("memory does not fail");
        }
        segment.finish().expect("memory does not fail");
        let published = image.publish(metadata).expect("memory does not fail");
        published.summary.number
    }
}

impl Store for MemoryStore {
    fn lock(&self) -> io::Result<()> {
        Ok(())
    }

    fn list(&self) -> io::Result<Vec<(String, u64)>> {
        let files = self.files();
        let files = files.iter();
        Ok(files
            .map(|(name, file)| (name.clone(), file.len() as u64))
            .collect())
    }

    fn create(&self, name: &str) -> io::Result<Box<dyn NewFile>> {
        self.files().insert(name.to_owned(), Vec::new());
        Ok(Box::new(Open(self.clone(), name.to_owned())))
    }

    fn publish(&self, name: &str, bytes: &[u8]) -> io::Result<()> {
        self.files().insert(name.to_owned(), bytes.to_vec());
        Ok(())
    }

    fn read(&self, name: &str, offset: u64, buffer: &mut [u8]) -> io::Result<()> {
        let files = self.files();
        let file = files.get(name).ok_or(io::ErrorKind::NotFound)?;
        let bytes = file.get(offset as usize..offset as usize + buffer.len());
        buffer.copy_from_slice(bytes.ok_or(io::ErrorKind::UnexpectedEof)?);
        Ok(())
    }

    fn remove(&self, name: &str) -> io::Result<()> {
        self.files().remove(name);
        Ok(())
    }

    fn sync(&self) -> io::Result<()> {
        Ok(())
    }
}

#[derive(Debug)]
struct Open(MemoryStore, String);

impl Write for Open {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let mut files = self.0.files();
        files
            .entry(self.1.clone())
            .or_default()
            .extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl NewFile for Open {
    fn finish(self: Box<Self>) -> io::Result<()> {
        Ok(())
    }
}
