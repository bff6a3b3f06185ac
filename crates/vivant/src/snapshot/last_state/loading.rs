//! Loading the last states of actors: on a thread for each, or as a step of a simulation.

use super::super::file::{NotRead, read_actor};
use super::super::image::Image;
use super::super::saved_program::SavedProgram;
use super::actors_of_image::{ActorsOfImage, NoState};
use super::images::{Images, OpenImage};
use crate::actor::{LastStates, NextState, Runnable};
use crate::failures::catch;
use crate::interned::Name;
use crate::run::Idle;
use crate::sched::Threads;
use crate::sync::{Arc, Mutex, lock};
use std::thread;
use std::vec;

/// Loads the last state of an actor, which is down, and schedules the actor again.
pub(super) fn load(actor: Runnable) {
    let load = Load::of(Idle::between_runs(actor));
    let system = load.actor.system.clone();
    LastStates::of(&system).begins(load.actor.id, load.actor.path());
    if Threads::of(&system).is_none() {
        return LastStates::of(&system).waits(Box::new(move || load.run()));
    }
    // Of this thread, if there is no other: the actor must not be lost.
    let shared = Arc::new(Mutex::new(Some(load)));
    let taken = shared.clone();
    let name = format!("{}-restore", system.config.name);
    let run = move || {
        let load = lock(&taken).take();
        if let Some(load) = load {
            load.run();
        }
    };
    if let Err(error) = thread::Builder::new().name(name).spawn(run) {
        system.reports.thread_failed(&error);
        let load = lock(&shared).take();
        if let Some(load) = load {
            load.run();
        }
    }
}

/// One state that is being loaded.
struct Load {
    actor: Idle,
    /// The images that were not looked at.
    images: vec::IntoIter<OpenImage>,
    /// Why the state of an image was not loaded: that of the newest.
    why: Option<String>,
    /// The behaviour in which the incarnation before has failed, if it has failed in one.
    failed_in: Option<Name>,
}

impl Load {
    fn of(mut actor: Idle) -> Load {
        Load {
            failed_in: actor.failed_in(),
            images: Images::newest_first(&actor.system).into_iter(),
            actor,
            why: None,
        }
    }

    fn run(mut self) {
        // The store and the listener of reports are code of users too.
        let next = catch(|| self.load()).unwrap_or_else(|caught| {
            let why = format!("a panic: {}", caught.message);
            let reports = &self.actor.system.reports;
            reports.state_not_restored(self.actor.path(), why);
            NextState::Start
        });
        let Load { actor, images, .. } = self;
        // Their stores are not open any more when the actor answers.
        drop(images);
        // Before the actor can go down again.
        LastStates::of(&actor.system).ends(actor.id);
        actor.begins_with(next);
    }

    fn load(&mut self) -> NextState {
        let system = self.actor.system.clone();
        let Some(kinds) = SavedProgram::of(&system) else {
            return NextState::Start;
        };
        while let Some(image) = self.next() {
            let actors = ActorsOfImage::new(image, kinds.clone(), &system);
            // Loading is code of users.
            let why = match catch(|| self.restore(&actors)) {
                Ok(Ok(next)) => return next,
                Ok(Err(error)) => error.to_string(),
                Err(caught) => format!("a panic: {}", caught.message),
            };
            self.why.get_or_insert(why);
        }
        let why = self.why.take();
        let why = why.unwrap_or_else(|| "no snapshot has a state of it".to_owned());
        let reports = &system.reports;
        reports.state_not_restored(self.actor.path(), why);
        NextState::Start
    }

    /// The state of the image goes into the cell.
    fn restore(&mut self, actors: &ActorsOfImage) -> Result<NextState, NoState> {
        let record = actors.image.actors.first().ok_or(NoState::NotInImage)?;
        if let Some(failed_in) = self.failed_in
            && actors.runs_again(record, failed_in)
        {
            // It would fail again.
            return Err(NoState::RunsAgain(failed_in));
        }
        let address = self.actor.cell().upgrade().ok_or(NoState::NotInImage)?;
        let parts = actors.load(record, &address, &self.actor.state())?;
        let phase = self.actor.phase();
        let waits = (parts.put)(&mut self.actor.state(), phase);
        self.actor.heap_has_come();
        if !waits.is_empty() {
            self.actor.waits_for(waits);
        }
        if let Some(step) = parts.step {
            self.actor.set_step(step);
        }
        Ok(NextState::Loaded(parts.break_promises))
    }

    /// The next image that has the actor.
    fn next(&mut self) -> Option<Image> {
        loop {
            let image = self.images.next()?;
            match read(&image, self.actor.id) {
                Ok(Some(found)) => return Some(found),
                Ok(None) => {}
                Err(error) => {
                    let why = format!("image {}: {error}", image.number);
                    self.why.get_or_insert(why);
                }
            }
        }
    }
}

/// What an image has of an actor. `None`: nothing, or the image is gone.
fn read(image: &OpenImage, actor: u64) -> Result<Option<Image>, NotRead> {
    match image.catalog.image(image.number) {
        Ok(image) => read_actor(&image, actor),
        Err(vivant_journal::Error::NoSuchImage { .. }) => Ok(None),
        Err(error) => Err(error.into()),
    }
}
