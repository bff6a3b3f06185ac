//! How names and places are saved: as their texts. A loaded one is interned.

use super::{Name, Place};
use std::borrow::Cow;
use vivant_codec::{Decoder, Encoder, Field, LoadError, Saved, Shape, shape_of};

impl<'gc> Saved<'gc> for Name {
    const SHAPE: &'static Shape = <String as Saved<'gc>>::SHAPE;

    fn save(&self, out: &mut Encoder<'_>) {
        Cow::Borrowed(self.as_str()).save(out);
    }

    fn load(input: &mut Decoder<'gc, '_>) -> Result<Self, LoadError> {
        Ok(Name::intern(&String::load(input)?))
    }
}

impl<'gc> Saved<'gc> for Place {
    const SHAPE: &'static Shape = &Shape::structure(
        "vivant::Place",
        const {
            &[
                Field::new("file", shape_of::<'gc, String>()),
                Field::new("line", shape_of::<'gc, u32>()),
                Field::new("column", shape_of::<'gc, u32>()),
            ]
        },
    );

    fn save(&self, out: &mut Encoder<'_>) {
        Cow::Borrowed(self.file()).save(out);
        self.line().save(out);
        self.column().save(out);
    }

    fn load(input: &mut Decoder<'gc, '_>) -> Result<Self, LoadError> {
        let mut fields = input.structure(Self::SHAPE)?;
        let file: String = fields.field(0)?;
        let place = Place::intern(&file, fields.field(1)?, fields.field(2)?);
        fields.end()?;
        Ok(place)
    }
}
