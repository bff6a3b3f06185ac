//! Wrong bytes one by one; times, heaps, cells; contexts; the first error counts.

use std::borrow::Cow;
use std::cell::RefCell;
use std::collections::{BinaryHeap, VecDeque};
use std::fmt::Debug;
use std::num::NonZero;
use std::time::{Duration, SystemTime, UNIX_EPOCH};
use vivant_codec::{
    Decoder, Encoder, LoadError, LoadErrorKind as Kind, SaveErrorKind, Saved, Shape, from_bytes,
    shape_of, to_bytes,
};

#[test]
fn wrong_integers_are_errors_whatever_follows() {
    #[track_caller]
    fn wrong<T: for<'gc> Saved<'gc> + Debug>(integer: &[u8], kind: Kind) {
        for behind in [0, 1, 0x7f, 0x80, 0xff] {
            for count in [0, 8, 16] {
                let bytes = [integer, &vec![behind; count]].concat();
                let error = from_bytes::<T>(&bytes).unwrap_err();
                assert_eq!((error.offset(), error.kind()), (0, &kind), "{bytes:x?}");
            }
        }
    }
    wrong::<u16>(&[0x80, 0x80, 0x04], Kind::TooLarge);
    wrong::<u32>(&[0x80, 0x80, 0x80, 0x80, 0x10], Kind::TooLarge);
    wrong::<i32>(&[0xff, 0xff, 0xff, 0xff, 0xff, 0x01], Kind::TooLarge);
    wrong::<u16>(&[0x80, 0x00], Kind::Overlong);
    wrong::<u64>(&[0x80, 0x80, 0x80, 0x00], Kind::Overlong);
    let followed = [0xff; 8];
    wrong::<u64>(&[&followed[..], &[0]].concat(), Kind::Overlong);
    wrong::<u64>(&[&followed[..], &[0xff, 0]].concat(), Kind::Overlong);
    wrong::<u64>(&[&followed[..], &[0x80, 2]].concat(), Kind::TooLarge);
    wrong::<u64>(&[&followed[..], &[0xff, 0x83]].concat(), Kind::TooLarge);
    wrong::<u32>(&[&followed[..], &[1]].concat(), Kind::TooLarge);
}

#[test]
fn wrong_bytes_are_typed_errors_at_their_place() {
    #[track_caller]
    fn wrong<T: for<'gc> Saved<'gc> + Debug>(bytes: &[u8], offset: usize, kind: Kind) {
        let error = from_bytes::<T>(bytes).unwrap_err();
        assert_eq!((error.offset(), error.kind()), (offset, &kind));
        assert!(error.to_string().contains(&format!("byte {offset}: ")));
    }
    wrong::<u8>(&[], 0, Kind::Ended);
    wrong::<u32>(&[0x80], 0, Kind::Ended);
    wrong::<f64>(&[0; 7], 0, Kind::Ended);
    wrong::<u8>(&[1, 2], 1, Kind::TrailingBytes(1));
    wrong::<u16>(&[0x80, 0x80, 0x04], 0, Kind::TooLarge);
    wrong::<u16>(&[0xff, 0xff, 0xff, 0x01], 0, Kind::TooLarge);
    wrong::<u64>(
        &[0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x02],
        0,
        Kind::TooLarge,
    );
    wrong::<u128>(&[0xff; 19], 0, Kind::TooLarge);
    wrong::<u16>(&[0x80, 0x00], 0, Kind::Overlong);
    wrong::<u128>(&[0x81, 0x00], 0, Kind::Overlong);
    wrong::<bool>(&[2], 0, Kind::NotBool(2));
    wrong::<(u8, Option<u8>)>(&[0, 3], 1, Kind::NotOption(3));
    wrong::<String>(&[2, 0xff, 0xff], 1, Kind::NotUtf8);
    wrong::<char>(&[2, b'a', b'b'], 1, Kind::NotChar);
    wrong::<char>(&[0], 1, Kind::NotChar);
    wrong::<String>(
        &[5, b'a'],
        1,
        Kind::TooLong {
            elements: 5,
            bytes: 1,
        },
    );
    wrong::<Vec<u64>>(
        &to_bytes(&u64::MAX).unwrap(),
        10,
        Kind::TooLong {
            elements: u64::MAX,
            bytes: 0,
        },
    );
    wrong::<Result<u8, u8>>(
        &[2, 0],
        0,
        Kind::NoVariant {
            number: 2,
            variants: 2,
        },
    );
    wrong::<NonZero<u8>>(&[0], 1, Kind::Zero);
    wrong::<Duration>(
        &to_bytes(&(1_u64, 1_000_000_000_u32)).unwrap(),
        6,
        Kind::OutOfRange,
    );
    wrong::<SystemTime>(
        &to_bytes(&(-1_i64, 1_000_000_000_u32)).unwrap(),
        6,
        Kind::OutOfRange,
    );
}

#[test]
fn times_before_1970() {
    for (secs, nanos) in [(0, 0), (1, 5), (86_400, 999_999_999)] {
        for time in [
            UNIX_EPOCH + Duration::new(secs, nanos),
            UNIX_EPOCH - Duration::new(secs, nanos),
        ] {
            assert_eq!(
                from_bytes::<SystemTime>(&to_bytes(&time).unwrap()).unwrap(),
                time
            );
        }
    }
    for secs in [i64::MIN, i64::MAX] {
        let bytes = to_bytes(&(secs, 999_999_999_u32)).unwrap();
        // A machine may have no such time.
        if let Ok(time) = from_bytes::<SystemTime>(&bytes) {
            assert_eq!(to_bytes(&time).unwrap(), bytes);
        }
    }
    let before = UNIX_EPOCH - Duration::new(0, 1);
    assert_eq!(
        to_bytes(&before).unwrap(),
        to_bytes(&(-1_i64, 999_999_999_u32)).unwrap()
    );
}

#[test]
fn order_within_a_container_is_kept() {
    let mut heap = BinaryHeap::from([3_u16, 9, 1, 7, 5, 300]);
    heap.pop();
    let bytes = to_bytes(&heap).unwrap();
    let loaded: BinaryHeap<u16> = from_bytes(&bytes).unwrap();
    assert_eq!(to_bytes(&loaded).unwrap(), bytes);
    assert_eq!(loaded.into_sorted_vec(), heap.into_sorted_vec());

    let mut deque: VecDeque<u16> = (0..5).collect();
    deque.rotate_left(2);
    deque.push_front(9);
    assert_eq!(
        to_bytes(&deque).unwrap(),
        to_bytes(&deque.make_contiguous().to_vec()).unwrap()
    );
    assert_eq!(to_bytes(&Cow::Borrowed("hi")).unwrap(), [2, b'h', b'i']);
    assert_eq!(to_bytes(&Cow::Borrowed(&[1_u8, 2][..])).unwrap(), [2, 1, 2]);
}

#[test]
fn a_borrowed_cell_is_an_error() {
    let cell = RefCell::new(1_u8);
    let borrowed = cell.borrow_mut();
    let error = to_bytes(&cell).unwrap_err();
    assert_eq!(error.kind(), &SaveErrorKind::Borrowed);
    drop(borrowed);
    assert!(to_bytes(&cell).is_ok());
}

/// The actors that a file refers to, by number.
struct Names(Vec<&'static str>);

#[derive(Debug, PartialEq)]
struct Named(&'static str);

impl<'gc> Saved<'gc> for Named {
    const SHAPE: &'static Shape = &Shape::reference("tests::Named", shape_of::<u32>());

    fn save(&self, out: &mut Encoder<'_>) {
        match out
            .context::<Names>()
            .map(|names| names.0.iter().position(|it| *it == self.0))
        {
            Some(Some(number)) => (number as u32).save(out),
            Some(None) => out.error(format!("`{}` has no number", self.0)),
            None => out.error("a name outside of a system"),
        }
    }

    fn load(input: &mut Decoder<'gc, '_>) -> Result<Named, LoadError> {
        let number: u32 = input.reference(Self::SHAPE)?;
        let names = input
            .context::<Names>()
            .ok_or_else(|| input.error("no system"))?;
        let name = names.0.get(number as usize).copied();
        name.map(Named)
            .ok_or_else(|| input.error(format!("no name {number}")))
    }
}

#[test]
fn references_find_their_context() {
    let (names, other) = (Names(vec!["a", "b"]), 7_u8);
    let contexts: [&dyn std::any::Any; 2] = [&other, &names];
    let mut out = Encoder::new().with_contexts(&contexts);
    vec![Named("b"), Named("a")].save(&mut out);
    let bytes = out.finish().unwrap();
    assert_eq!(bytes, [2, 1, 0]);

    let mut input = Decoder::new(&bytes).with_contexts(&contexts);
    assert_eq!(
        Vec::<Named>::load(&mut input).unwrap(),
        [Named("b"), Named("a")]
    );
    input.finish().unwrap();
    assert!(
        from_bytes::<Vec<Named>>(&bytes)
            .unwrap_err()
            .to_string()
            .contains("no system")
    );
}

#[test]
fn the_first_error_of_saving_counts() {
    let names = Names(vec!["a"]);
    let contexts: [&dyn std::any::Any; 1] = [&names];
    let mut out = Encoder::new().with_contexts(&contexts);
    vec![Named("a"), Named("x"), Named("y")].save(&mut out);
    assert!(out.has_failed());
    let error = out.finish().unwrap_err();
    assert_eq!(error.offset(), 2);
    assert_eq!(error.to_string(), "after 2 bytes: `x` has no number");
}

#[test]
fn a_buffer_serves_again() {
    let mut out = Encoder::new().append_to(vec![9]);
    7_u8.save(&mut out);
    assert_eq!(out.finish().unwrap(), [9, 7]);
}

#[derive(Saved, Debug)]
enum Never {}

#[test]
fn a_type_without_values_cannot_be_loaded() {
    let error = from_bytes::<Never>(&[0]).unwrap_err();
    assert_eq!(
        error.kind(),
        &Kind::NoVariant {
            number: 0,
            variants: 0
        }
    );
}

#[derive(Saved, Debug)]
#[saved(name = "bank::Account")]
struct Account {
    owner: Owner,
}

#[derive(Saved, Debug)]
#[saved(name = "bank::Owner")]
enum Owner {
    Person { name: String },
}

#[test]
fn errors_have_the_path_of_types_and_fields() {
    let error = from_bytes::<Account>(&[0, 1, 0xff]).unwrap_err();
    assert_eq!(
        error.to_string(),
        "bank::Account.owner, bank::Owner.Person.name: byte 2: text that is not UTF-8"
    );
    assert_eq!(error.member(), Some(("bank::Owner", "Person.name")));
}
