//! Forms of types that the derive takes: brands, parameters, names of keywords, types of macros.

use std::borrow::Cow;
use std::collections::HashMap;
use std::marker::PhantomData;
use vivant_codec::{
    Decoder, Encoder, LoadError, Saved, Shape, Shapes, from_bytes, shape_of, to_bytes,
};

/// A reference of a heap of this brand.
#[derive(Debug, PartialEq)]
struct Branded<'gc>(u8, PhantomData<fn(&'gc ()) -> &'gc ()>);

impl<'gc> Saved<'gc> for Branded<'gc> {
    const SHAPE: &'static Shape = &Shape::reference("tests::Branded", shape_of::<u8>());

    fn save(&self, out: &mut Encoder<'_>) {
        self.0.save(out);
    }

    fn load(input: &mut Decoder<'gc, '_>) -> Result<Self, LoadError> {
        Ok(Branded(input.reference(Self::SHAPE)?, PhantomData))
    }
}

#[derive(Saved, Debug, PartialEq)]
struct Cache<'gc> {
    pages: Vec<Page<'gc>>,
    root: Option<Branded<'gc>>,
}

#[derive(Saved, Debug, PartialEq)]
enum Page<'gc> {
    Leaf(Branded<'gc>),
    Inner {
        left: Box<Page<'gc>>,
        right: Box<Page<'gc>>,
    },
}

#[test]
fn a_lifetime_is_the_brand() {
    let branded = |number| Branded(number, PhantomData);
    let cache = Cache {
        pages: vec![Page::Inner {
            left: Box::new(Page::Leaf(branded(1))),
            right: Box::new(Page::Leaf(branded(2))),
        }],
        root: Some(branded(3)),
    };
    let bytes = to_bytes(&cache).unwrap();
    assert_eq!(bytes, [1, 1, 0, 1, 0, 2, 1, 3]);
    assert_eq!(from_bytes::<Cache<'_>>(&bytes).unwrap(), cache);
}

#[derive(Saved, Debug, PartialEq)]
struct Text<'a> {
    words: Vec<Cow<'a, str>>,
}

#[test]
fn borrowed_texts_are_saved_and_owned_ones_loaded() {
    let bytes = to_bytes(&Text {
        words: vec!["a".into()],
    })
    .unwrap();
    assert_eq!(
        from_bytes::<Text<'_>>(&bytes).unwrap(),
        Text {
            words: vec!["a".into()]
        }
    );
}

/// Only parameters of saved fields are bound: `NotSaved` is none.
#[derive(Debug, Default, PartialEq)]
struct NotSaved;

#[derive(Saved, Debug, PartialEq)]
struct Generic<T, U, V: Default, const N: usize>
where
    T: PartialEq,
{
    values: [Option<T>; N],
    phantom: PhantomData<U>,
    #[saved(skip)]
    skipped: V,
}

#[test]
fn parameters() {
    let value = Generic::<u16, NotSaved, NotSaved, 2> {
        values: [None, Some(300)],
        phantom: PhantomData,
        skipped: NotSaved,
    };
    let bytes = to_bytes(&value).unwrap();
    assert_eq!(bytes, [0, 1, 0xac, 0x02]);
    assert_eq!(
        from_bytes::<Generic<u16, NotSaved, NotSaved, 2>>(&bytes).unwrap(),
        value
    );
}

mod elsewhere {
    pub(super) use vivant_codec as codec;
}

#[derive(Saved, Debug, PartialEq)]
#[saved(crate = elsewhere::codec, name = "Odd")]
struct Odd {
    r#type: u8,
    #[saved(name = "renamed", any_order)]
    map: HashMap<u8, u8>,
    #[saved(skip, default = 7)]
    seven: u8,
}

#[test]
fn names_in_files() {
    let bytes = to_bytes(&Odd {
        r#type: 1,
        map: HashMap::from([(2, 3)]),
        seven: 0,
    })
    .unwrap();
    assert_eq!(bytes, [1, 1, 2, 3]);
    assert_eq!(from_bytes::<Odd>(&bytes).unwrap().seven, 7);
    let mut shapes = Shapes::default();
    let id = shapes.add(Odd::SHAPE).unwrap();
    let mut text = String::new();
    vivant_codec::show(&shapes, id, &bytes, 100, &mut text).unwrap();
    assert_eq!(
        text,
        "Odd {\n  type: 1,\n  renamed: {\n    2 => 3,\n  },\n}"
    );
    assert_eq!(
        <Cache<'_> as Saved<'_>>::SHAPE.name(),
        "all::derived::Cache"
    );
}

/// Names of the derive's own variables, and types that come as parts of a macro.
macro_rules! declared {
    ($name:ident { $($field:ident: $type:ty),* }) => {
        #[derive(Saved, Debug, PartialEq)]
        struct $name {
            $($field: $type,)*
            out: u8,
            input: Vec<u8>,
        }
    };
}

declared!(Declared { __out: Option<u8>, __fields: (u8, bool), __loaded: String });

#[test]
fn types_of_macros() {
    let value = Declared {
        __out: Some(1),
        __fields: (2, true),
        __loaded: "x".into(),
        out: 3,
        input: vec![4],
    };
    let bytes = to_bytes(&value).unwrap();
    assert_eq!(bytes, [1, 1, 2, 1, 1, b'x', 3, 1, 4]);
    assert_eq!(from_bytes::<Declared>(&bytes).unwrap(), value);
}

#[derive(Saved, Debug, PartialEq)]
#[saved(version = 1, from = OldBox<T>)]
struct NewBox<T> {
    content: Vec<T>,
}

#[derive(Saved)]
#[saved(name = "all::derived::NewBox")]
struct OldBox<T> {
    content: T,
}

impl<T> From<OldBox<T>> for NewBox<T> {
    fn from(old: OldBox<T>) -> NewBox<T> {
        NewBox {
            content: vec![old.content],
        }
    }
}

#[test]
fn a_generic_type_has_older_versions() {
    let mut shapes = Shapes::default();
    let id = shapes.add(<OldBox<u8>>::SHAPE).unwrap();
    let comparison = vivant_codec::Comparison::new(&shapes);
    let loaded: NewBox<u16> = vivant_codec::load_stored(&[9], &comparison, id).unwrap();
    assert_eq!(loaded, NewBox { content: vec![9] });
}
