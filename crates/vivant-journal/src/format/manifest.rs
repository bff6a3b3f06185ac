//! [`Manifest`]: what an image consists of. Nothing of an image is believed that does not agree
//! with its manifest; of the manifest nothing is believed before its hash agrees.
//!
//! [`Manifest::decode`] checks F1, F4, F5, F7 and F8 of `FORMAT.md`.

use crate::error::{Damage, Error, Place};
use crate::format::block::{self, BlockEntry, BlockKind, BlockPlace};
use crate::format::layout::{
    BLOCK_BYTES_MAX, BLOCK_BYTES_MIN, Field, HASH_BYTES, MANIFEST_MAGIC, METADATA_BYTES_MAX,
    NEEDED_MAX, SEGMENTS_MAX, VERSION, VERSION_ALONE, block_entry, manifest_head, needed_entry,
    needed_head, segment_entry, segment_head, table_block_bytes, table_entry,
};
use crate::format::memory_limit::MemoryLimit;
use crate::format::names::FileName;
use std::ops::RangeInclusive;

/// What an image consists of.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Manifest {
    pub(crate) image: u64,
    pub(crate) block_bytes: u32,
    pub(crate) metadata: Vec<u8>,
    /// The images that it needs, by their numbers.
    pub(crate) needed: Vec<NeededImage>,
    pub(crate) segments: Vec<SegmentEntry>,
}

/// The hash at the end of a manifest.
pub(crate) type Hash = [u8; HASH_BYTES];

/// An image that another one needs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct NeededImage {
    pub(crate) image: u64,
    /// That of its manifest.
    pub(crate) hash: Hash,
}

/// A segment: its records, and its blocks in the order of the file.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(crate) struct SegmentEntry {
    pub(crate) records: u64,
    pub(crate) blocks: Vec<BlockEntry>,
}

/// A manifest takes at most as many times its length in memory: its bytes, and its entries.
const MEMORY_FACTOR: u64 = 3;

const _: () = {
    assert!(size_of::<BlockEntry>() <= 2 * block_entry::BYTES);
    assert!(size_of::<SegmentEntry>() <= 2 * segment_entry::BYTES);
    assert!(size_of::<NeededImage>() <= 2 * needed_entry::BYTES);
};

/// The least length of a manifest.
pub(crate) const MANIFEST_BYTES_MIN: usize = manifest_head::BYTES + HASH_BYTES;

impl SegmentEntry {
    /// Blocks of one kind, with their places.
    pub(crate) fn blocks_of(
        &self,
        kind: BlockKind,
    ) -> impl Iterator<Item = (BlockPlace, &BlockEntry)> {
        let mut offset = segment_head::BYTES as u64;
        let places = self.blocks.iter().zip(0..).map(move |(entry, number)| {
            let place = BlockPlace { number, offset };
            offset += entry.file_bytes();
            (place, entry)
        });
        places.filter(move |(_, entry)| entry.head.kind == kind)
    }

    /// F3.
    pub(crate) fn file_bytes(&self) -> u64 {
        let blocks = self.blocks.iter().map(BlockEntry::file_bytes);
        segment_head::BYTES as u64 + blocks.sum::<u64>()
    }

    /// The number of bytes of the contents of all blocks of one kind.
    pub(crate) fn content_bytes(&self, kind: BlockKind) -> u64 {
        let blocks = self.blocks_of(kind);
        blocks
            .map(|(_, entry)| u64::from(entry.head.content_bytes))
            .sum()
    }
}

impl Manifest {
    pub(crate) fn encode(&self) -> Vec<u8> {
        let mut bytes = vec![0; manifest_head::BYTES];
        manifest_head::MAGIC.put_bytes(&mut bytes, MANIFEST_MAGIC);
        let version = match self.needed.is_empty() {
            true => VERSION_ALONE,
            false => VERSION,
        };
        manifest_head::VERSION.put(&mut bytes, version);
        manifest_head::BLOCK_BYTES.put(&mut bytes, self.block_bytes);
        manifest_head::IMAGE.put(&mut bytes, self.image);
        manifest_head::SEGMENTS.put(&mut bytes, self.segments.len() as u32);
        manifest_head::METADATA_BYTES.put(&mut bytes, self.metadata.len() as u32);
        bytes.extend_from_slice(&self.metadata);
        if version != VERSION_ALONE {
            let mut head = [0; needed_head::BYTES];
            needed_head::COUNT.put(&mut head, self.needed.len() as u32);
            bytes.extend_from_slice(&head);
        }
        for needed in &self.needed {
            let mut entry = [0; needed_entry::BYTES];
            needed_entry::IMAGE.put(&mut entry, needed.image);
            needed_entry::HASH.put_bytes(&mut entry, &needed.hash);
            bytes.extend_from_slice(&entry);
        }
        for segment in &self.segments {
            let mut entry = [0; segment_entry::BYTES];
            segment_entry::RECORDS.put(&mut entry, segment.records);
            segment_entry::BLOCKS.put(&mut entry, segment.blocks.len() as u32);
            bytes.extend_from_slice(&entry);
            for block in &segment.blocks {
                let mut entry = [0; block_entry::BYTES];
                block.put(&mut entry);
                bytes.extend_from_slice(&entry);
            }
        }
        let hash = block::hash(&bytes);
        bytes.extend_from_slice(&hash);
        bytes
    }

    /// The most memory that a manifest of so many bytes takes.
    pub(crate) fn memory(bytes: u64) -> u64 {
        MEMORY_FACTOR.saturating_mul(bytes)
    }

    /// Reads the manifest of `image`, which has the name `file`.
    pub(crate) fn decode(image: u64, bytes: &[u8], memory: MemoryLimit) -> Result<Manifest, Error> {
        let file = FileName::Manifest { image };
        let mut parts = Parts {
            file,
            rest: checked(file, bytes)?,
            offset: 0,
        };
        let head = parts.take(manifest_head::BYTES as u64)?;
        let field = |field: Field, allowed: RangeInclusive<u64>| {
            let place = Place::offset(field.offset as u64);
            let within = within(field, field.get(head), allowed);
            within.map_err(|damage| Error::damaged(file, place, damage))
        };
        field(manifest_head::IMAGE, image..=image)?;
        let blocks_allowed = u64::from(BLOCK_BYTES_MIN)..=u64::from(BLOCK_BYTES_MAX);
        let block_bytes = field(manifest_head::BLOCK_BYTES, blocks_allowed)? as u32;
        let segments = field(manifest_head::SEGMENTS, 0..=u64::from(SEGMENTS_MAX))?;
        let metadata = field(
            manifest_head::METADATA_BYTES,
            0..=u64::from(METADATA_BYTES_MAX),
        )?;
        let metadata = parts.take(metadata)?.to_vec();
        memory.allow(file, "manifest", Manifest::memory(bytes.len() as u64))?;
        let needed = match manifest_head::VERSION.get_u32(head) {
            VERSION_ALONE => Vec::new(),
            _ => parts.needed(image)?,
        };
        let segments = parts.segments(segments, block_bytes)?;
        match parts.rest.len() as u64 {
            0 => Ok(Manifest {
                image,
                block_bytes,
                metadata,
                needed,
                segments,
            }),
            more => Err(parts.damaged(Damage::FileLength {
                expected: bytes.len() as u64 - more,
                found: bytes.len() as u64,
            })),
        }
    }
}

/// F1: returns what the hash at the end of a manifest covers.
fn checked(file: FileName, bytes: &[u8]) -> Result<&[u8], Error> {
    let damaged = |offset, damage| Err(Error::damaged(file, Place::offset(offset), damage));
    if bytes.len() < MANIFEST_BYTES_MIN {
        let (expected, found) = (MANIFEST_BYTES_MIN as u64, bytes.len() as u64);
        return damaged(0, Damage::FileLength { expected, found });
    }
    let (body, hash) = bytes.split_at(bytes.len() - HASH_BYTES);
    if manifest_head::MAGIC.slice(body) != MANIFEST_MAGIC {
        return damaged(0, Damage::Magic);
    }
    if block::hash(body) != hash {
        return damaged(body.len() as u64, Damage::Hash);
    }
    let version = manifest_head::VERSION;
    match version.get_u32(body) {
        found if found > VERSION => Err(Error::NewerVersion {
            file: file.to_string(),
            found,
            known: VERSION,
        }),
        found => match within(version, found.into(), VERSION_ALONE.into()..=VERSION.into()) {
            Ok(_) => Ok(body),
            Err(damage) => damaged(version.offset as u64, damage),
        },
    }
}

/// Returns `found` if it is allowed.
fn within(field: Field, found: u64, allowed: RangeInclusive<u64>) -> Result<u64, Damage> {
    let expected = found.clamp(*allowed.start(), *allowed.end());
    match found == expected {
        true => Ok(found),
        false => Err(Damage::Field {
            field: field.name,
            found,
            expected,
        }),
    }
}

/// The rest of a manifest, taken apart from its front.
struct Parts<'a> {
    file: FileName,
    rest: &'a [u8],
    offset: u64,
}

impl<'a> Parts<'a> {
    fn damaged(&self, damage: Damage) -> Error {
        Error::damaged(self.file, Place::offset(self.offset), damage)
    }

    /// Takes `bytes` from the front. Nothing is allocated for a number that the rest cannot hold.
    fn take(&mut self, bytes: u64) -> Result<&'a [u8], Error> {
        match usize::try_from(bytes)
            .ok()
            .and_then(|bytes| self.rest.split_at_checked(bytes))
        {
            Some((front, rest)) => {
                self.rest = rest;
                self.offset += bytes;
                Ok(front)
            }
            None => Err(self.damaged(Damage::FileLength {
                expected: self
                    .offset
                    .saturating_add(bytes)
                    .saturating_add(HASH_BYTES as u64),
                found: self.offset + (self.rest.len() + HASH_BYTES) as u64,
            })),
        }
    }

    /// F8: the images that `image` needs.
    fn needed(&mut self, image: u64) -> Result<Vec<NeededImage>, Error> {
        let head = self.take(needed_head::BYTES as u64)?;
        let (count, zero) = (needed_head::COUNT, needed_head::ZERO);
        within(zero, zero.get(head), 0..=0).map_err(|damage| self.damaged(damage))?;
        let entries = within(count, count.get(head), 1..=u64::from(NEEDED_MAX));
        let entries = entries.map_err(|damage| self.damaged(damage))?;
        let entries = self.take(entries * needed_entry::BYTES as u64)?;
        let mut needed: Vec<NeededImage> = Vec::with_capacity(entries.len() / needed_entry::BYTES);
        for entry in entries.chunks_exact(needed_entry::BYTES) {
            let field = needed_entry::IMAGE;
            let least = needed.last().map_or(0, |last| last.image.saturating_add(1));
            let most = image.saturating_sub(1).max(least);
            let number = within(field, field.get(entry), least..=most);
            let number = number.map_err(|damage| self.damaged(damage))?;
            let mut hash = [0; HASH_BYTES];
            hash.copy_from_slice(needed_entry::HASH.slice(entry));
            needed.push(NeededImage {
                image: number,
                hash,
            });
        }
        Ok(needed)
    }

    fn segments(&mut self, count: u64, block_bytes: u32) -> Result<Vec<SegmentEntry>, Error> {
        // Each has an entry, so the rest bounds their number before the allocation.
        let entries_max = self.rest.len() / segment_entry::BYTES;
        within(manifest_head::SEGMENTS, count, 0..=entries_max as u64)
            .map_err(|damage| self.damaged(damage))?;
        let mut segments = Vec::with_capacity(count as usize);
        for _ in 0..count {
            segments.push(self.segment(block_bytes)?);
        }
        Ok(segments)
    }

    fn segment(&mut self, block_bytes: u32) -> Result<SegmentEntry, Error> {
        let entry = self.take(segment_entry::BYTES as u64)?;
        let records = segment_entry::RECORDS.get(entry);
        let zero = segment_entry::ZERO;
        within(zero, zero.get(entry), 0..=0).map_err(|damage| self.damaged(damage))?;
        let mut offset = self.offset;
        let entries = self.take(segment_entry::BLOCKS.get(entry) * block_entry::BYTES as u64)?;
        let mut blocks = Vec::with_capacity(entries.len() / block_entry::BYTES);
        for entry in entries.chunks_exact(block_entry::BYTES) {
            let place = Place {
                block: Some(blocks.len() as u32),
                offset,
            };
            let block = BlockEntry::get(entry, block_bytes);
            blocks.push(block.map_err(|damage| Error::damaged(self.file, place, damage))?);
            offset += block_entry::BYTES as u64;
        }
        let segment = SegmentEntry { records, blocks };
        segment
            .are_blocks_full(block_bytes)
            .map_err(|damage| self.damaged(damage))?;
        Ok(segment)
    }
}

impl SegmentEntry {
    /// F5.
    fn are_blocks_full(&self, block_bytes: u32) -> Result<(), Damage> {
        let kinds = [
            (BlockKind::Values, block_bytes),
            (BlockKind::Table, table_block_bytes(block_bytes)),
        ];
        for (kind, full) in kinds {
            let mut blocks = self.blocks_of(kind).peekable();
            while let Some((_, entry)) = blocks.next() {
                let least = if blocks.peek().is_some() { full } else { 1 };
                let content = u64::from(entry.head.content_bytes);
                within(block_entry::CONTENT, content, least.into()..=full.into())?;
            }
        }
        let table = self.content_bytes(BlockKind::Table);
        let records = table / table_entry::BYTES as u64;
        within(segment_entry::RECORDS, self.records, records..=records)?;
        let whole = records * table_entry::BYTES as u64;
        within(block_entry::CONTENT, table, whole..=whole).map(|_| ())
    }
}
