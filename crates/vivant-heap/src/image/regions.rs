//! Regions in images: an [`Iso`] is saved with its whole region, as a leaf of what holds it.

use super::object_codec::{ObjectCodecs, RegionType};
use super::reference_names::REGION;
use super::restore_order::RestoreOrder;
use super::restoring::RestoringHeap;
use super::restoring_heaps::{CurrentHeap, REGIONS_MAX};
use super::span_record::SpanRecord;
use crate::gc::heap::{Heap, erase_brand};
use crate::object::erased::Erased;
use crate::object::evacuator::TenuringPolicy;
use crate::region::iso::{Iso, Rooted};
use std::any::TypeId;
use vivant_codec::{
    Decoder, Encoder, Field, LoadError, ReferenceTarget, Saved, Shape, ShapeRef, shape_of,
};

/// A context of encoders: the number of regions around the value.
pub(super) struct RegionDepth(u32);

/// An [`Iso`] as the value that its reference encodes.
struct RegionContent<T: Erased>(Iso<T>);

impl<'gc, T> Saved<'gc> for Iso<T>
where
    T: Erased,
    for<'r> T::Of<'r>: Saved<'r>,
{
    const SHAPE: &'static Shape = &Shape::reference_to(
        REGION,
        ShapeRef::new(|| RegionContent::<T>::SHAPE),
        ReferenceTarget::new(|| const { &RegionType(TypeId::of::<T::Static>) }),
    );

    /// Saves the whole region. Costs time in proportion to its live objects, in one piece.
    fn save(&self, out: &mut Encoder<'_>) {
        save(self, out);
    }

    fn load(input: &mut Decoder<'gc, '_>) -> Result<Iso<T>, LoadError> {
        Ok(input.reference::<RegionContent<T>>(Self::SHAPE)?.0)
    }
}

impl<'gc, T> Saved<'gc> for RegionContent<T>
where
    T: Erased,
    for<'r> T::Of<'r>: Saved<'r>,
{
    const SHAPE: &'static Shape = &Shape::structure(
        "vivant::Region",
        const {
            &[
                Field::new("spans", shape_of::<'static, Vec<SpanRecord>>()),
                Field::new("root", shape_of::<'static, T::Of<'static>>()),
            ]
        },
    );

    fn save(&self, out: &mut Encoder<'_>) {
        save(&self.0, out);
    }

    fn load(input: &mut Decoder<'gc, '_>) -> Result<RegionContent<T>, LoadError> {
        let Some(current) = input.context::<CurrentHeap>() else {
            return Err(input.error("a region (`Iso`), where no heap is restored"));
        };
        let (heaps, mut fields) = (&current.heaps, input.structure(Self::SHAPE)?);
        let _level = heaps.nest_region()?;
        let place = heaps.begin_region(current.place(), fields.field(0)?)?;
        let region = BegunRegion(heaps.heap(place));
        let root = {
            let _in_region = current.enter(place);
            let root: T::Of<'gc> = fields.field(1)?;
            let root = erase_brand::<Rooted<T>>(root);
            RestoreOrder::new(current, fields.input()).fill_all(place)?;
            root
        };
        fields.end()?;
        Ok(RegionContent(region.made(root)))
    }
}

fn save<T>(iso: &Iso<T>, out: &mut Encoder<'_>)
where
    T: Erased,
    for<'r> T::Of<'r>: Saved<'r>,
{
    let Some(codecs) = out.lasting_context::<ObjectCodecs>() else {
        return out.error("a region (`Iso`), where no image is made");
    };
    if !codecs.has_region(TypeId::of::<T::Static>()) {
        return out.error("a region (`Iso`) of a type that the codecs of the image do not list");
    }
    let depth = out.lasting_context::<RegionDepth>().map_or(0, |it| it.0);
    if depth == REGIONS_MAX {
        return out.error("a region (`Iso`) within 16 others: images have fewer in each other");
    }
    let Some(mut heap) = iso.closed() else {
        return out.error("a region (`Iso`) that is being saved, in what it has itself");
    };
    out.in_context(&RegionDepth(depth + 1), |out| {
        let (encoder, mut spans) = (out.another(), Vec::new());
        let saved = heap.save(codecs, &encoder, |_| (), &mut |span| spans.push(span));
        if let Err(error) = saved {
            return out.error(format!("in a region, {error}"));
        }
        spans.save(out);
        let own = heap.saved_heap();
        out.in_context(&own, |out| heap.turn(|_, root| root.save(out)));
    });
}

/// A region that is being loaded. It ends with the load, whole or not at all.
struct BegunRegion<'h>(&'h RestoringHeap);

impl BegunRegion<'_> {
    /// All of it is loaded. From here on it is counted what it has of other heaps, because the
    /// program may drop it at any time.
    fn made<T: Erased>(self, mut root: T::Of<'static>) -> Iso<T> {
        self.0.count_imports();
        let mut core = self.0.take_core();
        let restored = core.get_mut();
        // The chunks of collections are clean then, as other objects that change in place are.
        restored.minor(&mut root, TenuringPolicy::Never);
        restored.next_mark(0);
        let mut heap = Heap::<Rooted<T>>::of(core, root);
        // They came with it.
        heap.parts().0.pages_at_holder = heap.stats().pages;
        heap.check();
        Iso::of(heap)
    }
}

impl Drop for BegunRegion<'_> {
    fn drop(&mut self) {
        self.0.give_up();
    }
}
