//! How the runtime's own errors and reasons are saved: what `#[derive(Saved)]` writes for a type of
//! a program. The runtime does not depend on the macros.

/// `Saved` for a struct: its fields in order, each with its number and type.
macro_rules! saved_struct {
    ($type:ident as $name:literal { $($number:literal $field:ident: $part:ty),* $(,)? }) => {
        impl<'gc> ::vivant_codec::Saved<'gc> for $type {
            const SHAPE: &'static ::vivant_codec::Shape =
                &::vivant_codec::Shape::structure($name, const {
                    &[$(::vivant_codec::Field::new(
                        stringify!($field),
                        ::vivant_codec::shape_of::<'gc, $part>(),
                    )),*]
                });

            fn save(&self, out: &mut ::vivant_codec::Encoder<'_>) {
                $(::vivant_codec::Saved::save(&self.$field, out);)*
            }

            fn load(
                input: &mut ::vivant_codec::Decoder<'gc, '_>,
            ) -> Result<Self, ::vivant_codec::LoadError> {
                let mut fields = input.structure(Self::SHAPE)?;
                $(let $field = fields.field::<$part>($number)?;)*
                fields.end()?;
                Ok($type { $($field),* })
            }
        }
    };
}
pub(crate) use saved_struct;

/// `Saved` for an enum: its variants in order, each with its number, and with one field or none.
macro_rules! saved_enum {
    ($type:ident as $name:literal {
        $($number:literal $variant:ident $({ $field:tt: $part:ty })?),* $(,)?
    }) => {
        impl<'gc> ::vivant_codec::Saved<'gc> for $type {
            const SHAPE: &'static ::vivant_codec::Shape =
                &::vivant_codec::Shape::variants($name, const {
                    &[$(::vivant_codec::Variant::new(stringify!($variant), const {
                        &[$(::vivant_codec::Field::new(
                            stringify!($field),
                            ::vivant_codec::shape_of::<'gc, $part>(),
                        ))?]
                    })),*]
                });

            fn save(&self, out: &mut ::vivant_codec::Encoder<'_>) {
                match self {
                    $($type::$variant { $($field: value)? } => {
                        out.variant($number);
                        $(<$part as ::vivant_codec::Saved<'gc>>::save(value, out);)?
                    })*
                }
            }

            fn load(
                input: &mut ::vivant_codec::Decoder<'gc, '_>,
            ) -> Result<Self, ::vivant_codec::LoadError> {
                #[allow(unused_mut, reason = "an enum may have no fields")]
                let (variant, mut fields) = input.variant(Self::SHAPE)?;
                let loaded = match variant {
                    $($number => $type::$variant {
                        $($field: fields.field::<$part>(0)?)?
                    },)*
                    _ => return Err(fields.no_variant()),
                };
                fields.end()?;
                Ok(loaded)
            }
        }
    };
}
pub(crate) use saved_enum;
