//! The bytes in the README are those of the code.

use std::fmt::Debug;
use std::time::Duration;
use vivant_codec::{Saved, Shapes, from_bytes, to_bytes};

const README: &str = include_str!("../../README.md");

/// The rows of the first table behind this text, each cell with its texts in backticks.
fn rows(behind: &str) -> Vec<Vec<Vec<String>>> {
    let (_, text) = README.split_once(behind).unwrap();
    let lines = text.lines().skip_while(|line| !line.starts_with('|'));
    let rows = lines.take_while(|line| line.starts_with('|')).skip(2);
    let spans = |cell: &str| {
        cell.split('`')
            .skip(1)
            .step_by(2)
            .map(String::from)
            .collect()
    };
    rows.map(|row| row.trim_matches('|').split('|').map(spans).collect())
        .collect()
}

fn hex(bytes: &[u8]) -> String {
    let bytes: Vec<String> = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
    bytes.join(" ")
}

#[test]
fn test_vectors() {
    fn vector<T: for<'gc> Saved<'gc> + PartialEq + Debug>(
        text: &str,
        value: T,
    ) -> (String, String) {
        let bytes = to_bytes(&value).unwrap();
        assert_eq!(from_bytes::<T>(&bytes).unwrap(), value);
        (text.to_owned(), hex(&bytes))
    }
    let vectors = vec![
        vector("true", true),
        vector("200_u8", 200_u8),
        vector("-1_i8", -1_i8),
        vector("127_u16", 127_u16),
        vector("128_u16", 128_u16),
        vector("300_u32", 300_u32),
        vector("u64::MAX", u64::MAX),
        vector("-1_i32", -1_i32),
        vector("64_i32", 64_i32),
        vector("1.5_f32", 1.5_f32),
        vector("'ß'", 'ß'),
        vector("\"hi\"", "hi".to_owned()),
        vector("None::<u8>", None::<u8>),
        vector("Some(7_u8)", Some(7_u8)),
        vector("vec![1_u16, 300]", vec![1_u16, 300]),
        vector("[1_u16, 300]", [1_u16, 300]),
        vector("(1_u8, 'a')", (1_u8, 'a')),
        vector("Err::<u8, bool>(true)", Err::<u8, bool>(true)),
        vector("Duration::from_millis(1500)", Duration::from_millis(1500)),
    ];
    let rows = rows("### Test vectors");
    let in_readme: Vec<(String, String)> = rows
        .iter()
        .flat_map(|row| {
            assert_eq!(row[0].len(), row[1].len(), "{row:?}");
            row[0].iter().cloned().zip(row[1].iter().cloned())
        })
        .collect();
    assert_eq!(in_readme, vectors);
}

#[derive(Saved)]
#[saved(name = "Tree")]
enum Tree {
    Leaf,
    Node(Box<Tree>, Box<Tree>),
}

#[test]
fn a_table_of_shapes() {
    let tree = Tree::Node(Box::new(Tree::Leaf), Box::new(Tree::Leaf));
    assert_eq!(to_bytes(&tree).unwrap(), [1, 0, 0]);
    let mut shapes = Shapes::default();
    shapes.add(Tree::SHAPE).unwrap();
    let rows = rows("The table of `enum Tree");
    let bytes: Vec<String> = rows
        .into_iter()
        .flat_map(|mut row| row.swap_remove(0))
        .collect();
    assert_eq!(bytes.join(" "), hex(&to_bytes(&shapes).unwrap()));
}

/// The numbers of primitive kinds, from a table with each of them.
#[test]
fn numbers_of_primitives() {
    let (_, text) = README.split_once("| number | 0 |").unwrap();
    let row = text
        .lines()
        .find(|line| line.starts_with("| primitive |"))
        .unwrap();
    let names: Vec<&str> = row.split('`').skip(1).step_by(2).collect();
    let shapes = [
        bool::SHAPE,
        u8::SHAPE,
        u16::SHAPE,
        u32::SHAPE,
        u64::SHAPE,
        u128::SHAPE,
        i8::SHAPE,
        i16::SHAPE,
        i32::SHAPE,
        i64::SHAPE,
        i128::SHAPE,
        f32::SHAPE,
        f64::SHAPE,
        char::SHAPE,
        String::SHAPE,
    ];
    assert_eq!(names.len(), shapes.len());
    for (number, (name, shape)) in names.into_iter().zip(shapes).enumerate() {
        assert_eq!(shape.name(), name.to_lowercase());
        let mut table = Shapes::default();
        table.add(shape).unwrap();
        assert_eq!(to_bytes(&table).unwrap().last(), Some(&(number as u8)));
    }
}
