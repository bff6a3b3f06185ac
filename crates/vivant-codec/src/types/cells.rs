//! Cells: encoded as their content.

use crate::errors::load_error::LoadError;
use crate::errors::save_error::SaveErrorKind;
use crate::saved::decoder::Decoder;
use crate::saved::encoder::Encoder;
use crate::saved::saved_trait::Saved;
use crate::shape::Shape;
use std::cell::{Cell, RefCell};

impl<'gc, T: Saved<'gc> + Copy> Saved<'gc> for Cell<T> {
    const SHAPE: &'static Shape = &Shape::in_a_cell(T::SHAPE);

    #[inline]
    fn save(&self, out: &mut Encoder<'_>) {
        self.get().save(out);
    }

    #[inline]
    fn load(input: &mut Decoder<'gc, '_>) -> Result<Cell<T>, LoadError> {
        Ok(Cell::new(T::load(input)?))
    }
}

impl<'gc, T: Saved<'gc>> Saved<'gc> for RefCell<T> {
    const SHAPE: &'static Shape = &Shape::in_a_cell(T::SHAPE);

    #[inline]
    fn save(&self, out: &mut Encoder<'_>) {
        match self.try_borrow() {
            Ok(value) => value.save(out),
            Err(_) => out.fail(SaveErrorKind::Borrowed),
        }
    }

    #[inline]
    fn load(input: &mut Decoder<'gc, '_>) -> Result<RefCell<T>, LoadError> {
        Ok(RefCell::new(T::load(input)?))
    }
}
