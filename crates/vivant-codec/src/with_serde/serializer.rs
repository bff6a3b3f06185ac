//! [`Serializer`]: writes what serde's traits say.

use crate::errors::save_error::{SaveError, SaveErrorKind};
use crate::saved::encoder::Encoder;
use serde::Serialize;
use serde::ser;
use std::fmt::Display;

/// Writes one value.
pub(super) struct Serializer<'e, 'a>(&'e mut Encoder<'a>);

/// Writes the parts of a value. It is one level of nesting deeper until its end.
pub(super) struct Parts<'e, 'a> {
    out: &'e mut Encoder<'a>,
    /// The number of elements and the place where the first began, if a number stands in front.
    counted: Option<(usize, usize)>,
}

impl<'e, 'a> Serializer<'e, 'a> {
    pub(super) fn new(out: &'e mut Encoder<'a>) -> Serializer<'e, 'a> {
        Serializer(out)
    }

    /// Begins parts, with their number in front if there is one.
    fn parts(self, count: Option<usize>) -> Result<Parts<'e, 'a>, SaveError> {
        let out = self.0;
        if let Some(count) = count {
            out.out.varint(count as u64);
        }
        out.enter().map_err(|kind| failure(out, kind))?;
        let counted = count.map(|count| (count, out.out.bytes.len()));
        Ok(Parts { out, counted })
    }

    fn number_of_parts(&self, count: Option<usize>) -> Result<usize, SaveError> {
        let why = "serde: a sequence or map that does not know its length";
        count.ok_or_else(|| failure(self.0, SaveErrorKind::Other(why.into())))
    }

    /// A value within a value.
    fn inner<T: Serialize + ?Sized>(self, value: &T) -> Result<(), SaveError> {
        let mut parts = self.parts(None)?;
        parts.part(value)?;
        parts.finish()
    }
}

fn failure(out: &Encoder<'_>, kind: SaveErrorKind) -> SaveError {
    SaveError::new(kind, out.out.bytes.len())
}

impl Parts<'_, '_> {
    fn part<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), SaveError> {
        value.serialize(Serializer(self.out))
    }

    fn finish(self) -> Result<(), SaveError> {
        self.out.leave();
        if let Some((count, start)) = self.counted {
            self.out.check_empty(count, start);
        }
        Ok(())
    }
}

impl ser::Error for SaveError {
    fn custom<T: Display>(why: T) -> SaveError {
        SaveError::new(SaveErrorKind::Other(format!("serde: {why}").into()), 0)
    }
}

/// Numbers and texts, as `Saved` writes them.
macro_rules! primitives {
    ($($method:ident, $type:ty, |$value:ident, $out:ident| $write:expr;)*) => {
        $(fn $method(self, $value: $type) -> Result<(), SaveError> {
            let $out = &mut self.0.out;
            $write;
            Ok(())
        })*
    };
}

impl<'e, 'a> ser::Serializer for Serializer<'e, 'a> {
    type Ok = ();
    type Error = SaveError;
    type SerializeSeq = Parts<'e, 'a>;
    type SerializeTuple = Parts<'e, 'a>;
    type SerializeTupleStruct = Parts<'e, 'a>;
    type SerializeTupleVariant = Parts<'e, 'a>;
    type SerializeMap = Parts<'e, 'a>;
    type SerializeStruct = Parts<'e, 'a>;
    type SerializeStructVariant = Parts<'e, 'a>;

    primitives! {
        serialize_bool, bool, |value, out| out.byte(u8::from(value));
        serialize_u8, u8, |value, out| out.byte(value);
        serialize_u16, u16, |value, out| out.varint(value.into());
        serialize_u32, u32, |value, out| out.varint(value.into());
        serialize_u64, u64, |value, out| out.varint(value);
        serialize_u128, u128, |value, out| out.varint_128(value);
        serialize_i8, i8, |value, out| out.byte(value as u8);
        serialize_i16, i16, |value, out| out.zigzag(value.into());
        serialize_i32, i32, |value, out| out.zigzag(value.into());
        serialize_i64, i64, |value, out| out.zigzag(value);
        serialize_i128, i128, |value, out| out.zigzag_128(value);
        serialize_f32, f32, |value, out| out.all(&value.to_le_bytes());
        serialize_f64, f64, |value, out| out.all(&value.to_le_bytes());
        serialize_char, char, |value, out| out.counted(value.encode_utf8(&mut [0; 4]).as_bytes());
        serialize_str, &str, |value, out| out.counted(value.as_bytes());
        serialize_bytes, &[u8], |value, out| out.counted(value);
    }

    fn serialize_none(self) -> Result<(), SaveError> {
        self.0.out.byte(0);
        Ok(())
    }

    fn serialize_some<T: Serialize + ?Sized>(self, value: &T) -> Result<(), SaveError> {
        self.0.out.byte(1);
        self.inner(value)
    }

    fn serialize_unit(self) -> Result<(), SaveError> {
        Ok(())
    }

    fn serialize_unit_struct(self, _: &'static str) -> Result<(), SaveError> {
        Ok(())
    }

    fn serialize_unit_variant(
        self,
        _: &'static str,
        number: u32,
        _: &'static str,
    ) -> Result<(), SaveError> {
        self.0.variant(number);
        Ok(())
    }

    fn serialize_newtype_struct<T: Serialize + ?Sized>(
        self,
        _: &'static str,
        value: &T,
    ) -> Result<(), SaveError> {
        self.inner(value)
    }

    fn serialize_newtype_variant<T: Serialize + ?Sized>(
        self,
        _: &'static str,
        number: u32,
        _: &'static str,
        value: &T,
    ) -> Result<(), SaveError> {
        self.0.variant(number);
        self.inner(value)
    }

    fn serialize_seq(self, count: Option<usize>) -> Result<Parts<'e, 'a>, SaveError> {
        let count = self.number_of_parts(count)?;
        self.parts(Some(count))
    }

    fn serialize_tuple(self, _: usize) -> Result<Parts<'e, 'a>, SaveError> {
        self.parts(None)
    }

    fn serialize_tuple_struct(self, _: &'static str, _: usize) -> Result<Parts<'e, 'a>, SaveError> {
        self.parts(None)
    }

    fn serialize_tuple_variant(
        self,
        _: &'static str,
        number: u32,
        _: &'static str,
        _: usize,
    ) -> Result<Parts<'e, 'a>, SaveError> {
        self.0.variant(number);
        self.parts(None)
    }

    fn serialize_map(self, count: Option<usize>) -> Result<Parts<'e, 'a>, SaveError> {
        let count = self.number_of_parts(count)?;
        self.parts(Some(count))
    }

    fn serialize_struct(self, _: &'static str, _: usize) -> Result<Parts<'e, 'a>, SaveError> {
        self.parts(None)
    }

    fn serialize_struct_variant(
        self,
        _: &'static str,
        number: u32,
        _: &'static str,
        _: usize,
    ) -> Result<Parts<'e, 'a>, SaveError> {
        self.0.variant(number);
        self.parts(None)
    }

    fn is_human_readable(&self) -> bool {
        false
    }
}

/// Parts that are values alone.
macro_rules! parts {
    ($($trait:ident, $method:ident;)*) => {
        $(impl ser::$trait for Parts<'_, '_> {
            type Ok = ();
            type Error = SaveError;

            fn $method<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), SaveError> {
                self.part(value)
            }

            fn end(self) -> Result<(), SaveError> {
                self.finish()
            }
        })*
    };
}

parts! {
    SerializeSeq, serialize_element;
    SerializeTuple, serialize_element;
    SerializeTupleStruct, serialize_field;
    SerializeTupleVariant, serialize_field;
}

/// Parts that have names, which are not written.
macro_rules! fields {
    ($($trait:ident;)*) => {
        $(impl ser::$trait for Parts<'_, '_> {
            type Ok = ();
            type Error = SaveError;

            fn serialize_field<T: Serialize + ?Sized>(
                &mut self,
                _: &'static str,
                value: &T,
            ) -> Result<(), SaveError> {
                self.part(value)
            }

            fn end(self) -> Result<(), SaveError> {
                self.finish()
            }
        })*
    };
}

fields! {
    SerializeStruct;
    SerializeStructVariant;
}

impl ser::SerializeMap for Parts<'_, '_> {
    type Ok = ();
    type Error = SaveError;

    fn serialize_key<T: Serialize + ?Sized>(&mut self, key: &T) -> Result<(), SaveError> {
        self.part(key)
    }

    fn serialize_value<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), SaveError> {
        self.part(value)
    }

    fn end(self) -> Result<(), SaveError> {
        self.finish()
    }
}
