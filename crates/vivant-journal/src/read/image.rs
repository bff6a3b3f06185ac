//! [`Image`]: an opened image: its manifest and its table. Values are read by a
//! [`Reader`](crate::Reader).

use crate::error::{Damage, Error, Operation, Place};
use crate::format::block::BlockKind;
use crate::format::layout::HASH_BYTES;
use crate::format::manifest::{Hash, MANIFEST_BYTES_MIN, Manifest, NeededImage};
use crate::format::memory_limit::MemoryLimit;
use crate::format::names::FileName;
use crate::read::held_images::HeldImages;
use crate::read::opened::Opened;
use crate::read::reader::Reader;
use crate::read::table::{RecordInfo, Table};
use crate::store::Store;
use std::collections::BTreeMap;
use std::sync::Arc;

/// An image, opened: every id, kind and length is known and checked, and no value is read yet.
///
/// Its memory is bounded by the limit of the [`Catalog`](crate::Catalog), and so is that of all
/// images that it needs.
#[derive(Debug)]
pub struct Image {
    summary: Summary,
    opened: Opened,
    /// The images that it needs, by their numbers.
    needed: Vec<Image>,
    /// Of the catalog that has opened it.
    pub(crate) held: Arc<HeldImages>,
}

/// What a manifest says of an image.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct Summary {
    /// The image's number. A later image of a journal has a greater one.
    pub number: u64,
    /// What the writer gave to [`ImageWriter::publish`](crate::ImageWriter::publish).
    pub metadata: Vec<u8>,
    /// The numbers of the earlier images that it needs, in ascending order.
    pub needed: Vec<u64>,
    /// The number of records.
    pub records: u64,
    /// The number of segments.
    pub segments: u32,
    /// The number of bytes of all values.
    pub value_bytes: u64,
    /// The number of bytes of all segments in the store.
    pub stored_bytes: u64,
}

impl Summary {
    pub(crate) fn of(manifest: &Manifest) -> Summary {
        let segments = &manifest.segments;
        Summary {
            number: manifest.image,
            metadata: manifest.metadata.clone(),
            needed: manifest.needed.iter().map(|needed| needed.image).collect(),
            records: segments
                .iter()
                .fold(0, |sum, segment| sum.saturating_add(segment.records)),
            segments: segments.len() as u32,
            value_bytes: segments
                .iter()
                .map(|one| one.content_bytes(BlockKind::Values))
                .sum(),
            stored_bytes: segments.iter().map(|segment| segment.file_bytes()).sum(),
        }
    }
}

/// Lengths of the files of a store, by name.
pub(crate) type Lengths = BTreeMap<String, u64>;

/// Reads the manifest of an image, with its hash, and compares the lengths of its files.
pub(crate) fn read_manifest(
    store: &dyn Store,
    lengths: &Lengths,
    image: u64,
    memory: MemoryLimit,
) -> Result<(Manifest, Hash), Error> {
    let file = FileName::Manifest { image };
    let length = *lengths
        .get(&file.to_string())
        .ok_or(Error::NoSuchImage { number: image })?;
    if length < MANIFEST_BYTES_MIN as u64 {
        let expected = MANIFEST_BYTES_MIN as u64;
        let damage = Damage::FileLength {
            expected,
            found: length,
        };
        return Err(Error::damaged(file, Place::offset(0), damage));
    }
    let mut bytes = vec![0; memory.allow(file, "manifest", length)?];
    store
        .read(&file.to_string(), 0, &mut bytes)
        .map_err(Error::store(Operation::Read, file))?;
    let manifest = Manifest::decode(image, &bytes, memory)?;
    for (entry, segment) in manifest.segments.iter().zip(0..) {
        let file = FileName::Segment { image, segment };
        let expected = entry.file_bytes();
        let damage = match lengths.get(&file.to_string()) {
            Some(&found) if found == expected => continue,
            Some(&found) => Damage::FileLength { expected, found },
            None => Damage::Missing,
        };
        return Err(Error::damaged(file, Place::offset(0), damage));
    }
    let mut hash = [0; HASH_BYTES];
    hash.copy_from_slice(&bytes[bytes.len() - HASH_BYTES..]);
    Ok((manifest, hash))
}

/// F8: reads the manifest of an image that the image `by` needs.
pub(crate) fn read_needed(
    store: &dyn Store,
    lengths: &Lengths,
    by: u64,
    needed: NeededImage,
    memory: MemoryLimit,
) -> Result<Manifest, Error> {
    let image = needed.image;
    let by = FileName::Manifest { image: by };
    let damaged = |damage| Error::damaged(by, Place::offset(0), damage);
    let read = read_manifest(store, lengths, image, memory);
    let (manifest, hash) = read.map_err(|error| match error {
        Error::NoSuchImage { .. } => damaged(Damage::NeededMissing { image }),
        error => error,
    })?;
    match hash == needed.hash {
        true => Ok(manifest),
        false => Err(damaged(Damage::NeededDiffers { image })),
    }
}

/// Opens an image that the image `by` needs. All of them together have the memory of one; `taken`
/// is what those before take.
fn open_needed(
    store: &Arc<dyn Store>,
    lengths: &Lengths,
    by: u64,
    needed: NeededImage,
    memory: MemoryLimit,
    taken: &mut u64,
) -> Result<Image, Error> {
    let manifest = read_needed(&**store, lengths, by, needed, memory)?;
    let file = FileName::Manifest {
        image: needed.image,
    };
    let length = lengths.get(&file.to_string()).copied().unwrap_or(0);
    let records = manifest.segments.iter().map(|segment| segment.records);
    let records = records.fold(0, u64::saturating_add);
    let bytes = Manifest::memory(length).saturating_add(Table::memory(records));
    *taken = taken.saturating_add(bytes);
    memory.allow(FileName::Manifest { image: by }, "needed images", *taken)?;
    // What that one needs is not asked for: an image names all that it needs itself.
    let opened = Opened::open(&manifest, store.clone(), memory)?;
    Ok(Image {
        summary: Summary::of(&manifest),
        opened,
        needed: Vec::new(),
        held: Arc::default(),
    })
}

impl Image {
    pub(crate) fn open(
        store: &Arc<dyn Store>,
        lengths: &Lengths,
        number: u64,
        memory: MemoryLimit,
    ) -> Result<Image, Error> {
        let (manifest, _) = read_manifest(&**store, lengths, number, memory)?;
        let opened = Opened::open(&manifest, store.clone(), memory)?;
        let mut taken = 0;
        let needed = manifest.needed.iter();
        let needed =
            needed.map(|&needed| open_needed(store, lengths, number, needed, memory, &mut taken));
        let needed = needed.collect::<Result<_, _>>()?;
        Ok(Image {
            summary: Summary::of(&manifest),
            opened,
            needed,
            held: Arc::default(),
        })
    }

    /// A catalog with these held images has opened it.
    pub(crate) fn set_held(&mut self, held: &Arc<HeldImages>) {
        self.held = held.clone();
        self.needed.iter_mut().for_each(|it| it.set_held(held));
    }

    /// The earlier images that it needs, by their numbers. They are those of the time when
    /// this image was published.
    pub fn needed(&self) -> &[Image] {
        &self.needed
    }

    /// Where it is, and the limit with which it was opened.
    pub(crate) fn store(&self) -> (&Arc<dyn Store>, MemoryLimit) {
        (&self.opened.store, self.opened.memory)
    }

    /// What the manifest says.
    pub fn summary(&self) -> &Summary {
        &self.summary
    }

    /// The image's number.
    pub fn number(&self) -> u64 {
        self.summary.number
    }

    /// What the writer gave to [`ImageWriter::publish`](crate::ImageWriter::publish).
    pub fn metadata(&self) -> &[u8] {
        &self.summary.metadata
    }

    /// All records, by ascending ids.
    pub fn records(&self) -> impl ExactSizeIterator<Item = RecordInfo> {
        self.opened.table.in_order().map(|row| row.info)
    }

    /// The record with this id.
    pub fn record(&self, id: u64) -> Option<RecordInfo> {
        Some(self.opened.table.find(id)?.info)
    }

    /// A reader of this image's values. Each thread may have its own.
    pub fn reader(&self) -> Reader<'_> {
        Reader::new(&self.opened)
    }

    /// Reads every block and compares it with the manifest, also those of the images that it needs.
    /// Costs reading all of them.
    ///
    /// # Errors
    ///
    /// [`Error::Damaged`] for the first block that is not as it was written; [`Error::Store`].
    pub fn verify(&self) -> Result<(), Error> {
        let mut blocks = self.opened.blocks();
        for (values, segment) in self.opened.values.iter().zip(0..) {
            for (place, entry) in values {
                blocks.content(segment, *place, entry)?;
            }
        }
        self.needed.iter().try_for_each(Image::verify)
    }
}
