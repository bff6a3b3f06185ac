//! Borrows of mutable values, and of parts of them.

use super::heap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use vivant_heap::{BorrowError, Gc, Heap, Mut, Mutator, Object, Ref, RefMut, Root};

type Number<'gc> = Gc<'gc, u64>;

#[derive(Object, Default)]
struct Page<'gc> {
    title: String,
    words: Vec<String>,
    number: Option<Number<'gc>>,
    notes: Mut<u64>,
}

struct Book;

impl Root for Book {
    type Of<'gc> = [Gc<'gc, Mut<Page<'gc>>>; 2];
}

fn page<'gc>(m: &Mutator<'gc>, title: &str) -> Gc<'gc, Mut<Page<'gc>>> {
    m.alloc(Mut::new(Page {
        title: title.to_owned(),
        words: vec!["one".to_owned(), "two".to_owned()],
        number: Some(m.alloc(7)),
        notes: Mut::new(1),
    }))
}

fn book() -> Heap<Book> {
    heap::<Book>(|m| [page(m, "first"), page(m, "last")])
}

/// Runs a test with young objects, and with old ones that were not written.
fn young_and_old(test: impl for<'gc> Fn(&Mutator<'gc>, [Gc<'gc, Mut<Page<'gc>>>; 2])) {
    for collections in 0..2 {
        let mut heap = book();
        (0..collections).for_each(|_| heap.collect());
        heap.turn(|m, pages| test(m, *pages));
        heap.verify().unwrap();
        heap.collect_young();
        heap.verify().unwrap();
    }
}

fn is_free<'gc>(m: &Mutator<'gc>, page: Gc<'gc, Mut<Page<'gc>>>) -> bool {
    page.try_borrow_mut(m).is_ok()
}

#[test]
fn a_borrow_of_a_part_is_one_of_the_whole() {
    young_and_old(|m, [page, _]| {
        let title: Ref<'_, str> = Ref::map(page.borrow(), |page| page.title.as_str());
        assert_eq!(
            (&*title, format!("{title} {title:?}").as_str()),
            ("first", "first \"first\"")
        );
        let again = Ref::clone(&title);
        drop(title);
        assert!(!is_free(m, page) && page.try_borrow().is_ok());
        drop(again);
        assert!(is_free(m, page));

        let mut words: RefMut<'_, [String]> =
            RefMut::map(page.borrow_mut(m), |page| &mut page.words[1..]);
        words[0].push('!');
        assert!(page.try_borrow().is_err());
        drop(words);
        assert_eq!(page.borrow().words, ["one", "two!"]);
        assert!(is_free(m, page));
    });
}

#[test]
fn filter_map_returns_the_whole_for_a_missing_part() {
    young_and_old(|m, [page, _]| {
        let word = |number| Ref::filter_map(page.borrow(), move |page| page.words.get(number));
        assert_eq!(*word(1).ok().unwrap(), "two");
        let Err(whole) = word(2) else {
            panic!("there are two words")
        };
        assert_eq!(whole.title, "first");
        assert!(!is_free(m, page));
        drop(whole);
        assert!(is_free(m, page));

        let word =
            |number| RefMut::filter_map(page.borrow_mut(m), move |page| page.words.get_mut(number));
        word(0).ok().unwrap().push('?');
        let Err(mut whole) = word(2) else {
            panic!("there are two words")
        };
        whole.title.push('?');
        drop(whole);
        assert_eq!(
            (
                page.borrow().title.as_str(),
                page.borrow().words[0].as_str()
            ),
            ("first?", "one?")
        );
        assert!(is_free(m, page));
    });
}

#[test]
fn two_borrowed_parts_end_separately() {
    young_and_old(|m, [page, other]| {
        let (title, words) =
            Ref::map_split(page.borrow(), |page| (page.title.as_str(), &page.words[..]));
        assert_eq!((&*title, words.len()), ("first", 2));
        drop(title);
        assert!(!is_free(m, page));
        drop(words);
        assert!(is_free(m, page));

        let parts = |page: &mut Page<'_>| -> (*mut String, *mut Vec<String>) {
            (&mut page.title, &mut page.words)
        };
        assert_ne!(
            parts(&mut page.borrow_mut(m)).0,
            parts(&mut other.borrow_mut(m)).0
        );
        let (mut title, words) = RefMut::map_split(page.borrow_mut(m), |page| {
            (&mut page.title, &mut page.words)
        });
        let (mut one, mut two) = RefMut::map_split(words, |words| {
            let (one, two) = words.split_at_mut(1);
            (&mut one[0], &mut two[0])
        });
        std::mem::swap(&mut *one, &mut *two);
        std::mem::swap(&mut *two, &mut *title);
        drop(one);
        assert!(page.try_borrow().is_err());
        drop(title);
        assert!(page.try_borrow().is_err());
        drop(two);
        assert_eq!(page.borrow().title, "one");
        assert_eq!(page.borrow().words, ["two", "first"]);
        assert!(is_free(m, page));
    });
}

#[test]
fn a_closure_that_panics_ends_the_borrow() {
    young_and_old(|m, [page, _]| {
        let read = AssertUnwindSafe(|| {
            Ref::map(page.borrow(), |_| -> &u64 { panic!("no part") }).to_string()
        });
        assert!(catch_unwind(read).is_err() && is_free(m, page));
        let write = AssertUnwindSafe(|| {
            RefMut::map_split(page.borrow_mut(m), |_| -> (&mut u64, &mut u64) {
                panic!("no parts")
            })
            .0
            .to_string()
        });
        assert!(catch_unwind(write).is_err() && is_free(m, page));
    });
}

#[test]
fn a_borrow_error_names_the_type_and_the_borrow() {
    young_and_old(|m, [page, _]| {
        // Compilers differ in how they print lifetimes.
        let says = |error: BorrowError| {
            let says = error.to_string().replace("all::types::borrows::", "");
            says.replace("<'_>", "")
        };
        let (one, two) = (page.borrow(), page.borrow());
        let error = page.try_borrow_mut(m).err().unwrap();
        assert_eq!(
            says(error),
            "cannot write this object, a `Page`: it is borrowed 2 times in this turn"
        );
        drop((one, two));
        let written = page.borrow_mut(m);
        let error = page.try_borrow().err().unwrap();
        let expected =
            "cannot read this object, a `Page`: it is borrowed mutably, further up in this turn";
        assert_eq!(says(error), expected);
        let panic = catch_unwind(AssertUnwindSafe(|| page.borrow().title.len())).unwrap_err();
        assert_eq!(*panic.downcast::<String>().unwrap(), error.to_string());
        drop(written);
        assert!(is_free(m, page));
    });
}

#[test]
fn values_are_exchanged_through_the_barrier() {
    for collections in 0..2 {
        let mut heap = book();
        (0..collections).for_each(|_| heap.collect());
        // The stored object is young, and survives.
        heap.turn(|m, [first, last]| {
            let number = Some(m.alloc(8));
            let was = first.replace(
                m,
                Page {
                    number,
                    ..Page::default()
                },
            );
            assert_eq!((was.title.as_str(), *was.number.unwrap()), ("first", 7));
            first.swap(m, *last);
            assert_eq!(first.borrow().title, "last");
        });
        heap.verify().unwrap();
        heap.collect_young();
        heap.turn(|m, [first, last]| {
            assert_eq!(*last.borrow().number.unwrap(), 8);
            assert_eq!(first.take(m).title, "last");
            assert_eq!(first.borrow().title, "");
            first.borrow_mut(m).number = Some(m.alloc(9));
            *first.borrow_mut(m).notes.get_mut() += 4;
        });
        heap.verify().unwrap();
        heap.collect();
        heap.turn(|m, [first, last]| {
            assert_eq!(*first.borrow().number.unwrap(), 9);
            assert_eq!(first.take(m).notes.into_inner(), 4);
            let same = catch_unwind(AssertUnwindSafe(|| last.swap(m, *last)));
            assert!(same.is_err() && is_free(m, *last));
        });
    }
}
