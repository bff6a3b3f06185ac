//! Old files are read by name: what a program may change in its types, and what it is told.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Debug;
use vivant_codec::{
    Comparison, LoadError, LoadErrorKind, Saved, ShapeId, Shapes, from_bytes, load_stored, to_bytes,
};

/// The value, written by a program that has `O`, as a program loads it that has `N`.
fn reread<O, N>(old: &O) -> Result<N, LoadError>
where
    O: for<'gc> Saved<'gc>,
    N: for<'gc> Saved<'gc>,
{
    let mut shapes = Shapes::default();
    let id = shapes.add(O::SHAPE).unwrap();
    let shapes: Shapes = from_bytes(&to_bytes(&shapes).unwrap()).unwrap();
    load_stored(&to_bytes(old).unwrap(), &Comparison::new(&shapes), id)
}

fn error<O, N>(old: &O) -> String
where
    O: for<'gc> Saved<'gc>,
    N: for<'gc> Saved<'gc> + Debug,
{
    reread::<O, N>(old).unwrap_err().to_string()
}

mod first {
    use super::*;

    #[derive(Saved, Clone)]
    #[saved(name = "Account")]
    pub(super) struct Account {
        pub(super) owner: Person,
        pub(super) balance: u32,
        pub(super) note: String,
        pub(super) history: Vec<Entry>,
        pub(super) limits: BTreeMap<u8, (i16, bool)>,
    }

    #[derive(Saved, Clone)]
    #[saved(name = "Person")]
    pub(super) struct Person {
        pub(super) name: String,
        pub(super) age: u8,
    }

    #[derive(Saved, Clone)]
    #[saved(name = "Entry")]
    pub(super) enum Entry {
        Paid { amount: u16, to: String },
        Got(u16),
        Closed,
    }

    pub(super) fn account() -> Account {
        Account {
            owner: Person {
                name: "Ada".into(),
                age: 36,
            },
            balance: 70_000,
            note: "first".into(),
            history: vec![
                Entry::Got(300),
                Entry::Paid {
                    amount: 5,
                    to: "Bob".into(),
                },
                Entry::Closed,
            ],
            limits: BTreeMap::from([(1, (-5, true)), (2, (300, false))]),
        }
    }
}

/// Everything that is read by name at once: other orders, new, gone and renamed fields, wider
/// numbers, variants in another order and renamed, at each depth.
mod second {
    use super::*;

    #[derive(Saved, Debug, PartialEq)]
    #[saved(name = "Account")]
    pub(super) struct Account {
        #[saved(default = "EUR".to_owned())]
        pub(super) currency: String,
        pub(super) limits: BTreeMap<u64, (i32, bool)>,
        #[saved(was = "history")]
        pub(super) entries: Vec<Entry>,
        pub(super) balance: i64,
        #[saved(skip)]
        pub(super) cache: Option<u8>,
        pub(super) owner: Box<Person>,
    }

    #[derive(Saved, Debug, PartialEq)]
    #[saved(name = "people::Person", was = "Person")]
    pub(super) struct Person {
        pub(super) age: u16,
        #[saved(default)]
        pub(super) email: Option<String>,
        pub(super) name: String,
    }

    #[derive(Saved, Debug, PartialEq)]
    #[saved(name = "Entry")]
    pub(super) enum Entry {
        Closed,
        #[saved(was = "Got")]
        Received(u32, #[saved(default = 9)] u8),
        Paid {
            to: String,
            amount: u64,
        },
    }
}

fn expected() -> second::Account {
    second::Account {
        currency: "EUR".into(),
        limits: BTreeMap::from([(1, (-5, true)), (2, (300, false))]),
        entries: vec![
            second::Entry::Received(300, 9),
            second::Entry::Paid {
                to: "Bob".into(),
                amount: 5,
            },
            second::Entry::Closed,
        ],
        balance: 70_000,
        cache: None,
        owner: Box::new(second::Person {
            age: 36,
            email: None,
            name: "Ada".into(),
        }),
    }
}

#[test]
fn a_changed_type_reads_an_old_file_by_name() {
    assert_eq!(reread(&first::account()), Ok(expected()));
}

/// A file of format 1 as it is written: a table, the number of a shape, and a value of it.
const FILE: &[u8] = include_bytes!("../fixtures/account_1_parts_first.bin");

/// The same with the shapes in another order, as an earlier program wrote it.
const OTHER_ORDER: &[u8] = include_bytes!("../fixtures/account_1.bin");

/// A table, the number of a shape, and the bytes of a value.
type File = (Vec<u8>, ShapeId, Vec<u8>);

#[test]
fn a_file_in_the_tree_is_read_by_name() {
    for file in [FILE, OTHER_ORDER] {
        let (table, id, bytes): File = from_bytes(file).unwrap();
        let shapes: Shapes = from_bytes(&table).unwrap();
        let loaded: second::Account = load_stored(&bytes, &Comparison::new(&shapes), id).unwrap();
        assert_eq!(loaded, expected());
        let mut text = String::new();
        vivant_codec::show(&shapes, id, &bytes, 1000, &mut text).unwrap();
        assert!(text.contains("note: \"first\""), "{text}");
    }
}

/// The program that wrote the file writes the same bytes today.
#[test]
fn the_form_of_files_has_not_changed() {
    let mut shapes = Shapes::default();
    let id = shapes.add(first::Account::SHAPE).unwrap();
    let file: File = (
        to_bytes(&shapes).unwrap(),
        id,
        to_bytes(&first::account()).unwrap(),
    );
    let file = to_bytes(&file).unwrap();
    assert_eq!(file, FILE);
}

#[test]
fn equal_shapes_are_read_the_same_with_and_without_the_fast_path() {
    let account = first::account();
    let mut shapes = Shapes::default();
    let id = shapes.add(first::Account::SHAPE).unwrap();
    let bytes = to_bytes(&account).unwrap();
    for comparison in [Comparison::new(&shapes), Comparison::by_name(&shapes)] {
        let loaded: first::Account = load_stored(&bytes, &comparison, id).unwrap();
        assert_eq!(to_bytes(&loaded).unwrap(), bytes);
    }
}

#[test]
fn containers_are_read_as_others_with_the_same_shape() {
    assert_eq!(reread(&vec![1_u8, 2]), Ok(BTreeSet::from([1_u16, 2])));
    assert_eq!(reread(&Some(1_f32)), Ok(Some(1_f64)));
    assert_eq!(reread(&[1_u8, 2]), Ok([1_i16, 2]));
    assert_eq!(reread(&(1_u8, 'x')), Ok((1_u64, 'x')));
    assert_eq!(reread(&Ok::<u8, i8>(1)), Ok(Ok::<u16, i16>(1)));
    assert_eq!(reread(&7_u32), Ok(7_usize));
}

#[test]
fn arrays_of_bytes_are_read_as_the_file_has_them() {
    // Behind a field that the file lacks, so that the arrays are read by name.
    #[derive(Saved)]
    #[saved(name = "Hash")]
    struct Then([u8; 4], [u8; 2]);
    #[derive(Saved, Debug, PartialEq)]
    #[saved(name = "Hash")]
    struct Now {
        #[saved(default)]
        kind: u8,
        #[saved(was = "1")]
        salt: [u16; 2],
        #[saved(was = "0")]
        bytes: [u8; 4],
    }
    let (kind, salt, bytes) = (0, [5, 200], [1, 2, 3, 255]);
    let loaded: Now = reread(&Then([1, 2, 3, 255], [5, 200])).unwrap();
    assert_eq!(loaded, Now { kind, salt, bytes });
    assert!(error::<_, [u8; 2]>(&[true, false]).contains("`u8`"));
    assert!(error::<_, [u8; 2]>(&[-1_i8, 1]).contains("`u8`"));
    assert!(error::<_, Vec<u8>>(&vec![-1_i8, 1]).contains("`u8`"));
}

#[test]
fn what_needs_a_word_is_an_error_that_names_type_and_field() {
    #[derive(Saved, Debug)]
    #[saved(name = "Account")]
    struct Account {
        opened: u64,
    }
    let text = error::<_, Account>(&first::account());
    assert!(
        text.starts_with("Account.opened: byte 0: the file was written without this field"),
        "{text}"
    );
    let error_of = reread::<_, Account>(&first::account()).unwrap_err();
    assert_eq!(error_of.member(), Some(("Account", "opened")));
    assert_eq!(error_of.kind(), &LoadErrorKind::MissingField);

    #[derive(Saved, Debug)]
    #[saved(name = "Account")]
    struct Narrow {
        balance: u16,
    }
    let text = error::<_, Narrow>(&first::account());
    assert!(
        text.contains("Account.balance: byte 5: the file has `u32` where the program has `u16`"),
        "{text}"
    );

    #[derive(Saved, Debug)]
    #[saved(name = "Entry")]
    enum Entry {
        Got(u16),
    }
    let text = error::<_, Vec<Entry>>(&first::account().history[..].to_vec());
    assert!(text.contains("Entry.Paid"), "{text}");
    assert!(text.contains("`#[saved(was = \"Paid\")]`"), "{text}");

    #[derive(Saved, Debug)]
    #[saved(name = "Customer")]
    struct Customer {}
    let text = error::<_, Customer>(&first::account());
    assert!(
        text.contains("the structure `Account` where the program has the structure `Customer`"),
        "{text}"
    );
    assert!(
        error::<_, Vec<u8>>(&(1_u8, 2_u8))
            .contains("a tuple of 2 where the program has a sequence")
    );
    assert!(
        error::<_, (u8,)>(&(1_u8, 2_u8))
            .contains("a tuple of 2 where the program has a tuple of 1")
    );
    assert!(error::<_, [u8; 3]>(&[1_u8, 2]).contains("an array of 2"));
    assert!(error::<_, Option<u8>>(&1_u8).contains("`u8` where the program has an option"));
    assert!(
        error::<_, BTreeMap<u8, u8>>(&vec![1_u8])
            .contains("a sequence where the program has a map")
    );
    assert!(error::<_, u64>(&1_i8).contains("`i8` where the program has `u64`"));
    assert!(error::<_, f32>(&1_f64).contains("`f64` where the program has `f32`"));
    assert!(error::<_, String>(&'x').contains("`char` where the program has `string`"));
}

#[derive(Saved, Debug, PartialEq)]
#[saved(name = "Price", version = 0)]
struct PriceInEuros(f64);

#[derive(Saved, Debug, PartialEq)]
#[saved(name = "PriceInCents", version = 1)]
struct PriceInCents {
    cents: u32,
}

#[derive(Saved, Debug, PartialEq)]
#[saved(name = "Price", version = 2, from = PriceInEuros, from = PriceInCents)]
struct Price {
    cents: u64,
    currency: String,
}

impl From<PriceInEuros> for Price {
    fn from(old: PriceInEuros) -> Price {
        Price {
            cents: (old.0 * 100.0).round() as u64,
            currency: "EUR".into(),
        }
    }
}

impl From<PriceInCents> for Price {
    fn from(old: PriceInCents) -> Price {
        Price {
            cents: old.cents.into(),
            currency: "EUR".into(),
        }
    }
}

#[test]
fn an_older_version_is_loaded_as_its_type() {
    // A file of version 1 has the name that the type had then.
    #[derive(Saved)]
    #[saved(name = "Price", version = 1)]
    struct Cents {
        cents: u16,
    }
    let expected = Price {
        cents: 150,
        currency: "EUR".into(),
    };
    assert_eq!(
        reread(&vec![Some(PriceInEuros(1.5))]),
        Ok(vec![Some(expected)])
    );
    let expected = Price {
        cents: 300,
        currency: "EUR".into(),
    };
    assert_eq!(reread(&Box::new(Cents { cents: 300 })), Ok(expected));
    let same = Price {
        cents: 1,
        currency: "USD".into(),
    };
    assert_eq!(
        reread(&same),
        Ok(Price {
            cents: 1,
            currency: "USD".into()
        })
    );
}

#[test]
fn a_version_without_a_way_is_an_error_that_says_so() {
    #[derive(Saved)]
    #[saved(name = "Price", version = 3)]
    struct Newer {}
    let text = error::<_, Price>(&Newer {});
    assert!(
        text.contains("version 3 of the type and the program version 2"),
        "{text}"
    );
    assert!(text.contains("`from = Old`"), "{text}");
}

#[test]
fn gone_fields_are_skipped_wherever_they_stand() {
    #[derive(Saved, Clone)]
    #[saved(name = "Pair")]
    struct Old {
        first: (u8, Vec<u16>),
        kept: u8,
        tree: Tree<String>,
        entry: first::Entry,
        last: [Option<char>; 2],
    }
    #[derive(Saved, Debug, PartialEq)]
    #[saved(name = "Pair")]
    struct New {
        kept: u16,
    }
    #[derive(Saved, Debug, PartialEq)]
    #[saved(name = "Pair")]
    struct Empty {}
    let old = Old {
        first: (1, vec![300]),
        kept: 7,
        tree: tree(3, &|depth| depth.to_string()),
        entry: first::Entry::Got(5),
        last: [None, Some('x')],
    };
    assert_eq!(
        reread(&vec![old.clone(), old.clone()]),
        Ok(vec![New { kept: 7 }, New { kept: 7 }])
    );
    assert_eq!(reread(&(old, 9_u8)), Ok((Empty {}, 9_u16)));
}

/// A file from the time between has both names.
#[test]
fn a_name_comes_before_an_earlier_one() {
    #[derive(Saved)]
    #[saved(name = "Pair")]
    struct Between {
        old: u8,
        new: u8,
    }
    #[derive(Saved, Debug, PartialEq)]
    #[saved(name = "Pair")]
    struct Now {
        #[saved(was = "old")]
        new: u8,
    }
    assert_eq!(reread(&Between { old: 1, new: 2 }), Ok(Now { new: 2 }));
}

#[derive(Saved, Debug, PartialEq, Clone)]
#[saved(name = "Tree")]
enum Tree<T> {
    Leaf,
    Node(Box<Tree<T>>, T, Box<Tree<T>>),
}

fn tree<T>(depth: u32, value: &impl Fn(u32) -> T) -> Tree<T> {
    match depth {
        0 => Tree::Leaf,
        _ => Tree::Node(
            Box::new(tree(depth - 1, value)),
            value(depth),
            Box::new(tree(depth - 1, value)),
        ),
    }
}

#[test]
fn recursive_types_are_read_by_name_at_each_depth() {
    let old = tree(6, &|depth| depth as u16);
    assert_eq!(reread(&old), Ok(tree(6, &u64::from)));
}
