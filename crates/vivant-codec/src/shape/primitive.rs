//! [`Primitive`]: the kinds of values that have no parts, in the program and in a table of shapes.

/// A value without parts. The numbers are those of the file format.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Primitive {
    Bool = 0,
    U8 = 1,
    U16 = 2,
    U32 = 3,
    U64 = 4,
    U128 = 5,
    I8 = 6,
    I16 = 7,
    I32 = 8,
    I64 = 9,
    I128 = 10,
    F32 = 11,
    F64 = 12,
    Char = 13,
    Text = 14,
}

impl Primitive {
    /// All of them, in the order of their numbers.
    pub(crate) const ALL: [Primitive; 15] = [
        Primitive::Bool,
        Primitive::U8,
        Primitive::U16,
        Primitive::U32,
        Primitive::U64,
        Primitive::U128,
        Primitive::I8,
        Primitive::I16,
        Primitive::I32,
        Primitive::I64,
        Primitive::I128,
        Primitive::F32,
        Primitive::F64,
        Primitive::Char,
        Primitive::Text,
    ];

    /// Whether each value of this kind is one of `other` too.
    pub(crate) fn fits_into(self, other: Primitive) -> bool {
        use Primitive::{F32, F64, I8, I16, I32, I64, I128, U8, U16, U32, U64, U128};
        let unsigned = [U8, U16, U32, U64, U128];
        let signed = [I8, I16, I32, I64, I128];
        let width = |kinds: [Primitive; 5], kind| kinds.iter().position(|it| *it == kind);
        match (width(unsigned, self), width(unsigned, other)) {
            (Some(from), Some(to)) => return from <= to,
            (Some(from), None) => return width(signed, other).is_some_and(|to| from < to),
            (None, _) => {}
        }
        match (width(signed, self), width(signed, other)) {
            (Some(from), Some(to)) => from <= to,
            _ => self == other || (self, other) == (F32, F64),
        }
    }

    pub(crate) const fn name(self) -> &'static str {
        match self {
            Primitive::Bool => "bool",
            Primitive::U8 => "u8",
            Primitive::U16 => "u16",
            Primitive::U32 => "u32",
            Primitive::U64 => "u64",
            Primitive::U128 => "u128",
            Primitive::I8 => "i8",
            Primitive::I16 => "i16",
            Primitive::I32 => "i32",
            Primitive::I64 => "i64",
            Primitive::I128 => "i128",
            Primitive::F32 => "f32",
            Primitive::F64 => "f64",
            Primitive::Char => "char",
            Primitive::Text => "string",
        }
    }
}

const _: () = {
    let mut number = 0;
    while number < Primitive::ALL.len() {
        assert!(Primitive::ALL[number] as usize == number);
        number += 1;
    }
};

#[cfg(test)]
mod tests {
    use super::Primitive;

    #[test]
    fn a_kind_fits_where_no_value_is_lost() {
        let fits = |from: &str| -> Vec<&str> {
            let from = Primitive::ALL
                .into_iter()
                .find(|it| it.name() == from)
                .unwrap();
            let into = Primitive::ALL
                .into_iter()
                .filter(|into| from.fits_into(*into));
            into.map(Primitive::name).collect()
        };
        assert_eq!(
            fits("u8"),
            [
                "u8", "u16", "u32", "u64", "u128", "i16", "i32", "i64", "i128"
            ]
        );
        assert_eq!(fits("u64"), ["u64", "u128", "i128"]);
        assert_eq!(fits("u128"), ["u128"]);
        assert_eq!(fits("i8"), ["i8", "i16", "i32", "i64", "i128"]);
        assert_eq!(fits("i128"), ["i128"]);
        assert_eq!(fits("f32"), ["f32", "f64"]);
        for alone in ["bool", "f64", "char", "string"] {
            assert_eq!(fits(alone), [alone]);
        }
    }
}
