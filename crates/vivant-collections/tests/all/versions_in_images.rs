//! Persistent collections in images.

use crate::image_of_heap::Image;
use crate::random_programs::with_seeds;
use fastrand::Rng;
use std::hash::{Hash, Hasher};
use std::sync::Arc;
use vivant_codec::{Saved, from_bytes, to_bytes};
use vivant_collections::val;
use vivant_heap::{
    Heap, Mutator, Object, Pacing, PageSource, Parcel, Root, SpanRecord, Stress, Val, When,
};

/// A version of each collection.
#[derive(Clone, Copy, Object, Saved)]
struct Version<'gc> {
    numbers: val::Vec<'gc, u64>,
    texts: val::Vec<'gc, val::String<'gc>>,
    map: val::Map<'gc, u64, Val<'gc, str>>,
    names: val::Map<'gc, String, Val<'gc, [u8; 8]>>,
    ordered: val::OrdMap<'gc, u64, val::Vec<'gc, u64>>,
    text: val::String<'gc>,
}

struct Versions;

impl Root for Versions {
    type Of<'gc> = Vec<Version<'gc>>;
}

impl<'gc> Version<'gc> {
    fn new() -> Version<'gc> {
        Version {
            numbers: val::Vec::new(),
            texts: val::Vec::new(),
            map: val::Map::new(),
            names: val::Map::new(),
            ordered: val::OrdMap::new(),
            text: val::String::new(),
        }
    }

    fn next(mut self, m: &Mutator<'gc>, random: &mut Rng) -> Version<'gc> {
        let most = random.choice([50, 5_000]).expect("one of two");
        let number = random.u64(..most);
        match random.u8(..12) {
            0 => self.numbers = self.numbers.push(m, number),
            1 => self.numbers = self.numbers.extend(m, 0..number),
            2 if !self.numbers.is_empty() => {
                let at = random.usize(..self.numbers.len());
                self.numbers = self.numbers.set(m, at, number);
            }
            3 => self.texts = self.texts.push(m, self.text),
            4 => self.map = self.map.insert(m, number, m.val_str(&number.to_string())),
            5 => {
                let text = m.val_str("many");
                self.map = self.map.extend(m, (0..number).map(|it| (it * 3, text)));
            }
            6 => self.map = self.map.remove(m, &number),
            7 => {
                let value = m.val(number.to_le_bytes());
                self.names = self.names.insert(m, number.to_string(), value);
            }
            8 => {
                let keys = (0..number).step_by(5);
                let entries = keys.map(|key| (key, self.numbers));
                self.ordered = self.ordered.extend(m, entries.collect::<Vec<_>>());
            }
            9 => self.ordered = self.ordered.remove(m, &number),
            10 if self.text.len() < 1 << 16 => self.text = self.text.concat(m, self.text),
            _ => self.text = self.text.push_str(m, &"täxt ".repeat(number as usize % 50)),
        }
        self
    }

    fn verify(&self) {
        self.numbers.verify().expect("J1");
        self.texts.verify().expect("J1");
        self.map.verify().expect("J2");
        self.names.verify().expect("J2");
        self.ordered.verify().expect("J5");
        self.text.verify().expect("J6");
    }
}

/// Versions as plain values.
#[derive(PartialEq, Debug)]
struct Plain {
    numbers: Vec<u64>,
    texts: Vec<String>,
    map: Vec<(u64, String)>,
    names: Vec<(String, [u8; 8])>,
    ordered: Vec<(u64, usize)>,
    text: String,
}

impl Plain {
    fn of(version: &Version<'_>) -> Plain {
        version.verify();
        let map = version.map.iter();
        let names = version.names.iter();
        let ordered = version.ordered.iter();
        Plain {
            numbers: version.numbers.iter().copied().collect(),
            texts: version.texts.iter().map(|text| text.to_string()).collect(),
            map: map.map(|(key, text)| (*key, text.to_string())).collect(),
            names: names.map(|(key, value)| (key.clone(), **value)).collect(),
            ordered: ordered.map(|(key, value)| (*key, value.len())).collect(),
            text: version.text.to_string(),
        }
    }

    fn all(heap: &mut Heap<Versions>) -> Vec<Plain> {
        heap.turn(|_, versions| versions.iter().map(Plain::of).collect())
    }
}

/// Adds versions of random ones, and drops some.
fn change(heap: &mut Heap<Versions>, random: &mut Rng, steps: usize) {
    heap.turn(|m, versions| {
        for _ in 0..steps {
            let from = random.choice(&*versions).copied();
            versions.push(from.unwrap_or_else(Version::new).next(m, random));
            if versions.len() > 12 {
                versions.swap_remove(random.usize(..12));
            }
        }
    });
    heap.pace();
}

fn program(seed: u64) {
    let mut random = Rng::with_seed(seed);
    let source = Arc::new(PageSource::new());
    let when = random.choice([When::Paced, When::Young, When::All, When::Chance]);
    let pacing = Pacing::new().stressed(Stress::new(when.expect("one of four"), seed));
    let mut heap = Heap::<Versions>::new(&source, pacing, |_| Vec::new());
    for _ in 0..if cfg!(miri) { 1 } else { 4 } {
        for _ in 0..if cfg!(miri) { 3 } else { 20 } {
            change(&mut heap, &mut random, 5);
        }
        let expected = Plain::all(&mut heap);
        let image = Image::begin(&mut heap);
        // The oracle of a heap under stress compares all that is written with what was there.
        while heap.is_imaging() {
            change(&mut heap, &mut random, 5);
        }
        let restored = image.restored::<Versions>(image.spans(), &image.state, &source, pacing);
        let mut restored = restored.expect("it is restored");
        assert_eq!(Plain::all(&mut restored), expected);
        change(&mut restored, &mut random, 20);
        restored.collect();
        Plain::all(&mut restored);
        if random.bool() {
            heap = restored;
        }
    }
    drop(heap);
    assert_eq!(source.stats().pages, 0);
}

#[test]
fn seeded_versions_are_restored_as_they_were() {
    with_seeds(program);
}

/// Bytes of live objects.
fn live(heap: &mut Heap<Versions>) -> usize {
    heap.collect();
    heap.sweep();
    heap.stats().live
}

#[test]
fn restored_versions_share_what_they_shared() {
    const MANY: u64 = if cfg!(miri) { 100 } else { 5_000 };
    let source = Arc::new(PageSource::new());
    let mut heap = Heap::<Versions>::new(&source, Pacing::new(), |m| {
        let mut version = Version::new();
        version.map = val::Map::from_iter(m, (0..MANY).map(|it| (it, m.val_str("it"))));
        version.numbers = val::Vec::from_iter(m, 0..MANY);
        version.ordered = val::OrdMap::from_iter(m, (0..MANY).map(|it| (it, val::Vec::new())));
        let others = (0..50).map(|it| {
            let mut other = version;
            other.map = version.map.insert(m, it, m.val_str("other"));
            other.numbers = version.numbers.set(m, it as usize, 7);
            other.ordered = version.ordered.insert(m, it * 2 + 1, version.numbers);
            other
        });
        others.collect()
    });
    let image = Image::begin(&mut heap);
    heap.finish_image();
    let restored = image.restored::<Versions>(image.spans(), &image.state, &source, Pacing::new());
    let mut restored = restored.expect("it is restored");
    assert_eq!(Plain::all(&mut restored), Plain::all(&mut heap));
    assert_eq!(live(&mut restored), live(&mut heap));
    let parcel: Parcel<Vec<Version<'static>>> = restored.turn(|m, all| m.pack(all.clone()));
    let mut reader = Heap::<Versions>::new(&source, Pacing::new(), |_| Vec::new());
    reader.turn(|m, all| *all = m.unpack(parcel));
    assert_eq!(Plain::all(&mut reader), Plain::all(&mut heap));
}

/// A key of which hash and order are those of a later program.
#[derive(Clone, Object, Saved, PartialEq, Eq)]
#[saved(name = "Key")]
struct Before {
    number: u64,
}

#[derive(Clone, Object, Saved, PartialEq, Eq)]
#[saved(name = "Key")]
struct After {
    number: u64,
}

impl Hash for Before {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.number.hash(state);
    }
}

impl Hash for After {
    fn hash<H: Hasher>(&self, state: &mut H) {
        (self.number, "and more").hash(state);
    }
}

macro_rules! ordered {
    ($($key:ident, $one:ident, $other:ident => $order:expr;)*) => {$(
        impl Ord for $key {
            fn cmp(&self, other: &$key) -> std::cmp::Ordering {
                let ($one, $other) = (self.number, other.number);
                $order
            }
        }
        impl PartialOrd for $key {
            fn partial_cmp(&self, other: &$key) -> Option<std::cmp::Ordering> {
                Some(self.cmp(other))
            }
        }
    )*};
}

ordered! {
    Before, one, other => one.cmp(&other);
    After, one, other => other.cmp(&one);
}

struct MapsBefore;

impl Root for MapsBefore {
    type Of<'gc> = (val::Map<'gc, Before, u64>, val::OrdMap<'gc, Before, u64>);
}

struct MapsAfter;

impl Root for MapsAfter {
    type Of<'gc> = (val::Map<'gc, After, u64>, val::OrdMap<'gc, After, u64>);
}

#[test]
fn maps_of_keys_with_another_hash_and_order_are_made_anew() {
    const MANY: u64 = if cfg!(miri) { 100 } else { 3_000 };
    let source = Arc::new(PageSource::new());
    let mut heap = Heap::<MapsBefore>::new(&source, Pacing::new(), |m| {
        let entries = || (0..MANY).map(|number| (Before { number }, number));
        (
            val::Map::from_iter(m, entries()),
            val::OrdMap::from_iter(m, entries()),
        )
    });
    let image = Image::begin(&mut heap);
    heap.finish_image();
    let stressed = Pacing::new().stressed(Stress::new(When::All, 1));
    let restored = image.restored::<MapsAfter>(image.spans(), &image.state, &source, stressed);
    let mut restored = restored.expect("it is restored");
    restored.turn(|_, (map, ordered)| {
        map.verify().expect("J2");
        ordered.verify().expect("J5");
        assert_eq!((map.len() as u64, ordered.len() as u64), (MANY, MANY));
        assert_eq!(map.get(&After { number: 7 }), Some(&7));
        assert_eq!(ordered.get(&After { number: 7 }), Some(&7));
        assert_eq!(ordered.first().map(|(key, _)| key.number), Some(MANY - 1));
    });
    restored.collect();
}

/// Whatever an image says, a restore ends with an error or with versions that can be used.
#[test]
fn seeded_changed_bytes_are_an_error_or_versions() {
    let source = Arc::new(PageSource::new());
    let mut heap = Heap::<Versions>::new(&source, Pacing::new(), |_| Vec::new());
    let mut random = Rng::with_seed(3);
    for _ in 0..if cfg!(miri) { 4 } else { 30 } {
        change(&mut heap, &mut random, 3);
    }
    let image = Image::begin(&mut heap);
    heap.finish_image();
    let spans = image.spans();
    let spans: Vec<Vec<u8>> = spans
        .iter()
        .map(|it| to_bytes(it).expect("a span"))
        .collect();
    let (mut restored, mut refused) = (0, 0);
    for _ in 0..if cfg!(miri) { 3 } else { 600 } {
        let mut changed = spans.clone();
        let at = random.usize(..changed.len());
        for _ in 0..random.usize(1..4) {
            let span = &mut changed[at];
            let byte = random.usize(..span.len());
            let any = random.u8(..);
            span[byte] = random.choice([0, 1, span[byte] ^ 1, any]).expect("four");
        }
        let decoded: Result<Vec<SpanRecord>, _> =
            changed.iter().map(|bytes| from_bytes(bytes)).collect();
        let Ok(decoded) = decoded else {
            refused += 1;
            continue;
        };
        match image.restored::<Versions>(decoded, &image.state, &source, Pacing::new()) {
            Err(_) => refused += 1,
            Ok(mut heap) => {
                restored += 1;
                Plain::all(&mut heap);
                change(&mut heap, &mut random, 5);
                heap.collect();
                Plain::all(&mut heap);
            }
        }
    }
    drop(heap);
    if !cfg!(miri) {
        assert!(restored > 20 && refused > 100, "{restored} and {refused}");
    }
    assert_eq!(source.stats().pages, 0);
}
