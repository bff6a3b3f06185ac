//! Fields of types that have serde's traits.

use serde::{Deserialize, Serialize};
use std::cell::Cell;
use std::collections::BTreeMap;
use vivant_codec::{
    DEPTH_MAX, Decoder, Encoder, LoadError, LoadErrorKind, SaveErrorKind, Saved, Serde, Shape,
    Shapes, from_bytes, show, to_bytes,
};

#[derive(Serialize, Deserialize, Debug, Clone, PartialEq)]
struct Foreign {
    text: String,
    numbers: (u8, i16, u32, i64, u128, i128, f32, f64),
    unit: (),
    marker: Marker,
    id: Id,
    list: Vec<Choice>,
    map: BTreeMap<char, Option<bool>>,
    array: [u16; 3],
}

#[derive(Serialize, Deserialize, Debug, Clone, PartialEq)]
struct Marker;

#[derive(Serialize, Deserialize, Debug, Clone, PartialEq)]
struct Id(u64);

#[derive(Serialize, Deserialize, Debug, Clone, PartialEq)]
enum Choice {
    Unit,
    New(i8),
    Tuple(u16, String),
    Struct { a: u64, b: Box<Choice> },
}

fn choice(rng: &mut fastrand::Rng, depth: u32) -> Choice {
    match rng.u8(0..4) {
        0 => Choice::Unit,
        1 => Choice::New(rng.i8(..)),
        3 if depth > 0 => Choice::Struct {
            a: rng.u64(..),
            b: Box::new(choice(rng, depth - 1)),
        },
        _ => Choice::Tuple(rng.u16(..), rng.char(..).to_string()),
    }
}

fn foreign(rng: &mut fastrand::Rng) -> Foreign {
    Foreign {
        text: rng.char(..).to_string().repeat(rng.usize(0..200)),
        numbers: (
            rng.u8(..),
            rng.i16(..),
            rng.u32(..),
            rng.i64(..),
            rng.u128(..),
            rng.i128(..),
            rng.f32(),
            rng.f64(),
        ),
        unit: (),
        marker: Marker,
        id: Id(rng.u64(..)),
        list: (0..rng.u8(0..5)).map(|_| choice(rng, 3)).collect(),
        map: (0..rng.u8(0..5))
            .map(|_| (rng.char(..), Some(rng.bool())))
            .collect(),
        array: [rng.u16(..); 3],
    }
}

#[derive(Saved, Debug, PartialEq)]
struct Holder {
    before: u8,
    #[saved(serde)]
    foreign: Foreign,
    #[saved(serde, default = Id(9))]
    id: Id,
}

#[test]
fn seeded_values_are_postcards_bytes_with_their_number_in_front() {
    for seed in 0..500 {
        let mut rng = fastrand::Rng::with_seed(seed);
        let holder = Holder {
            before: 7,
            foreign: foreign(&mut rng),
            id: Id(300),
        };
        let bytes = to_bytes(&holder).unwrap();
        let foreign = postcard::to_allocvec(&holder.foreign).unwrap();
        let expected = [
            vec![7],
            postcard::to_allocvec(&foreign.len()).unwrap(),
            foreign,
            vec![2, 0xac, 0x02],
        ];
        assert_eq!(bytes, expected.concat());
        assert_eq!(from_bytes::<Holder>(&bytes).unwrap(), holder);
    }
}

/// postcard's own reader overflows the stack here.
#[test]
fn hostile_depth_is_an_error() {
    let mut bytes = to_bytes(&3_000_000_u64).unwrap();
    bytes.extend([3, 0].repeat(1_500_000));
    let error = from_bytes::<Serde<Choice>>(&bytes).unwrap_err();
    assert_eq!(error.kind(), &LoadErrorKind::TooDeep);

    let deep = |levels| {
        (0..levels).fold(Choice::Unit, |b, _| Choice::Struct {
            a: 0,
            b: Box::new(b),
        })
    };
    assert!(from_bytes::<Serde<Choice>>(&to_bytes(&Serde(deep(DEPTH_MAX))).unwrap()).is_ok());
    let error = to_bytes(&Serde(deep(DEPTH_MAX + 1))).unwrap_err();
    assert_eq!(error.kind(), &SaveErrorKind::TooDeep);
}

#[test]
fn errors_have_their_place() {
    let error = from_bytes::<(u8, Serde<(u8, bool)>)>(&[0, 2, 7, 9]).unwrap_err();
    assert_eq!(
        (error.offset(), error.kind()),
        (3, &LoadErrorKind::NotBool(9))
    );
    let error = from_bytes::<Serde<u8>>(&[2, 7, 9]).unwrap_err();
    assert_eq!(
        (error.offset(), error.kind()),
        (2, &LoadErrorKind::TrailingBytes(1))
    );
    // serde's own error, which knows no place.
    let error = from_bytes::<Serde<Choice>>(&[1, 9]).unwrap_err();
    assert_eq!(error.offset(), 2);
    assert!(
        error.to_string().contains("serde: invalid value"),
        "{error}"
    );
    // Limits of elements without bytes hold inside too.
    assert!(to_bytes(&Serde(vec![(); 100_000])).is_err());
    let bytes = to_bytes(&100_000_u64).unwrap();
    let bytes = [vec![bytes.len() as u8], bytes].concat();
    assert!(from_bytes::<Serde<Vec<()>>>(&bytes).is_err());
}

#[test]
fn serdes_bytes_are_shown_as_bytes() {
    let mut shapes = Shapes::default();
    let id = shapes.add(<Vec<Serde<u16>>>::SHAPE).unwrap();
    let bytes = to_bytes(&vec![Serde(300_u16)]).unwrap();
    let mut text = String::new();
    show(&shapes, id, &bytes, 100, &mut text).unwrap();
    assert_eq!(text, "[\n  serde([ac, 02]),\n]");
}

/// What serde saves may change in place. A type that knows better says so.
#[test]
fn values_of_serde_may_have_cells() {
    struct Unchanging(Id);

    impl<'gc> Saved<'gc> for Unchanging {
        const SHAPE: &'static Shape = &Shape::unchanging(<Serde<Id> as Saved<'gc>>::SHAPE);

        fn save(&self, out: &mut Encoder<'_>) {
            Serde(self.0.clone()).save(out);
        }

        fn load(input: &mut Decoder<'gc, '_>) -> Result<Self, LoadError> {
            Serde::load(input).map(|Serde(id)| Unchanging(id))
        }
    }

    assert!(<Serde<Cell<u8>> as Saved<'_>>::SHAPE.has_cells());
    assert!(Holder::SHAPE.has_cells());
    assert!(!<Vec<Unchanging> as Saved<'_>>::SHAPE.has_cells());
    let bytes = to_bytes(&Unchanging(Id(7))).unwrap();
    assert_eq!(from_bytes::<Unchanging>(&bytes).unwrap().0, Id(7));
}
