//! Heaps that no program writes: long lists, cycles, references to nothing, spans that are wrong.

use crate::forge::{Forge, Place};
use crate::printed;
use crate::store::MemoryStore;
use std::time::Instant;
use vivant_cli::snapshot::{
    Cut, ObjectName, Selection, ShowForm, SnapshotFile, Verdict, show, show_heap, show_object,
};
use vivant_codec::{Decoder, Encoder, LoadError, Saved, Shape, ShapeId, shape_of, to_bytes};

/// A later version: another order of the fields, and one more.
#[derive(Saved, Default)]
#[saved(name = "vivant::SpansRecord")]
struct SpansRecord {
    generation: u8,
    spans: Vec<SpanRecord>,
    heap: u64,
}

#[derive(Saved)]
#[saved(name = "vivant::HeapRecord")]
struct HeapRecord {
    actor: Option<u64>,
    heap: u64,
}

/// The number of the heap of actor 2.
const HEAP: u64 = 40;

#[derive(Saved)]
#[saved(name = "vivant::Span")]
struct SpanRecord {
    content: Vec<u8>,
    blocks: Vec<BlockRecord>,
    holds: Holds,
    number: u32,
}

#[derive(Saved)]
#[saved(name = "vivant::SpanKind")]
enum Holds {
    Large,
    Blocks(u32),
}

#[derive(Saved)]
#[saved(name = "vivant::Block")]
struct BlockRecord {
    bytes: u32,
    block: u8,
    object: u32,
}

#[derive(Saved)]
#[saved(name = "vivant::ObjectsRecord")]
struct ObjectsRecord {
    contents: Vec<ShapeId>,
}

#[derive(Saved)]
#[saved(name = "vivant::UnchangedRecord")]
struct UnchangedRecord {
    runs: Vec<UnchangedRun>,
    heap: u64,
}

#[derive(Saved)]
#[saved(name = "vivant::UnchangedRun")]
struct UnchangedRun {
    snapshot: u64,
    first: u32,
    count: u32,
}

/// A reference to an object.
struct Gc(u64);

impl<'gc> Saved<'gc> for Gc {
    const SHAPE: &'static Shape = &Shape::reference("vivant::Gc", shape_of::<'gc, u64>());

    fn save(&self, out: &mut Encoder<'_>) {
        self.0.save(out);
    }

    fn load(input: &mut Decoder<'gc, '_>) -> Result<Gc, LoadError> {
        Ok(Gc(input.reference(Self::SHAPE)?))
    }
}

/// A region with this root.
struct Region(Gc);

impl<'gc> Saved<'gc> for Region {
    const SHAPE: &'static Shape = &Shape::reference("vivant::Iso", shape_of::<'gc, Gc>());

    fn save(&self, out: &mut Encoder<'_>) {
        self.0.save(out);
    }

    fn load(input: &mut Decoder<'gc, '_>) -> Result<Region, LoadError> {
        Ok(Region(input.reference(Self::SHAPE)?))
    }
}

#[derive(Saved)]
#[saved(name = "list::Node")]
struct Node {
    next: Option<Gc>,
}

/// The number of a reference to a block of 16 bytes.
fn number(at: u64) -> u64 {
    at / 256 * 2_048 + at % 256
}

/// A heap of nodes of which each refers to this one, in spans of 256 blocks of 16 bytes.
fn nodes(next: impl Iterator<Item = Option<u64>>) -> Vec<SpanRecord> {
    let mut spans: Vec<SpanRecord> = Vec::new();
    for (at, next) in next.enumerate() {
        if at % 256 == 0 {
            spans.push(SpanRecord {
                content: Vec::new(),
                blocks: Vec::new(),
                holds: Holds::Blocks(16),
                number: (at / 256) as u32,
            });
        }
        let next = next.map(number).map(Gc);
        let node = to_bytes(&Node { next }).expect("it is small");
        let span = spans.last_mut().expect("there is one");
        span.blocks.push(BlockRecord {
            bytes: node.len() as u32,
            block: (at % 256) as u8,
            object: 0,
        });
        span.content.extend(node);
    }
    spans
}

fn of_actor_2() -> HeapRecord {
    HeapRecord {
        actor: Some(2),
        heap: HEAP,
    }
}

/// An image of an actor with this state and this heap.
fn forge<T: for<'gc> Saved<'gc>>(spans: Vec<SpanRecord>, state: &impl Fn() -> T) -> Forge {
    let mut forge = Forge::new();
    forge.actor(2, &state());
    let node = forge.shapes.add(Node::SHAPE).expect("there are few");
    let wide = forge.shapes.add(<Vec<()>>::SHAPE).expect("there are few");
    let contents = vec![node, wide];
    forge.record(10, &ObjectsRecord { contents });
    forge.record(12, &of_actor_2());
    let mut spans = spans.into_iter().peekable();
    while spans.peek().is_some() {
        let record = SpansRecord {
            generation: 3,
            spans: spans.by_ref().take(16).collect(),
            heap: HEAP,
        };
        forge.record(9, &record);
    }
    forge
}

fn page(file: &SnapshotFile, name: u64, cut: Cut) -> String {
    let name = ObjectName::new(number(name));
    let form = ShowForm::Text(cut);
    let printed = printed(|out| show_object(file, "2", name, form, out));
    printed.expect("it can be printed").0
}

fn heap(forge: Forge) -> Result<(String, Verdict), String> {
    let form = ShowForm::Text(Cut::Short);
    let store = MemoryStore::default();
    let number = forge.write(&store);
    let file = SnapshotFile::open(&store.catalog(), number).expect("it is intact");
    printed(|out| show_heap(&file, "2", form, out)).map_err(|error| error.to_string())
}

/// Many objects one behind the other need no stack, and no line each.
#[test]
fn a_long_list_is_walked() {
    const LONG: u64 = 300_000;
    let next = (1..=LONG).map(|next| (next < LONG).then_some(next));
    let file = forge(nodes(next), &|| Gc(0)).open();
    let begin = Instant::now();
    let text = page(&file, LONG - 1, Cut::Short);
    let last: Vec<&str> = text.lines().collect();
    assert!(last.len() < 60, "{} lines", last.len());
    assert!(text.contains("\n    state → 0:0, list::Node\n    0:0.next → 0:1, list::Node\n"));
    let hidden = format!("    … {} more references …", LONG - 40);
    assert!(last.contains(&hidden.as_str()), "{text}");
    assert!(text.contains(".next → 1171:223, list::Node"), "{text}");
    assert!(begin.elapsed().as_secs() < 60, "{:?}", begin.elapsed());
}

#[test]
fn a_cycle_has_a_shortest_path() {
    // 0 → 1 → 2 → 0, and the state has 1 and 2.
    let file = forge(nodes([Some(1), Some(2), Some(0)].into_iter()), &|| {
        (Gc(number(1)), Gc(number(2)))
    });
    let file = file.open();
    let text = page(&file, 0, Cut::Full);
    let path = "  lives, because the state leads to it:\n    state.1 → 0:2, list::Node\n    0:2.next → 0:0, list::Node\n";
    assert!(text.ends_with(path), "{text}");
}

#[derive(Saved)]
#[saved(name = "vivant::SpansRecord")]
struct LaterSpansRecord {
    owner: u64,
}

/// Of a later version of its record, `show` says what is there.
#[test]
fn heaps_of_a_later_version_are_records() {
    let mut forge = Forge::new();
    forge.actor(2, &Gc(number(300)));
    forge.record(12, &of_actor_2());
    forge.record(9, &LaterSpansRecord { owner: 2 });
    let file = forge.open();
    let (all, form) = (Selection::default(), ShowForm::Text(Cut::Full));
    let shown = printed(|out| show(&file, &all, form, out));
    let (text, verdict) = shown.expect("it can be printed");
    assert_eq!(verdict, Verdict::Good, "{text}");
    assert!(text.contains("  state: → vivant::Gc (1:44)\n"), "{text}");
    let record = "\"type\":\"vivant::SpansRecord\",\"value\":{\"owner\":2}}";
    assert!(text.contains(record), "{text}");
    let error = printed(|out| show_heap(&file, "2", form, out)).expect_err("it has other fields");
    assert!(error.to_string().starts_with("record 4: "), "{error}");
}

/// A message that waits for the actor is a root. One for another actor is none.
#[test]
fn a_message_keeps_an_object() {
    let mut forge = forge(nodes([Some(1), None, None].into_iter()), &|| 7_u8);
    let kind = forge.kind::<(u8, Gc)>("keeps");
    let keeps = |at: u8| (kind, vec![5, at]);
    forge.messages(2, Place::Inbox, 8, &[keeps(0), keeps(0)]);
    forge.messages(3, Place::Inbox, 8, &[keeps(2)]);
    let file = forge.open();
    let text = page(&file, 1, Cut::Full);
    let path = "    message of record 6: messages[0].content.1 → 0:0, list::Node\n    0:0.next → 0:1, list::Node\n";
    assert!(text.ends_with(path), "{text}");
    let text = page(&file, 2, Cut::Full);
    assert!(text.contains("  is not reached: "), "{text}");
}

/// What a region refers to is its own. Behind it the state goes on.
#[test]
fn a_region_keeps_no_object_of_its_holder() {
    let file = forge(nodes([None, None].into_iter()), &|| {
        (Region(Gc(number(0))), Gc(number(1)))
    });
    let file = file.open();
    let text = page(&file, 0, Cut::Full);
    assert!(text.contains("  is not reached: "), "{text}");
    let text = page(&file, 1, Cut::Full);
    assert!(text.contains("    state.1 → 0:1, list::Node"), "{text}");
}

#[test]
fn a_reference_to_nothing_is_found() {
    let (text, verdict) =
        heap(forge(nodes([Some(700)].into_iter()), &|| Gc(0))).expect("it is printed all the same");
    assert_eq!(verdict, Verdict::Bad);
    let line =
        "  references to objects that are not in the image: 1, the first one from 0:0 to 2:188";
    assert!(text.contains(line), "{text}");
    let (text, _) = heap(forge(nodes([None].into_iter()), &|| Gc(number(9)))).expect("as above");
    assert!(text.contains("from the state to 0:9"), "{text}");
    // What nothing leads to may refer to what is gone.
    let unreached = forge(nodes([None, Some(700)].into_iter()), &|| Gc(0));
    assert_eq!(heap(unreached).expect("it is right").1, Verdict::Good);
}

#[test]
fn wrong_heaps_are_errors() {
    let is = |change: fn(&mut SpanRecord), expected: &str| {
        let mut spans = nodes([Some(1), None].into_iter());
        change(&mut spans[0]);
        let error = heap(forge(spans, &|| Gc(0))).expect_err("it is wrong");
        assert_eq!(error, format!("{expected}; use another image"));
    };
    let span = "image 1: span 0 of the heap of actor 2";
    let place = format!("{span} has a block in a wrong place");
    is(|span| span.holds = Holds::Blocks(0), &place);
    is(|span| span.holds = Holds::Blocks(40), &place);
    is(|span| span.holds = Holds::Blocks(u32::MAX - 15), &place);
    is(|span| span.holds = Holds::Large, &place);
    is(
        |span| span.blocks[1].block = 0,
        &format!("{span} is there twice"),
    );
    let length = format!("{span} has contents of another length than its blocks");
    is(|span| span.content.push(0), &length);
    is(|span| span.blocks[1].bytes = u32::MAX, &length);
    is(
        |span| span.blocks[1].object = 2,
        &format!("{span} has an object of a type that the image does not list"),
    );
    is(
        |span| span.content[0] = 9,
        "object 0:0 of actor 2: byte 0: 9 begins no option, which begins with 0 or 1",
    );
    let mut spans = nodes([None].into_iter());
    let many = to_bytes(&(1_u64 << 40)).expect("it is small");
    (spans[0].blocks[0].object, spans[0].blocks[0].bytes) = (1, many.len() as u32);
    spans[0].content = many;
    let error = heap(forge(spans, &|| Gc(0))).expect_err("each element is a part");
    assert_eq!(
        error,
        "the heap of actor 2 has too many parts for its 6 bytes; use another image"
    );
}

/// Each object alone has few enough parts.
#[test]
fn many_empty_parts_do_not_make_an_endless_walk() {
    let mut spans = nodes(std::iter::repeat_n(None, 60 * 256));
    for span in &mut spans {
        span.content.clear();
        for block in &mut span.blocks {
            let many = to_bytes(&900_000_u64).expect("it is small");
            (block.object, block.bytes) = (1, many.len() as u32);
            span.content.extend(many);
        }
    }
    let all = || (0..60 * 256).map(|at| Gc(number(at))).collect::<Vec<_>>();
    let error = heap(forge(spans, &all)).expect_err("it is too much");
    assert_eq!(
        error,
        "the heap of actor 2 has too many parts for its 46080 bytes; use another image"
    );
}

#[test]
fn spans_that_no_image_has_are_errors() {
    let error = |runs: &[(u32, u32, u64)]| {
        let mut forge = forge(nodes([None].into_iter()), &|| Gc(0));
        let runs = runs.iter().map(|&(first, count, snapshot)| UnchangedRun {
            snapshot,
            first,
            count,
        });
        let runs = runs.collect();
        forge.record(11, &UnchangedRecord { runs, heap: HEAP });
        heap(forge).expect_err("it is wrong")
    };
    let missing = "the heap of actor 2 is not there, and a later image needs it; use another image";
    assert_eq!(
        error(&[(7, u32::MAX, 40)]),
        format!("image 40: span 7 of {missing}")
    );
    assert_eq!(
        error(&[(1, 0, 1), (0, 1, 1)]),
        format!("image 1: span 0 of {missing}")
    );
    assert_eq!(
        error(&[(1, 3, 1), (3, 1, 1)]),
        "image 1: span 3 of the heap of actor 2 is there twice; use another image"
    );
}
