//! Integers, floats and `bool`.

use crate::errors::load_error::{LoadError, LoadErrorKind};
use crate::saved::decoder::Decoder;
use crate::saved::encoder::Encoder;
use crate::saved::old::Old;
use crate::saved::saved_trait::Saved;
use crate::shape::primitive::Primitive;
use crate::shape::{Kind, Shape};
use std::cmp::Reverse;
use std::num::{NonZero, Saturating, Wrapping};

macro_rules! primitive {
    (
        $type:ty, $kind:ident, $old:ident,
        |$value:ident, $out:ident| $save:expr,
        |$input:ident| $load:expr
        $(, $all:item)*
    ) => {
        impl<'gc> Saved<'gc> for $type {
            const SHAPE: &'static Shape = &Shape::new(
                Primitive::$kind.name(),
                Kind::Primitive(Primitive::$kind),
            );

            #[inline]
            fn save(&self, out: &mut Encoder<'_>) {
                let ($value, $out) = (*self, &mut out.out);
                $save
            }

            #[inline]
            fn load(input: &mut Decoder<'gc, '_>) -> Result<$type, LoadError> {
                if let Some(old) = input.old {
                    return Ok($old(input, old, Primitive::$kind)? as $type);
                }
                let $input = &mut input.input;
                $load
            }

            $($all)*
        }
    };
}

primitive!(
    u8,
    U8,
    old_integer,
    |value, out| out.byte(value),
    |input| input.byte(),
    #[inline]
    fn save_all(values: &[u8], out: &mut Encoder<'_>) {
        out.out.all(values);
    },
    #[inline]
    fn load_all(count: usize, input: &mut Decoder<'gc, '_>) -> Result<Vec<u8>, LoadError> {
        if let Some(old) = input.old {
            input.old_exactly(old, Primitive::U8)?;
        }
        Ok(input.input.take(count)?.to_vec())
    },
    #[inline]
    fn load_array<const N: usize>(input: &mut Decoder<'gc, '_>) -> Result<[u8; N], LoadError> {
        if let Some(old) = input.old {
            input.old_exactly(old, Primitive::U8)?;
        }
        input.input.array()
    }
);
primitive!(
    i8,
    I8,
    old_integer,
    |value, out| out.byte(value as u8),
    |input| Ok(input.byte()? as i8)
);

macro_rules! unsigned {
    ($($type:ty, $kind:ident;)*) => {
        $(primitive!(
            $type,
            $kind,
            old_integer,
            |value, out| out.varint(u64::from(value)),
            |input| Ok(input.varint(<$type>::BITS)? as $type)
        );)*
    };
}

unsigned!(u16, U16; u32, U32; u64, U64;);

macro_rules! signed {
    ($($type:ty, $kind:ident;)*) => {
        $(primitive!(
            $type,
            $kind,
            old_integer,
            |value, out| out.zigzag(i64::from(value)),
            |input| Ok(input.zigzag(<$type>::BITS)? as $type)
        );)*
    };
}

signed!(i16, I16; i32, I32; i64, I64;);

primitive!(
    u128,
    U128,
    old_integer,
    |value, out| out.varint_128(value),
    |input| input.varint_128()
);
primitive!(
    i128,
    I128,
    old_integer,
    |value, out| out.zigzag_128(value),
    |input| input.zigzag_128()
);
primitive!(
    f64,
    F64,
    old_float,
    |value, out| out.all(&value.to_le_bytes()),
    |input| Ok(f64::from_le_bytes(input.array()?))
);

/// An integer of a narrower type, in two's complement.
#[cold]
fn old_integer<'a>(
    input: &mut Decoder<'_, 'a>,
    old: Old<'a>,
    current: Primitive,
) -> Result<u128, LoadError> {
    let kind = input.old_number(old, current)?;
    let input = &mut input.input;
    Ok(match kind {
        Primitive::U8 => input.byte()?.into(),
        Primitive::U16 => input.varint(16)?.into(),
        Primitive::U32 => input.varint(32)?.into(),
        Primitive::U64 => input.varint(64)?.into(),
        Primitive::U128 => input.varint_128()?,
        Primitive::I8 => i128::from(input.byte()? as i8) as u128,
        Primitive::I16 => i128::from(input.zigzag(16)?) as u128,
        Primitive::I32 => i128::from(input.zigzag(32)?) as u128,
        Primitive::I64 => i128::from(input.zigzag(64)?) as u128,
        Primitive::I128 => input.zigzag_128()? as u128,
        _ => unreachable!("no other kind fits into an integer"),
    })
}

/// A float of a narrower type.
#[cold]
fn old_float<'a>(
    input: &mut Decoder<'_, 'a>,
    old: Old<'a>,
    current: Primitive,
) -> Result<f64, LoadError> {
    Ok(match input.old_number(old, current)? {
        Primitive::F32 => f32::from_le_bytes(input.input.array()?).into(),
        _ => f64::from_le_bytes(input.input.array()?),
    })
}

/// What no other type becomes.
macro_rules! exact {
    ($type:ty, $kind:ident, |$value:ident, $out:ident| $save:expr, |$input:ident| $load:expr) => {
        impl<'gc> Saved<'gc> for $type {
            const SHAPE: &'static Shape =
                &Shape::new(Primitive::$kind.name(), Kind::Primitive(Primitive::$kind));

            #[inline]
            fn save(&self, out: &mut Encoder<'_>) {
                let ($value, $out) = (*self, &mut out.out);
                $save
            }

            #[inline]
            fn load(input: &mut Decoder<'gc, '_>) -> Result<$type, LoadError> {
                if let Some(old) = input.old {
                    input.old_exactly(old, Primitive::$kind)?;
                }
                let $input = &mut input.input;
                $load
            }
        }
    };
}

exact!(
    bool,
    Bool,
    |value, out| out.byte(u8::from(value)),
    |input| input.bool()
);
exact!(
    f32,
    F32,
    |value, out| out.all(&value.to_le_bytes()),
    |input| Ok(f32::from_le_bytes(input.array()?))
);
exact!(
    char,
    Char,
    |value, out| out.counted(value.encode_utf8(&mut [0; 4]).as_bytes()),
    |input| input.char()
);

/// As `u64` and `i64`, so that a file means the same on each machine.
macro_rules! machine_word {
    ($($type:ty as $wide:ty;)*) => {
        $(impl<'gc> Saved<'gc> for $type {
            const SHAPE: &'static Shape = <$wide as Saved<'gc>>::SHAPE;

            #[inline]
            fn save(&self, out: &mut Encoder<'_>) {
                (*self as $wide).save(out);
            }

            #[inline]
            fn load(input: &mut Decoder<'gc, '_>) -> Result<$type, LoadError> {
                let value = <$wide>::load(input)?;
                value.try_into().map_err(|_| input.input.error(LoadErrorKind::TooLarge))
            }
        })*
    };
}

machine_word!(usize as u64; isize as i64;);

macro_rules! non_zero {
    ($($type:ty)*) => {
        $(impl<'gc> Saved<'gc> for NonZero<$type> {
            const SHAPE: &'static Shape = <$type as Saved<'gc>>::SHAPE;

            #[inline]
            fn save(&self, out: &mut Encoder<'_>) {
                self.get().save(out);
            }

            #[inline]
            fn load(input: &mut Decoder<'gc, '_>) -> Result<NonZero<$type>, LoadError> {
                let value = <$type>::load(input)?;
                NonZero::new(value).ok_or_else(|| input.input.error(LoadErrorKind::Zero))
            }
        })*
    };
}

non_zero!(u8 u16 u32 u64 u128 usize i8 i16 i32 i64 i128 isize);

macro_rules! wrapper {
    ($($wrapper:ident)*) => {
        $(impl<'gc, T: Saved<'gc>> Saved<'gc> for $wrapper<T> {
            const SHAPE: &'static Shape = T::SHAPE;

            #[inline]
            fn save(&self, out: &mut Encoder<'_>) {
                self.0.save(out);
            }

            #[inline]
            fn load(input: &mut Decoder<'gc, '_>) -> Result<$wrapper<T>, LoadError> {
                Ok($wrapper(T::load(input)?))
            }
        })*
    };
}

wrapper!(Wrapping Saturating Reverse);
