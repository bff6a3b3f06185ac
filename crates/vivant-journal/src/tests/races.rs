//! A writer that begins to hold an image while retention removes it.

use super::{publish, small};
use crate::injected_fault::{InjectedFault, must_catch};
use crate::store::NewFile;
use crate::store::simulated_files::{Plan, SimulatedFiles};
use crate::{DirectoryStore, Error, Journal, Store};
use std::io;
use std::sync::mpsc;
use std::sync::{Arc, Mutex};
use std::thread::{self, JoinHandle};
use std::time::Duration;

type Writer = Box<dyn FnOnce() -> Result<u64, Error> + Send>;

/// A store that runs a writer in the middle of the removal of the first image.
#[derive(Clone)]
struct RacingStore {
    files: Arc<DirectoryStore>,
    waiting: Arc<Mutex<Option<Writer>>>,
    running: Arc<Mutex<Option<JoinHandle<Result<u64, Error>>>>>,
}

impl std::fmt::Debug for RacingStore {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("RacingStore")
    }
}

impl Store for RacingStore {
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
        self.files.publish(name, bytes)
    }

    fn read(&self, name: &str, offset: u64, buffer: &mut [u8]) -> io::Result<()> {
        self.files.read(name, offset, buffer)
    }

    fn remove(&self, name: &str) -> io::Result<()> {
        let waiting = match name.ends_with("0001.manifest") {
            true => self.waiting.lock().expect("no panic").take(),
            false => None,
        };
        if let Some(write) = waiting {
            let (done, is_done) = mpsc::channel();
            let writer = thread::spawn(move || {
                let written = write();
                done.send(()).ok();
                written
            });
            *self.running.lock().expect("no panic") = Some(writer);
            // A right journal lets the writer wait for the end of the removal.
            is_done.recv_timeout(Duration::from_millis(300)).ok();
        }
        self.files.remove(name)
    }

    fn sync(&self) -> io::Result<()> {
        self.files.sync()
    }
}

fn what_is_published_has_what_it_needs() {
    let store = RacingStore {
        files: Arc::new(DirectoryStore::of(SimulatedFiles::new(Plan::Nothing))),
        waiting: Arc::default(),
        running: Arc::default(),
    };
    let journal = Journal::open(store.clone(), small()).expect("it opens");
    let journal = Arc::new(journal);
    publish(&journal, 1).expect("it is published");
    let beside = journal.clone();
    let write = move || {
        let mut image = beside.begin()?;
        image.hold(&[1])?;
        image.need(1);
        image.segment()?.finish()?;
        Ok(image.publish(b"needs the first one")?.summary.number)
    };
    *store.waiting.lock().expect("no panic") = Some(Box::new(write));
    publish(&journal, 2).expect("it is published");
    let writer = store.running.lock().expect("no panic").take();
    let written = writer.expect("an image was removed").join();
    if let Ok(number) = written.expect("no panic") {
        let image = journal.catalog().image(number);
        image.expect("what it needs is there");
    }
}

#[test]
fn an_image_is_held_or_removed() {
    what_is_published_has_what_it_needs();
}

#[test]
fn canary_a_removal_that_lets_writers_hold_meanwhile_is_caught() {
    must_catch(
        InjectedFault::RemovalUnlocked,
        what_is_published_has_what_it_needs,
    );
}
