//! Collections in images that are written while turns change them.

use crate::image_of_heap::Image;
use crate::random_programs::with_seeds;
use fastrand::Rng;
use std::sync::Arc;
use vivant_codec::{Saved, from_bytes, to_bytes};
use vivant_collections::gc;
use vivant_heap::{
    Gc, Heap, Mut, Mutator, Object, Pacing, PageSource, Root, SpanRecord, Stress, When,
};

/// Each kind of collection.
#[derive(Object, Saved)]
struct Store<'gc> {
    numbers: gc::Vec<'gc, u64>,
    boxes: gc::Vec<'gc, Gc<'gc, Mut<u64>>>,
    queue: gc::VecDeque<'gc, u32>,
    text: gc::String<'gc>,
    map: gc::HashMap<'gc, String, Gc<'gc, Mut<u64>>>,
    set: gc::HashSet<'gc, u64>,
    ordered: gc::BTreeMap<'gc, u64, String>,
    rows: gc::Vec<'gc, gc::Vec<'gc, u64>>,
    weak: gc::WeakMap<'gc, u64, Mut<u64>>,
    tree: Option<Gc<'gc, Tree<'gc>>>,
}

/// What never changes, with others below it.
#[derive(Object, Saved)]
struct Tree<'gc> {
    number: u64,
    below: gc::Vec<'gc, Gc<'gc, Tree<'gc>>>,
}

struct Stores;

impl Root for Stores {
    type Of<'gc> = Gc<'gc, Mut<Store<'gc>>>;
}

/// A store as plain values. The map is in its order.
#[derive(PartialEq, Debug)]
struct Plain {
    numbers: Vec<u64>,
    boxes: Vec<u64>,
    queue: Vec<u32>,
    text: String,
    map: Vec<(String, u64)>,
    set: Vec<u64>,
    ordered: Vec<(u64, String)>,
    rows: Vec<Vec<u64>>,
    /// Those with values that other references lead to.
    weak: Vec<(u64, u64)>,
    tree: Vec<u64>,
}

impl Plain {
    fn of<'gc>(m: &Mutator<'gc>, store: &Store<'gc>) -> Plain {
        let mut tree = Vec::new();
        let mut open: Vec<_> = store.tree.into_iter().collect();
        while let Some(next) = open.pop() {
            tree.push(next.number);
            open.extend(next.below.iter().copied());
        }
        Plain {
            numbers: store.numbers.iter().copied().collect(),
            boxes: store.boxes.iter().map(|it| it.get()).collect(),
            queue: store.queue.iter().copied().collect(),
            text: store.text.to_string(),
            map: store
                .map
                .iter()
                .map(|(key, it)| (key.clone(), it.get()))
                .collect(),
            set: store.set.iter().copied().collect(),
            ordered: store
                .ordered
                .iter()
                .map(|(key, it)| (*key, it.clone()))
                .collect(),
            rows: store
                .rows
                .iter()
                .map(|row| row.iter().copied().collect())
                .collect(),
            weak: store
                .weak
                .iter(m)
                .filter(|(_, value)| store.boxes.iter().any(|one| Gc::ptr_eq(*one, *value)))
                .map(|(key, value)| (*key, value.get()))
                .collect(),
            tree,
        }
    }
}

fn store(source: &Arc<PageSource>, pacing: Pacing) -> Heap<Stores> {
    Heap::new(source, pacing, |m| {
        m.alloc(Mut::new(Store {
            numbers: gc::Vec::new(),
            boxes: gc::Vec::new(),
            queue: gc::VecDeque::new(),
            text: gc::String::new(),
            map: gc::HashMap::new(),
            set: gc::HashSet::new(),
            ordered: gc::BTreeMap::new(),
            rows: gc::Vec::new(),
            weak: gc::WeakMap::new(),
            tree: None,
        }))
    })
}

/// Changes each collection a little.
fn change<'gc>(m: &Mutator<'gc>, state: &Gc<'gc, Mut<Store<'gc>>>, random: &mut Rng) {
    let mut store = state.borrow_mut(m);
    let store = &mut *store;
    for _ in 0..random.usize(..40) {
        let number = random.u64(..5_000);
        match random.u8(..20) {
            0..3 => store.numbers.push(m, number),
            3 => drop(store.numbers.pop(m)),
            4..6 => store.boxes.push(m, m.alloc(Mut::new(number))),
            6 => {
                let at = random.usize(..store.boxes.len().max(1));
                if let Some(one) = store.boxes.get(at) {
                    one.set(m, number);
                    store.weak.insert(m, number, *one);
                }
            }
            7 => store.queue.push_back(m, number as u32),
            8 => store.queue.push_front(m, number as u32),
            9 => drop(store.queue.pop_front(m)),
            10 => store
                .text
                .push_str(m, &"täxt ".repeat(number as usize % 50)),
            11..14 => {
                let one = m.alloc(Mut::new(number));
                store.map.insert(m, number.to_string(), one);
            }
            14 => drop(store.map.remove(m, &number.to_string())),
            15 => drop(store.set.insert(m, number)),
            16 => drop(store.ordered.insert(m, number, number.to_string())),
            17 => drop(store.ordered.remove(m, &number)),
            18 => {
                let row = gc::Vec::from_iter(m, 0..number % 400);
                store.rows.push(m, row);
            }
            _ => {
                let below = gc::Vec::from_iter(m, store.tree);
                store.tree = Some(m.alloc(Tree { number, below }));
            }
        }
    }
    if random.u8(..60) == 0 {
        store.rows.clear();
        store.text.clear();
    }
}

fn program(seed: u64) {
    let mut random = Rng::with_seed(seed);
    let source = Arc::new(PageSource::new());
    let when = random.choice([When::Paced, When::Young, When::All, When::Chance]);
    let pacing = Pacing::new().stressed(Stress::new(when.expect("one of four"), seed));
    let mut heap = store(&source, pacing);
    for _ in 0..if cfg!(miri) { 1 } else { 6 } {
        for _ in 0..random.usize(1..if cfg!(miri) { 4 } else { 60 }) {
            heap.turn(|m, state| change(m, state, &mut random));
            heap.pace();
        }
        let expected = heap.turn(|m, state| Plain::of(m, &state.borrow()));
        let image = Image::begin(&mut heap);
        // The oracle of a heap under stress compares all that is written with what was there.
        while heap.is_imaging() {
            heap.turn(|m, state| change(m, state, &mut random));
            heap.pace();
        }
        let restored = image.restored::<Stores>(image.spans(), &image.state, &source, pacing);
        let mut restored = restored.expect("it is restored");
        let found = restored.turn(|m, state| Plain::of(m, &state.borrow()));
        assert_eq!(found, expected);
        // It goes on as the first one would have gone on.
        for _ in 0..5 {
            restored.turn(|m, state| change(m, state, &mut random));
            restored.pace();
        }
        restored.collect();
        if random.bool() {
            heap = restored;
        }
    }
    drop(heap);
    assert_eq!(source.stats().pages, 0);
}

#[test]
fn seeded_collections_are_restored_as_they_were() {
    with_seeds(program);
}

/// Larger collections than random programs have: several levels of each tree.
#[test]
fn large_collections_are_restored() {
    const MANY: u64 = if cfg!(miri) { 300 } else { 40_000 };
    let source = Arc::new(PageSource::new());
    let mut heap = store(&source, Pacing::new());
    heap.turn(|m, state| {
        let mut store = state.borrow_mut(m);
        for number in 0..MANY {
            store.numbers.push(m, number);
            store.queue.push_front(m, number as u32);
            store.text.push_str(m, "ein Satz. ");
            let one = m.alloc(Mut::new(number));
            store.map.insert(m, number.to_string(), one);
            store.set.insert(m, number * 7);
            store
                .ordered
                .insert(m, number * 31 % MANY, number.to_string());
            let below = gc::Vec::from_iter(m, store.tree);
            store.tree = Some(m.alloc(Tree { number, below }));
        }
    });
    let expected = heap.turn(|m, state| Plain::of(m, &state.borrow()));
    let image = Image::begin(&mut heap);
    heap.finish_image();
    let restored = image.restored::<Stores>(image.spans(), &image.state, &source, Pacing::new());
    let mut restored = restored.expect("it is restored");
    let found = restored.turn(|m, state| Plain::of(m, &state.borrow()));
    assert!(found == expected, "another store");
    restored.turn(|m, state| {
        let store = state.borrow();
        assert_eq!(store.map.get("7").map(|it| it.get()), Some(7));
        assert_eq!(store.ordered.len() as u64, MANY);
        drop(store);
        state.borrow_mut(m).map.clear();
    });
}

/// Whatever an image says, a restore ends with an error or with collections that can be used.
#[test]
fn seeded_changed_bytes_are_an_error_or_a_store() {
    let source = Arc::new(PageSource::new());
    let mut heap = store(&source, Pacing::new());
    let mut random = Rng::with_seed(3);
    for _ in 0..60 {
        heap.turn(|m, state| change(m, state, &mut random));
        heap.pace();
    }
    let image = Image::begin(&mut heap);
    heap.finish_image();
    let spans: Vec<Vec<u8>> = image
        .spans()
        .iter()
        .map(|it| to_bytes(it).expect("a span"))
        .collect();
    let (mut restored, mut refused) = (0, 0);
    for _ in 0..if cfg!(miri) { 5 } else { 1_500 } {
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
        match image.restored::<Stores>(decoded, &image.state, &source, Pacing::new()) {
            Err(_) => refused += 1,
            Ok(mut heap) => {
                restored += 1;
                let _plain = heap.turn(|m, state| Plain::of(m, &state.borrow()));
                heap.turn(|m, state| change(m, state, &mut random));
                heap.collect();
                heap.turn(|m, state| change(m, state, &mut random));
            }
        }
    }
    drop(heap);
    if !cfg!(miri) {
        assert!(restored > 20 && refused > 200, "{restored} and {refused}");
    }
    assert_eq!(source.stats().pages, 0);
}
