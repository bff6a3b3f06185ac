//! [`restore_tree`]: the actors of a tree get the states that they have in an image, while the
//! system runs.

use super::super::file::read;
use super::super::image::{ActorRecord, Content};
use super::super::restored::RestoreError;
use super::super::saved_program::SavedProgram;
use super::actors_of_image::{ActorsOfImage, NoState};
use crate::actor::{
    ActorRestored, AddressRef, NotLoaded, RestoreMessage, SavedClass, Scope, Shared, To,
    post_or_bury,
};
use crate::api::{AskFuture, Resolver};
use crate::supervision::is_supervisor;
use crate::sync::{Arc, Mutex, lock};
use std::collections::BTreeMap;
use std::time::Duration;

/// What [`System::restore_tree`](crate::System::restore_tree) has done.
#[derive(Debug, Default)]
#[non_exhaustive]
pub struct TreeRestored {
    /// Number of actors that have their states of the image.
    pub restored: usize,
    /// Paths of the actors of the tree that go on as they were, sorted. The image has no state of
    /// them, because they are younger, had not begun or were about to end, are of a type that is
    /// not saved, or are supervisors; or they begin or end just now.
    pub unchanged: Vec<String>,
    /// Number of actors of which the image has states, and that have ended.
    pub ended: usize,
    /// The actors of which the states could not be loaded. They go on as they were, too.
    pub failed: Vec<ActorNotRestored>,
}

/// An actor of which the state could not be loaded.
#[derive(Debug)]
#[non_exhaustive]
pub struct ActorNotRestored {
    /// Path of the actor.
    pub actor: String,
    /// Why.
    pub why: String,
}

/// Gives the actor `root`, and all below it, the states that they have in `image`.
pub(crate) fn restore_tree(
    system: &Arc<Shared>,
    root: &AddressRef,
    image: &vivant_journal::Image,
    limit: Duration,
) -> Result<TreeRestored, RestoreError> {
    let kinds = SavedProgram::of(system).ok_or(RestoreError::NothingListed)?;
    let (_, content) = read(image)?;
    let scope = Scope::tree(root);
    let mut living: BTreeMap<u64, AddressRef> = BTreeMap::new();
    for cell in system.registry.all() {
        if scope.contains(&cell) {
            living.extend(cell.upgrade().map(|address| (cell.id, address)));
        }
    }
    let mut report = TreeRestored::default();
    let mut found = Vec::new();
    for (at, record) in content.actors.iter().enumerate() {
        if !record.path.starts_with(&root.numbers()) || !has_state(record) {
            continue;
        }
        match living.get(&record.id) {
            // Another actor has the number, in an image of another system.
            Some(address) if !is_of(record, address) => {}
            Some(address) if is_supervisor(address.class) => {}
            Some(_) => found.extend(living.remove(&record.id).map(|address| (at, address))),
            None => report.ended += 1,
        }
    }
    if found.is_empty() {
        let actor = root.path();
        return Err(RestoreError::NotInImage { actor });
    }
    report.unchanged = living.values().map(|address| address.path()).collect();
    report.unchanged.sort();
    let (answer, resolver) = AskFuture::new(system);
    let waiting = Arc::new(Waiting(Mutex::new(Progress {
        left: found.len(),
        report,
        resolver: Some(resolver),
    })));
    let actors = Arc::new(ActorsOfImage::new(content, kinds, system));
    for (at, to) in found {
        let (actors, address) = (actors.clone(), to.clone());
        let told = Told {
            waiting: waiting.clone(),
            // It keeps the actor alive until then.
            actor: Some(to.clone()),
        };
        let message = RestoreMessage {
            load: Box::new(move |state| {
                let record = &actors.image.actors[at];
                let loaded = actors.load(record, &address, state);
                loaded.map_err(|error| match error {
                    NoState::NotInImage => NotLoaded::NotInImage,
                    error => NotLoaded::Failed(error.to_string()),
                })
            }),
            done: Box::new(move |restored| told.tell(restored)),
        };
        post_or_bury(To::Lent(&to), message.envelope());
    }
    drop(actors);
    match answer.within(limit).wait() {
        Ok(report) => Ok(report),
        Err(_) => Err(RestoreError::Deadline {
            limit,
            left: lock(&waiting.0).left,
        }),
    }
}

fn has_state(record: &ActorRecord) -> bool {
    matches!(record.content, Content::State(_))
}

/// Whether the record is that of this actor.
fn is_of(record: &ActorRecord, address: &AddressRef) -> bool {
    let is_saved = matches!(address.class.saved, SavedClass::State(_));
    is_saved && record.path == address.numbers() && record.class == address.class.name
}

/// The restores of a tree that are not done.
struct Waiting(Mutex<Progress>);

struct Progress {
    left: usize,
    report: TreeRestored,
    resolver: Option<Resolver<TreeRestored>>,
}

/// Says what has become of one actor, also if nothing comes to it any more.
struct Told {
    waiting: Arc<Waiting>,
    actor: Option<AddressRef>,
}

impl Told {
    fn tell(mut self, restored: ActorRestored) {
        if let Some(actor) = self.actor.take() {
            self.waiting.is_done(actor.path(), restored);
        }
    }
}

impl Drop for Told {
    fn drop(&mut self) {
        if let Some(actor) = self.actor.take() {
            self.waiting.is_done(actor.path(), ActorRestored::Ended);
        }
    }
}

impl Waiting {
    fn is_done(&self, actor: String, restored: ActorRestored) {
        let mut progress = lock(&self.0);
        let report = &mut progress.report;
        match restored {
            ActorRestored::Yes => report.restored += 1,
            ActorRestored::Ended => report.ended += 1,
            ActorRestored::Unchanged => report.unchanged.push(actor),
            ActorRestored::No(why) => report.failed.push(ActorNotRestored { actor, why }),
        }
        progress.left -= 1;
        if progress.left > 0 {
            return;
        }
        let mut report = std::mem::take(&mut progress.report);
        report.unchanged.sort();
        let resolver = progress.resolver.take();
        drop(progress);
        if let Some(resolver) = resolver {
            resolver.resolve(report);
        }
    }
}
