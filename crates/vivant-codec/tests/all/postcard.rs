//! Values have the bytes that postcard gives them.

use serde::Serialize;
use serde::de::DeserializeOwned;
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::fmt::Debug;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};
use std::num::{NonZero, Wrapping};
use std::ops::{Bound, Range};
use std::sync::Arc;
use std::time::Duration;
use vivant_codec::{Saved, from_bytes, to_bytes};

/// The bytes are postcard's, and are loaded again.
fn same<T>(value: &T)
where
    T: for<'gc> Saved<'gc> + Serialize + DeserializeOwned + PartialEq + Debug,
{
    let bytes = to_bytes(value).unwrap();
    assert_eq!(bytes, postcard::to_allocvec(value).unwrap(), "{value:?}");
    assert_eq!(&from_bytes::<T>(&bytes).unwrap(), value);
    assert_eq!(&postcard::from_bytes::<T>(&bytes).unwrap(), value);
}

/// The same for what has no `PartialEq`, or no serde traits: as another type.
fn same_as<T, U>(value: &T, other: &U)
where
    T: for<'gc> Saved<'gc>,
    U: Serialize,
{
    let bytes = to_bytes(value).unwrap();
    assert_eq!(bytes, postcard::to_allocvec(other).unwrap());
    assert_eq!(to_bytes(&from_bytes::<T>(&bytes).unwrap()).unwrap(), bytes);
}

macro_rules! extremes {
    ($($type:ident)*) => {
        $(for bit in 0..$type::BITS {
            let power = (1 as $type) << bit;
            for value in [power, power.wrapping_sub(1), !power, power.wrapping_neg(), $type::MIN, $type::MAX] {
                same(&value);
                if let Some(value) = NonZero::new(value) {
                    same(&value);
                }
                same(&Wrapping(value));
            }
        })*
    };
}

#[test]
fn integers_at_every_length() {
    extremes!(u8 u16 u32 u64 u128 usize i8 i16 i32);
    for bit in 0..63 {
        for value in [
            1_i64 << bit,
            -(1_i64 << bit),
            (1 << bit) - 1,
            i64::MIN,
            i64::MAX,
        ] {
            same(&value);
            same(&(value as isize));
            same(&(i128::from(value) << 64));
            same(&i128::from(value));
        }
    }
    same(&i128::MIN);
    same(&i128::MAX);
}

#[test]
fn other_primitives() {
    same(&true);
    same(&false);
    for value in [
        0.0,
        -0.0,
        1.5,
        f64::MIN,
        f64::MAX,
        f64::EPSILON,
        f64::INFINITY,
    ] {
        same(&value);
        same(&(value as f32));
    }
    let nan = f64::from_bits(0x7ff8_dead_beef_0001);
    let loaded = from_bytes::<f64>(&to_bytes(&nan).unwrap()).unwrap();
    assert_eq!(loaded.to_bits(), nan.to_bits());
    for value in ['\0', 'a', 'ß', '€', '🦀', char::MAX] {
        same(&value);
    }
    same(&());
    same(&String::new());
    same(&"Grüße 🦀".to_owned());
    same(&"x".repeat(300));
}

#[test]
fn containers() {
    same(&Some(7_u16));
    same(&None::<u16>);
    same(&Some(Some(None::<u8>)));
    same(&Ok::<u16, String>(300));
    same(&Err::<u16, String>("no".to_owned()));
    same(&vec![1_u8, 2, 255]);
    same(&vec![0_u32; 200]);
    same(&vec!["a".to_owned(), String::new()]);
    same(&vec![(); 3]);
    same(&VecDeque::from([1_i64, -1]));
    same(&BTreeSet::from([3_u8, 1, 2]));
    same(&BTreeMap::from([
        ("b".to_owned(), 1_u8),
        ("a".to_owned(), 2),
    ]));
    same(&[1_u16, 300, 70]);
    same(&[0_u8; 32]);
    same(&[0_u64; 0]);
    same(&Box::new(5_u8));
    same(&Reverse(300_u32));
    same_as(&Arc::new(300_u32), &300_u32);
    same_as::<Arc<str>, _>(&"shared".into(), &"shared");
    same_as::<Box<[u16]>, _>(&vec![1, 2].into(), &vec![1_u16, 2]);
    same_as(&std::cell::Cell::new(3_u16), &3_u16);
    same_as(&std::cell::RefCell::new(vec![3_u16]), &vec![3_u16]);
    same_as(&std::marker::PhantomData::<String>, &());
}

#[test]
fn tuples_ranges_times_and_addresses() {
    same(&(1_u8,));
    same(&(1_u8, -1_i16, 'x', "y".to_owned(), 0.5_f64, true));
    same(&(
        1_u8, 2_u8, 3_u8, 4_u8, 5_u8, 6_u8, 7_u8, 8_u8, 9_u8, 10_u8, 11_u8, 12_u8,
    ));
    same(&Range {
        start: 1_u16,
        end: 500,
    });
    same(&Bound::Included(4_u8));
    same(&Bound::<u8>::Unbounded);
    same(&Duration::new(u64::MAX, 999_999_999));
    same(&Duration::ZERO);
    same(&IpAddr::V4(Ipv4Addr::new(10, 0, 255, 1)));
    same(&IpAddr::V6(Ipv6Addr::LOCALHOST));
}

#[derive(Saved, serde::Serialize, serde::Deserialize, Debug, Clone, PartialEq)]
struct Booking {
    passenger: String,
    seat: Option<u16>,
    legs: Vec<Leg>,
    prices: BTreeMap<String, i64>,
    marker: Unit,
    id: Id,
}

#[derive(Saved, serde::Serialize, serde::Deserialize, Debug, Clone, PartialEq)]
struct Unit;

#[derive(Saved, serde::Serialize, serde::Deserialize, Debug, Clone, PartialEq)]
struct Id(u64, [u8; 4]);

#[derive(Saved, serde::Serialize, serde::Deserialize, Debug, Clone, PartialEq)]
enum Leg {
    Flight { number: u32, r#type: char },
    Train(String, u8),
    Walk,
}

#[derive(Saved, serde::Serialize, serde::Deserialize, Debug, Clone, PartialEq)]
enum Tree<T> {
    Leaf,
    Node(Box<Tree<T>>, T, Box<Tree<T>>),
}

fn text(rng: &mut fastrand::Rng) -> String {
    let length = rng.usize(0..20);
    std::iter::repeat_with(|| rng.char(..))
        .take(length)
        .collect()
}

fn leg(rng: &mut fastrand::Rng) -> Leg {
    match rng.u8(0..3) {
        0 => Leg::Flight {
            number: rng.u32(..) >> rng.u32(0..32),
            r#type: rng.char(..),
        },
        1 => Leg::Train(text(rng), rng.u8(..)),
        _ => Leg::Walk,
    }
}

fn booking(rng: &mut fastrand::Rng) -> Booking {
    Booking {
        passenger: text(rng),
        seat: rng.bool().then(|| rng.u16(..)),
        legs: (0..rng.usize(0..5)).map(|_| leg(rng)).collect(),
        prices: (0..rng.usize(0..5))
            .map(|_| (text(rng), rng.i64(..) >> rng.u32(0..64)))
            .collect(),
        marker: Unit,
        id: Id(rng.u64(..) >> rng.u32(0..64), [rng.u8(..); 4]),
    }
}

fn tree(rng: &mut fastrand::Rng, depth: u32) -> Tree<u16> {
    match depth > 0 && rng.bool() {
        true => {
            let left = Box::new(tree(rng, depth - 1));
            Tree::Node(left, rng.u16(..), Box::new(tree(rng, depth - 1)))
        }
        false => Tree::Leaf,
    }
}

#[test]
fn seeded_derived_types() {
    for seed in 0..1000 {
        let mut rng = fastrand::Rng::with_seed(seed);
        same(&booking(&mut rng));
        same(&tree(&mut rng, 10));
        same(&vec![booking(&mut rng), booking(&mut rng)]);
    }
}
