//! Far references in images: the address, and the tag.

use super::far::Far;
use crate::api::{Address, Target};
use vivant_codec::{Decoder, Encoder, Field, LoadError, Saved, Shape, shape_of};
use vivant_heap::{Tag, TagTarget};

impl<'gc, A, T> Saved<'gc> for Far<'gc, A, T>
where
    A: ?Sized + Target,
    T: ?Sized + TagTarget<'gc>,
{
    const SHAPE: &'static Shape = &Shape::structure(
        "vivant::Far",
        const {
            &[
                Field::new("owner", shape_of::<'gc, Address<A>>()),
                Field::new("tag", shape_of::<'gc, Tag<'gc, T>>()),
            ]
        },
    );

    fn save(&self, out: &mut Encoder<'_>) {
        self.owner().save(out);
        self.tag().save(out);
    }

    fn load(input: &mut Decoder<'gc, '_>) -> Result<Self, LoadError> {
        let mut fields = input.structure(Self::SHAPE)?;
        let far = Far::new(fields.field(0)?, fields.field(1)?);
        fields.end()?;
        Ok(far)
    }
}
