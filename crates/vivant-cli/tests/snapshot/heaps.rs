//! Heaps of actors: what is shown of objects, and why they live.

use crate::golden::expect;
use crate::printed;
use crate::store::MemoryStore;
use crate::zoo::{self, Zoo};
use serde_json::Value;
use std::collections::BTreeMap;
use vivant_cli::snapshot::{
    Cut, ObjectName, Selection, ShowForm, SnapshotFile, Verdict, show, show_heap, show_object,
    verify,
};

const KEEPER: &str = "/0";

fn open(store: &MemoryStore, number: u64) -> SnapshotFile {
    SnapshotFile::open(&store.catalog(), number).expect("it is intact")
}

fn small_zoo() -> MemoryStore {
    let store = MemoryStore::default();
    zoo::snapshots(&store.journal());
    store
}

fn object(file: &SnapshotFile, object: ObjectName, form: ShowForm) -> String {
    let printed = printed(|out| show_object(file, KEEPER, object, form, out));
    printed.expect("it can be printed").0
}

fn json(text: &str) -> Value {
    serde_json::from_str(text).expect("it is JSON")
}

/// The state of the keeper as JSON.
fn state(file: &SnapshotFile) -> Value {
    let selection = Selection {
        actor: Some(KEEPER.to_owned()),
        type_name: None,
    };
    let printed = printed(|out| show(file, &selection, ShowForm::Json, out));
    let line = json(&printed.expect("it can be printed").0);
    line["actor"]["value"]["content"]["State"][0].clone()
}

/// The number of an object in a reference.
fn referred(reference: &Value) -> Option<ObjectName> {
    let is_object =
        ["vivant::Gc", "vivant::Weak", "vivant::Part"].contains(&reference["reference"].as_str()?);
    is_object.then(|| reference["to"].as_u64().map(ObjectName::new))?
}

/// The object to which a reference in a state or content leads.
fn target(value: &Value, pointer: &str) -> ObjectName {
    let reference = value.pointer(pointer);
    let name = reference.and_then(referred);
    name.unwrap_or_else(|| panic!("no reference is at {pointer} of {value}"))
}

#[test]
fn a_graph_is_shown() {
    let store = small_zoo();
    let file = open(&store, 1);
    let all = Selection::default();
    let text = printed(|out| show(&file, &all, ShowForm::Text(Cut::Short), out));
    expect("zoo_show", text, Verdict::Good);
    let json = printed(|out| show(&file, &all, ShowForm::Json, out));
    expect("zoo_show_json", json, Verdict::Good);
    for number in [1, 2] {
        let file = open(&store, number);
        let text = printed(|out| show_heap(&file, KEEPER, ShowForm::Text(Cut::Short), out));
        expect(&format!("zoo_heap_{number}"), text, Verdict::Good);
        let verified = printed(|out| verify(&store.catalog(), number, out));
        let (text, verdict) = verified.expect("memory does not fail");
        assert_eq!(verdict, Verdict::Good, "{text}");
    }
    let json = printed(|out| show_heap(&open(&store, 2), KEEPER, ShowForm::Json, out));
    expect("zoo_heap_json", json, Verdict::Good);
}

#[test]
fn an_object_says_why_it_lives() {
    let store = small_zoo();
    let (file, later) = (open(&store, 1), open(&store, 2));
    let state = state(&file);
    let content = |name| json(&object(&file, name, ShowForm::Json))["content"].clone();
    let first = target(&state, "/animals/0");
    let second = target(&content(first), "/friends/0");
    let third = target(&content(second), "/friends/0");
    let follower = target(&state, "/passing");
    let segment = target(&state, "/cages/root/1");
    let caged = target(&content(segment), "/2/0/1");
    let motto = target(&state, "/motto/Own/0");
    let prices = target(&state, "/prices/root/slots/Own/0");
    let page = |file: &SnapshotFile, name: &str, which, form| {
        let printed = printed(|out| show_object(file, KEEPER, which, form, out));
        expect(&format!("zoo_{name}"), printed, Verdict::Good);
    };
    let text = ShowForm::Text(Cut::Short);
    page(&file, "third", third, text);
    page(&file, "third_json", third, ShowForm::Json);
    page(&file, "caged", caged, text);
    page(&file, "shared", motto, text);
    page(&file, "persistent", prices, text);
    page(&later, "weak", follower, text);
    page(&later, "weak_json", follower, ShowForm::Json);
    page(&later, "unreached", caged, text);
    page(&later, "unreached_json", caged, ShowForm::Json);
}

#[test]
fn what_is_not_there_is_an_error() {
    let store = small_zoo();
    let file = open(&store, 1);
    let form = ShowForm::Text(Cut::Full);
    let error = |actor: &str, name: &str| {
        let name = name.parse().expect("it is a name");
        let printed = printed(|out| show_object(&file, actor, name, form, out));
        printed.expect_err("there is none").to_string()
    };
    assert_eq!(
        error(KEEPER, "3:1"),
        "the heap of `zoo::Keeper/0` has no object 3:1 in image 1; give the name that a reference to it shows"
    );
    assert_eq!(
        error("/7", "3:0"),
        "image 1 has no actor `/7`; give a path such as `/0/2`, or a number"
    );
    let store = MemoryStore::default();
    crate::program::snapshots(&store.journal());
    let file = open(&store, 1);
    let error = printed(|out| show_heap(&file, "2", form, out)).expect_err("it has no heap");
    assert_eq!(
        error.to_string(),
        "image 1 has no heap of `bank::Teller/2`; an actor has one if its state has a lifetime, is saved, and has \
         objects"
    );
}

/// Goes along a path by the contents of objects. Returns what it leads to, or what is wrong.
fn follow(
    path: &Value,
    state: &Value,
    content: &dyn Fn(ObjectName) -> Value,
) -> Result<ObjectName, String> {
    let steps = path.as_array().ok_or("it is no path")?;
    let mut at = None;
    for step in steps {
        let field = step["field"].as_str().ok_or("a step without a field")?;
        let (holder, field) = match at {
            None => (state.clone(), field.strip_prefix("state").ok_or("no root")?),
            Some(at) => (content(at), field),
        };
        let from = step["from"].as_str().map(str::to_owned);
        if from != at.map(|at| at.to_string()) {
            return Err(format!("a step from {from:?} behind {at:?}"));
        }
        let pointer = field.replace(['.', '['], "/").replace(']', "");
        let found = holder.pointer(&pointer).and_then(referred);
        let to = step["number"].as_u64().map(ObjectName::new);
        if found.is_none() || found != to {
            return Err(format!("{field} of {holder} is not {to:?}"));
        }
        at = found;
    }
    at.ok_or_else(|| "it has no step".to_owned())
}

/// An image of a seeded graph, its objects by JSON, and the distances that the program knows.
struct Crowd {
    state: Value,
    objects: BTreeMap<ObjectName, Value>,
    distances: BTreeMap<u64, u64>,
}

impl Crowd {
    fn new(seed: u64) -> Crowd {
        let (store, zoo) = (MemoryStore::default(), Zoo::new());
        zoo.crowd(300, seed);
        let journal = store.journal();
        // All objects are old from here on, and stay until a mark.
        zoo.snapshot(&journal);
        zoo.send_home(1);
        let distances = zoo.distances();
        zoo.snapshot(&journal);
        let file = open(&store, 2);
        let before = state(&open(&store, 1));
        let mut open: Vec<ObjectName> = Vec::new();
        let mut objects = BTreeMap::new();
        all_referred(&before, &mut open);
        while let Some(name) = open.pop() {
            objects.entry(name).or_insert_with(|| {
                let page = json(&object(&file, name, ShowForm::Json));
                all_referred(&page["content"], &mut open);
                page
            });
        }
        Crowd {
            state: state(&file),
            objects,
            distances,
        }
    }

    fn content(&self, name: ObjectName) -> Value {
        self.objects[&name]["content"].clone()
    }

    /// The paths to all animals are as long as the program says. Returns the number of animals that
    /// live strongly, weakly, and not.
    fn check(&self) -> Result<[u64; 3], String> {
        let mut counts = [0; 3];
        let animals = self.objects.iter();
        for (name, page) in animals.filter(|(_, page)| page["type"] == "zoo::Animal") {
            let number = page["content"]["number"].as_u64().ok_or("no animal")?;
            let lives = page["lives"].as_str().ok_or("no word")?;
            let path = &page["path"];
            let steps = path.as_array().ok_or("no path")?;
            let weak = steps.iter().filter(|it| it["weak"] == true);
            let weak = weak.count();
            let distance = self.distances.get(&number).copied();
            let is_right = match (lives, distance) {
                ("strongly", Some(distance)) => steps.len() as u64 == distance && weak == 0,
                ("weakly", None) => weak > 0,
                ("unreached", None) => steps.is_empty(),
                _ => false,
            };
            if !is_right {
                return Err(format!(
                    "animal {number} lives {lives} by {path}: {distance:?}"
                ));
            }
            if lives != "unreached" {
                let to = follow(path, &self.state, &|at| self.content(at))?;
                if to != *name {
                    return Err(format!("the path of {name} leads to {to}"));
                }
            }
            counts[match lives {
                "strongly" => 0,
                "weakly" => 1,
                _ => 2,
            }] += 1;
        }
        Ok(counts)
    }
}

/// All objects to which a value refers, in order.
fn all_referred(value: &Value, found: &mut Vec<ObjectName>) {
    found.extend(referred(value));
    match value {
        Value::Array(parts) => parts.iter().for_each(|it| all_referred(it, found)),
        Value::Object(parts) => parts.values().for_each(|it| all_referred(it, found)),
        _ => {}
    }
}

#[test]
fn paths_are_those_of_the_program() {
    let mut all = [0; 3];
    for seed in 1..=3 {
        let counts = Crowd::new(seed).check();
        let counts = counts.unwrap_or_else(|why| panic!("seed {seed}: {why}"));
        assert_eq!(counts.iter().sum::<u64>(), 300, "seed {seed}: {counts:?}");
        for (all, count) in all.iter_mut().zip(counts) {
            *all += count;
        }
    }
    assert!(all.iter().all(|count| *count > 5), "{all:?}");
}

/// A wrong path of one object is noticed.
#[test]
fn canary_a_wrong_path_is_noticed() {
    let mut crowd = Crowd::new(1);
    let is_far = |page: &Value| {
        let steps = page["path"].as_array().map_or(0, Vec::len);
        page["type"] == "zoo::Animal" && page["lives"] == "strongly" && steps > 2
    };
    let mut pages = crowd.objects.iter();
    let (name, right) = pages.find(|(_, page)| is_far(page)).expect("there is one");
    let (name, right) = (*name, right.clone());
    let wrong: [fn(&mut Value); 5] = [
        |page| page["lives"] = "weakly".into(),
        |page| page["path"][1]["field"] = ".friends[99]".into(),
        |page| page["path"][1]["number"] = 1.into(),
        |page| page["path"][2]["from"] = "0:0".into(),
        |page| {
            page["path"].as_array_mut().expect("it is a path").pop();
        },
    ];
    for wrong in wrong {
        let mut page = right.clone();
        wrong(&mut page);
        crowd.objects.insert(name, page);
        assert!(crowd.check().is_err(), "{}", crowd.objects[&name]);
    }
    crowd.objects.insert(name, right);
    crowd.check().expect("it is right");
    // A longer path than the program's.
    let number = crowd.objects[&name]["content"]["number"].as_u64();
    let distance = number.and_then(|number| crowd.distances.get_mut(&number));
    *distance.expect("it has one") -= 1;
    crowd.check().expect_err("it is not the shortest one");
}

/// What an image leaves to an earlier one is shown as what it has itself.
#[test]
fn unchanged_spans_are_read_from_earlier_images() {
    let (store, zoo) = (MemoryStore::default(), Zoo::new());
    zoo.crowd(3_000, 1);
    let journal = store.journal();
    zoo.snapshot(&journal);
    zoo.rename(1);
    zoo.snapshot(&journal);
    let other = MemoryStore::default();
    zoo.snapshot(&other.journal());
    let (later, whole) = (open(&store, 2), open(&other, 1));
    assert_eq!(later.header().needed, [1]);
    let heap = |file: &SnapshotFile| {
        let printed = printed(|out| show_heap(file, KEEPER, ShowForm::Json, out));
        let (text, verdict) = printed.expect("it can be printed");
        assert_eq!(verdict, Verdict::Good, "{text}");
        json(&text)
    };
    let (of_later, of_whole) = (heap(&later), heap(&whole));
    // The later one has the old name, too, in a record of the first one.
    assert_eq!(of_later["reached"], of_whole["reached"]);
    assert_eq!(of_later["weakly"], of_whole["weakly"]);
    assert_eq!(of_later["types"][1], of_whole["types"][1]);
    assert_eq!(of_later["spans"], of_whole["spans"]);
    assert_eq!(of_whole["unchanged_spans"], 0);
    let unchanged = of_later["unchanged_spans"].as_u64();
    assert!(unchanged.is_some_and(|spans| spans > 50), "{unchanged:?}");
    let form = ShowForm::Text(Cut::Short);
    let text = printed(|out| show_heap(&later, KEEPER, form, out));
    expect("zoo_unchanged", text, Verdict::Good);
    let largest = &of_later["types"][1]["largest"];
    let largest = largest.as_str().expect("it is a text").parse();
    let largest = largest.expect("it is a name");
    assert_eq!(
        object(&later, largest, ShowForm::Json),
        object(&whole, largest, ShowForm::Json)
    );

    let selection = Selection {
        actor: Some(KEEPER.to_owned()),
        type_name: None,
    };
    let text = printed(|out| show(&later, &selection, form, out));
    let (text, _) = text.expect("it can be printed");
    let line = text.lines().find(|line| line.contains("heap: "));
    let spans = unchanged.unwrap_or(0);
    let line = line.expect("it is there");
    assert!(
        line.ends_with(&format!("and {spans} spans in earlier images")),
        "{line}"
    );
}
