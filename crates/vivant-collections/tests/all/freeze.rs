//! Collections in a graph that is frozen: read in place, by many threads.

use std::sync::Arc;
use std::thread;
use vivant_collections::{gc, val};
use vivant_heap::{Freeze, Gc, Heap, Ice, Iso, Mut, Object, Pacing, PageSource, Stress, Val, When};

fn stressed(when: When) -> Pacing {
    match cfg!(miri) {
        // An interpreter takes minutes under stress.
        true => Pacing::new().nursery(1024).first(8192),
        false => Pacing::new().stressed(Stress::new(when, 3)),
    }
}

/// Each collection of the heap.
#[derive(Object, Freeze)]
struct Collections<'gc> {
    row: gc::Vec<'gc, Gc<'gc, Mut<u64>>>,
    queue: gc::VecDeque<'gc, u64>,
    by_name: gc::HashMap<'gc, String, Gc<'gc, Mut<u64>>>,
    names: gc::HashSet<'gc, String>,
    levels: gc::BTreeMap<'gc, u64, Vec<Gc<'gc, u64>>>,
    text: gc::String<'gc>,
}

#[test]
fn threads_read_frozen_collections_in_place() {
    root!(Any = Option<Val<'gc, Ice<Collections<'gc>>>>);
    let source = Arc::new(PageSource::new());
    let many = if cfg!(miri) { 30 } else { 1000 };
    let mut iso = Iso::<Collections<'static>>::paced(&source, stressed(When::Young), |r| {
        let mut whole = Collections {
            row: gc::Vec::new(),
            queue: gc::VecDeque::new(),
            by_name: gc::HashMap::new(),
            names: gc::HashSet::new(),
            levels: gc::BTreeMap::new(),
            text: gc::String::new(),
        };
        for number in 0..many {
            let counted = r.alloc(Mut::new(number));
            whole.row.push(r, counted);
            whole.queue.push_front(r, number);
            whole.by_name.insert(r, number.to_string(), counted);
            whole.names.insert(r, number.to_string());
            whole.levels.insert(r, number, vec![r.alloc(number)]);
            whole.text.push_str(r, &number.to_string());
        }
        whole
    });
    iso.collect();
    // Old chunks that are written, and not scanned since.
    iso.open(|r, whole| {
        whole.row.push(r, r.alloc(Mut::new(many)));
        whole.levels.get_mut(r, &7).unwrap().push(r.alloc(8));
        whole.by_name.remove(r, "9");
    });
    let heap = || Heap::<Any>::new(&source, stressed(When::Paced), |_| None);
    let mut a = heap();
    let parcel = a.turn(|m, _| m.pack::<Val<'static, Ice<Collections<'static>>>>(iso.freeze(m)));
    let readers: Vec<_> = (0..2)
        .map(|_| {
            let (mut b, parcel) = (heap(), parcel.clone());
            thread::spawn(move || {
                b.turn(|m, whole| *whole = Some(m.unpack(parcel)));
                b.turn(|_, whole| {
                    let whole = whole.unwrap().read();
                    let row: Vec<u64> = whole.row.iter().map(|it| it.read()).collect();
                    assert!(row.iter().copied().eq(0..=many) && whole.row.len() == row.len());
                    assert_eq!(whole.row.get(5).unwrap().read(), 5);
                    assert!(whole.queue.iter().copied().eq((0..many).rev()));
                    assert_eq!(whole.by_name.get("8").unwrap().read(), 8);
                    assert!(whole.by_name.get("9").is_none());
                    let sum: u64 = whole.by_name.iter().map(|(_, it)| it.read()).sum();
                    assert_eq!(sum, many * (many - 1) / 2 - 9);
                    assert!(
                        whole.names.contains("9") && whole.names.iter().count() == row.len() - 1
                    );
                    let seven = whole.levels.get(&7).unwrap().read();
                    assert_eq!((*seven[0], *seven[1]), (7, 8));
                    let range: Vec<u64> = whole.levels.range(5..8).map(|(key, _)| *key).collect();
                    assert_eq!(range, [5, 6, 7]);
                    assert_eq!(*whole.levels.iter().next_back().unwrap().0, many - 1);
                    assert!(whole.text.to_string().starts_with("0123456789101112"));
                });
            })
        })
        .collect();
    drop(parcel);
    a.collect();
    a.sweep();
    readers.into_iter().for_each(|it| it.join().unwrap());
    a.collect();
    a.sweep();
    assert_eq!(a.stats().live, 0);
}

/// A version in a graph: frozen as it is.
#[derive(Object, Freeze)]
struct Issue<'gc> {
    number: Gc<'gc, Mut<u64>>,
    version: val::Vec<'gc, u64>,
}

#[test]
fn frozen_versions_are_read_unchanged() {
    root!(Any = Option<Val<'gc, Ice<Issue<'gc>>>>);
    let source = Arc::new(PageSource::new());
    let mut a = Heap::<Any>::new(&source, stressed(When::All), |_| None);
    let iso = a.turn(|m, _| {
        m.iso::<Issue<'static>>(|r| Issue {
            number: r.alloc(Mut::new(13)),
            version: val::Vec::from_iter(r, [14]),
        })
    });
    a.turn(|m, root| *root = Some(iso.freeze(m)));
    let read = |a: &mut Heap<Any>| {
        a.turn(|_, root| {
            let issue = root.unwrap().read();
            assert_eq!(issue.number.read(), 13);
            assert_eq!(issue.version.get(0), Some(&14));
        });
    };
    a.pace();
    read(&mut a);
    a.collect();
    read(&mut a);
}
