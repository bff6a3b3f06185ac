//! [`SimulatedFiles`]: a directory that tells what is visible from what is durable.
//!
//! - A write is visible at once, and durable after a sync of its file. A loss of power before that
//!   keeps any of its writes, and a prefix of the last; zeros stand where an earlier write is lost.
//! - A creation, rename or removal of a name is visible at once, and durable after a sync of the
//!   directory. A loss of power before that keeps any subset of these changes.
//! - After a failed sync of a file, no later sync makes the same bytes durable.
//!
//! Operations are counted, and a [`Plan`] ends the program or fails an operation at one of them.
//! What it does not do: a rename is never half done, and bytes that are durable do not change.

use super::{Files, NewFile};
use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, ErrorKind, Write};
use std::sync::{Arc, Mutex, MutexGuard};

/// What happens at an operation.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Plan {
    Nothing,
    /// The program ends before this operation: it fails, and so does each one after it.
    CrashAt(usize),
    /// This operation fails.
    FailAt(usize, Failure),
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Failure {
    /// No space: a write takes half of its bytes first.
    Full,
    /// An input or output error.
    Broken,
    /// A write takes one byte and succeeds; another operation is interrupted by nothing.
    Short,
    /// A write takes no byte and succeeds.
    Zero,
}

/// Files by name.
pub(crate) type Contents = BTreeMap<String, Vec<u8>>;

/// A simulated directory. A clone is the same one.
#[derive(Clone, Debug)]
pub(crate) struct SimulatedFiles(Arc<Mutex<Disk>>);

#[derive(Clone, Debug)]
struct Disk {
    inodes: Vec<Inode>,
    visible: BTreeMap<String, usize>,
    durable: BTreeMap<String, usize>,
    /// Changes of names since the last sync of the directory.
    changes: Vec<Change>,
    operations: usize,
    plan: Plan,
    has_crashed: bool,
}

#[derive(Clone, Debug, Default)]
struct Inode {
    durable: Vec<u8>,
    /// Writes since the last sync.
    writes: Vec<Vec<u8>>,
    sync_has_failed: bool,
}

#[derive(Clone, Debug)]
enum Change {
    Add(String, usize),
    Rename(String, String, usize),
    Remove(String),
}

impl Change {
    fn apply(&self, names: &mut BTreeMap<String, usize>) {
        match self {
            Change::Add(name, inode) => {
                names.insert(name.clone(), *inode);
            }
            Change::Rename(from, to, inode) => {
                names.remove(from);
                names.insert(to.clone(), *inode);
            }
            Change::Remove(name) => {
                names.remove(name);
            }
        }
    }
}

impl Inode {
    fn visible(&self) -> Vec<u8> {
        [&self.durable[..], &self.writes.concat()].concat()
    }

    /// With these writes, the last of them cut to `last` bytes.
    fn with(&self, kept: impl Fn(usize) -> bool, last: usize) -> Vec<u8> {
        let mut bytes = self.durable.clone();
        let Some(end) = (0..self.writes.len()).rev().find(|&write| kept(write)) else {
            return bytes;
        };
        for (write, written) in self.writes[..=end].iter().enumerate() {
            let length = if write == end {
                last.min(written.len())
            } else {
                written.len()
            };
            match kept(write) {
                true => bytes.extend_from_slice(&written[..length]),
                false => bytes.extend(vec![0; length]),
            }
        }
        bytes
    }

    /// Each content that the file may have after a loss of power: every prefix of the writes, and
    /// every subset of them.
    fn after_power_loss(&self) -> BTreeSet<Vec<u8>> {
        let count = self.writes.len();
        assert!(count <= 12, "the image is small");
        let mut contents = BTreeSet::new();
        for (end, write) in self.writes.iter().enumerate() {
            contents.extend((0..=write.len()).map(|last| self.with(|write| write <= end, last)));
        }
        contents.extend(
            (0..1_u32 << count).map(|kept| self.with(|write| kept >> write & 1 == 1, usize::MAX)),
        );
        contents
    }
}

impl Disk {
    /// Counts an operation. Returns its failure, if it is to fail in its own way.
    fn operation(&mut self) -> io::Result<Option<Failure>> {
        let now = self.operations;
        self.operations += 1;
        match self.plan {
            Plan::CrashAt(at) if at == now => self.has_crashed = true,
            Plan::FailAt(at, failure) if at == now => return Ok(Some(failure)),
            _ => {}
        }
        match self.has_crashed {
            true => Err(io::Error::other("the program has ended")),
            false => Ok(None),
        }
    }

    /// An operation that is done or fails as a whole.
    fn whole_operation(&mut self) -> io::Result<()> {
        match self.operation()? {
            Some(Failure::Full) => Err(ErrorKind::StorageFull.into()),
            Some(Failure::Broken) => Err(io::Error::other("input or output error")),
            Some(Failure::Short | Failure::Zero) | None => Ok(()),
        }
    }

    fn change(&mut self, change: Change) {
        change.apply(&mut self.visible);
        self.changes.push(change);
    }

    fn inode(&self, name: &str) -> io::Result<usize> {
        self.visible
            .get(name)
            .copied()
            .ok_or_else(|| ErrorKind::NotFound.into())
    }
}

impl SimulatedFiles {
    pub(crate) fn new(plan: Plan) -> SimulatedFiles {
        SimulatedFiles::of(&Contents::new(), plan)
    }

    /// A directory with these files, all durable.
    pub(crate) fn of(contents: &Contents, plan: Plan) -> SimulatedFiles {
        let inodes = contents.values().map(|bytes| Inode {
            durable: bytes.clone(),
            ..Inode::default()
        });
        let names: BTreeMap<_, _> = contents.keys().cloned().zip(0..).collect();
        SimulatedFiles(Arc::new(Mutex::new(Disk {
            inodes: inodes.collect(),
            visible: names.clone(),
            durable: names,
            changes: Vec::new(),
            operations: 0,
            plan,
            has_crashed: false,
        })))
    }

    fn disk(&self) -> MutexGuard<'_, Disk> {
        self.0.lock().unwrap()
    }

    /// The number of operations so far.
    pub(crate) fn operations(&self) -> usize {
        self.disk().operations
    }

    /// The next operation fails.
    pub(crate) fn fail_next(&self, failure: Failure) {
        let mut disk = self.disk();
        disk.plan = Plan::FailAt(disk.operations, failure);
    }

    /// The files as programs see them.
    pub(crate) fn visible(&self) -> Contents {
        let disk = self.disk();
        let files = disk.visible.iter();
        files
            .map(|(name, &inode)| (name.clone(), disk.inodes[inode].visible()))
            .collect()
    }

    /// The same directory after an end of the program without a loss of power. Operations are
    /// counted from 0.
    pub(crate) fn after_program_end(&self, plan: Plan) -> SimulatedFiles {
        let mut disk = self.disk().clone();
        disk.plan = plan;
        disk.operations = 0;
        disk.has_crashed = false;
        SimulatedFiles(Arc::new(Mutex::new(disk)))
    }

    /// Each state that a loss of power may leave.
    ///
    /// If several files have unsynced writes, each in turn takes every content, and the others
    /// lose all writes or none.
    pub(crate) fn after_power_loss(&self) -> BTreeSet<Contents> {
        let disk = self.disk();
        assert!(disk.changes.len() <= 8, "the directory is synced often");
        let mut states = BTreeSet::new();
        for kept in 0..1_u32 << disk.changes.len() {
            let mut names = disk.durable.clone();
            for (change, made) in disk.changes.iter().enumerate() {
                if kept >> change & 1 == 1 {
                    made.apply(&mut names);
                }
            }
            let of = |content: &dyn Fn(&Inode) -> Vec<u8>| -> Contents {
                let files = names.iter();
                files
                    .map(|(name, &inode)| (name.clone(), content(&disk.inodes[inode])))
                    .collect()
            };
            for others in [of(&|inode| inode.durable.clone()), of(&Inode::visible)] {
                for (name, &inode) in &names {
                    for content in disk.inodes[inode].after_power_loss() {
                        let mut state = others.clone();
                        state.insert(name.clone(), content);
                        states.insert(state);
                    }
                }
                states.insert(others);
            }
        }
        states
    }
}

impl Files for SimulatedFiles {
    fn lock(&self) -> io::Result<()> {
        Ok(())
    }

    fn list(&self) -> io::Result<Vec<(String, u64)>> {
        self.disk().whole_operation()?;
        let files = self.visible().into_iter();
        Ok(files
            .map(|(name, bytes)| (name, bytes.len() as u64))
            .collect())
    }

    fn create(&self, name: &str) -> io::Result<Box<dyn NewFile>> {
        let mut disk = self.disk();
        disk.whole_operation()?;
        if disk.visible.contains_key(name) {
            return Err(ErrorKind::AlreadyExists.into());
        }
        let inode = disk.inodes.len();
        disk.inodes.push(Inode::default());
        disk.change(Change::Add(name.to_owned(), inode));
        Ok(Box::new(SimulatedFile {
            files: self.clone(),
            inode,
        }))
    }

    fn rename(&self, from: &str, to: &str) -> io::Result<()> {
        let mut disk = self.disk();
        disk.whole_operation()?;
        let inode = disk.inode(from)?;
        disk.change(Change::Rename(from.to_owned(), to.to_owned(), inode));
        Ok(())
    }

    fn remove(&self, name: &str) -> io::Result<()> {
        let mut disk = self.disk();
        disk.whole_operation()?;
        disk.inode(name)?;
        disk.change(Change::Remove(name.to_owned()));
        Ok(())
    }

    fn read(&self, name: &str, offset: u64, buffer: &mut [u8]) -> io::Result<()> {
        let mut disk = self.disk();
        disk.whole_operation()?;
        let bytes = disk.inodes[disk.inode(name)?].visible();
        let begin = offset as usize;
        let part = bytes.get(begin..).and_then(|rest| rest.get(..buffer.len()));
        buffer.copy_from_slice(part.ok_or(io::Error::from(ErrorKind::UnexpectedEof))?);
        Ok(())
    }

    fn sync_directory(&self) -> io::Result<()> {
        let mut disk = self.disk();
        disk.whole_operation()?;
        disk.durable = disk.visible.clone();
        disk.changes.clear();
        Ok(())
    }
}

#[derive(Debug)]
struct SimulatedFile {
    files: SimulatedFiles,
    inode: usize,
}

impl Write for SimulatedFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let mut disk = self.files.disk();
        let taken = match disk.operation()? {
            None => bytes.len(),
            Some(Failure::Short) => 1.min(bytes.len()),
            Some(Failure::Zero) => return Ok(0),
            Some(Failure::Broken) => return Err(io::Error::other("input or output error")),
            Some(Failure::Full) => {
                // The rest meets a full disk.
                disk.plan = Plan::FailAt(disk.operations, Failure::Broken);
                bytes.len() / 2
            }
        };
        let inode = self.inode;
        disk.inodes[inode].writes.push(bytes[..taken].to_vec());
        Ok(taken)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl NewFile for SimulatedFile {
    fn finish(self: Box<Self>) -> io::Result<()> {
        let mut disk = self.files.disk();
        let outcome = disk.whole_operation();
        let inode = &mut disk.inodes[self.inode];
        inode.sync_has_failed |= outcome.is_err();
        if !inode.sync_has_failed {
            inode.durable = inode.visible();
            inode.writes.clear();
        }
        outcome
    }
}
