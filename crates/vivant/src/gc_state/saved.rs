//! A graph in an image: the state as any other value, and the objects of its heap beside it.

use super::collected::{ActorHeap, GcState, HeapRoot};
use super::deaths::DeathNotices;
use super::gc_messages;
use super::gc_waker::{GcWaker, notified_after_ns};
use crate::actor::{CellRef, EachWatch, Loaded, LoadedState, StateRef, StateSource};
use crate::api::{Actor, StateCodec};
use crate::saving::HeapSaver;
use std::task::Waker;
use vivant_codec::{Decoder, Encoder, LoadError, Saved};
use vivant_heap::{FinishedHeaps, Leaf, Object};

impl<A: Actor<Storage = GcState>> StateCodec<A>
where
    for<'gc> A::State<'gc>: Object<'gc> + Saved<'gc>,
{
    /// The codec of a state that is a graph: that of its type.
    pub const OF_GRAPH: Option<StateCodec<A>> = Some(StateCodec {
        shape: <A::State<'static> as Saved<'static>>::SHAPE,
        save: |state, out| state.save(out),
        load: |input| Saved::load(input),
    });
}

/// Saves the state, and begins an image of its heap, which goes on while turns run.
pub(super) fn save<A: Actor<Storage = GcState>>(
    stored: &mut ActorHeap<A>,
    codec: StateCodec<A>,
    out: &mut Encoder<'_>,
) where
    for<'gc> A::State<'gc>: Object<'gc>,
{
    let (saver, number) = (out.context::<HeapSaver>(), stored.heap.number());
    let taken = saver.and_then(|saver| Some((saver, saver.codecs(), saver.take_sink(number)?)));
    let Some((saver, codecs, sink)) = taken else {
        return out.error("a graph, where no image is made");
    };
    out.in_context(&stored.heap.saved_heap(), |out| {
        stored
            .heap
            // What flows have rooted is theirs: an image has neither.
            .begin_image(codecs, sink, |(state, locals, ..)| {
                if let Some((locals, Leaf(codec))) = locals {
                    match codec {
                        None => out.error("locals of a behaviour in steps, in a graph"),
                        Some(codec) => {
                            let mut encoded = out.another();
                            (codec.save)(*locals, &mut encoded);
                            saver.set_locals((codec.shape, encoded.finish()));
                        }
                    }
                }
                (codec.save)(state, out);
            });
    });
    if stored.heap.is_imaging() {
        // No turn may come.
        stored.waker.schedule_check(0);
    }
}

/// Passes the death watches of the heap to `each`, with what they send: for the image that has just
/// begun.
pub(super) fn watches<A: Actor<Storage = GcState>>(
    stored: &mut ActorHeap<A>,
    EachWatch(each): EachWatch<'_>,
) where
    for<'gc> A::State<'gc>: Object<'gc>,
{
    let records = stored.heap.image_watches();
    if records.is_empty() {
        return;
    }
    stored.heap.turn(|_, (_, _, Leaf(notices), _)| {
        for record in records {
            each(record, notices.of(record.number, record.token));
        }
    });
}

/// Begins an image of the objects, without the state.
pub(super) fn begin_image<A: Actor<Storage = GcState>>(stored: &mut ActorHeap<A>, saver: &HeapSaver)
where
    for<'gc> A::State<'gc>: Object<'gc>,
{
    let number = stored.heap.number();
    if let Some(sink) = saver.take_sink(number) {
        stored.heap.begin_image(saver.codecs(), sink, |_| ());
    }
    if stored.heap.is_imaging() {
        // No turn may come.
        stored.waker.schedule_check(0);
    }
}

/// Bytes of objects that are written while another thread holds the actor: some 100 microseconds.
const PIECE: usize = 32 << 10;

/// Writes a piece of the image, for an actor that no worker runs.
pub(super) fn write_image<A: Actor<Storage = GcState>>(stored: &mut ActorHeap<A>)
where
    for<'gc> A::State<'gc>: Object<'gc>,
{
    if stored.heap.is_imaging() {
        stored.heap.write_image(PIECE);
        if !stored.heap.is_imaging() {
            // A mark may have waited for it.
            stored.waker.schedule_check(0);
        }
    }
}

/// Loads a state, of which the heap is one of the image.
pub(super) fn load<A: Actor<Storage = GcState>>(
    cell: CellRef,
    source: StateSource<'_>,
) -> Result<LoadedState, LoadError>
where
    for<'gc> A::State<'gc>: Object<'gc>,
{
    let error = |why| Err(Decoder::new(&[]).error(why));
    let Some(codec) = (const { A::STATE_CODEC }) else {
        return error("a state that is not saved");
    };
    let Some(heap) = source.heap else {
        return error("a graph, of which the image has no heap");
    };
    let (comparison, shape) = source.stored;
    let (bytes, locals, notices) = (source.bytes, source.locals, source.notices);
    let heaps = source.heaps;
    let state = heaps.state::<HeapRoot<A>>(heap, source.contexts, |decoder| {
        let mut input = decoder.of(bytes);
        let state = input.stored_by(comparison, shape, codec.shape, codec.load)?;
        input.finish()?;
        let locals = locals.map(|it| {
            let loaded = (it.codec.load)(decoder, it.bytes, it.shape)?;
            Ok((loaded, Leaf(Some(it.codec))))
        });
        let notices = notices.into_iter();
        let notices = notices.map(|it| (it.token, decoder.watch(it.watch), it.message));
        let notices = DeathNotices::restored(notices);
        Ok((state, locals.transpose()?, Leaf(notices), None))
    })?;
    let put = move |into: &mut StateRef<'_>, heaps: &mut FinishedHeaps| {
        let system = &cell.system;
        system.scheduler.heap_begins(system);
        let waker = GcWaker::of(cell.clone(), gc_messages::idle_check::<A>);
        let heap = heaps.heap(state, Some(Waker::from(waker.clone())));
        // No turn may come. Counts of other heaps may wait, and the cycle detector waits for the
        // external edges of the heap.
        waker.schedule_check(notified_after_ns(system));
        into.store::<A>(ActorHeap::new(heap, waker));
    };
    Ok(LoadedState(Loaded::InHeap(Box::new(put))))
}
