//! [`Store`]: where files of images are. The journal adds the order of operations, a store their
//! durability.

mod directory;
mod files;
#[cfg(feature = "object-store")]
mod object;
#[cfg(test)]
pub(crate) mod simulated_files;

pub use directory::DirectoryStore;
#[cfg(test)]
pub(crate) use files::Files;
#[cfg(feature = "object-store")]
pub use object::ObjectStore;

use std::fmt;
use std::io;

/// A place for files with flat names. A file is written once, from its beginning to its end.
///
/// A store may be used by several threads at once.
pub trait Store: fmt::Debug + Send + Sync {
    /// Makes the store, if there is none, and reserves it for one writer, as long as this value
    /// lives and its process runs. It is an error if another one has it. A store that cannot tell
    /// returns no error.
    fn lock(&self) -> io::Result<()>;

    /// The names of all files, and their lengths in bytes. Other files than those of the journal
    /// may be among them; it leaves them alone.
    fn list(&self) -> io::Result<Vec<(String, u64)>>;

    /// Creates a file, which must not exist.
    fn create(&self, name: &str) -> io::Result<Box<dyn NewFile>>;

    /// Creates the file `name` with these bytes, in one step: at any moment, also after a crash,
    /// there is either the whole file or none.
    ///
    /// When this returns, the file is durable, and so are the names of all files that were
    /// finished before. The file must not become durable before these names are.
    fn publish(&self, name: &str, bytes: &[u8]) -> io::Result<()>;

    /// Fills `buffer` with the bytes from `offset` on. It is an error if there are fewer.
    fn read(&self, name: &str, offset: u64, buffer: &mut [u8]) -> io::Result<()>;

    /// Removes a file. It is no error if there is none.
    fn remove(&self, name: &str) -> io::Result<()>;

    /// Makes removals and names durable.
    fn sync(&self) -> io::Result<()>;
}

/// A file that is being written. If it is dropped before [`NewFile::finish`], a part of it may
/// stay.
pub trait NewFile: io::Write + fmt::Debug + Send {
    /// Makes the bytes durable. The name may become durable later, at the next
    /// [`Store::publish`] or [`Store::sync`].
    fn finish(self: Box<Self>) -> io::Result<()>;
}
