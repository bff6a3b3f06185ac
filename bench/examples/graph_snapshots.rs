//! Snapshots of one large graph: a whole one, and later ones after a part of its pages has changed,
//! beside a copy of the same file; and what a restore takes.
//!
//! ```text
//! cargo run --release -p vivant-bench --example graph_snapshots [MIB] [PERCENT] [ROUNDS]
//! ```
//!
//! Everything runs in the folder `target`, on the disk of the build.

#![allow(clippy::print_stdout, reason = "an example says what it measured")]

use std::fs::{self, File};
use std::io;
use std::path::Path;
use std::time::{Duration, Instant};
use vivant::codec::Saved;
use vivant::heap::{Gc, Mut, Object};
use vivant::journal::{Compression, DirectoryStore, Journal, Settings};
use vivant::prelude::*;

/// Boxes on a shelf, and shelves in a room.
const SHELF: usize = 128;
const ROOM: usize = 128;

/// A box has 32 bytes with its header, so that a page of 4 KiB has this many.
const PAGE: usize = 128;

type Number<'gc> = Gc<'gc, Mut<(u64, u64)>>;

#[derive(Object, Saved)]
struct Room<'gc> {
    shelves: Vec<Gc<'gc, [Number<'gc>]>>,
}

#[derive(Actor)]
#[actor(saved, id = "graph_snapshots::Shop")]
struct ShopState<'gc> {
    rooms: Vec<Gc<'gc, Mut<Room<'gc>>>>,
}

#[behaviours(id = "graph_snapshots::Shop")]
impl<'gc> ShopState<'gc> {
    #[start]
    fn new() -> Self {
        let rooms = Vec::new();
        ShopState { rooms }
    }

    /// Adds a room.
    fn add(&mut self, t: &Turn<'gc, Shop>) {
        let shelf = |shelf: u64| {
            let boxes = (0..SHELF as u64).map(|n| t.alloc(Mut::new((n, shelf))));
            let boxes: Vec<Number<'gc>> = boxes.collect();
            t.alloc_iter(boxes)
        };
        let shelves = (0..ROOM as u64).map(shelf).collect();
        self.rooms.push(t.alloc(Mut::new(Room { shelves })));
    }

    /// Changes a box in every page of so many, from this one on.
    fn change(&mut self, t: &Turn<'gc, Shop>, first: u64, each: u64) {
        let pages = self.rooms.len() * ROOM * SHELF / PAGE;
        for page in (first as usize..pages).step_by(each as usize) {
            let at = page * PAGE + PAGE / 2;
            let room = self.rooms[at / (ROOM * SHELF)].borrow();
            let one = room.shelves[at / SHELF % ROOM][at % SHELF];
            one.borrow_mut(t).1 += 1;
        }
    }

    fn sum(&self) -> u64 {
        let rooms = self.rooms.iter();
        let sum = |room: &Gc<'gc, Mut<Room<'gc>>>| {
            let room = room.borrow();
            let shelves = room.shelves.iter();
            shelves
                .map(|shelf| shelf.iter().map(|one| one.borrow().1).sum::<u64>())
                .sum::<u64>()
        };
        rooms.map(sum).sum()
    }
}

fn timed<T>(work: impl FnOnce() -> T) -> (T, Duration) {
    let begin = Instant::now();
    let result = work();
    (result, begin.elapsed())
}

/// Copies the segments of an image, and waits until they are on the disk.
fn copy(folder: &Path, image: u64) -> io::Result<u64> {
    let mut bytes = 0;
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let name = entry.file_name().to_string_lossy().into_owned();
        if name.starts_with(&format!("{image:020}-")) {
            let copy = folder.join(format!("{name}.copy"));
            bytes += fs::copy(entry.path(), &copy)?;
            File::open(&copy)?.sync_all()?;
            fs::remove_file(&copy)?;
        }
    }
    Ok(bytes)
}

fn mib(bytes: u64) -> f64 {
    bytes as f64 / (1 << 20) as f64
}

fn main() {
    let mut args = std::env::args()
        .skip(1)
        .map(|arg| arg.parse::<u64>().expect("a number"));
    let mib_live = args.next().unwrap_or(256);
    let percent = args.next().unwrap_or(1);
    let rounds = args.next().unwrap_or(3);
    let folder = Path::new("target").join("graph_snapshots");
    fs::remove_dir_all(&folder).ok();
    let settings = Settings::default().compression(Compression::None);
    let journal = Journal::open(DirectoryStore::new(&folder), settings).expect("a store");

    let system = System::builder().saved::<(Shop,)>().build();
    let shop = Shop::spawn(&system);
    let room_bytes = (SHELF * ROOM * 40) as u64;
    for _ in 0..(mib_live << 20) / room_bytes {
        shop.add().ask_blocking().expect("it lives");
    }
    for round in 0..rounds {
        // Another journal knows nothing of the snapshots before: this one is whole.
        let (whole, whole_took) = timed(|| system.snapshot(&journal).expect("all is saved"));
        let (copied, copy_took) = timed(|| copy(&folder, whole.number).expect("a copy"));
        println!(
            "round {round}: whole: {:.0} MiB in {whole_took:.2?}, needs {:?}; a copy of {:.0} MiB: {copy_took:.2?}; \
             rate ÷ copy {:.2}",
            mib(whole.stored_bytes),
            whole.needed,
            mib(copied),
            copy_took.as_secs_f64() / whole_took.as_secs_f64(),
        );
        for part in 1..=3 {
            let change = shop.change(round * 3 + part, 100 / percent);
            change.ask_blocking().expect("it lives");
            let (later, later_took) = timed(|| system.snapshot(&journal).expect("all is saved"));
            println!(
                "  {percent} % of the pages changed: {:.2} MiB in {later_took:.2?}, needs {:?}; of the bytes {:.2} %, of \
                 the time {:.2} %",
                mib(later.stored_bytes),
                later.needed,
                100.0 * later.stored_bytes as f64 / whole.stored_bytes as f64,
                100.0 * later_took.as_secs_f64() / whole_took.as_secs_f64(),
            );
        }
        let sum = shop.sum().ask_blocking().expect("it lives");
        let latest = journal.catalog().latest().expect("a store").image;
        let latest = latest.expect("one was published");
        let builder = System::builder().saved::<(Shop,)>();
        let (restored, took) = timed(|| builder.restore(&latest).expect("it is one"));
        let shops = restored.actors.actors::<Shop>();
        let restored_shop = shops.into_iter().next().expect("one is saved");
        assert_eq!(restored_shop.sum().ask_blocking().expect("it lives"), sum);
        println!(
            "  restored in {took:.2?}; rate ÷ whole snapshot {:.2}",
            whole_took.as_secs_f64() / took.as_secs_f64()
        );
        drop((restored_shop, restored));
        if round + 1 < rounds {
            // The next snapshot of this system is whole: this store has not the last one.
            let other = folder.join("other");
            let other = Journal::open(DirectoryStore::new(&other), settings).expect("a store");
            system.snapshot(&other).expect("all is saved");
            fs::remove_dir_all(folder.join("other")).ok();
        }
    }
    drop(system);
    fs::remove_dir_all(&folder).ok();
}
