//! Images that no program of today writes: of later versions, with every kind of value, wrong ones.

use crate::forge::{
    ActorRecord, Content, Forge, Header, Long, MessageData, Place, PromiseName, Reference,
    TimerRecord, What,
};
use crate::golden::expect;
use crate::printed;
use crate::store::MemoryStore;
use std::collections::BTreeMap;
use std::time::{Duration, SystemTime};
use vivant_cli::snapshot::{
    Cut, Problem, Selection, ShowForm, SnapshotFile, Verdict, diff, export, show,
};
use vivant_codec::{Saved, ShapeId, to_bytes};

/// Other fields, variants and kinds of records than those of today are printed.
#[test]
fn later_versions_are_read() {
    let forge = || {
        let mut forge = Forge::new();
        forge.actor(2, &"a state".to_owned());
        let seven = || vec![7];
        forge.messages(2, Place::Inbox, 8, &[(0, seven()), (0, seven())]);
        forge.messages(2, Place::Urgent, 5, &[(0, seven())]);
        forge.messages(2, Place::Inbox, 1, &[(0, seven())]);
        let value = forge.encoded(&vec!['x']);
        let content = Content::Frozen {
            since: 5,
            value: value.clone(),
        };
        forge.actors += 1;
        let frozen = ActorRecord {
            names: Vec::new(),
            path: vec![0],
            class: "bank::Teller".to_owned(),
            content,
            id: 1,
        };
        forge.record(3, &frozen);
        let due = Duration::from_millis(1_500);
        forge.record(5, &TimerRecord { due, value });
        forge.records.push((500, 77, vec![1, 0xff]));
        forge
    };
    let file = forge().open();
    let all = Selection::default();
    let text = printed(|out| show(&file, &all, ShowForm::Text(Cut::Short), out));
    expect("later_show", text, Verdict::Good);
    let json = printed(|out| export(&file, out));
    expect("later_export", json, Verdict::Good);
    let mut more = forge();
    let value = more.encoded(&vec!['y']);
    let due = Duration::from_millis(2_500);
    more.record(5, &TimerRecord { due, value });
    // Its kinds have other numbers.
    more.kinds.insert(0, more.kinds[0].clone());
    more.kinds[0].what = What::Broadcast;
    more.records.retain(|it| it.1 != 4);
    for (place, ordinal, count) in [(Place::Urgent, 2, 1), (Place::Inbox, 4, 3)] {
        more.messages(2, place, ordinal, &vec![(1, vec![7]); count]);
    }
    more.messages(2, Place::Inbox, 6, &[(0, vec![7])]);
    let text = printed(|out| diff(&file, &more.open(), Cut::Full, out));
    expect("later_diff", text, Verdict::Bad);
    let (text, verdict) = forge().verified();
    assert_eq!(
        text,
        "image 1: record 500 is of kind 77, of which the image has no shape\n"
    );
    assert_eq!(verdict, Verdict::Bad);
}

#[derive(Saved)]
enum Every {
    Unit,
    Tuple(u8, bool),
    Named { a: Option<i8>, b: Option<i8> },
}

#[derive(Saved)]
struct Unit;

#[derive(Saved)]
struct Pair(u16, char);

/// The JSON of each kind of value, which the README describes.
#[test]
fn each_kind_of_value_has_its_json() {
    fn is<T: for<'gc> Saved<'gc>>(value: &T, json: &str) {
        let mut forge = Forge::new();
        let record = (1_u8, forge.encoded(value));
        forge.record(9, &record);
        let file = forge.open();
        let (text, _) = printed(|out| export(&file, out)).expect("it can be printed");
        let line = text.lines().find(|line| line.contains("\"kind\":9"));
        let line = line.expect("it is there");
        let (_, found) = line.split_once("\"value\":[1,").expect("it is a tuple");
        assert_eq!(found, format!("{json}]}}"));
        serde_json::from_str::<serde_json::Value>(line).expect("it is JSON");
    }
    is(&true, "true");
    is(&(1_u64 << 53), "9007199254740992");
    is(&((1_u64 << 53) + 1), "\"9007199254740993\"");
    is(&-(1_i64 << 53), "-9007199254740992");
    is(&i128::MIN, "\"-170141183460469231731687303715884105728\"");
    is(&0.1_f32, "0.1");
    is(&1e300_f64, "1e300");
    is(
        &[f64::NAN, f64::INFINITY, f64::NEG_INFINITY],
        "[\"NaN\",\"inf\",\"-inf\"]",
    );
    is(&'"', "\"\\\"\"");
    is(&"a\nb".to_owned(), "\"a\\nb\"");
    is(&vec![0_u8, 0xfe], "\"00fe\"");
    is(&vec![1_u16, 2], "[1,2]");
    is(&Vec::<u16>::new(), "[]");
    is(&(1_u8, Some('x'), None::<u8>), "[1,\"x\",null]");
    is(
        &BTreeMap::from([(1_u8, vec![Some(1_u32)]), (2, vec![None])]),
        "[[1,[1]],[2,[null]]]",
    );
    is(&BTreeMap::<u8, u8>::new(), "[]");
    is(
        &vec![Every::Unit, Every::Tuple(3, true)],
        "[\"Unit\",{\"Tuple\":[3,true]}]",
    );
    is(
        &Every::Named {
            a: Some(-1),
            b: None,
        },
        "{\"Named\":{\"a\":-1,\"b\":null}}",
    );
    is(&(Unit, Pair(7, 'c')), "[{},[7,\"c\"]]");
    is(
        &vec![Reference(3)],
        "[{\"reference\":\"bank::Account\",\"to\":3}]",
    );
}

#[test]
fn wrong_images_are_not_verified() {
    let good = || {
        let mut forge = Forge::new();
        forge.actor(2, &vec![Reference(2), Reference(9)]);
        forge.message(2, Place::Inbox, 1);
        forge
    };
    let (text, verdict) = good().verified();
    assert_eq!(verdict, Verdict::Good, "{text}");
    let is = |wrong: fn(&mut Forge), expected: &str| {
        let mut forge = good();
        wrong(&mut forge);
        let (text, verdict) = forge.verified();
        assert_eq!(text, format!("image 1: {expected}\n"));
        assert_eq!(verdict, Verdict::Bad);
    };
    is(
        |forge| forge.actor(3, &Reference(10)),
        "record 4 refers to actor 10, and the next one to be made is 10",
    );
    let promise = |owner| PromiseName::Of { number: 77, owner };
    let mut forge = good();
    forge.actor(3, &promise(9));
    assert_eq!(forge.verified().1, Verdict::Good, "the owner has ended");
    let mut forge = good();
    forge.actor(3, &promise(11));
    assert_eq!(
        forge.verified().0,
        "image 1: record 4 refers to actor 11, and the next one to be made is 10\n"
    );
    is(
        |forge| forge.actor(10, &()),
        "actor 10 is in the image, and the next one to be made is 10",
    );
    is(
        |forge| forge.message(2, Place::Inbox, 1),
        "record 4 is a second one with number 1 of messages in Inbox of actor 2",
    );
    is(
        |forge| forge.message(5, Place::Inbox, 1),
        "record 4 has messages for actor 5, which is not in the image",
    );
    is(
        |forge| forge.messages += 1,
        "the header counts 2 messages, and there are 1",
    );
    is(
        |forge| forge.actors += 1,
        "the header counts 2 actors, and there are 1",
    );
    is(
        |forge| {
            let mut value = forge.encoded(&300_u16);
            value.bytes.push(0);
            forge.record(9, &value);
        },
        "record 4: byte 2: 1 bytes follow the value; use another image",
    );
    is(
        |forge| {
            let mut value = forge.encoded(&300_u16);
            value.shape = ShapeId::new(10_000);
            forge.record(9, &value);
        },
        "record 4: byte 0: the table has no shape 10000; use another image",
    );
    is(
        |forge| forge.messages(2, Place::Inbox, 2, &[(0, vec![7]), (1, vec![7])]),
        "record 4 has a message of kind 1, and the image has 1 kinds of messages, from 0 on; use another image",
    );
    is(
        |forge| forge.messages(2, Place::Inbox, 2, &[(0, vec![7]), (0, vec![7, 8])]),
        "record 4: byte 1: 1 bytes follow the value; use another image",
    );
    is(
        |forge| {
            let kind = forge.kind::<Reference>("greeting");
            forge.messages(2, Place::Inbox, 2, &[(kind, vec![9]), (kind, vec![10])]);
        },
        "record 4 refers to actor 10, and the next one to be made is 10",
    );
    is(
        |forge| {
            forge.kind::<u8>("nobody sends it");
            forge.kinds[1].shape = ShapeId::new(10_000);
        },
        "kind 1 of messages has a shape that is not in the table of shapes",
    );
    is(
        |forge| {
            forge.kind::<u8>("nobody sends it");
            let kind = MessageData {
                priority: 1,
                bytes: Vec::new(),
                kind: 2,
            };
            // Not in a mailbox.
            forge.record(9, &(1_u8, vec![kind]));
        },
        "record 4 has a message of kind 2, and the image has 2 kinds of messages, from 0 on; use another image",
    );
    // A sequence of many elements without bytes.
    is(
        |forge| {
            let mut value = forge.encoded(&Vec::<()>::new());
            value.bytes = to_bytes(&(1_u64 << 40)).expect("it is small");
            forge.record(9, &value);
        },
        "record 4 has too many parts for its 8 bytes; use another image",
    );
    is(
        |forge| {
            forge.records.remove(0);
        },
        "the image has no record of the system",
    );
}

#[test]
fn an_image_without_one_table_is_not_opened() {
    let header: Header = (2, String::new(), 4, SystemTime::UNIX_EPOCH, (0, 0, 0, 0), 0);
    let header = to_bytes(&header).expect("it is small");
    let store = MemoryStore::default();
    store.write(&header, &[]);
    let error = SnapshotFile::open(&store.catalog(), 1).expect_err("there is no table");
    assert!(
        matches!(error, Problem::NoShapes { found: 0, .. }),
        "{error}"
    );
}

#[test]
fn an_image_of_another_version_is_not_opened() {
    for version in [0_u8, 1, 3] {
        let store = MemoryStore::default();
        store.write(&[version], &[]);
        let error = SnapshotFile::open(&store.catalog(), 1).expect_err("it is another version");
        assert!(matches!(error, Problem::OtherVersion { .. }), "{error}");
        assert_eq!(
            error.to_string(),
            format!(
                "image 1 has version {version} of the format, and this command reads version 2; use the `vivant` of \
                 the program that wrote it"
            )
        );
    }
}

#[test]
fn long_names_do_not_make_endless_texts() {
    let mut forge = Forge::new();
    let values: Vec<Long> = (0..1_000).map(|_| Long).collect();
    forge.actor(2, &values);
    let file = forge.open();
    let (text, verdict) = printed(|out| export(&file, out)).expect("it can be printed");
    assert_eq!(verdict, Verdict::Bad);
    assert!(text.contains("\"error\":\"record 2 has too many parts for its "));
    assert!(text.len() < 100_000, "{} bytes", text.len());
    let all = Selection::default();
    let form = ShowForm::Text(Cut::Full);
    let (text, _) = printed(|out| show(&file, &all, form, out)).expect("it can be printed");
    assert!(
        text.len() < 2_000_000 && text.contains('…'),
        "{} bytes",
        text.len()
    );
}
