//! Images with wrong messages: each is shown with the reason, in bounded time and memory.

use crate::forge::{Forge, LONG, Long, MessageData, Place};
use crate::golden::expect;
use crate::printed;
use crate::store::MemoryStore;
use vivant_cli::snapshot::{
    Cut, Problem, Selection, ShowForm, SnapshotFile, Verdict, diff, export, show, verify,
};
use vivant_codec::{ShapeId, to_bytes};

#[test]
fn an_image_without_one_table_of_kinds_is_not_opened() {
    for (ids, text) in [
        (
            &[][..],
            "image 1 has 0 tables of kinds of messages and must have one; use another image",
        ),
        (
            &[999, 998],
            "image 1 has 2 tables of kinds of messages and must have one; use another image",
        ),
    ] {
        let mut forge = Forge::new();
        ids.iter().for_each(|id| forge.kinds_record(*id));
        let store = MemoryStore::default();
        forge.write_without_kinds(&store);
        let error = SnapshotFile::open(&store.catalog(), 1).expect_err("it has not one");
        assert!(matches!(error, Problem::NoKinds { .. }), "{error}");
        assert_eq!(error.to_string(), text);
        let verified = printed(|out| verify(&store.catalog(), 1, out));
        let verified = verified.expect("memory does not fail");
        assert_eq!(verified, (format!("image 1: {text}\n"), Verdict::Bad));
    }
}

/// A message is shown with the reason, and the others are shown.
#[test]
fn other_messages_are_shown_beside_a_wrong_one() {
    let mut forge = Forge::new();
    forge.actor(2, &());
    let lost = forge.kind::<u8>("lost");
    forge.kinds[1].shape = ShapeId::new(10_000);
    let contents = [(0, vec![7]), (lost, vec![7]), (9, vec![7]), (0, vec![8])];
    forge.messages(2, Place::Inbox, 0, &contents);
    let file = forge.open();
    let form = ShowForm::Text(Cut::Full);
    let shown = printed(|out| show(&file, &Selection::default(), form, out));
    expect("wrong_messages_show", shown, Verdict::Bad);
}

/// A message in a message is a value like others.
#[test]
fn messages_do_not_nest() {
    let mut forge = Forge::new();
    forge.actor(2, &());
    let kind = forge.kind::<MessageData>("onion");
    let mut bytes = vec![7];
    for layer in 0..100 {
        let kind = if layer == 0 { 0 } else { kind };
        let priority = layer;
        bytes = to_bytes(&MessageData {
            priority,
            bytes,
            kind,
        })
        .expect("it is small");
    }
    forge.messages(2, Place::Inbox, 0, &[(kind, bytes)]);
    let file = forge.open();
    let (text, verdict) = printed(|out| export(&file, out)).expect("it can be printed");
    assert_eq!(verdict, Verdict::Good, "{text}");
    let line = text.lines().nth(2).expect("it is there");
    let begin = "\"name\":\"onion\"}]},\"tags\":[],\"priority\":3,\"content\":{\"priority\":99,\"bytes\":\"62";
    assert!(line.contains(begin), "{line}");
    assert_eq!(line.matches("onion").count(), 1);
}

/// All messages of a record share what is allowed for it.
#[test]
fn many_messages_do_not_make_endless_texts() {
    let is = |kinds: fn(&mut Forge) -> (u32, Vec<u8>)| {
        let mut forge = Forge::new();
        forge.actor(2, &());
        let message = kinds(&mut forge);
        forge.messages(2, Place::Inbox, 0, &vec![message; 100]);
        let (_, _, value) = forge.records.last().expect("it is there");
        let most = (1 << 17) + value.len() * 1_024 + 100 * 200;
        let file = forge.open();
        let all = Selection::default();
        let form = ShowForm::Text(Cut::Full);
        let (text, verdict) = printed(|out| show(&file, &all, form, out)).expect("it is printed");
        assert_eq!(verdict, Verdict::Bad);
        assert!(text.len() < most, "{} bytes", text.len());
        let (text, verdict) = printed(|out| export(&file, out)).expect("it is printed");
        assert_eq!(verdict, Verdict::Bad);
        let line = text.lines().nth(2).expect("it is there");
        let begin = "{\"id\":3,\"kind\":4,\"type\":\"vivant::WaitingRecord\",\"error\":\"record 3 has too many parts for its ";
        assert!(line.starts_with(begin), "{line}");
        let (text, verdict) = printed(|out| diff(&file, &file, Cut::Full, out)).expect("it is one");
        assert_eq!((text.as_str(), verdict), ("", Verdict::Good));
    };
    // Contents of many parts.
    is(|forge| {
        let kind = forge.kind::<Vec<()>>("wide");
        (kind, to_bytes(&(100_000_u64)).expect("it is small"))
    });
    // Contents of long texts.
    is(|forge| (forge.kind::<Long>("long"), vec![0]));
    // A kind with a long name.
    is(|forge| (forge.kind::<u8>(LONG), vec![0]));
}

/// Each message counts as many parts as its kind has.
#[test]
fn large_kinds_do_not_make_endless_walks() {
    let mut forge = Forge::new();
    forge.actor(2, &());
    let kind = forge.kind::<u8>("tagged");
    forge.kinds[1].tags = vec![String::new(); 10_000];
    forge.messages(2, Place::Inbox, 0, &vec![(kind, vec![0]); 100]);
    let (text, verdict) = forge.verified();
    assert_eq!(verdict, Verdict::Bad);
    let begin = "image 1: record 3 has too many parts for its ";
    assert!(text.starts_with(begin), "{text}");
    assert_eq!(text.lines().count(), 1);
}
