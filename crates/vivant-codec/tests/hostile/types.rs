//! Types with a part of each kind, and random values of them.

use fastrand::Rng;
use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet, BinaryHeap, HashMap, HashSet, VecDeque};
use std::net::IpAddr;
use std::num::NonZero;
use std::ops::Bound;
use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};
use vivant_codec::Saved;

/// What has one encoding for each value.
#[derive(Saved, Debug, PartialEq)]
pub(super) struct Ordered {
    numbers: (u8, u16, u32, u64, u128, i8, i16, i32, i64, i128),
    flag: bool,
    letter: char,
    name: String,
    list: Vec<Tree>,
    arrays: [[u16; 2]; 3],
    blob: Vec<u8>,
    line: Arc<VecDeque<Option<NonZero<u32>>>>,
    length: Duration,
    address: IpAddr,
    bound: Bound<Box<str>>,
    result: Result<(), Vec<()>>,
    never: Option<Never>,
}

#[derive(Saved, Debug, PartialEq)]
pub(super) enum Never {}

#[derive(Saved, Debug, PartialEq)]
pub(super) enum Tree {
    Leaf,
    Node(Box<Tree>, u16, Box<Tree>),
    Many {
        children: Vec<Tree>,
        name: Cow<'static, str>,
    },
}

#[derive(Saved, Debug)]
#[saved(name = "Everything")]
pub(super) struct Everything {
    ordered: Ordered,
    floats: (f32, f64),
    map: BTreeMap<String, BTreeMap<u8, Tree>>,
    set: BTreeSet<(u8, bool)>,
    #[saved(any_order)]
    hash_map: HashMap<u32, String>,
    #[saved(any_order)]
    hash_set: HashSet<Option<i16>>,
    heap: BinaryHeap<u64>,
    time: SystemTime,
    #[cfg(feature = "serde")]
    #[saved(serde)]
    foreign: Foreign,
    #[saved(skip)]
    #[expect(dead_code, reason = "it makes values large")]
    skipped: [u64; 16],
}

/// A later version of `Everything`: read by name throughout.
#[derive(Saved, Debug)]
#[saved(name = "Everything")]
pub(super) struct New {
    heap: Vec<u128>,
    #[saved(was = "map")]
    renamed: BTreeMap<String, BTreeMap<i64, Tree>>,
    #[saved(default)]
    new: Vec<u8>,
    ordered: NewOrdered,
}

#[derive(Saved, Debug)]
#[saved(name = "Ordered", was = "hostile::types::Ordered")]
pub(super) struct NewOrdered {
    list: VecDeque<NewTree>,
    name: Arc<str>,
    numbers: (u64, i128, u128, u64, u128, i16, i16, i64, i128, i128),
    line: Vec<Option<u64>>,
}

#[derive(Saved, Debug)]
#[saved(name = "Tree", was = "hostile::types::Tree")]
pub(super) enum NewTree {
    #[saved(was = "Many")]
    Several {
        name: String,
        children: VecDeque<NewTree>,
    },
    Node(Arc<NewTree>, i32, Box<NewTree>),
    Leaf,
}

#[cfg(feature = "serde")]
#[derive(serde::Serialize, serde::Deserialize, Debug)]
struct Foreign {
    list: Vec<Foreign>,
    map: BTreeMap<String, Option<u64>>,
    name: String,
}

#[cfg(feature = "serde")]
fn foreign(rng: &mut Rng, depth: u32) -> Foreign {
    Foreign {
        list: match depth {
            0 => Vec::new(),
            _ => (0..rng.u8(0..3)).map(|_| foreign(rng, depth - 1)).collect(),
        },
        map: (0..rng.u8(0..3))
            .map(|_| (text(rng), Some(number(rng))))
            .collect(),
        name: text(rng),
    }
}

fn text(rng: &mut Rng) -> String {
    (0..rng.u8(0..6)).map(|_| rng.char(..)).collect()
}

/// A number of any length.
fn number(rng: &mut Rng) -> u64 {
    rng.u64(..) >> rng.u32(0..64)
}

fn tree(rng: &mut Rng, depth: u32) -> Tree {
    match rng.u8(0..3) {
        1 if depth > 0 => {
            let left = Box::new(tree(rng, depth - 1));
            Tree::Node(left, rng.u16(..), Box::new(tree(rng, depth - 1)))
        }
        2 if depth > 0 => Tree::Many {
            children: (0..rng.u8(0..4)).map(|_| tree(rng, depth - 1)).collect(),
            name: text(rng).into(),
        },
        _ => Tree::Leaf,
    }
}

impl Ordered {
    pub(super) fn random(rng: &mut Rng) -> Ordered {
        let n = number(rng);
        Ordered {
            numbers: (
                rng.u8(..),
                rng.u16(..),
                n as u32,
                number(rng),
                rng.u128(..),
                rng.i8(..),
                rng.i16(..),
                n as i32,
                number(rng) as i64,
                rng.i128(..),
            ),
            flag: rng.bool(),
            letter: rng.char(..),
            name: text(rng),
            list: (0..rng.u8(0..4)).map(|_| tree(rng, 5)).collect(),
            arrays: [[rng.u16(..); 2]; 3],
            blob: (0..rng.u8(0..40)).collect(),
            line: Arc::new(
                (0..rng.u8(0..4))
                    .map(|_| NonZero::new(rng.u32(0..3)))
                    .collect(),
            ),
            length: Duration::from_nanos(n),
            address: match rng.bool() {
                true => IpAddr::from([rng.u8(..); 4]),
                false => IpAddr::from([rng.u8(..); 16]),
            },
            bound: Bound::Excluded(text(rng).into()),
            result: Err(vec![(); rng.usize(0..100)]),
            never: None,
        }
    }
}

impl Everything {
    pub(super) fn random(rng: &mut Rng) -> Everything {
        Everything {
            ordered: Ordered::random(rng),
            floats: (rng.f32(), rng.f64()),
            map: (0..rng.u8(0..4))
                .map(|_| {
                    (
                        text(rng),
                        (0..rng.u8(0..3)).map(|i| (i, tree(rng, 3))).collect(),
                    )
                })
                .collect(),
            set: (0..rng.u8(0..5))
                .map(|_| (rng.u8(..), rng.bool()))
                .collect(),
            hash_map: (0..rng.u8(0..9))
                .map(|_| (number(rng) as u32, text(rng)))
                .collect(),
            hash_set: (0..rng.u8(0..9))
                .map(|_| rng.bool().then(|| rng.i16(..)))
                .collect(),
            heap: (0..rng.u8(0..9)).map(|_| number(rng)).collect(),
            time: UNIX_EPOCH + Duration::from_nanos(number(rng)),
            #[cfg(feature = "serde")]
            foreign: foreign(rng, 4),
            skipped: Default::default(),
        }
    }
}
