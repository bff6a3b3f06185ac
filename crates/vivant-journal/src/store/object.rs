//! [`ObjectStore`]: files in a bucket, through the crate `object_store`.
//!
//! A bucket has no names beside its objects, and an object is there as a whole or not at all. So a
//! publication is one conditional put, and there is nothing to sync.

use super::{NewFile, Store};
use object_store::path::Path;
use object_store::{MultipartUpload, ObjectStoreExt as _, PutMode, PutOptions, PutPayload};
use std::fmt;
use std::future::Future;
use std::io::{self, ErrorKind, Write};
use std::sync::Arc;
use tokio::runtime::Handle;

/// Bytes of a part of an upload. S3 wants at least 5 MiB, and at most 10,000 parts.
const PART_BYTES: usize = 8 << 20;

/// Files in a bucket, or in any store that the crate
/// [`object_store`](https://docs.rs/object_store) reaches, below a prefix.
///
/// Calls block their thread while the runtime does the work, so they must not be made by a task of
/// that runtime. Segments are uploaded in parts of 8 MiB. A publication fails if an image of the
/// same number exists, so a second writer cannot replace one.
///
/// ```
/// use object_store::memory::InMemory;
/// use std::sync::Arc;
/// use vivant_journal::{Journal, ObjectStore, Settings};
///
/// # fn main() -> Result<(), vivant_journal::Error> {
/// let runtime = tokio::runtime::Builder::new_multi_thread().build().unwrap();
/// let store = ObjectStore::new(Arc::new(InMemory::new()), "shop/images", runtime.handle());
/// let journal = Journal::open(store, Settings::default())?;
/// # assert!(journal.catalog().latest()?.image.is_none());
/// # Ok(()) }
/// ```
#[derive(Clone)]
pub struct ObjectStore {
    store: Arc<dyn object_store::ObjectStore>,
    prefix: Path,
    runtime: Handle,
}

impl fmt::Debug for ObjectStore {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("ObjectStore")
            .field(&self.store)
            .field(&self.prefix)
            .finish()
    }
}

impl ObjectStore {
    /// The files of `store` below `prefix`. `runtime` runs the requests: it must have threads of
    /// its own, or another thread that runs it.
    pub fn new(
        store: Arc<dyn object_store::ObjectStore>,
        prefix: &str,
        runtime: &Handle,
    ) -> ObjectStore {
        ObjectStore {
            store,
            prefix: Path::from(prefix),
            runtime: runtime.clone(),
        }
    }

    fn path(&self, name: &str) -> Path {
        self.prefix.clone().join(name)
    }

    fn wait<T>(&self, request: impl Future<Output = object_store::Result<T>>) -> io::Result<T> {
        wait(&self.runtime, request)
    }
}

fn wait<T>(
    runtime: &Handle,
    request: impl Future<Output = object_store::Result<T>>,
) -> io::Result<T> {
    runtime.block_on(request).map_err(|error| {
        let kind = match &error {
            object_store::Error::NotFound { .. } => ErrorKind::NotFound,
            object_store::Error::AlreadyExists { .. } => ErrorKind::AlreadyExists,
            object_store::Error::PermissionDenied { .. }
            | object_store::Error::Unauthenticated { .. } => ErrorKind::PermissionDenied,
            _ => ErrorKind::Other,
        };
        io::Error::new(kind, error)
    })
}

impl Store for ObjectStore {
    /// A bucket has no locks that end with a process.
    fn lock(&self) -> io::Result<()> {
        Ok(())
    }

    fn list(&self) -> io::Result<Vec<(String, u64)>> {
        let list = self.wait(self.store.list_with_delimiter(Some(&self.prefix)))?;
        let files = list.objects.into_iter();
        Ok(files
            .filter_map(|object| Some((object.location.filename()?.to_owned(), object.size)))
            .collect())
    }

    fn create(&self, name: &str) -> io::Result<Box<dyn NewFile>> {
        let upload = self.wait(self.store.put_multipart(&self.path(name)))?;
        let runtime = self.runtime.clone();
        Ok(Box::new(ObjectFile {
            upload: Some(upload),
            part: Vec::new(),
            runtime,
        }))
    }

    fn publish(&self, name: &str, bytes: &[u8]) -> io::Result<()> {
        let options = PutOptions {
            mode: PutMode::Create,
            ..PutOptions::default()
        };
        let payload = PutPayload::from(bytes.to_vec());
        self.wait(self.store.put_opts(&self.path(name), payload, options))?;
        Ok(())
    }

    fn read(&self, name: &str, offset: u64, buffer: &mut [u8]) -> io::Result<()> {
        let range = offset..offset + buffer.len() as u64;
        let bytes = self.wait(self.store.get_range(&self.path(name), range))?;
        match bytes.len() == buffer.len() {
            true => {
                buffer.copy_from_slice(&bytes);
                Ok(())
            }
            false => Err(ErrorKind::UnexpectedEof.into()),
        }
    }

    fn remove(&self, name: &str) -> io::Result<()> {
        match self.wait(self.store.delete(&self.path(name))) {
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(()),
            outcome => outcome,
        }
    }

    fn sync(&self) -> io::Result<()> {
        Ok(())
    }
}

/// An upload. It is aborted if it is dropped before it is complete.
struct ObjectFile {
    /// `None` after it is complete.
    upload: Option<Box<dyn MultipartUpload>>,
    part: Vec<u8>,
    runtime: Handle,
}

impl fmt::Debug for ObjectFile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ObjectFile").finish_non_exhaustive()
    }
}

impl ObjectFile {
    fn upload(&mut self) -> io::Result<()> {
        match (&mut self.upload, self.part.is_empty()) {
            (Some(upload), false) => {
                let part = std::mem::take(&mut self.part);
                wait(&self.runtime, upload.put_part(part.into()))
            }
            _ => Ok(()),
        }
    }
}

impl Write for ObjectFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.part.extend_from_slice(bytes);
        if self.part.len() >= PART_BYTES {
            self.upload()?;
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl NewFile for ObjectFile {
    fn finish(mut self: Box<Self>) -> io::Result<()> {
        self.upload()?;
        if let Some(mut upload) = self.upload.take() {
            let outcome = wait(&self.runtime, upload.complete());
            if outcome.is_err() {
                self.upload = Some(upload);
            }
            outcome?;
        }
        Ok(())
    }
}

impl Drop for ObjectFile {
    fn drop(&mut self) {
        if let Some(mut upload) = self.upload.take() {
            // A drop does not wait; what stays of the upload is the bucket's to expire.
            self.runtime.spawn(async move { upload.abort().await });
        }
    }
}
