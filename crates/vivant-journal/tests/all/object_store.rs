//! The same over a bucket: the in-memory store of the crate `object_store`.

use crate::{latest, publish};
use object_store::memory::InMemory;
use object_store::path::Path;
use object_store::{ObjectStoreExt as _, PutPayload};
use std::sync::Arc;
use tokio::runtime::Runtime;
use vivant_journal::{Compression, Error, Journal, ObjectStore, Operation, Settings};

fn runtime() -> Runtime {
    tokio::runtime::Builder::new_multi_thread()
        .worker_threads(1)
        .build()
        .unwrap()
}

#[test]
fn images_are_published_read_and_removed_in_a_bucket() {
    let (runtime, bucket) = (runtime(), Arc::new(InMemory::new()));
    let open = || {
        let store = ObjectStore::new(bucket.clone(), "shop/images", runtime.handle());
        Journal::open(store, Settings::default().compression(Compression::None)).unwrap()
    };
    let journal = open();
    assert!(latest(&journal).is_none());
    for value in 0..4 {
        assert!(publish(&journal, &[value]).unwrap().not_removed.is_none());
    }
    // Larger than a part of an upload.
    let large = vec![7; 9 << 20];
    publish(&journal, &large).unwrap();
    let journal = open();
    assert!(latest(&journal).unwrap() == large);
    let images = journal.catalog().images().unwrap();
    let numbers: Vec<u64> = images.intact.iter().map(|summary| summary.number).collect();
    assert_eq!(numbers, [5, 4]);
    let left = runtime.block_on(async {
        use object_store::ObjectStore as _;
        bucket
            .list_with_delimiter(Some(&Path::from("shop/images")))
            .await
            .unwrap()
            .objects
    });
    assert_eq!(left.len(), 4, "two manifests and two segments");
}

#[test]
fn a_second_writer_cannot_replace_an_image() {
    let (runtime, bucket) = (runtime(), Arc::new(InMemory::new()));
    let store = ObjectStore::new(bucket.clone(), "images", runtime.handle());
    let journal = Journal::open(store, Settings::default()).unwrap();
    let path = Path::from("images/00000000000000000001.manifest");
    runtime
        .block_on(bucket.put(&path, PutPayload::from_static(b"another")))
        .unwrap();
    let error = publish(&journal, b"").unwrap_err();
    assert!(
        matches!(
            error,
            Error::Store {
                operation: Operation::Publish,
                ..
            }
        ),
        "{error}"
    );
    assert!(
        error
            .to_string()
            .ends_with("let one program at a time write to the store"),
        "{error}"
    );
}

#[test]
fn an_image_that_is_given_up_leaves_nothing() {
    let (runtime, bucket) = (runtime(), Arc::new(InMemory::new()));
    let store = ObjectStore::new(bucket, "images", runtime.handle());
    let journal = Journal::open(store, Settings::default()).unwrap();
    let image = journal.begin().unwrap();
    let mut segment = image.segment().unwrap();
    segment.append(1, 1, b"never").unwrap();
    drop((image, segment));
    publish(&journal, b"state").unwrap();
    assert_eq!(latest(&journal).unwrap(), b"state");
    assert_eq!(journal.catalog().images().unwrap().intact.len(), 1);
}
