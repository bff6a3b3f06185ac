//! [`Catalog`]: the images of a store, for reading. It changes nothing in the store.

use crate::error::{Error, Operation};
use crate::format::manifest::{Hash, Manifest, NeededImage};
use crate::format::memory_limit::MemoryLimit;
use crate::format::names::FileName;
use crate::read::held_images::{HeldImage, HeldImages};
use crate::read::image::{self, Image, Lengths, Summary};
use crate::store::Store;
use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::sync::{Arc, Weak};

/// The images of a store, for reading. Tools use it beside a program that writes.
#[derive(Clone, Debug)]
pub struct Catalog {
    pub(crate) store: Arc<dyn Store>,
    pub(crate) memory: MemoryLimit,
    /// Of all catalogs that were cloned from one.
    pub(crate) held: Arc<HeldImages>,
}

/// A [`Catalog`] that does not keep its store open: [`Catalog::downgrade`].
#[derive(Clone, Debug)]
pub struct WeakCatalog {
    store: Weak<dyn Store>,
    memory: MemoryLimit,
    held: Arc<HeldImages>,
}

impl WeakCatalog {
    /// The catalog. `None`: the store is closed.
    pub fn upgrade(&self) -> Option<Catalog> {
        Some(Catalog {
            store: self.store.upgrade()?,
            memory: self.memory,
            held: self.held.clone(),
        })
    }
}

/// Tells an opened store from all others ([`Catalog::store_id`]). A store that is opened again is
/// another one.
#[derive(Clone, Debug)]
pub struct StoreId(Weak<dyn Store>);

impl PartialEq for StoreId {
    fn eq(&self, other: &StoreId) -> bool {
        // The memory of a store that is gone is not used again while an id of it is there.
        Weak::ptr_eq(&self.0, &other.0)
    }
}

impl Eq for StoreId {}

/// All images of a store: [`Catalog::images`].
#[derive(Debug)]
#[non_exhaustive]
pub struct Images {
    /// Images with an intact manifest and files of the right lengths, of which all that they need
    /// is intact in the same way; newest first.
    pub intact: Vec<Summary>,
    /// The others, newest first.
    pub unreadable: Vec<Unreadable>,
}

/// An image that cannot be read.
#[derive(Debug)]
#[non_exhaustive]
pub struct Unreadable {
    /// The image's number.
    pub number: u64,
    /// Why.
    pub error: Error,
}

/// The newest complete image: [`Catalog::latest`].
#[derive(Debug)]
#[non_exhaustive]
pub struct Latest {
    /// The image, every block of it intact. `None` if there is none.
    pub image: Option<Image>,
    /// Newer images, which are damaged, newest first.
    pub damaged: Vec<Unreadable>,
}

impl Catalog {
    /// The images of `store`.
    pub fn new(store: impl Store + 'static) -> Catalog {
        Catalog {
            store: Arc::new(store),
            memory: MemoryLimit::DEFAULT,
            held: Arc::default(),
        }
    }

    /// The images of the store in which `image` is: the catalog that has opened it.
    pub fn of(image: &Image) -> Catalog {
        let (store, memory) = image.store();
        Catalog {
            store: store.clone(),
            memory,
            held: image.held.clone(),
        }
    }

    /// Limits the memory of an [`Image`] that is opened to `bytes`, and that of each value: files
    /// are not trusted, and small ones can claim to be large. The default is one gibibyte.
    ///
    /// A manifest takes three times its length, and a table 48 bytes for each record.
    pub fn memory_bytes_max(self, bytes: u64) -> Catalog {
        Catalog {
            memory: MemoryLimit::bytes(bytes),
            ..self
        }
    }

    /// Lists all images. Reads their manifests, not their segments.
    ///
    /// # Errors
    ///
    /// [`Error::Store`] if the store cannot be listed. What is wrong with one image is in
    /// [`Images::unreadable`].
    pub fn images(&self) -> Result<Images, Error> {
        let lengths = self.lengths()?;
        let mut images = Images {
            intact: Vec::new(),
            unreadable: Vec::new(),
        };
        let (store, memory) = (&*self.store, self.memory);
        let mut intact: BTreeMap<u64, (Manifest, Hash)> = BTreeMap::new();
        for number in numbers(&lengths) {
            match image::read_manifest(store, &lengths, number, memory) {
                Ok(manifest) => drop(intact.insert(number, manifest)),
                Err(error) => images.unreadable.push(Unreadable { number, error }),
            }
        }
        // A needed image that is not among the intact ones is read again for the error.
        let is_intact = |needed: &NeededImage| {
            let found = intact.get(&needed.image);
            found.is_some_and(|(_, hash)| *hash == needed.hash)
        };
        for (&number, (manifest, _)) in intact.iter().rev() {
            let missing = manifest.needed.iter().find(|needed| !is_intact(needed));
            let read = |&needed| image::read_needed(store, &lengths, number, needed, memory);
            match missing.map(read) {
                None | Some(Ok(_)) => images.intact.push(Summary::of(manifest)),
                Some(Err(error)) => images.unreadable.push(Unreadable { number, error }),
            }
        }
        images.unreadable.sort_by_key(|one| Reverse(one.number));
        Ok(images)
    }

    /// Opens the image `number`: reads its manifest and its table. Blocks of values are compared
    /// with the manifest when they are read.
    ///
    /// # Errors
    ///
    /// [`Error::NoSuchImage`], or why the image cannot be read.
    pub fn image(&self, number: u64) -> Result<Image, Error> {
        self.open(&self.lengths()?, number)
    }

    /// Opens the newest image of which every block is intact. This reads that image once, so that
    /// a restore does not fail half-way.
    ///
    /// Damaged images are passed over and listed in [`Latest::damaged`].
    ///
    /// # Errors
    ///
    /// Every error other than damage: a store that fails, a newer format and an image above the
    /// memory limit say nothing about the image, and an older one would be the wrong answer.
    pub fn latest(&self) -> Result<Latest, Error> {
        let lengths = self.lengths()?;
        let mut damaged = Vec::new();
        for number in numbers(&lengths) {
            let image = self.open(&lengths, number);
            match image.and_then(|image| image.verify().map(|()| image)) {
                Ok(image) => {
                    return Ok(Latest {
                        image: Some(image),
                        damaged,
                    });
                }
                Err(error) if error.is_damage() => damaged.push(Unreadable { number, error }),
                Err(error) => return Err(error),
            }
        }
        Ok(Latest {
            image: None,
            damaged,
        })
    }

    /// The same catalog, which does not keep the store open.
    pub fn downgrade(&self) -> WeakCatalog {
        WeakCatalog {
            store: Arc::downgrade(&self.store),
            memory: self.memory,
            held: self.held.clone(),
        }
    }

    /// The image of this number stays until the value is dropped, also if a
    /// [`Journal`](crate::Journal) would remove it as [`Retention`](crate::Retention) says. Only
    /// the journal of which this is the catalog, or a clone of it, heeds that.
    ///
    /// Whether the image exists is not looked at: that is known when it is opened.
    pub fn hold(&self, number: u64) -> HeldImage {
        self.held.hold(number)
    }

    /// What tells its opened store from all others. It does not keep the store open.
    pub fn store_id(&self) -> StoreId {
        StoreId(Arc::downgrade(&self.store))
    }

    fn open(&self, lengths: &Lengths, number: u64) -> Result<Image, Error> {
        let mut image = Image::open(&self.store, lengths, number, self.memory)?;
        image.set_held(&self.held);
        Ok(image)
    }

    pub(crate) fn lengths(&self) -> Result<Lengths, Error> {
        let files = self
            .store
            .list()
            .map_err(Error::store(Operation::List, ""))?;
        Ok(files.into_iter().collect())
    }
}

/// The numbers of the images in a store, newest first.
fn numbers(lengths: &Lengths) -> impl Iterator<Item = u64> {
    lengths
        .keys()
        .rev()
        .filter_map(|name| match FileName::parse(name)? {
            FileName::Manifest { image } => Some(image),
            _ => None,
        })
}
