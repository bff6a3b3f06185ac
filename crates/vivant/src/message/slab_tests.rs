//! Slabs: whole chunks, threads that take and give beside a scan, and pools over slabs.

use super::super::pool::{self, Depot, Pool};
use super::*;
use crate::injected_fault::must_catch;
use crate::oracle::split_mix;
use crate::sync::{AtomicU64, AtomicUsize, Ordering};
use std::cell::Cell;
use std::thread;

/// A size that no promise has. Each test has its own.
const fn odd(number: usize) -> Layout {
    match Layout::from_size_align(4096 + 16 * number, 8) {
        Ok(layout) => layout,
        Err(_) => panic!("a layout"),
    }
}

fn taken(of: Layout, wanted: usize) -> Vec<NonNull<u8>> {
    let mut blocks = Vec::new();
    let number = take(of, wanted, 3, |block| blocks.push(block));
    assert_eq!(number, blocks.len());
    blocks
}

fn scanned(of: &[NonNull<u8>]) -> usize {
    let mut found = 0;
    scan(|block| found += usize::from(of.contains(&block)));
    found
}

fn chunks_of(layout: Layout) -> usize {
    let slabs = lock(&SLABS);
    let chunks = slabs.chunks.values();
    let chunks = chunks.filter(|chunk| chunk.memory.block == layout).count();
    let is_partial = |(size, ..): &&Partial| *size == layout.size();
    assert!(slabs.partial.iter().filter(is_partial).count() <= chunks);
    chunks
}

fn given(blocks: &[NonNull<u8>]) {
    for block in blocks {
        // SAFETY: the tests take a block, never write a record, and give it back once (X1).
        unsafe { give(*block) };
    }
}

#[test]
fn a_block_is_scanned_until_its_chunk_is_free() {
    let layout = odd(1);
    let blocks = taken(layout, 3);
    assert_eq!(blocks.len(), 3);
    assert_eq!(scanned(&blocks), 3);
    given(&blocks[1..2]);
    assert_eq!(scanned(&blocks), 3, "its chunk has other blocks");
    let again = taken(layout, 64);
    assert_eq!(again, [blocks[1]], "the free block, and alone");
    given(&blocks);
    assert_eq!(scanned(&blocks), 0);
    assert_eq!(chunks_of(layout), 0);
}

#[test]
fn the_fullest_chunk_comes_first() {
    let layout = odd(2);
    let chunks: Vec<_> = (0..3).map(|_| taken(layout, 3)).collect();
    given(&chunks[0][..2]);
    given(&chunks[1][..1]);
    given(&chunks[2][..2]);
    assert_eq!(taken(layout, 1), chunks[1][..1]);
    given(&chunks[0][2..]);
    assert_eq!(chunks_of(layout), 2, "an empty chunk is freed");
    assert_eq!(scanned(&chunks[0]), 0);
    assert_eq!(taken(layout, 2), chunks[2][..2]);
    given(&chunks[1]);
    given(&chunks[2]);
    assert_eq!(chunks_of(layout), 0);
}

#[test]
fn blocks_of_one_size_and_two_alignments_come_from_different_chunks() {
    let [low, high] = [64, 128].map(|align| Layout::from_size_align(40 * 128, align).unwrap());
    // The chunk of each has free blocks.
    let first: Vec<_> = (0..8).flat_map(|_| taken(low, 1)).collect();
    let second: Vec<_> = (0..8).flat_map(|_| taken(high, 1)).collect();
    let is_aligned = |block: &NonNull<u8>| block.addr().get().is_multiple_of(128);
    assert!(second.iter().all(is_aligned));
    given(&first);
    given(&second);
    assert_eq!(chunks_of(low) + chunks_of(high), 0);
}

#[test]
fn a_chunk_is_bounded_in_bytes_and_blocks() {
    for size in [8, 56, 64, 120, 504, 4096, 10_000] {
        let layout = Layout::from_size_align(size, 8).unwrap();
        let blocks = blocks_of(layout);
        assert!((1..=BLOCKS_MAX).contains(&blocks));
        assert!(blocks == 1 || blocks * size <= CHUNK_BYTES_MAX);
    }
}

/// A block of a thread: a mark that others may read, and a word that they may not.
struct Owned(NonNull<u8>);

impl Owned {
    fn mark(&self) -> &AtomicU64 {
        // SAFETY: the block is one of this test, where this word is an atomic (X5).
        unsafe { self.0.cast::<AtomicU64>().as_ref() }
    }

    fn word(&self) -> &Cell<u64> {
        // SAFETY: the slab has given the block to this thread alone (N1), and it has room for a
        // second word (X5).
        unsafe { self.0.cast::<Cell<u64>>().add(1).as_ref() }
    }

    fn claim(block: NonNull<u8>, mark: u64) -> Owned {
        let owned = Owned(block);
        // Relaxed, here and below: the slab has to order its users, not the test.
        let before = owned.mark().swap(mark, Ordering::Relaxed);
        assert_eq!(before, 0, "N1: a block of two owners");
        owned.word().set(mark);
        owned
    }

    fn give(self, mark: u64) {
        assert_eq!(self.word().get(), mark, "N1: not what this thread wrote");
        assert_eq!(self.mark().swap(0, Ordering::Relaxed), mark, "N1");
        given(&[self.0]);
    }
}

/// Takes and gives blocks at random.
fn churn(layout: Layout, mark: u64, rounds: u32) {
    let (mut state, mut mine) = (mark, Vec::new());
    for _ in 0..rounds {
        let (next, number) = split_mix(state);
        state = next;
        let number = number as usize;
        if mine.is_empty() || number.is_multiple_of(2) {
            for block in taken(layout, 1 + number / 2 % 5) {
                mine.push(Owned::claim(block, mark));
            }
        } else {
            mine.swap_remove(number % mine.len()).give(mark);
        }
    }
    mine.into_iter().for_each(|owned| owned.give(mark));
}

const ROUNDS: u32 = if cfg!(miri) { 8 } else { 5_000 };

#[test]
fn threads_take_and_give_beside_a_scan() {
    let layout = odd(3);
    let fixed = taken(layout, 3);
    let running = AtomicUsize::new(3);
    thread::scope(|scope| {
        for mark in 1..=3 {
            let running = &running;
            scope.spawn(move || {
                churn(layout, mark, ROUNDS);
                running.fetch_sub(1, Ordering::Relaxed);
            });
        }
        loop {
            assert_eq!(scanned(&fixed), 3, "N5: a block in use is not scanned");
            if running.load(Ordering::Relaxed) == 0 {
                break;
            }
        }
    });
    given(&fixed);
    assert_eq!(chunks_of(layout), 0, "N3");
}

#[test]
fn canary_a_block_that_is_given_out_twice_is_caught() {
    must_catch(InjectedFault::BlockStaysFree, || churn(odd(4), 1, 10));
}

/// A slot in the largest size class.
type Large = [u64; 62];

/// A block that changes its thread.
struct Sent(NonNull<Large>);

// SAFETY: the test takes it on one thread, and gives it back on another, once (X9).
unsafe impl Send for Sent {}

#[test]
fn slots_of_pools_are_scanned_and_their_slabs_are_freed() {
    let depot = Arc::new(Depot::new());
    // As many as pass through the depot.
    let count = if cfg!(miri) { 9 } else { 6 * pool::MAGAZINE };
    let pool = || Pool::new(Some(depot.clone()));
    let take = || pool().enter(|| (0..count).map(|_| Sent(pool::take_slot())).collect());
    let slots: Vec<Sent> = thread::scope(|scope| scope.spawn(take).join().unwrap());
    let mut blocks: Vec<_> = slots.iter().map(|slot| slot.0.cast::<u8>()).collect();
    assert_eq!(scanned(&blocks), blocks.len());
    blocks.sort_unstable();
    blocks.dedup();
    assert_eq!(blocks.len(), count as usize, "N1: a block of two owners");
    let give = move || {
        let pool = pool();
        pool.enter(|| {
            for Sent(slot) in slots {
                // SAFETY: taken above, without a record, and given back once (X1).
                unsafe { pool::give_slot(slot) };
            }
        });
    };
    thread::scope(|scope| scope.spawn(give).join().unwrap());
    drop(depot);
    assert_eq!(scanned(&blocks), 0, "N3: memory that no promise uses");
}
