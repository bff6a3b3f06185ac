//! Slabs: memory of promises, which any thread may scan at any time (invariants N5 and N6, see the
//! README).
//!
//! A chunk is one allocation of up to 64 blocks of one class. As long as it is not freed, its
//! blocks contain nothing but slots of promises, and the request in each is made of atomics. So a
//! scan needs no help of their owners.

use crate::sync::{Arc, Mutex, lock};
use std::alloc::{Layout, alloc_zeroed, dealloc, handle_alloc_error};
use std::collections::{BTreeMap, BTreeSet};
use std::ptr::NonNull;

/// Limit of the blocks of a chunk: one bit each.
pub(super) const BLOCKS: usize = u64::BITS as usize;

/// The chunks of the process. A promise may be settled by an actor of another system, so its memory
/// belongs to no system.
static SLABS: Mutex<Slabs> = Mutex::new(Slabs {
    chunks: BTreeMap::new(),
    partial: BTreeSet::new(),
});

struct Slabs {
    /// By their addresses.
    chunks: BTreeMap<usize, Chunk>,
    /// Those with free blocks: the size of a block, and the address.
    partial: BTreeSet<(usize, usize)>,
}

struct Chunk {
    memory: Arc<ChunkMemory>,
    /// The blocks that are free here. Blocks in pools are not: for a chunk they are in use.
    free: u64,
}

/// The memory of a chunk. A scan keeps it alive.
struct ChunkMemory {
    at: NonNull<u8>,
    block: Layout,
    blocks: usize,
}

// SAFETY: it owns plain memory (X9). Blocks are accessed by their owners (N1), and scanned by the
// contract of `scan`.
unsafe impl Send for ChunkMemory {}
// SAFETY: a shared reference gives access to addresses of blocks only (X9).
unsafe impl Sync for ChunkMemory {}

impl ChunkMemory {
    /// Returns zeroed memory for blocks of this layout, of which the size is a multiple of the
    /// alignment, and not zero.
    fn new(block: Layout, blocks: usize) -> ChunkMemory {
        let layout = layout_of(block, blocks);
        // SAFETY: the size of a block is not zero (N4), and there is at least one block.
        let at = NonNull::new(unsafe { alloc_zeroed(layout) });
        ChunkMemory {
            at: at.unwrap_or_else(|| handle_alloc_error(layout)),
            block,
            blocks,
        }
    }

    fn block_at(&self, number: usize) -> NonNull<u8> {
        debug_assert!(number < self.blocks);
        // SAFETY: the memory has room for this block (X5).
        unsafe { self.at.add(number * self.block.size()) }
    }
}

impl Drop for ChunkMemory {
    fn drop(&mut self) {
        // SAFETY: `new` allocated it with this layout. All its blocks are free, and no scan has it
        // (N5).
        unsafe { dealloc(self.at.as_ptr(), layout_of(self.block, self.blocks)) };
    }
}

fn layout_of(block: Layout, blocks: usize) -> Layout {
    match Layout::from_size_align(block.size() * blocks, block.align()) {
        Ok(layout) => layout,
        Err(_) => unreachable!("the layout of a few blocks"),
    }
}

/// Calls `each` for up to `wanted` free blocks of this layout, at least one, and returns their
/// number. The caller owns them (N1). A new chunk has `blocks` blocks.
pub(super) fn take(
    block: Layout,
    wanted: usize,
    blocks: usize,
    mut each: impl FnMut(NonNull<u8>),
) -> usize {
    let mut slabs = lock(&SLABS);
    let slabs = &mut *slabs;
    let mut taken = 0;
    while taken < wanted {
        let first = slabs
            .partial
            .range((block.size(), 0)..=(block.size(), usize::MAX))
            .next()
            .copied();
        let Some((size, at)) = first else {
            if taken > 0 {
                break;
            }
            let memory = ChunkMemory::new(block, blocks);
            let at = memory.at.addr().get();
            let free = u64::MAX >> (BLOCKS - memory.blocks);
            let memory = Arc::new(memory);
            slabs.chunks.insert(at, Chunk { memory, free });
            slabs.partial.insert((block.size(), at));
            continue;
        };
        let Some(chunk) = slabs.chunks.get_mut(&at) else {
            unreachable!("N5: a chunk with free blocks exists");
        };
        while chunk.free != 0 && taken < wanted {
            let number = chunk.free.trailing_zeros() as usize;
            chunk.free &= chunk.free - 1;
            each(chunk.memory.block_at(number));
            taken += 1;
        }
        if chunk.free == 0 {
            slabs.partial.remove(&(size, at));
        }
    }
    taken
}

/// Gives a block back. Frees the chunk, if no other block of it is in use.
///
/// # Safety
///
/// `take` returned the block, the caller owns it (N1) and gives it up, and the request in it is
/// closed (N6).
pub(super) unsafe fn give(block: NonNull<u8>) {
    let mut slabs = lock(&SLABS);
    let slabs = &mut *slabs;
    let address = block.addr().get();
    let Some((at, chunk)) = slabs.chunks.range_mut(..=address).next_back() else {
        unreachable!("N5: the chunk of a block exists");
    };
    let (at, size) = (*at, chunk.memory.block.size());
    let all = u64::MAX >> (BLOCKS - chunk.memory.blocks);
    chunk.free |= 1 << ((address - at) / size);
    if chunk.free == all {
        slabs.partial.remove(&(size, at));
        slabs.chunks.remove(&at);
    } else {
        slabs.partial.insert((size, at));
    }
}

/// Calls `each` with every block of every chunk that exists now. A block is zeroed, or contains
/// what its owner has put there and may change meanwhile (N5): `each` reads the atomics of
/// its request, and nothing else.
pub(crate) fn scan(mut each: impl FnMut(NonNull<u8>)) {
    // No thread waits for the scan: it takes the lock for a list of the chunks.
    let chunks: Vec<Arc<ChunkMemory>> = {
        let slabs = lock(&SLABS);
        let chunks = slabs.chunks.values();
        chunks.map(|chunk| chunk.memory.clone()).collect()
    };
    for chunk in chunks {
        (0..chunk.blocks).for_each(|number| each(chunk.block_at(number)));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A size that no promise has.
    const ODD: Layout = match Layout::from_size_align(4096 + 8, 8) {
        Ok(layout) => layout,
        Err(_) => panic!("a layout"),
    };

    fn taken(wanted: usize) -> Vec<NonNull<u8>> {
        let mut blocks = Vec::new();
        let number = take(ODD, wanted, 3, |block| blocks.push(block));
        assert_eq!(number, blocks.len());
        blocks
    }

    fn scanned(of: &[NonNull<u8>]) -> usize {
        let mut found = 0;
        scan(|block| found += usize::from(of.contains(&block)));
        found
    }

    #[test]
    fn a_block_is_scanned_until_its_chunk_is_free() {
        let blocks = taken(3);
        assert_eq!(blocks.len(), 3);
        assert_eq!(scanned(&blocks), 3);
        // SAFETY: taken above, never written, and given back once (X1).
        unsafe { give(blocks[1]) };
        assert_eq!(scanned(&blocks), 3, "its chunk has other blocks");
        assert_eq!(
            taken(64),
            [blocks[1]],
            "the free block comes first, and alone"
        );
        for block in &blocks {
            // SAFETY: taken above, never written, and given back once (X1).
            unsafe { give(*block) };
        }
        assert_eq!(scanned(&blocks), 0);
        assert!(
            lock(&SLABS)
                .partial
                .iter()
                .all(|(size, _)| *size != ODD.size())
        );
    }
}
