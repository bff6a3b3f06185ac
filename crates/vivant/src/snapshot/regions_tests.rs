//! Regions in snapshots: in states and objects, in messages and in promises.

use super::taking::goes_on_at_every_step;
use crate::api::SavedKinds;
use crate::prelude::*;
use crate::simulation::Simulation;
use crate::sync::Arc;
use vivant_codec::Saved;
use vivant_heap::{Gc, Iso, Mut, Mutator, Object, Val};

#[derive(Object, Saved)]
pub(super) struct Crate<'gc> {
    number: u64,
    label: Option<Val<'gc, str>>,
    below: Option<Gc<'gc, Mut<Crate<'gc>>>>,
}

/// The parcels of a container, the last one on top.
type Stack<'gc> = Option<Gc<'gc, Mut<Crate<'gc>>>>;
type Container = Iso<Option<Gc<'static, Mut<Crate<'static>>>>>;

/// Passes containers on.
#[derive(Actor)]
#[actor(saved, id = "regions::Yard")]
pub(super) struct YardState<'gc> {
    docked: Vec<Container>,
    stored: Vec<Gc<'gc, Mut<Option<Container>>>>,
    next: Option<Address<Yard>>,
}

fn put<'r>(r: &Mutator<'r>, stack: &mut Stack<'r>, number: u64) {
    let label = number
        .is_multiple_of(2)
        .then(|| r.val_str(&format!("parcel {number}")));
    let below = *stack;
    *stack = Some(r.alloc(Mut::new(Crate {
        number,
        label,
        below,
    })));
}

#[behaviours(id = "regions::Yard")]
impl<'gc> YardState<'gc> {
    #[start]
    pub(super) fn new() -> Self {
        YardState {
            docked: Vec::new(),
            stored: Vec::new(),
            next: None,
        }
    }

    pub(super) fn before(&mut self, next: Address<Yard>) {
        self.next = Some(next);
    }

    pub(super) fn fill(&mut self, t: &Turn<'gc, Yard>, number: u64, hands: u64) {
        let container = t.iso(|r| {
            let mut stack = None;
            put(r, &mut stack, number);
            stack
        });
        self.take(t, container, hands);
    }

    /// Adds a parcel, keeps every third container, and passes the others on.
    pub(super) fn take(&mut self, t: &Turn<'gc, Yard>, mut container: Container, hands: u64) {
        container.open_in(t, |r, stack| put(r, stack, hands));
        match (&self.next, hands % 3) {
            (Some(next), 1 | 2) => next.take(container, hands - 1).send(),
            (Some(next), _) if hands > 0 => {
                let next = next.clone();
                self.stored.push(t.alloc(Mut::new(Some(container))));
                next.fill(100 + hands, hands - 1).send();
            }
            _ => self.docked.push(container),
        }
    }

    pub(super) fn lend(&mut self, t: &Turn<'gc, Yard>) -> Option<Container> {
        let stored = self.stored.last()?;
        stored.borrow_mut(t).take()
    }

    /// Asks the next one for a container.
    pub(super) fn ask_for_one(&mut self, t: &Turn<'gc, Yard>) -> Promise<u64> {
        let next = self.next.clone().expect("it has one");
        t.ask(next.lend()).then(t.me().borrowed())
    }

    #[then]
    fn borrowed(
        &mut self,
        t: &Turn<'gc, Yard>,
        container: Result<Option<Container>, AskError>,
    ) -> u64 {
        let Some(mut container) = container.expect("the next one lives") else {
            return 0;
        };
        container.open_in(t, |r, stack| put(r, stack, 1000));
        self.docked.push(container);
        1
    }

    /// The parcels of all containers.
    pub(super) fn all(&mut self, t: &Turn<'gc, Yard>) -> Vec<Vec<u64>> {
        let docked = self.docked.iter_mut().map(parcels).collect::<Vec<_>>();
        let stored = self.stored.iter();
        let stored = stored.filter_map(|it| it.borrow_mut(t).as_mut().map(parcels));
        let stored = stored.collect::<Vec<_>>();
        [docked, stored].concat()
    }
}

fn parcels(container: &mut Container) -> Vec<u64> {
    container.open(|_, stack| {
        let mut numbers = Vec::new();
        let mut next = *stack;
        while let Some(parcel) = next {
            let parcel = parcel.borrow();
            if let Some(label) = parcel.label {
                assert_eq!(*label, format!("parcel {}", parcel.number));
            }
            numbers.push(parcel.number);
            next = parcel.below;
        }
        numbers
    })
}

fn kinds() -> Arc<SavedKinds> {
    Arc::new(SavedKinds::of::<(Yard,)>().expect("no two names are equal"))
}

fn ring(simulation: &Simulation) -> Vec<Address<Yard>> {
    let yards: Vec<_> = (0..3).map(|_| Yard::spawn(simulation.system())).collect();
    for (at, yard) in yards.iter().enumerate() {
        yard.before(yards[(at + 1) % 3].clone()).send();
        let name = format!("yard {at}");
        simulation
            .system()
            .register(&name, yard)
            .expect("it is free");
    }
    yards
}

/// One container after the other: no order is the seed's.
fn begin(simulation: &Simulation) -> Vec<Address<Yard>> {
    let yards = ring(simulation);
    yards[0].fill(1, 8).send();
    yards[2].ask_for_one().send();
    yards
}

fn end(simulation: &Simulation) -> Vec<Vec<Vec<u64>>> {
    simulation.run();
    let yards = (0..3).map(|at| {
        let yard = simulation.system().lookup::<Yard>(&format!("yard {at}"));
        let yard = yard.expect("it is registered");
        yard.all().ask_blocking().expect("it lives")
    });
    yards.collect()
}

#[test]
fn yards_go_on_with_their_containers() {
    let simulation = Simulation::new(1);
    let _yards = begin(&simulation);
    let all = end(&simulation);
    assert!(all.concat().len() > 2, "{all:?}");
    let images = goes_on_at_every_step(3, &kinds(), begin, end);
    assert!(images > 10, "{images} images");
}
