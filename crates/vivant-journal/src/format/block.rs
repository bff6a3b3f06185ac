//! Blocks: up to 256 KiB of content, checked before it is decompressed.
//!
//! A block has its lengths twice, in its head and in the manifest, and two checks: the CRC-32 in
//! its head, for a reader of the segment alone, and the BLAKE3 hash in the manifest, which says
//! that it is the block that was written there.

use crate::error::{Damage, Error, Place};
use crate::format::compression::{Code, Compression};
use crate::format::layout::{HASH_BYTES, block_entry, block_head};
use crate::format::names::FileName;

#[cfg(test)]
use crate::injected_fault::{InjectedFault, is_injected};

/// The content of a block.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum BlockKind {
    /// Table entries.
    Table = 1,
    /// Values of records.
    Values = 2,
}

/// The part of a block head that the manifest repeats.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct BlockHead {
    pub(crate) kind: BlockKind,
    pub(crate) compression: Code,
    pub(crate) stored_bytes: u32,
    pub(crate) content_bytes: u32,
}

impl BlockHead {
    fn put(self, bytes: &mut [u8]) {
        block_head::KIND.put(bytes, self.kind as u8);
        block_head::COMPRESSION.put(bytes, self.compression as u8);
        block_head::ZERO.put(bytes, 0u8);
        block_head::STORED.put(bytes, self.stored_bytes);
        block_head::CONTENT.put(bytes, self.content_bytes);
    }

    /// Reads the head from a block or from a block entry, and checks F4 and F7.
    fn get(bytes: &[u8], block_bytes: u32) -> Result<BlockHead, Damage> {
        let wrong = |field: &'static str, found, expected: u32| Damage::Field {
            field,
            found,
            expected: expected.into(),
        };
        let kind = match block_head::KIND.get(bytes) {
            1 => BlockKind::Table,
            2 => BlockKind::Values,
            other => return Err(wrong(block_head::KIND.name, other, 2)),
        };
        let code = block_head::COMPRESSION.get(bytes);
        let compression = Code::of(code).ok_or(wrong(block_head::COMPRESSION.name, code, 2))?;
        match block_head::ZERO.get(bytes) {
            0 => {}
            other => return Err(wrong(block_head::ZERO.name, other, 0)),
        }
        let stored_bytes = block_head::STORED.get_u32(bytes);
        let content_bytes = block_head::CONTENT.get_u32(bytes);
        if content_bytes == 0 || content_bytes > block_bytes {
            return Err(wrong(
                block_head::CONTENT.name,
                content_bytes.into(),
                block_bytes,
            ));
        }
        let fits = match compression {
            Code::None => stored_bytes == content_bytes,
            _ => stored_bytes < content_bytes,
        };
        if !fits {
            return Err(wrong(
                block_head::STORED.name,
                stored_bytes.into(),
                content_bytes,
            ));
        }
        Ok(BlockHead {
            kind,
            compression,
            stored_bytes,
            content_bytes,
        })
    }
}

/// A block as the manifest describes it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct BlockEntry {
    pub(crate) head: BlockHead,
    hash: [u8; HASH_BYTES],
}

impl BlockEntry {
    pub(crate) fn put(&self, bytes: &mut [u8]) {
        self.head.put(bytes);
        block_entry::HASH.put_bytes(bytes, &self.hash);
    }

    pub(crate) fn get(bytes: &[u8], block_bytes: u32) -> Result<BlockEntry, Damage> {
        let head = BlockHead::get(bytes, block_bytes)?;
        let mut hash = [0; HASH_BYTES];
        hash.copy_from_slice(block_entry::HASH.slice(bytes));
        Ok(BlockEntry { head, hash })
    }

    /// The number of bytes of the block in its segment.
    pub(crate) fn file_bytes(&self) -> u64 {
        block_head::BYTES as u64 + u64::from(self.head.stored_bytes)
    }
}

/// Writes a block with `content` into `block`, in place of what is there.
pub(crate) fn seal(
    kind: BlockKind,
    content: &[u8],
    compression: Compression,
    block: &mut Vec<u8>,
) -> BlockEntry {
    block.clear();
    block.resize(block_head::BYTES, 0);
    let compression = compression.compress(content, block);
    let head = BlockHead {
        kind,
        compression,
        stored_bytes: (block.len() - block_head::BYTES) as u32,
        content_bytes: content.len() as u32,
    };
    head.put(block);
    let crc32 = crc32(block);
    block_head::CRC32.put(block, crc32);
    BlockEntry {
        head,
        hash: hash(block),
    }
}

/// A block's place in the store.
#[derive(Clone, Copy, Debug)]
pub(crate) struct BlockPlace {
    /// Counted from 0 in its segment.
    pub(crate) number: u32,
    /// The offset of its head.
    pub(crate) offset: u64,
}

impl BlockPlace {
    pub(crate) fn place(self) -> Place {
        Place {
            block: Some(self.number),
            offset: self.offset,
        }
    }
}

/// Replaces `content` with the content of `block`, which must be the block of `entry`. The
/// manifest has bounded both lengths.
pub(crate) fn open(
    file: FileName,
    place: BlockPlace,
    entry: &BlockEntry,
    block: &[u8],
    content: &mut Vec<u8>,
) -> Result<(), Error> {
    let damaged = |damage| Error::damaged(file, place.place(), damage);
    let mut head = [0; block_head::BYTES];
    entry.head.put(&mut head);
    for field in [
        block_head::KIND,
        block_head::COMPRESSION,
        block_head::ZERO,
        block_head::STORED,
        block_head::CONTENT,
    ] {
        let (found, expected) = (field.get(block), field.get(&head));
        if found != expected {
            return Err(damaged(Damage::Field {
                field: field.name,
                found,
                expected,
            }));
        }
    }
    let (expected, found) = (block_head::CRC32.get_u32(block), crc32(block));
    if expected != found {
        return Err(damaged(Damage::Checksum { expected, found }));
    }
    let is_the_block = hash(block) == entry.hash;
    #[cfg(test)]
    let is_the_block = is_the_block || is_injected(InjectedFault::HashNotChecked);
    if !is_the_block {
        return Err(damaged(Damage::Hash));
    }
    if let Some(compression) = entry.head.compression.missing_feature() {
        return Err(Error::CompressionNotBuilt {
            file: file.to_string(),
            compression,
        });
    }
    // What it held before is overwritten, so it is not cleared.
    content.resize(entry.head.content_bytes as usize, 0);
    let stored = &block[block_head::BYTES..];
    entry
        .head
        .compression
        .decompress(stored, content)
        .map_err(damaged)
}

/// The checksum of a block: of all but the checksum itself.
fn crc32(block: &[u8]) -> u32 {
    let mut hasher = crc32fast::Hasher::new();
    hasher.update(&block[..block_head::CRC32.offset]);
    hasher.update(&block[block_head::BYTES..]);
    hasher.finalize()
}

pub(crate) fn hash(bytes: &[u8]) -> [u8; HASH_BYTES] {
    *blake3::hash(bytes).as_bytes()
}
