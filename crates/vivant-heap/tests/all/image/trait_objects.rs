//! References to trait objects in images.

use super::saved::SavedHeap;
use std::sync::Arc;
use vivant_codec::{Encoder, Saved};
use vivant_heap::*;

trait Figure {
    fn area(&self) -> u64;
}
collected!(dyn Figure);
saved!('gc => dyn Figure = Square, Group<'gc>, After<'gc>);

#[derive(Object, Saved)]
#[saved(name = "drawing::Square")]
struct Square(u64);

#[derive(Object, Saved)]
#[saved(name = "drawing::Members")]
struct Members<'gc> {
    list: Vec<Gc<'gc, dyn Figure>>,
    around: Option<Weak<'gc, dyn Figure>>,
}

#[derive(Object, Saved)]
#[saved(name = "drawing::Group")]
struct Group<'gc>(Gc<'gc, Mut<Members<'gc>>>);

/// Never changes, and refers to what never changes.
#[derive(Object, Saved)]
#[saved(name = "drawing::After")]
struct After<'gc> {
    before: Option<Gc<'gc, dyn Figure>>,
}

/// No list has it.
#[derive(Object)]
struct Unlisted;

impl Figure for Square {
    fn area(&self) -> u64 {
        self.0 * self.0
    }
}

impl Figure for Group<'_> {
    fn area(&self) -> u64 {
        let group = self.0.borrow();
        group.list.iter().map(|member| member.area()).sum()
    }
}

impl Figure for After<'_> {
    fn area(&self) -> u64 {
        1 + self.before.map_or(0, |before| before.area().min(1))
    }
}

impl Figure for Unlisted {
    fn area(&self) -> u64 {
        0
    }
}

#[derive(Object, Saved)]
#[saved(name = "Drawing")]
struct Drawing<'gc> {
    figures: Vec<Gc<'gc, dyn Figure>>,
    square: Option<Gc<'gc, Square>>,
    watched: Vec<Weak<'gc, dyn Figure>>,
}

root!(Drawings = Drawing<'gc>);

fn drawing(source: &Arc<PageSource>) -> Heap<Drawings> {
    Heap::new(source, Pacing::new(), |m| {
        let square = m.alloc(Square(3));
        let figure = unsize!(square => dyn Figure);
        let group = |list| {
            let around = None;
            m.alloc(Group(m.alloc(Mut::new(Members { list, around }))))
        };
        let inner = group(vec![figure, figure]);
        let outside = unsize!(group(vec![unsize!(inner => dyn Figure)]) => dyn Figure);
        inner.0.borrow_mut(m).around = Some(Weak::new(m, outside));
        let mut after = m.alloc(After { before: None });
        for _ in 0..5 {
            let before = Some(unsize!(after => dyn Figure));
            after = m.alloc(After { before });
        }
        let dead = unsize!(m.alloc(Square(9)) => dyn Figure);
        Drawing {
            figures: vec![outside, figure, unsize!(after => dyn Figure)],
            square: Some(square),
            watched: vec![Weak::new(m, figure), Weak::new(m, dead)],
        }
    })
}

#[test]
fn trait_objects_are_restored() {
    let source = Arc::new(PageSource::new());
    let mut heap = drawing(&source);
    heap.collect();
    let saved = SavedHeap::of(&mut heap).expect("all is saved");
    let restored = saved.restored::<Drawings>(&source, Pacing::new());
    let mut restored = restored.expect("it is restored");
    restored.turn(|m, drawing| {
        let areas: Vec<u64> = drawing.figures.iter().map(|it| it.area()).collect();
        assert_eq!(areas, [18, 9, 2]);
        let square = Gc::downcast::<Square>(drawing.figures[1]).expect("a square");
        assert!(Gc::ptr_eq(square, drawing.square.expect("it is there")));
        let outer = Gc::downcast::<Group<'_>>(drawing.figures[0]).expect("a group");
        let group = Gc::downcast::<Group<'_>>(outer.0.borrow().list[0]).expect("one");
        let around = group.0.borrow().around.expect("it has one").upgrade(m);
        assert_eq!(around.expect("it lives").area(), 18);
        assert_eq!(drawing.watched[0].upgrade(m).expect("it lives").area(), 9);
        assert!(drawing.watched[1].is_cleared());
    });
    let again = SavedHeap::of(&mut restored).expect("all is saved");
    assert_eq!(again, saved);
}

#[test]
fn a_type_that_no_list_has_is_an_error() {
    let source = Arc::new(PageSource::new());
    let mut heap = drawing(&source);
    heap.turn(|m, drawing| {
        let group = Gc::downcast::<Group<'_>>(drawing.figures[0]).expect("a group");
        let unlisted = unsize!(m.alloc(Unlisted) => dyn Figure);
        group.0.borrow_mut(m).list.push(unlisted);
    });
    let error = SavedHeap::of(&mut heap).expect_err("it is not listed");
    let error = error.to_string();
    assert!(
        error.contains("`saved!(dyn Figure)` does not list"),
        "{error}"
    );
    heap.turn(|_, drawing| {
        let mut out = Encoder::new();
        drawing.figures[0].save(&mut out);
        out.finish().expect("a group is listed");
    });
}

/// The same trait in a later program: its types are listed in another order, and one is new. The
/// trait is written in another way, where names of the standard library mean other things.
mod later {
    use super::{Gc, Mut, Object, Saved, Weak, collected, saved};

    type Result<T> = std::result::Result<T, ()>;

    pub(super) trait Figure {
        fn area(&self) -> u64;
    }
    collected!(dyn Figure);
    saved!('gc => dyn self::Figure = After<'gc>, Circle, Group<'gc>, Square);

    #[derive(Object, Saved)]
    #[saved(name = "drawing::Circle")]
    pub(super) struct Circle(u64);

    #[derive(Object, Saved)]
    #[saved(name = "drawing::Square")]
    pub(super) struct Square(u64);

    #[derive(Object, Saved)]
    #[saved(name = "drawing::Members")]
    pub(super) struct Members<'gc> {
        list: Vec<Gc<'gc, dyn Figure>>,
        around: Option<Weak<'gc, dyn Figure>>,
    }

    #[derive(Object, Saved)]
    #[saved(name = "drawing::Group")]
    pub(super) struct Group<'gc>(Gc<'gc, Mut<Members<'gc>>>);

    #[derive(Object, Saved)]
    #[saved(name = "drawing::After")]
    pub(super) struct After<'gc> {
        before: Option<Gc<'gc, dyn Figure>>,
    }

    impl Figure for Circle {
        fn area(&self) -> u64 {
            let area: Result<u64> = self.0.checked_mul(3 * self.0).ok_or(());
            area.unwrap_or(u64::MAX)
        }
    }

    impl Figure for Square {
        fn area(&self) -> u64 {
            self.0 * self.0
        }
    }

    impl Figure for Group<'_> {
        fn area(&self) -> u64 {
            let group = self.0.borrow();
            assert!(group.around.is_none() || group.list.len() == 2);
            group.list.iter().map(|member| member.area()).sum()
        }
    }

    impl Figure for After<'_> {
        fn area(&self) -> u64 {
            1 + self.before.map_or(0, |before| before.area().min(1))
        }
    }

    #[derive(Object, Saved)]
    #[saved(name = "Drawing")]
    pub(super) struct Drawing<'gc> {
        pub(super) figures: Vec<Gc<'gc, dyn Figure>>,
        pub(super) square: Option<Gc<'gc, Square>>,
        watched: Vec<Weak<'gc, dyn Figure>>,
    }

    root!(pub(super) Drawings = Drawing<'gc>);
}

#[test]
fn a_list_in_another_order_reads_the_same_file() {
    let source = Arc::new(PageSource::new());
    let mut heap = drawing(&source);
    let saved = SavedHeap::of(&mut heap).expect("all is saved");
    let restored = saved.restored::<later::Drawings>(&source, Pacing::new());
    let mut restored = restored.expect("it is restored");
    restored.turn(|_, drawing| {
        let areas: Vec<u64> = drawing.figures.iter().map(|it| it.area()).collect();
        assert_eq!(areas, [18, 9, 2]);
        assert!(drawing.square.is_some());
    });
}
