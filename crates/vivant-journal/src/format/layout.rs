//! The fixed layouts of the format: every offset and length of `FORMAT.md`, once.
//!
//! Each table of the page is a list of [`Field`]s here. A test compares them.

/// The latest version that this crate reads: that of a manifest that needs other images.
pub(crate) const VERSION: u32 = 2;

/// The version of segments, and of a manifest that needs no other image.
pub(crate) const VERSION_ALONE: u32 = 1;

/// Limit of the images that an image needs.
pub(crate) const NEEDED_MAX: u32 = 1 << 10;

pub(crate) const MANIFEST_MAGIC: &[u8; 8] = b"VIVANTMF";
pub(crate) const SEGMENT_MAGIC: &[u8; 8] = b"VIVANTSG";

/// Limit of the content of a block. A reader holds one block stored and one decompressed.
pub(crate) const BLOCK_BYTES_MAX: u32 = 256 * 1024;

/// Lower limit of the content of a full block. Tests write small blocks.
pub(crate) const BLOCK_BYTES_MIN: u32 = 64;

/// Limit of the caller's metadata: a small string. What is large is a record.
pub(crate) const METADATA_BYTES_MAX: u32 = 64 * 1024;

/// Limit of an image's segments. One for each worker suffices.
pub(crate) const SEGMENTS_MAX: u32 = 1 << 16;

/// Bytes of a BLAKE3 hash.
pub(crate) const HASH_BYTES: usize = 32;

const _: () = assert!(
    BLOCK_BYTES_MIN as usize >= table_entry::BYTES,
    "a block has an entry"
);

/// A field of a fixed layout.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Field {
    pub(crate) name: &'static str,
    pub(crate) offset: usize,
    pub(crate) bytes: usize,
}

impl Field {
    const fn first(name: &'static str, bytes: usize) -> Field {
        Field {
            name,
            offset: 0,
            bytes,
        }
    }

    const fn then(self, name: &'static str, bytes: usize) -> Field {
        Field {
            name,
            offset: self.end(),
            bytes,
        }
    }

    pub(crate) const fn end(self) -> usize {
        self.offset + self.bytes
    }

    /// The bytes of this field.
    pub(crate) fn slice(self, layout: &[u8]) -> &[u8] {
        &layout[self.offset..self.end()]
    }

    /// The number in this field, which has at most eight bytes.
    pub(crate) fn get(self, layout: &[u8]) -> u64 {
        let mut bytes = [0; 8];
        bytes[..self.bytes].copy_from_slice(self.slice(layout));
        u64::from_le_bytes(bytes)
    }

    /// The number in this field, which has at most four bytes.
    pub(crate) fn get_u32(self, layout: &[u8]) -> u32 {
        debug_assert!(self.bytes <= 4);
        self.get(layout) as u32
    }

    /// Writes the low bytes of `number`.
    pub(crate) fn put(self, layout: &mut [u8], number: impl Into<u64>) {
        let number = number.into();
        debug_assert!(
            self.bytes == 8 || number >> (8 * self.bytes) == 0,
            "it fits"
        );
        self.put_bytes(layout, &number.to_le_bytes()[..self.bytes]);
    }

    pub(crate) fn put_bytes(self, layout: &mut [u8], bytes: &[u8]) {
        layout[self.offset..self.end()].copy_from_slice(bytes);
    }
}

/// A layout: its fields as constants, their list, and the number of bytes of all together.
macro_rules! layout {
    (
        $(#[$doc:meta])* $layout:ident:
        $first:ident = $first_name:literal, $first_bytes:expr;
        $($field:ident after $before:ident = $name:literal, $bytes:expr;)*
    ) => {
        $(#[$doc])*
        pub(crate) mod $layout {
            use super::Field;

            pub(crate) const $first: Field = Field::first($first_name, $first_bytes);
            $(pub(crate) const $field: Field = $before.then($name, $bytes);)*
            const FIELDS: &[Field] = &[$first $(, $field)*];
            pub(crate) const BYTES: usize = FIELDS[FIELDS.len() - 1].end();

            /// All fields, for the test that compares them with the page.
            #[cfg(test)]
            pub(crate) const ALL: &[Field] = FIELDS;
        }
    };
}

layout! {
    /// The first bytes of a segment.
    segment_head:
    MAGIC = "magic", 8;
    VERSION after MAGIC = "version", 4;
    SEGMENT after VERSION = "segment", 4;
    IMAGE after SEGMENT = "image", 8;
}

layout! {
    /// The first bytes of a block.
    block_head:
    KIND = "block kind", 1;
    COMPRESSION after KIND = "compression", 1;
    ZERO after COMPRESSION = "zero", 2;
    STORED after ZERO = "stored bytes", 4;
    CONTENT after STORED = "content bytes", 4;
    CRC32 after CONTENT = "crc32", 4;
}

layout! {
    /// A record in a table block.
    table_entry:
    ID = "id", 8;
    KIND after ID = "kind", 2;
    LENGTH after KIND = "length", 8;
}

layout! {
    /// The first bytes of a manifest.
    manifest_head:
    MAGIC = "magic", 8;
    VERSION after MAGIC = "version", 4;
    BLOCK_BYTES after VERSION = "block bytes", 4;
    IMAGE after BLOCK_BYTES = "image", 8;
    SEGMENTS after IMAGE = "segments", 4;
    METADATA_BYTES after SEGMENTS = "metadata bytes", 4;
}

layout! {
    /// The beginning of the needed images in a manifest.
    needed_head:
    COUNT = "needed images", 4;
    ZERO after COUNT = "zero", 4;
}

layout! {
    /// A needed image in a manifest.
    needed_entry:
    IMAGE = "image", 8;
    HASH after IMAGE = "hash", super::HASH_BYTES;
}

layout! {
    /// A segment in a manifest.
    segment_entry:
    RECORDS = "records", 8;
    BLOCKS after RECORDS = "blocks", 4;
    ZERO after BLOCKS = "zero", 4;
}

layout! {
    /// A block in a manifest. It begins with the [`block_head`] up to the checksum.
    block_entry:
    KIND = "block kind", 1;
    COMPRESSION after KIND = "compression", 1;
    ZERO after COMPRESSION = "zero", 2;
    STORED after ZERO = "stored bytes", 4;
    CONTENT after STORED = "content bytes", 4;
    HASH after CONTENT = "hash", super::HASH_BYTES;
}

/// The largest number of bytes of whole table entries in a block.
pub(crate) const fn table_block_bytes(block_bytes: u32) -> u32 {
    block_bytes / table_entry::BYTES as u32 * table_entry::BYTES as u32
}
