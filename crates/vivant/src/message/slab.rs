//! Slabs: memory of promises, which any thread may scan at any time (invariants N5 and N6, see the
//! README).
//!
//! A chunk is one allocation of up to 64 blocks of one class. As long as it is not freed, its
//! blocks contain nothing but slots of promises, and the request in each is made of atomics. So a
//! scan needs no help of their owners.

#[cfg(test)]
use crate::injected_fault::{InjectedFault, is_planted};
use crate::sync::{Arc, Mutex, lock};
use std::alloc::{Layout, alloc_zeroed, dealloc, handle_alloc_error};
use std::collections::{BTreeMap, BTreeSet};
use std::ptr::NonNull;

/// Limit of the blocks of a chunk: one bit each.
const BLOCKS_MAX: usize = u64::BITS as usize;

/// Limit of the bytes of a chunk of several blocks: as much memory one promise that stays open may
/// keep.
const CHUNK_BYTES_MAX: usize = 4096;

/// Returns the number of blocks of this layout in a chunk.
pub(super) fn blocks_of(block: Layout) -> usize {
    (CHUNK_BYTES_MAX / block.size()).clamp(1, BLOCKS_MAX)
}

/// The chunks of the process. A promise may be settled by an actor of another system, so its memory
/// belongs to no system.
static SLABS: Mutex<Slabs> = Mutex::new(Slabs {
    chunks: BTreeMap::new(),
    partial: BTreeSet::new(),
});

struct Slabs {
    /// By their addresses.
    chunks: BTreeMap<usize, Chunk>,
    /// Those with free blocks. The first of a layout is the fullest: so those with few promises
    /// become empty.
    partial: BTreeSet<Partial>,
}

/// The size and the alignment of a block, the number of free blocks, and the address of a chunk.
type Partial = (usize, usize, u32, usize);

struct Chunk {
    memory: Arc<ChunkMemory>,
    /// A bit for each block that is free here. Blocks in pools are not: for a chunk they are in
    /// use.
    free: u64,
}

impl Slabs {
    /// Returns the address of the fullest chunk of this layout with a free block.
    fn fullest(&self, block: Layout) -> Option<usize> {
        let (size, align) = (block.size(), block.align());
        let of_layout = (size, align, 0, 0)..=(size, align, u32::MAX, usize::MAX);
        self.partial.range(of_layout).next().map(|(.., at)| *at)
    }

    /// Adds a chunk, and returns its address.
    fn add(&mut self, memory: ChunkMemory) -> usize {
        let at = memory.at.addr().get();
        let free = memory.all();
        let memory = Arc::new(memory);
        self.chunks.insert(at, Chunk { memory, free });
        at
    }
}

impl Chunk {
    fn partial(&self, at: usize) -> Partial {
        let block = self.memory.block;
        (block.size(), block.align(), self.free.count_ones(), at)
    }
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

    /// A bit for each block.
    fn all(&self) -> u64 {
        u64::MAX >> (BLOCKS_MAX - self.blocks)
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
        let at = match slabs.fullest(block) {
            Some(at) => at,
            None if taken > 0 => break,
            None => slabs.add(ChunkMemory::new(block, blocks)),
        };
        let Some(chunk) = slabs.chunks.get_mut(&at) else {
            unreachable!("N5: a chunk with free blocks exists");
        };
        let before = chunk.partial(at);
        while chunk.free != 0 && taken < wanted {
            let number = chunk.free.trailing_zeros() as usize;
            #[cfg(test)]
            if is_planted(InjectedFault::BlockStaysFree) {
                each(chunk.memory.block_at(number));
                taken += 1;
                continue;
            }
            chunk.free &= chunk.free - 1;
            each(chunk.memory.block_at(number));
            taken += 1;
        }
        slabs.partial.remove(&before);
        if chunk.free != 0 {
            slabs.partial.insert(chunk.partial(at));
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
    let at = *at;
    slabs.partial.remove(&chunk.partial(at));
    chunk.free |= 1 << ((address - at) / chunk.memory.block.size());
    if chunk.free == chunk.memory.all() {
        slabs.chunks.remove(&at);
    } else {
        slabs.partial.insert(chunk.partial(at));
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
#[path = "slab_tests.rs"]
mod tests;
