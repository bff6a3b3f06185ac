//! Monitors of actors in an image: links, watches, and stops that wait.

use super::message_record::MessageRecord;
use crate::actor::{Header, LinkedPeer};
use crate::saving::saved_struct;
use std::ptr;

/// The monitors of all actors.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct MonitorsRecord {
    /// Each end of each link.
    pub(super) links: Vec<LinkRecord>,
    /// The number of the next link.
    pub(super) next_link: u64,
    /// Requests of actors to hear of the end of another one. The image may lack that actor: then
    /// they hear of it at the restore.
    pub(super) watches: Vec<MessageRecord>,
    /// The numbers of the actors that have been stopped and have not ended yet.
    pub(super) stops: Vec<u64>,
}

/// One end of a link.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct LinkRecord {
    pub(super) actor: u64,
    pub(super) peer: u64,
    /// Both ends have it.
    pub(super) number: u64,
}

impl MonitorsRecord {
    /// A link with an actor of another system is left out: that system is not in the image.
    pub(super) fn add_links(&mut self, actor: &Header, links: &[LinkedPeer]) {
        let is_here = |link: &&LinkedPeer| ptr::eq(&*link.peer.system, &*actor.system);
        let here = links.iter().filter(is_here);
        self.links.extend(here.map(|link| LinkRecord {
            actor: actor.id,
            peer: link.peer.id,
            number: link.number,
        }));
    }

    /// The cut is complete. A link with an actor that is not saved is left out: the end of that one
    /// is no failure. Of a peer that had ended the news still waits.
    pub(super) fn sort(
        &mut self,
        has_actor: impl Fn(u64) -> bool,
        is_not_saved: impl Fn(u64) -> bool,
    ) {
        self.links
            .retain(|link| has_actor(link.actor) && !is_not_saved(link.peer));
        self.links.sort();
        // Stable.
        self.watches.sort_by_key(|watch| watch.actor);
    }
}

saved_struct!(MonitorsRecord as "vivant::MonitorsRecord" {
    0 links: Vec<LinkRecord>,
    1 next_link: u64,
    2 watches: Vec<MessageRecord>,
    3 stops: Vec<u64>,
});

saved_struct!(LinkRecord as "vivant::LinkRecord" {
    0 actor: u64,
    1 peer: u64,
    2 number: u64,
});
