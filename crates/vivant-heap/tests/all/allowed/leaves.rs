//! Leaves that resemble refused types, and are allowed.

#![forbid(unsafe_code)]
#![deny(warnings)]

use std::sync::Arc;
use vivant_heap::{
    Erased, Freeze, Frozen, Gc, Heap, Leaf, Mut, Object, Pacing, PageSource, Sendable,
};

/// A destructor, and no collected part.
#[derive(Object)]
struct File(u64);
impl Drop for File {
    fn drop(&mut self) {}
}

#[derive(Object)]
#[object(leaf)]
struct Shared<T>(Arc<std::sync::Mutex<T>>, std::cell::Cell<u8>);
impl<T> Drop for Shared<T> {
    fn drop(&mut self) {}
}

#[derive(Object)]
#[repr(C, align(8))]
struct Node<'gc> {
    file: File,
    shared: Shared<u64>,
    cell: Leaf<std::cell::RefCell<Vec<u64>>>,
    next: Option<Gc<'gc, Mut<Node<'gc>>>>,
}

root!(List = Option<Gc<'gc, Mut<Node<'gc>>>>);

#[test]
fn leaves_of_refused_kinds_are_allowed() {
    let source = Arc::new(PageSource::new());
    let mut heap = Heap::<List>::new(&source, Pacing::default(), |_| None);
    // A heap goes to another thread, and back.
    let mut heap = std::thread::spawn(move || {
        heap.turn(|m, list| {
            let shared = Shared(Arc::default(), std::cell::Cell::new(0));
            let cell = Leaf::default();
            let node = Node {
                file: File(1),
                shared,
                cell,
                next: None,
            };
            *list = Some(m.alloc(Mut::new(node)));
        });
        heap
    })
    .join()
    .unwrap();
    heap.collect();
    heap.turn(|m, list| {
        let node = list.unwrap();
        // Values without collected parts may be lent to threads that end within the turn.
        let number = m.alloc(5_u64);
        let plain: &u64 = &number;
        std::thread::scope(|threads| {
            threads.spawn(move || assert_eq!(*plain, 5));
        });
        let node = node.borrow();
        assert_eq!(node.file.0 + node.shared.1.get() as u64, 1);
        assert!(node.next.is_none() && node.cell.0.borrow().is_empty());
        assert_eq!(*node.shared.0.lock().unwrap(), 0);
    });
}

fn shared<T: Erased + for<'gc> Frozen<'gc> + for<'gc> Sendable<'gc> + for<'gc> Freeze<'gc>>() {}

#[cfg(feature = "uuid")]
#[test]
fn types_of_uuid_are_leaves() {
    shared::<Option<uuid::Uuid>>();
}

#[cfg(feature = "chrono")]
#[test]
fn types_of_chrono_are_leaves() {
    use chrono::{DateTime, FixedOffset, NaiveDate, NaiveDateTime, TimeDelta, Utc};
    shared::<(NaiveDate, NaiveDateTime, TimeDelta)>();
    shared::<Vec<(DateTime<Utc>, DateTime<FixedOffset>)>>();
}

#[cfg(feature = "jiff")]
#[test]
fn types_of_jiff_are_leaves() {
    shared::<(jiff::Timestamp, jiff::Span, jiff::civil::DateTime)>();
    shared::<Vec<jiff::ZonedDateTime>>();
}

#[cfg(feature = "bytes")]
#[test]
fn types_of_bytes_are_leaves() {
    shared::<(bytes::Bytes, bytes::BytesMut)>();
}

#[test]
fn types_of_std_without_references_are_frozen_and_sent() {
    use std::ffi::{CStr, CString, OsStr, OsString};
    use std::num::{NonZeroU8, NonZeroU64, NonZeroUsize, Wrapping};
    use std::ops::{Range, RangeInclusive};
    use std::path::{Path, PathBuf};
    use std::time::{Duration, Instant, SystemTime};

    shared::<(NonZeroU8, NonZeroU64, NonZeroUsize, Wrapping<u32>)>();
    shared::<(std::net::IpAddr, std::net::Ipv4Addr, std::net::Ipv6Addr)>();
    shared::<(
        std::net::SocketAddrV4,
        std::net::SocketAddrV6,
        std::net::SocketAddr,
    )>();
    shared::<(Duration, Instant, SystemTime, std::cmp::Ordering)>();
    shared::<(
        std::any::TypeId,
        std::thread::ThreadId,
        std::cmp::Reverse<u8>,
    )>();
    shared::<(PathBuf, Box<Path>, OsString)>();
    shared::<(Box<OsStr>, CString, Box<CStr>)>();
    shared::<(Range<u64>, RangeInclusive<usize>, Option<Range<String>>)>();
}
