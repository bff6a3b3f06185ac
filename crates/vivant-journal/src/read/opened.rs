//! [`Opened`]: what a reader needs of an image: its table and the places of its values.

use crate::error::Error;
use crate::format::block::{BlockEntry, BlockKind, BlockPlace};
use crate::format::manifest::Manifest;
use crate::format::memory_limit::MemoryLimit;
use crate::read::blocks::Blocks;
use crate::read::table::Table;
use crate::store::Store;
use std::sync::Arc;

/// The result of the first pass over an image.
#[derive(Debug)]
pub(crate) struct Opened {
    pub(crate) image: u64,
    pub(crate) block_bytes: u32,
    pub(crate) table: Table,
    /// For each segment its value blocks, with their places.
    pub(crate) values: Vec<Vec<(BlockPlace, BlockEntry)>>,
    pub(crate) store: Arc<dyn Store>,
    pub(crate) memory: MemoryLimit,
}

impl Opened {
    /// Reads the heads and the tables of all segments.
    pub(crate) fn open(
        manifest: &Manifest,
        store: Arc<dyn Store>,
        memory: MemoryLimit,
    ) -> Result<Opened, Error> {
        let mut blocks = Blocks::new(&*store, manifest.image);
        for segment in 0..manifest.segments.len() as u32 {
            blocks.check_segment_head(segment)?;
        }
        let table = Table::read(manifest, &mut blocks, memory)?;
        let values = manifest.segments.iter().map(|segment| {
            let mut blocks = Vec::with_capacity(segment.blocks.len());
            let places = segment.blocks_of(BlockKind::Values);
            blocks.extend(places.map(|(place, &entry)| (place, entry)));
            blocks
        });
        let (image, block_bytes) = (manifest.image, manifest.block_bytes);
        let values = values.collect();
        Ok(Opened {
            image,
            block_bytes,
            table,
            values,
            store,
            memory,
        })
    }

    /// Reads blocks, one at a time.
    pub(crate) fn blocks(&self) -> Blocks<'_> {
        Blocks::new(&*self.store, self.image)
    }
}
