//! Random changes of a forged image, before it gets its checksums.

use crate::forge::{Block, Files, Image, Segment};
use fastrand::Rng;

/// What was changed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Change {
    /// Lengths, numbers, codes: an image that is read has the same records.
    Frame,
    /// Ids, kinds, values or their order: an image that is read may have others.
    Contents,
}

/// The files of `image` with one to three changes.
pub(crate) fn mutated(mut image: Image, random: &mut Rng) -> (Files, Change) {
    let mut change = Change::Frame;
    for _ in 0..random.u32(1..=3) {
        let one = match random.u32(0..5) {
            0 => number_of_manifest(&mut image, random),
            1 => number_of_segment(segment(&mut image, random), random),
            2 => number_of_block(block(&mut image, random), random),
            3 => contents(&mut image, random),
            _ => blocks(&mut image, random),
        };
        if one == Change::Contents {
            change = one;
        }
    }
    let mut files = image.files();
    if random.u32(0..10) == 0 {
        let index = random.usize(..files.len());
        if let Some(file) = files.values_mut().nth(index) {
            let length = random.usize(..2 * file.len());
            file.resize(length, 0);
        }
    }
    (files, change)
}

fn segment<'a>(image: &'a mut Image, random: &mut Rng) -> &'a mut Segment {
    let index = random.usize(..image.segments.len());
    &mut image.segments[index]
}

/// Any block. No change leaves a segment without blocks.
fn block<'a>(image: &'a mut Image, random: &mut Rng) -> &'a mut Block {
    let segment = segment(image, random);
    let index = random.usize(..segment.blocks.len());
    &mut segment.blocks[index]
}

/// A value near `now`, near a power of two, or any.
fn interesting(now: u64, random: &mut Rng) -> u64 {
    match random.u32(0..4) {
        0 => now.wrapping_add(random.u64(0..5)).wrapping_sub(2),
        1 => (1_u64 << random.u32(0..64)).wrapping_sub(random.u64(0..2)),
        2 => random.u64(0..100),
        _ => random.u64(..),
    }
}

fn change_u32(number: &mut u32, random: &mut Rng) {
    *number = interesting((*number).into(), random) as u32;
}

fn change_u64(number: &mut u64, random: &mut Rng) {
    *number = interesting(*number, random);
}

fn number_of_manifest(image: &mut Image, random: &mut Rng) -> Change {
    match random.u32(0..5) {
        0 => change_u32(&mut image.version, random),
        1 => change_u32(&mut image.block_bytes, random),
        2 => change_u64(&mut image.number, random),
        3 => change_u32(&mut image.segment_count, random),
        _ => change_u32(&mut image.metadata_bytes, random),
    }
    Change::Frame
}

fn number_of_segment(segment: &mut Segment, random: &mut Rng) -> Change {
    match random.u32(0..6) {
        0 => change_u32(&mut segment.version, random),
        1 => change_u32(&mut segment.number, random),
        2 => change_u64(&mut segment.image, random),
        3 => change_u64(&mut segment.records, random),
        4 => change_u32(&mut segment.block_count, random),
        _ => change_u32(&mut segment.zero, random),
    }
    Change::Frame
}

fn number_of_block(block: &mut Block, random: &mut Rng) -> Change {
    match random.u32(0..5) {
        0 => block.kind = random.u8(0..5),
        1 => block.compression = random.u8(0..4),
        2 => block.zero = random.u16(..),
        3 => change_u32(&mut block.stored_bytes, random),
        _ => change_u32(&mut block.content_bytes, random),
    }
    Change::Frame
}

/// Changes what a block holds.
fn contents(image: &mut Image, random: &mut Rng) -> Change {
    let block = block(image, random);
    match random.u32(0..4) {
        // As it is stored: a compressed block may be none then.
        0 => {
            let index = random.usize(..block.stored.len());
            block.stored[index] ^= 1 << random.u32(0..8);
        }
        1 => {
            let length = random.usize(1..=2 * block.stored.len());
            block.stored.resize(length, random.u8(..));
            if random.bool() {
                block.stored_bytes = length as u32;
            }
        }
        // An entry of a table, compressed as a writer does: another id, kind or length.
        2 => {
            let mut content = match block.compression {
                1 => {
                    let length = block.content_bytes.min(1_000) as usize;
                    lz4_flex::block::decompress(&block.stored, length).unwrap_or_default()
                }
                _ => block.stored.clone(),
            };
            if let Some(entry) = content.chunks_exact_mut(18).next() {
                let mut length = [0; 8];
                length.copy_from_slice(&entry[10..18]);
                let length = interesting(u64::from_le_bytes(length), random);
                match random.u32(0..3) {
                    0 => entry[0] = random.u8(..),
                    1 => entry[8] = random.u8(..),
                    _ => entry[10..18].copy_from_slice(&length.to_le_bytes()),
                }
            }
            *block = Block::of(block.kind, &content);
        }
        // A block that expands as much as LZ4 can.
        _ => {
            let length = random.usize(1..300_000);
            *block = Block::of(block.kind, &vec![0; length]);
        }
    }
    Change::Contents
}

/// Adds, removes, moves and exchanges blocks and segments.
fn blocks(image: &mut Image, random: &mut Rng) -> Change {
    let taken = block(image, random).clone();
    match random.u32(0..5) {
        0 => *block(image, random) = taken,
        1 => {
            let to = segment(image, random);
            to.blocks.insert(random.usize(..=to.blocks.len()), taken);
            to.block_count += random.u32(0..2);
        }
        2 => {
            let from = segment(image, random);
            if from.blocks.len() > 1 {
                from.blocks.remove(random.usize(..from.blocks.len()));
                from.block_count = from.block_count.wrapping_sub(random.u32(0..2));
            }
        }
        3 => {
            let of = segment(image, random);
            random.shuffle(&mut of.blocks);
        }
        // Two segments alike: their ids occur twice.
        _ => {
            let index = random.u32(..image.segments.len() as u32);
            let mut copy = segment(image, random).clone();
            copy.number = index;
            image.segments[index as usize] = copy;
        }
    }
    Change::Contents
}
