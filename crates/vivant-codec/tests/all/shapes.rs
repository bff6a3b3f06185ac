//! Tables of shapes: equal shapes once, in an order that the program decides, and hostile tables.

use vivant_codec::{Comparison, LoadErrorKind, Saved, Shapes, from_bytes, load_stored, to_bytes};

#[derive(Saved)]
#[saved(name = "Pair")]
struct Pair<A, B> {
    a: A,
    b: Vec<B>,
}

#[derive(Saved)]
#[saved(name = "Tree")]
enum Tree {
    Leaf,
    Node(Box<Tree>, Box<Tree>),
}

/// The same shape by another type: it is one entry.
#[derive(Saved)]
#[saved(name = "Tree")]
enum SameTree {
    Leaf,
    Node(Box<Tree>, Box<SameTree>),
}

#[test]
fn a_table_byte_by_byte() {
    let mut shapes = Shapes::default();
    let id = shapes.add(Tree::SHAPE).unwrap();
    assert_eq!(shapes.name(id), Some(("Tree", 0)));
    let tree = b"\x04Tree\x00\x07\x02\x04Leaf\x00\x04Node\x02\x010\x00\x011\x00";
    assert_eq!(
        to_bytes(&shapes).unwrap(),
        [b"\x01\x01", &tree[..]].concat()
    );
}

#[test]
fn equal_shapes_are_one_entry() {
    let mut shapes = Shapes::default();
    let tree = shapes.add(Tree::SHAPE).unwrap();
    assert_eq!(shapes.add(SameTree::SHAPE).unwrap(), tree);
    assert_eq!(shapes.add(Box::<Tree>::SHAPE).unwrap(), tree);
    assert_eq!(shapes.len(), 1);
    let numbers = shapes.add(<Vec<u64>>::SHAPE).unwrap();
    assert_eq!(
        shapes
            .add(<std::collections::VecDeque<usize>>::SHAPE)
            .unwrap(),
        numbers
    );
    assert_eq!(shapes.len(), 3);
}

/// A part of a cycle, added before and after what leads to it.
#[derive(Saved)]
#[saved(name = "Forest")]
struct Forest<T> {
    trees: Vec<T>,
    count: u64,
}

#[test]
fn what_leads_to_a_cycle_is_one_entry_too() {
    let ids = |add: &[&'static vivant_codec::Shape]| {
        let mut shapes = Shapes::default();
        let ids: Vec<_> = add.iter().map(|shape| shapes.add(shape).unwrap()).collect();
        (ids, shapes.len())
    };
    let (forest, same) = (<Forest<Tree>>::SHAPE, <Forest<Box<SameTree>>>::SHAPE);
    // The tree, the sequence, `u64` and the forest.
    for add in [[Tree::SHAPE, forest, same], [same, SameTree::SHAPE, forest]] {
        let (ids, count) = ids(&add);
        assert_eq!(count, 4);
        assert_eq!(
            ids.iter().collect::<std::collections::BTreeSet<_>>().len(),
            2
        );
    }
}

#[test]
fn type_parameters_are_told_apart_by_shapes() {
    let mut shapes = Shapes::default();
    let one = shapes.add(<Pair<u8, u16>>::SHAPE).unwrap();
    let other = shapes.add(<Pair<u16, u16>>::SHAPE).unwrap();
    assert_ne!(one, other);
    assert_eq!(shapes.add(<Pair<u8, u16>>::SHAPE).unwrap(), one);
    assert_eq!(shapes.name(one), shapes.name(other));
}

/// Whatever was added first, equal tables have equal bytes, and are what was saved.
#[test]
fn the_order_of_adding_decides_the_table() {
    let table = || {
        let mut shapes = Shapes::default();
        shapes.add(<Pair<Tree, Option<char>>>::SHAPE).unwrap();
        shapes.add(<Pair<SameTree, Option<char>>>::SHAPE).unwrap();
        shapes
    };
    assert_eq!(to_bytes(&table()).unwrap(), to_bytes(&table()).unwrap());
    let mut loaded: Shapes = from_bytes(&to_bytes(&table()).unwrap()).unwrap();
    assert_eq!(loaded, table());
    // A loaded table goes on where it ended.
    let before = loaded.len();
    loaded.add(Tree::SHAPE).unwrap();
    loaded.add(<Option<char>>::SHAPE).unwrap();
    assert_eq!(loaded.len(), before);
}

#[test]
fn hostile_tables_are_typed_errors() {
    let wrong = |bytes: &[u8]| from_bytes::<Shapes>(bytes).unwrap_err();
    assert!(wrong(&[2, 0]).to_string().contains("format 2"));
    // A sequence of shape 1, which is not there.
    assert_eq!(
        wrong(&[1, 1, 0, 0, 2, 1]).kind(),
        &LoadErrorKind::NoShape(1)
    );
    assert!(
        wrong(&[1, 1, 0, 0, 0, 15])
            .to_string()
            .contains("no primitive kind 15")
    );
    let many = [&[1][..], &to_bytes(&u64::MAX).unwrap()].concat();
    assert!(matches!(wrong(&many).kind(), LoadErrorKind::TooLong { .. }));
    let shapes = vec![(String::new(), 0_u32, 8_u8); vivant_codec::SHAPES_MAX + 1];
    let many = [vec![1], to_bytes(&shapes).unwrap()].concat();
    assert_eq!(wrong(&many).kind(), &LoadErrorKind::TooManyShapes);
}

/// A structure that contains itself, and a chain in which each contains the next one twice: without
/// a byte, and without an end.
#[test]
fn bombs_are_errors() {
    // { self: shape 0 }
    let endless: Shapes = from_bytes(&[1, 1, 1, b'S', 0, 6, 1, 1, b'f', 0]).unwrap();
    let mut doubling = vec![1, 64];
    for i in 1..=64_u8 {
        doubling.extend([1, b'D', 0, 6]);
        match i {
            64 => doubling.push(0),
            _ => doubling.extend([2, 1, b'a', i, 1, b'b', i]),
        }
    }
    let doubling: Shapes = from_bytes(&doubling).unwrap();
    for (shapes, kind) in [
        (endless, LoadErrorKind::TooDeep),
        (doubling, LoadErrorKind::TooManySteps),
    ] {
        let id = from_bytes(&[0]).unwrap();
        let error = vivant_codec::show(&shapes, id, &[], 1000, &mut String::new()).unwrap_err();
        assert_eq!(error.kind(), &kind);
        // As a gone field of a type of the program.
        #[derive(Saved, Debug)]
        #[saved(name = "S", was = "D")]
        struct Gone {}
        let error = load_stored::<Gone>(&[], &Comparison::new(&shapes), id).unwrap_err();
        assert_eq!(error.kind(), &kind);
    }
}

#[test]
fn a_number_outside_of_the_table_is_an_error() {
    let shapes = Shapes::default();
    let id = from_bytes(&[5]).unwrap();
    let error = load_stored::<u8>(&[0], &Comparison::new(&shapes), id).unwrap_err();
    assert_eq!(error.kind(), &LoadErrorKind::NoShape(5));
    let error = vivant_codec::show(&shapes, id, &[0], 10, &mut String::new()).unwrap_err();
    assert_eq!(error.kind(), &LoadErrorKind::NoShape(5));
    assert_eq!(shapes.name(id), None);
}
