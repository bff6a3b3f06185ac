//! Types of every form, each with a reference that must be traced.

use super::{heap, through_collections};
use std::any::TypeId;
use std::collections::{BTreeMap, HashMap};
use std::marker::PhantomData;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use vivant_heap::{Gc, Mut, Object};

type Number<'gc> = Gc<'gc, Mut<u64>>;

#[derive(Object)]
struct Named<'gc, T> {
    first: Number<'gc>,
    generic: T,
    #[object(leaf)]
    home: Option<std::net::IpAddr>,
    map: HashMap<String, Number<'gc>>,
    sorted: BTreeMap<u8, Vec<Number<'gc>>>,
    kind: PhantomData<T>,
}

#[derive(Object)]
struct Tuple<'heap, const N: usize>([Number<'heap>; N], u8, Box<Number<'heap>>);

#[derive(Object)]
struct Unit;

#[derive(Object)]
enum Choice<'gc, A, B: Clone> {
    Nothing,
    One(Number<'gc>),
    Both {
        left: A,
        right: B,
    },
    #[allow(dead_code, reason = "one more form")]
    Shown(#[object(leaf)] std::fmt::Error),
}

/// Without a brand of its own.
#[derive(Object)]
struct Pair<A, B>(A, B);

#[derive(Object)]
enum Never {}

#[derive(Object)]
#[object(leaf)]
struct Counting(Arc<AtomicUsize>);

impl Drop for Counting {
    fn drop(&mut self) {
        self.0.fetch_add(1, Ordering::Relaxed);
    }
}

/// Another name for the crate.
mod renamed {
    pub(super) mod elsewhere {
        pub(crate) use vivant_heap::*;
    }

    #[derive(vivant_heap::Object)]
    #[object(crate = self::elsewhere)]
    pub(super) struct There<'gc>(pub(super) super::Number<'gc>);
}

#[derive(Object)]
struct State<'gc> {
    named: Gc<'gc, Named<'gc, Option<Number<'gc>>>>,
    tuple: Tuple<'gc, 2>,
    choices: Vec<Choice<'gc, Pair<Number<'gc>, Unit>, (Number<'gc>, u8)>>,
    there: renamed::There<'gc>,
    never: Option<Never>,
    counting: Gc<'gc, Counting>,
}

root!(All = State<'gc>);

#[test]
fn every_field_is_traced() {
    let ended = Arc::new(AtomicUsize::new(0));
    let mut heap = heap::<All>(|m| {
        let number = |n: u64| m.alloc(Mut::new(n));
        State {
            named: m.alloc(Named {
                first: number(0),
                generic: Some(number(1)),
                home: None,
                map: HashMap::from([("two".to_owned(), number(2))]),
                sorted: BTreeMap::from([(3, vec![number(3), number(4)])]),
                kind: PhantomData,
            }),
            tuple: Tuple([number(5), number(6)], 0, Box::new(number(7))),
            choices: vec![
                Choice::Nothing,
                Choice::One(number(8)),
                Choice::Both {
                    left: Pair(number(9), Unit),
                    right: (number(10), 0),
                },
            ],
            there: renamed::There(number(11)),
            never: None,
            counting: m.alloc(Counting(ended.clone())),
        }
    });
    through_collections(&mut heap, |_, state| {
        let named = Gc::as_ref(state.named);
        assert!(named.home.is_none() && state.never.is_none() && state.tuple.1 == 0);
        let mut found = vec![named.first, named.generic.unwrap(), named.map["two"]];
        found.extend(&named.sorted[&3]);
        found.extend(state.tuple.0);
        found.push(*state.tuple.2);
        for choice in &state.choices {
            match choice {
                Choice::Nothing | Choice::Shown(_) => {}
                Choice::One(number) => found.push(*number),
                Choice::Both { left, right } => found.extend([left.0, right.0]),
            }
        }
        found.push(state.there.0);
        let found: Vec<u64> = found.iter().map(GetNumber::get_number).collect();
        assert_eq!(found, Vec::from_iter(0..12));
        assert_eq!(state.counting.0.load(Ordering::Relaxed), 0);
    });
    drop(heap);
    assert_eq!(ended.load(Ordering::Relaxed), 1);
}

trait GetNumber {
    fn get_number(&self) -> u64;
}

impl GetNumber for Number<'_> {
    fn get_number(&self) -> u64 {
        self.get()
    }
}

#[test]
fn types_without_references_need_no_trace() {
    fn needs<'gc, T: Object<'gc>>(_: &'gc ()) -> bool {
        T::NEEDS_TRACE
    }
    let brand = ();
    assert!(needs::<Named<'_, u8>>(&brand));
    assert!(needs::<Tuple<'_, 0>>(&brand));
    assert!(needs::<Pair<Number<'_>, u8>>(&brand));
    assert!(!needs::<Pair<Unit, u8>>(&brand));
    assert!(!needs::<Counting>(&brand));
    assert!(!needs::<HashMap<u8, String>>(&brand));
    assert!(!needs::<Never>(&brand));
}

#[test]
fn erased_forms_are_static() {
    fn erased<'gc, T: Object<'gc>>(_: &'gc ()) -> TypeId {
        TypeId::of::<T::Static>()
    }
    let brand = ();
    assert_eq!(
        erased::<Named<'_, Pair<Number<'_>, u8>>>(&brand),
        TypeId::of::<Named<'static, Pair<Number<'static>, u8>>>()
    );
    assert_eq!(erased::<Counting>(&brand), TypeId::of::<Counting>());
    assert_ne!(
        erased::<Pair<u8, u16>>(&brand),
        erased::<Pair<u16, u8>>(&brand)
    );
}

/// A traced type, so that collections visit its `Mut`.
type Counted<'gc> = (u64, Option<Number<'gc>>);

// An old `Mut` becomes a young object while its flag says that it is old.
root!(Inside = (Gc<'gc, Mut<Option<Mut<Counted<'gc>>>>>, Option<Gc<'gc, Mut<Counted<'gc>>>>));

#[test]
fn a_cell_out_of_an_old_object_is_young() {
    let mut heap = heap::<Inside>(|m| (m.alloc(Mut::new(Some(Mut::new((1, None))))), None));
    heap.collect();
    heap.turn(|m, (outer, number)| {
        let inner = outer.borrow_mut(m).take().unwrap();
        let new = m.alloc(inner);
        new.borrow_mut(m).0 = 2;
        *number = Some(new);
    });
    for round in 2..6 {
        heap.collect_young();
        heap.turn(|m, (_, number)| {
            let mut number = number.unwrap().borrow_mut(m);
            assert_eq!(number.0, round);
            number.0 += 1;
        });
    }
}
