//! A second writer of the format, from `FORMAT.md` alone: it writes whatever it is told, with
//! checksums that agree.

use std::collections::BTreeMap;

/// Files by name.
pub(crate) type Files = BTreeMap<String, Vec<u8>>;

#[derive(Clone, Debug)]
pub(crate) struct Image {
    pub(crate) version: u32,
    pub(crate) block_bytes: u32,
    pub(crate) number: u64,
    /// What the manifest says; not the number of `segments`.
    pub(crate) segment_count: u32,
    pub(crate) metadata: Vec<u8>,
    pub(crate) metadata_bytes: u32,
    pub(crate) segments: Vec<Segment>,
}

#[derive(Clone, Debug)]
pub(crate) struct Segment {
    pub(crate) version: u32,
    pub(crate) number: u32,
    pub(crate) image: u64,
    pub(crate) records: u64,
    pub(crate) block_count: u32,
    pub(crate) zero: u32,
    pub(crate) blocks: Vec<Block>,
}

#[derive(Clone, Debug)]
pub(crate) struct Block {
    pub(crate) kind: u8,
    pub(crate) compression: u8,
    pub(crate) zero: u16,
    /// What the head says; not the length of `stored`.
    pub(crate) stored_bytes: u32,
    pub(crate) content_bytes: u32,
    pub(crate) stored: Vec<u8>,
}

impl Block {
    /// A block as a writer makes it, without compression or with LZ4.
    pub(crate) fn of(kind: u8, content: &[u8]) -> Block {
        let compressed = lz4_flex::block::compress(content);
        let (compression, stored) = match compressed.len() < content.len() {
            true => (1, compressed),
            false => (0, content.to_vec()),
        };
        Block {
            kind,
            compression,
            zero: 0,
            stored_bytes: stored.len() as u32,
            content_bytes: content.len() as u32,
            stored,
        }
    }

    fn head(&self) -> Vec<u8> {
        let mut head = vec![self.kind, self.compression];
        head.extend(self.zero.to_le_bytes());
        head.extend(self.stored_bytes.to_le_bytes());
        head.extend(self.content_bytes.to_le_bytes());
        head
    }

    fn bytes(&self) -> Vec<u8> {
        let head = self.head();
        let crc32 = crc32fast::hash(&[&head[..], &self.stored].concat());
        [&head[..], &crc32.to_le_bytes(), &self.stored].concat()
    }
}

impl Segment {
    /// A segment with these records: id, kind, value.
    pub(crate) fn of(
        number: u32,
        image: u64,
        block_bytes: u32,
        records: &[(u64, u16, Vec<u8>)],
    ) -> Self {
        let (mut table, mut values) = (Vec::new(), Vec::new());
        for (id, kind, value) in records {
            table.extend(id.to_le_bytes());
            table.extend(kind.to_le_bytes());
            table.extend((value.len() as u64).to_le_bytes());
            values.extend_from_slice(value);
        }
        let table_bytes = block_bytes as usize / 18 * 18;
        let values = values
            .chunks(block_bytes as usize)
            .map(|content| Block::of(2, content));
        let table = table
            .chunks(table_bytes)
            .map(|content| Block::of(1, content));
        let blocks: Vec<Block> = values.chain(table).collect();
        let records = records.len() as u64;
        let block_count = blocks.len() as u32;
        Segment {
            version: 1,
            number,
            image,
            records,
            block_count,
            zero: 0,
            blocks,
        }
    }
}

impl Image {
    pub(crate) fn of(
        number: u64,
        block_bytes: u32,
        metadata: &[u8],
        segments: Vec<Segment>,
    ) -> Image {
        Image {
            version: 1,
            block_bytes,
            number,
            segment_count: segments.len() as u32,
            metadata: metadata.to_vec(),
            metadata_bytes: metadata.len() as u32,
            segments,
        }
    }

    /// The files, under the names of image 1.
    pub(crate) fn files(&self) -> Files {
        let mut files = Files::new();
        let mut manifest = b"VIVANTMF".to_vec();
        manifest.extend(self.version.to_le_bytes());
        manifest.extend(self.block_bytes.to_le_bytes());
        manifest.extend(self.number.to_le_bytes());
        manifest.extend(self.segment_count.to_le_bytes());
        manifest.extend(self.metadata_bytes.to_le_bytes());
        manifest.extend(&self.metadata);
        for (index, segment) in self.segments.iter().enumerate() {
            manifest.extend(segment.records.to_le_bytes());
            manifest.extend(segment.block_count.to_le_bytes());
            manifest.extend(segment.zero.to_le_bytes());
            let mut file = b"VIVANTSG".to_vec();
            file.extend(segment.version.to_le_bytes());
            file.extend(segment.number.to_le_bytes());
            file.extend(segment.image.to_le_bytes());
            for block in &segment.blocks {
                let bytes = block.bytes();
                manifest.extend(block.head());
                manifest.extend(blake3::hash(&bytes).as_bytes());
                file.extend(bytes);
            }
            files.insert(format!("00000000000000000001-{index:05}.segment"), file);
        }
        let hash = blake3::hash(&manifest);
        manifest.extend(hash.as_bytes());
        files.insert("00000000000000000001.manifest".to_owned(), manifest);
        files
    }
}
