//! [`Deserializer`]: reads what serde's traits ask for.

use crate::errors::load_error::{LoadError, LoadErrorKind};
use crate::saved::decoder::Decoder;
use serde::de::value::U32Deserializer;
use serde::de::{self, DeserializeSeed, IntoDeserializer, Visitor};
use std::fmt::Display;

/// Reads one value.
pub(super) struct Deserializer<'d, 'gc, 'a>(&'d mut Decoder<'gc, 'a>);

/// Reads the parts of a value.
struct Parts<'d, 'gc, 'a> {
    input: &'d mut Decoder<'gc, 'a>,
    left: usize,
}

impl<'d, 'gc, 'a> Deserializer<'d, 'gc, 'a> {
    pub(super) fn new(input: &'d mut Decoder<'gc, 'a>) -> Deserializer<'d, 'gc, 'a> {
        Deserializer(input)
    }

    /// Parts, the number of which the type knows.
    fn parts<V: Visitor<'a>>(self, left: usize, visitor: V) -> Result<V::Value, LoadError> {
        self.0
            .nested(|input| visitor.visit_seq(Parts { input, left }))
    }

    #[cold]
    fn unknown<T>(self) -> Result<T, LoadError> {
        Err(self
            .0
            .error("serde: the type asks for what the bytes do not say: what comes next"))
    }
}

impl de::Error for LoadError {
    fn custom<T: Display>(why: T) -> LoadError {
        LoadError::unplaced(LoadErrorKind::Other(format!("serde: {why}").into()))
    }
}

/// Numbers and texts, as `Saved` reads them.
macro_rules! primitives {
    ($($method:ident, $visit:ident, |$input:ident| $read:expr;)*) => {
        $(fn $method<V: Visitor<'a>>(self, visitor: V) -> Result<V::Value, LoadError> {
            let $input = &mut self.0.input;
            visitor.$visit($read)
        })*
    };
}

impl<'a> de::Deserializer<'a> for Deserializer<'_, '_, 'a> {
    type Error = LoadError;

    primitives! {
        deserialize_bool, visit_bool, |input| input.bool()?;
        deserialize_u8, visit_u8, |input| input.byte()?;
        deserialize_u16, visit_u16, |input| input.varint(16)? as u16;
        deserialize_u32, visit_u32, |input| input.varint(32)? as u32;
        deserialize_u64, visit_u64, |input| input.varint(64)?;
        deserialize_u128, visit_u128, |input| input.varint_128()?;
        deserialize_i8, visit_i8, |input| input.byte()? as i8;
        deserialize_i16, visit_i16, |input| input.zigzag(16)? as i16;
        deserialize_i32, visit_i32, |input| input.zigzag(32)? as i32;
        deserialize_i64, visit_i64, |input| input.zigzag(64)?;
        deserialize_i128, visit_i128, |input| input.zigzag_128()?;
        deserialize_f32, visit_f32, |input| f32::from_le_bytes(input.array()?);
        deserialize_f64, visit_f64, |input| f64::from_le_bytes(input.array()?);
        deserialize_char, visit_char, |input| input.char()?;
        deserialize_str, visit_borrowed_str, |input| input.text()?;
        deserialize_string, visit_borrowed_str, |input| input.text()?;
        deserialize_bytes, visit_borrowed_bytes, |input| input.counted()?;
        deserialize_byte_buf, visit_borrowed_bytes, |input| input.counted()?;
    }

    fn deserialize_option<V: Visitor<'a>>(self, visitor: V) -> Result<V::Value, LoadError> {
        match self.0.input.is_some()? {
            true => self
                .0
                .nested(|input| visitor.visit_some(Deserializer(input))),
            false => visitor.visit_none(),
        }
    }

    fn deserialize_unit<V: Visitor<'a>>(self, visitor: V) -> Result<V::Value, LoadError> {
        visitor.visit_unit()
    }

    fn deserialize_unit_struct<V: Visitor<'a>>(
        self,
        _: &'static str,
        visitor: V,
    ) -> Result<V::Value, LoadError> {
        visitor.visit_unit()
    }

    fn deserialize_newtype_struct<V: Visitor<'a>>(
        self,
        _: &'static str,
        visitor: V,
    ) -> Result<V::Value, LoadError> {
        self.0
            .nested(|input| visitor.visit_newtype_struct(Deserializer(input)))
    }

    fn deserialize_seq<V: Visitor<'a>>(self, visitor: V) -> Result<V::Value, LoadError> {
        self.0
            .elements(|left, input| visitor.visit_seq(Parts { input, left }))
    }

    fn deserialize_map<V: Visitor<'a>>(self, visitor: V) -> Result<V::Value, LoadError> {
        self.0
            .elements(|left, input| visitor.visit_map(Parts { input, left }))
    }

    fn deserialize_tuple<V: Visitor<'a>>(
        self,
        count: usize,
        visitor: V,
    ) -> Result<V::Value, LoadError> {
        self.parts(count, visitor)
    }

    fn deserialize_tuple_struct<V: Visitor<'a>>(
        self,
        _: &'static str,
        count: usize,
        visitor: V,
    ) -> Result<V::Value, LoadError> {
        self.parts(count, visitor)
    }

    fn deserialize_struct<V: Visitor<'a>>(
        self,
        _: &'static str,
        fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, LoadError> {
        self.parts(fields.len(), visitor)
    }

    fn deserialize_enum<V: Visitor<'a>>(
        self,
        _: &'static str,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, LoadError> {
        visitor.visit_enum(self)
    }

    fn deserialize_any<V: Visitor<'a>>(self, _: V) -> Result<V::Value, LoadError> {
        self.unknown()
    }

    fn deserialize_identifier<V: Visitor<'a>>(self, _: V) -> Result<V::Value, LoadError> {
        self.unknown()
    }

    fn deserialize_ignored_any<V: Visitor<'a>>(self, _: V) -> Result<V::Value, LoadError> {
        self.unknown()
    }

    fn is_human_readable(&self) -> bool {
        false
    }
}

impl<'a> de::SeqAccess<'a> for Parts<'_, '_, 'a> {
    type Error = LoadError;

    fn next_element_seed<T: DeserializeSeed<'a>>(
        &mut self,
        seed: T,
    ) -> Result<Option<T::Value>, LoadError> {
        let Some(left) = self.left.checked_sub(1) else {
            return Ok(None);
        };
        self.left = left;
        seed.deserialize(Deserializer(self.input)).map(Some)
    }

    /// Never more than the bytes that are left.
    fn size_hint(&self) -> Option<usize> {
        Some(self.left.min(self.input.input.left()))
    }
}

impl<'a> de::MapAccess<'a> for Parts<'_, '_, 'a> {
    type Error = LoadError;

    fn next_key_seed<K: DeserializeSeed<'a>>(
        &mut self,
        seed: K,
    ) -> Result<Option<K::Value>, LoadError> {
        de::SeqAccess::next_element_seed(self, seed)
    }

    fn next_value_seed<V: DeserializeSeed<'a>>(&mut self, seed: V) -> Result<V::Value, LoadError> {
        seed.deserialize(Deserializer(self.input))
    }

    fn size_hint(&self) -> Option<usize> {
        de::SeqAccess::size_hint(self)
    }
}

impl<'a> de::EnumAccess<'a> for Deserializer<'_, '_, 'a> {
    type Error = LoadError;
    type Variant = Self;

    fn variant_seed<V: DeserializeSeed<'a>>(self, seed: V) -> Result<(V::Value, Self), LoadError> {
        let number = self.0.input.varint(32)? as u32;
        let number: U32Deserializer<LoadError> = number.into_deserializer();
        Ok((seed.deserialize(number)?, self))
    }
}

impl<'a> de::VariantAccess<'a> for Deserializer<'_, '_, 'a> {
    type Error = LoadError;

    fn unit_variant(self) -> Result<(), LoadError> {
        Ok(())
    }

    fn newtype_variant_seed<T: DeserializeSeed<'a>>(self, seed: T) -> Result<T::Value, LoadError> {
        self.0.nested(|input| seed.deserialize(Deserializer(input)))
    }

    fn tuple_variant<V: Visitor<'a>>(
        self,
        count: usize,
        visitor: V,
    ) -> Result<V::Value, LoadError> {
        self.parts(count, visitor)
    }

    fn struct_variant<V: Visitor<'a>>(
        self,
        fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, LoadError> {
        self.parts(fields.len(), visitor)
    }
}
