//! Streams and images: readers of all kinds, and streams of all kinds.

use super::census::SavedAs;
use super::image::Image;
use super::recorder::ImageRecorder;
use super::restore::restore;
use super::taking::{assert_is, recorder, restored, simulated, take, take_now};
use super::unsaved::Unsaved;
use crate::actor::Scope;
use crate::api::SavedKinds;
use crate::cut::{Coordinator, Step};
use crate::oracle::Dice;
use crate::prelude::*;
use crate::simulation::Simulation;
use crate::sync::{Arc, Mutex, lock};
use crate::{Attached, StreamItem};
use std::cell::Cell;
use std::pin::Pin;
use std::task::{Context, Poll, Waker};

/// Gives the numbers below 3. It does not end, and may be woken.
#[derive(Default)]
struct Three {
    next: u64,
    waker: Arc<Mutex<Option<Waker>>>,
}

impl futures_core::Stream for Three {
    type Item = u64;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<u64>> {
        if self.next == 3 {
            *lock(&self.waker) = Some(context.waker().clone());
            return Poll::Pending;
        }
        self.next += 1;
        Poll::Ready(Some(self.next - 1))
    }
}

/// An argument of which a clone panics, if the test says so.
#[derive(Debug, Default)]
struct Fragile;

thread_local! {
    static BREAKS: Cell<bool> = const { Cell::new(false) };
}

impl Clone for Fragile {
    fn clone(&self) -> Fragile {
        assert!(!BREAKS.get(), "handled without care");
        Fragile
    }
}

impl crate::Saved<'_> for Fragile {
    const SHAPE: &'static crate::codec::Shape = <() as crate::Saved<'static>>::SHAPE;

    fn save(&self, out: &mut crate::codec::Encoder<'_>) {
        ().save(out);
    }

    fn load(input: &mut crate::codec::Decoder<'_, '_>) -> Result<Self, crate::codec::LoadError> {
        <()>::load(input).map(|()| Fragile)
    }
}

fn read(item: &StreamItem<u64>) -> String {
    match item {
        StreamItem::Item(number) => number.to_string(),
        StreamItem::Ended => "end".to_owned(),
        StreamItem::Failed(error) => error.to_string(),
    }
}

#[derive(Actor)]
#[actor(saved)]
struct Reader {
    read: Vec<String>,
    attached: Option<Attached>,
}

#[behaviours]
impl Reader {
    fn keeps(&mut self, t: &Turn<Self>) {
        self.attached = Some(t.attach(Three::default()).then_each(t.me().takes()));
    }

    #[then]
    fn takes(&mut self, item: StreamItem<u64>) {
        self.read.push(read(&item));
    }

    #[then]
    fn takes_with_care(&mut self, item: StreamItem<u64>, _with: Fragile) {
        self.read.push(read(&item));
    }
}

/// Has room for one message.
#[derive(Actor)]
#[actor(saved, mailbox = reject(1))]
struct Narrow {
    read: Vec<String>,
}

#[behaviours]
impl Narrow {
    fn knock(&mut self) {}

    #[then]
    fn takes(&mut self, item: StreamItem<u64>) {
        self.read.push(read(&item));
    }
}

#[derive(Actor)]
#[actor(saved(restart))]
struct Again {
    read: Vec<String>,
}

#[behaviours]
impl Again {
    #[start]
    fn new(t: &Turn<Self>) -> Again {
        t.attach(Three::default())
            .then_each(t.me().takes())
            .forever();
        Again { read: Vec::new() }
    }

    #[then]
    fn takes(&mut self, item: StreamItem<u64>) {
        self.read.push(read(&item));
    }
}

fn kinds() -> Arc<SavedKinds> {
    Arc::new(SavedKinds::of::<(Reader, Narrow, Again)>().expect("no two names are equal"))
}

/// What the only actor of this type has read.
fn seen<A: Actor>(simulation: &Simulation, look: fn(&A::State<'_>) -> Vec<String>) -> Vec<String> {
    let mut all = Vec::new();
    for cell in simulation.system().shared().actors() {
        let mut idle = cell.hold_idle().expect("nothing runs");
        let _none = idle.state().look::<A, _>(|state| all.extend(look(state)));
        idle.park();
    }
    all
}

fn of_reader(simulation: &Simulation) -> Vec<String> {
    seen::<Reader>(simulation, |reader| reader.read.clone())
}

fn reader(simulation: &Simulation) -> Address<Reader> {
    simulation.system().spawn(Reader {
        read: Vec::new(),
        attached: None,
    })
}

const LOST: &str = "an actor that is not saved";

/// Restores the image, and compares what the restored system has with it.
fn again(mut image: Image) -> (Simulation, Arc<super::by_id::Actors>) {
    let (simulation, actors) = restored(&image, 1, &kinds());
    image
        .system
        .types
        .retain(|it| it.saved_as != SavedAs::Nothing);
    assert_is(&take_now(&simulation), &image, "the same");
    (simulation, actors)
}

#[test]
fn a_stream_that_waits_is_lost_once() {
    let simulation = simulated(&kinds(), 1);
    let reader = reader(&simulation);
    reader.keeps().send();
    simulation.run();
    assert_eq!(of_reader(&simulation), ["0", "1", "2"]);
    let image = take_now(&simulation);
    assert_eq!(
        of_reader(&simulation),
        ["0", "1", "2"],
        "the first system goes on"
    );
    let (simulation, _actors) = again(image);
    let image = take_now(&simulation);
    simulation.run();
    let all = of_reader(&simulation);
    assert_eq!(all.len(), 4, "{all:?}");
    assert!(all[3].contains(LOST), "{}", all[3]);
    let (simulation, _actors) = again(image);
    simulation.run();
    assert_eq!(of_reader(&simulation), all);
}

/// The error is that of a promise of `t.spawn`.
#[test]
fn a_lost_stream_has_the_error_of_a_lost_future() {
    let error = super::promises::lost_with_its_code();
    assert!(matches!(error, AskError::Broken(_)), "{error}");
}

#[test]
fn a_bounded_mailbox_takes_the_end_of_a_stream() {
    let simulation = simulated(&kinds(), 1);
    let narrow = simulation.system().spawn(Narrow { read: Vec::new() });
    let attaching = simulation.system().attach(Three::default());
    let attached = attaching.then_each(narrow.takes());
    simulation.run();
    narrow.knock().send();
    let (simulation, _actors) = again(take_now(&simulation));
    simulation.run();
    let read = seen::<Narrow>(&simulation, |narrow| narrow.read.clone());
    assert_eq!(read.len(), 4, "{read:?}");
    drop(attached);
}

/// Its start attaches the stream anew.
#[test]
fn a_reader_that_starts_again_hears_of_no_end() {
    let simulation = simulated(&kinds(), 1);
    let _again = Again::spawn(simulation.system());
    simulation.run();
    let (simulation, _actors) = restored(&take_now(&simulation), 1, &kinds());
    simulation.run();
    let read = seen::<Again>(&simulation, |again| again.read.clone());
    assert_eq!(read, ["0", "1", "2"]);
}

#[test]
fn a_clone_that_panics_fails_the_snapshot_alone() {
    let simulation = simulated(&kinds(), 1);
    let reader = reader(&simulation);
    let attaching = simulation.system().attach(Three::default());
    let attached = attaching.then_each(reader.takes_with_care(Fragile));
    simulation.run();
    BREAKS.set(true);
    let error = take(&simulation, &mut Dice::new(1)).err();
    BREAKS.set(false);
    let Some(Unsaved::Panicked { actor, message }) = error else {
        panic!("{error:?}");
    };
    assert!(actor.contains("Reader"), "{actor}");
    assert!(message.contains("handled without care"), "{message}");
    assert_eq!(of_reader(&simulation), ["0", "1", "2"]);
    again(take_now(&simulation));
    drop(attached);
}

/// The actor that polls the stream is outside of the tree.
#[test]
fn a_tree_has_the_end_of_a_stream_from_outside() {
    let simulation = simulated(&kinds(), 1);
    let reader = reader(&simulation);
    let attaching = simulation.system().attach(Three::default());
    let attached = attaching.then_each(reader.takes());
    simulation.run();
    let system = simulation.system().shared();
    let scope = Scope::tree(&Address::counted(&reader).cell());
    let recorder = ImageRecorder::new(kinds()).expect("the shapes are few");
    let recorder = Arc::new(recorder.within(scope));
    let mut coordinator = Coordinator::new(system);
    coordinator.begin(system, recorder.clone());
    while !matches!(coordinator.step(system), Step::Complete(_)) {}
    let image = recorder.take(system).expect("it is saved");
    let (simulation, _actors) = restored(&image, 1, &kinds());
    simulation.run();
    assert!(of_reader(&simulation)[3].contains(LOST));
    drop(attached);
}

/// Of a stream of another system no image can say whether it has ended.
#[test]
fn a_stream_of_another_system_is_an_error() {
    let (simulation, other) = (simulated(&kinds(), 1), simulated(&kinds(), 2));
    let reader = reader(&simulation);
    let attached = other.system().attach(Three::default());
    let attached = attached.then_each(reader.takes());
    other.run();
    simulation.run();
    let error = take(&simulation, &mut Dice::new(1)).expect_err("it has a stream");
    let said = error.to_string();
    assert!(said.contains("a stream of another system"), "{said}");
    let image = take_now(&other);
    assert!(image.waiting.is_empty(), "its reader is elsewhere");
    drop(attached);
}

/// A handle loads as that of a stream which has ended.
#[test]
fn a_restored_handle_stops_nothing() {
    let simulation = simulated(&kinds(), 1);
    reader(&simulation).keeps().send();
    simulation.system().keep(&reader(&simulation));
    simulation.run();
    let _recorder = recorder(simulation.system());
    let handle: Attached = crate::codec::from_bytes(&[1]).expect("it has ended");
    assert_eq!(format!("{handle:?}"), "Attached(it has ended)");
    drop(handle);
    for wrong in [&[][..], &[2], &[1, 1]] {
        let bytes: Result<Attached, _> = crate::codec::from_bytes(wrong);
        assert!(bytes.is_err(), "{wrong:?}");
    }
}

/// An item of a stream that names an actor which takes no such items is an error.
#[test]
fn an_item_of_another_actor_is_an_error() {
    let simulation = simulated(&kinds(), 1);
    let reader = reader(&simulation);
    let narrow = simulation.system().spawn(Narrow { read: Vec::new() });
    reader.keeps().send();
    simulation.run();
    let mut image = take_now(&simulation);
    image.waiting[0].actor = Address::counted(&narrow).id;
    let simulation = simulated(&kinds(), 1);
    let error = restore(simulation.system().shared(), &image, &kinds());
    let error = error.err().expect("it is for another type").to_string();
    assert!(error.contains("takes"), "{error}");
}
