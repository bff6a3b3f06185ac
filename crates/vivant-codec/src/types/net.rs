//! Addresses of the internet, as serde encodes them in binary formats.

use crate::errors::load_error::LoadError;
use crate::saved::decoder::Decoder;
use crate::saved::encoder::Encoder;
use crate::saved::saved_trait::{Saved, shape_of};
use crate::shape::{Field, Shape, Variant};
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

macro_rules! octets {
    ($($type:ty, $count:literal;)*) => {
        $(impl<'gc> Saved<'gc> for $type {
            const SHAPE: &'static Shape = <[u8; $count] as Saved<'gc>>::SHAPE;

            #[inline]
            fn save(&self, out: &mut Encoder<'_>) {
                self.octets().save(out);
            }

            #[inline]
            fn load(input: &mut Decoder<'gc, '_>) -> Result<$type, LoadError> {
                Ok(<[u8; $count]>::load(input)?.into())
            }
        })*
    };
}

octets!(Ipv4Addr, 4; Ipv6Addr, 16;);

impl<'gc> Saved<'gc> for IpAddr {
    const SHAPE: &'static Shape = &Shape::variants(
        "IpAddr",
        const {
            &[
                Variant::new("V4", const { &[Field::new("0", shape_of::<Ipv4Addr>())] }),
                Variant::new("V6", const { &[Field::new("0", shape_of::<Ipv6Addr>())] }),
            ]
        },
    );

    fn save(&self, out: &mut Encoder<'_>) {
        match self {
            IpAddr::V4(address) => {
                out.variant(0);
                address.save(out);
            }
            IpAddr::V6(address) => {
                out.variant(1);
                address.save(out);
            }
        }
    }

    fn load(input: &mut Decoder<'gc, '_>) -> Result<IpAddr, LoadError> {
        let (variant, mut fields) = input.variant(Self::SHAPE)?;
        let address = match variant {
            0 => IpAddr::V4(fields.field(0)?),
            _ => IpAddr::V6(fields.field(0)?),
        };
        fields.end()?;
        Ok(address)
    }
}
