//! Values are shown by the shapes of their file.

use std::collections::BTreeMap;
use vivant_codec::{Event, Group, LoadError, LoadErrorKind, Saved, Shapes, show, to_bytes, walk};

fn shown<T: for<'gc> Saved<'gc>>(value: &T) -> String {
    limited(value, 10_000)
}

fn limited<T: for<'gc> Saved<'gc>>(value: &T, bytes_max: usize) -> String {
    let mut shapes = Shapes::default();
    let id = shapes.add(T::SHAPE).unwrap();
    let mut text = String::new();
    show(&shapes, id, &to_bytes(value).unwrap(), bytes_max, &mut text).unwrap();
    text
}

#[derive(Saved)]
#[saved(name = "Flight")]
struct Flight {
    number: String,
    legs: Vec<Leg>,
    prices: BTreeMap<char, (u32, f32)>,
    seats: Option<Vec<u8>>,
    gate: Option<i8>,
    empty: Vec<Leg>,
}

#[derive(Saved)]
#[saved(name = "Leg")]
enum Leg {
    Air { to: String },
    Bus(u8, bool),
    Walk,
}

#[test]
fn every_kind_has_its_form() {
    let flight = Flight {
        number: "VV 7\n".into(),
        legs: vec![Leg::Air { to: "VIE".into() }, Leg::Bus(3, true), Leg::Walk],
        prices: BTreeMap::from([('C', (900, 0.5)), ('Y', (100, 1.0))]),
        seats: Some(vec![1, 2, 3]),
        gate: None,
        empty: Vec::new(),
    };
    let expected = "\
Flight {
  number: \"VV 7\\n\",
  legs: [
    Leg::Air {
      to: \"VIE\",
    },
    Leg::Bus {
      0: 3,
      1: true,
    },
    Leg::Walk {},
  ],
  prices: {
    'C' => (900, 0.5),
    'Y' => (100, 1.0),
  },
  seats: Some([1, 2, 3]),
  gate: None,
  empty: [],
}";
    assert_eq!(shown(&flight), expected);
    assert_eq!(shown(&[1_u16, 2]), "(1, 2)");
    assert_eq!(shown(&()), "()");
    assert_eq!(shown(&i128::MIN), i128::MIN.to_string());
    assert_eq!(shown(&u128::MAX), u128::MAX.to_string());
}

#[test]
fn the_text_is_bounded() {
    assert_eq!(
        limited(&"x".repeat(1_000_000), 10).len(),
        "\"xxxxxxxxxx\"…".len()
    );
    let text = limited(&vec![Some(7_u8); 100_000], 50);
    assert!(text.len() < 70 && text.ends_with('…'), "{text}");
}

#[test]
fn what_could_be_read_stands_before_an_error() {
    let mut shapes = Shapes::default();
    let id = shapes.add(<(u8, bool)>::SHAPE).unwrap();
    let mut text = String::new();
    let error = show(&shapes, id, &[7, 2], 100, &mut text).unwrap_err();
    assert_eq!(error.kind(), &LoadErrorKind::NotBool(2));
    assert_eq!(text, "(7");
    let error = show(&shapes, id, &[7, 1, 0], 100, &mut text).unwrap_err();
    assert_eq!(error.kind(), &LoadErrorKind::TrailingBytes(1));
}

#[test]
fn bytes_are_one_event_and_their_text_is_bounded() {
    let mut shapes = Shapes::default();
    let id = shapes.add(<(Vec<u8>, Vec<u16>)>::SHAPE).unwrap();
    let bytes = to_bytes(&(vec![1_u8, 2], vec![3_u16])).unwrap();
    let mut events = Vec::new();
    let walked = walk(&shapes, id, &bytes, |event| {
        events.push(event);
        Ok::<(), LoadError>(())
    });
    walked.unwrap();
    let expected = [
        Event::Begin(Group::Tuple),
        Event::Bytes(&[1, 2]),
        Event::Begin(Group::Row),
        Event::Unsigned(3),
        Event::End(Group::Row),
        Event::End(Group::Tuple),
    ];
    assert_eq!(events, expected);
    assert_eq!(limited(&vec![7_u8; 1_000], 10), "[7, 7, 7, 7…");
    assert_eq!(limited(&Vec::<u8>::new(), 10), "[]");

    let trailing = [&bytes[..], &[0]].concat();
    let error = walk(&shapes, id, &trailing, |_| Ok::<(), LoadError>(())).unwrap_err();
    assert_eq!(error.kind(), &LoadErrorKind::TrailingBytes(1));
}
