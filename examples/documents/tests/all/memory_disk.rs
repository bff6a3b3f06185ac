//! A disk in memory, which fails and loses power by chance.

use documents::disk::Disk;
use fastrand::Rng;
use std::io;
use std::sync::Mutex;

/// One write in this many fails, after any part of it.
const FAILS: u32 = 8;

pub(crate) struct MemoryDisk {
    content: Mutex<(Vec<u8>, Rng)>,
    fails: u32,
}

impl MemoryDisk {
    pub(crate) fn new(seed: u64) -> MemoryDisk {
        let content = Mutex::new((Vec::new(), Rng::with_seed(seed)));
        MemoryDisk {
            content,
            fails: FAILS,
        }
    }

    pub(crate) fn sound() -> MemoryDisk {
        MemoryDisk {
            fails: u32::MAX,
            ..MemoryDisk::new(0)
        }
    }

    /// What a machine finds after a loss of power: all that was written, and perhaps a part of the
    /// line that was being written.
    pub(crate) fn after_power_loss(&self) -> MemoryDisk {
        let (mut bytes, mut chance) = self.content.lock().expect("no panic").clone();
        let torn = br#"{"version":99,"edits":[{"document":"a","at":0}]}"#;
        bytes.extend_from_slice(&torn[..chance.usize(..torn.len())]);
        MemoryDisk {
            content: Mutex::new((bytes, chance)),
            fails: u32::MAX,
        }
    }
}

impl Disk for MemoryDisk {
    fn read(&self) -> io::Result<Vec<u8>> {
        Ok(self.content.lock().expect("no panic").0.clone())
    }

    fn append(&self, bytes: &[u8]) -> io::Result<()> {
        let mut content = self.content.lock().expect("no panic");
        let (written, chance) = &mut *content;
        if chance.u32(..self.fails) == 0 {
            written.extend_from_slice(&bytes[..chance.usize(..bytes.len())]);
            return Err(io::ErrorKind::StorageFull.into());
        }
        written.extend_from_slice(bytes);
        Ok(())
    }

    fn truncate(&self, length: usize) -> io::Result<()> {
        self.content.lock().expect("no panic").0.truncate(length);
        Ok(())
    }
}
