//! The messages of a supervisor that are saved.

use super::handle::{Adopt, AreSettled, Begin, Children, ReportNews, Retire, ShutDown, TimerFired};
use super::supervisor::Supervisor;
#[cfg(feature = "snapshots")]
use crate::api::SavedActors;
use crate::api::{SavedActor, SavedList};
#[cfg(feature = "snapshots")]
use std::marker::PhantomData;

impl SavedActor for Supervisor {
    fn list(list: &mut SavedList) {
        list.message::<Children>();
        list.message::<AreSettled>();
        list.message::<ShutDown>();
        list.own::<ReportNews>();
        list.own::<Adopt>();
        list.own::<Begin>();
        list.own::<Retire>();
        list.own::<ShutDown>();
        list.own::<TimerFired>();
    }
}

/// The saved actors of a program, and supervisors, which each program may have.
#[cfg(feature = "snapshots")]
pub(crate) struct AndSupervisor<A>(PhantomData<A>);

#[cfg(feature = "snapshots")]
impl<A: SavedActors> SavedActors for AndSupervisor<A> {
    fn list(list: &mut SavedList) {
        A::list(list);
        list.actor::<Supervisor>();
    }
}
