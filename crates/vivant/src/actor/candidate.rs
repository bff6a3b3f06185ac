//! How an actor becomes a cycle candidate (U1).

use super::alarm::{Alarm, ns};
use super::header::Header;
use super::shared::Shared;
use super::worker::Worker;
use crate::candidates::{Candidate, CandidateOverload, FollowUp};
use crate::sync::Arc;

impl Header {
    /// This live actor loses an address, and not its last (U1).
    pub(crate) fn is_candidate(&self) {
        let who = Candidate {
            id: self.id,
            place: self.place(),
        };
        let noted = Worker::of(&self.system, |worker| worker.notes(who)).flatten();
        if noted.is_none() {
            let _of_no_actor = self.system.take_in_candidates([who]);
        }
    }
}

impl Shared {
    /// Adds candidates.
    pub(crate) fn take_in_candidates(
        self: &Arc<Self>,
        candidates: impl IntoIterator<Item = Candidate>,
    ) -> CandidateOverload {
        let (now_ns, wait_ns) = (self.oracle.now_ns(), ns(self.config.idle_after));
        let mut list = self.candidates.list();
        let then = list.add(candidates, now_ns, wait_ns);
        let overload = list.overload(now_ns);
        drop(list);
        self.after_candidates(then, now_ns);
        overload
    }

    /// Does what the list of candidates asks for.
    pub(crate) fn after_candidates(self: &Arc<Self>, then: FollowUp, now_ns: u64) {
        match then {
            FollowUp::Nothing => {}
            FollowUp::StartPass => {
                self.candidates.request_pass();
                self.idle.wake_one();
            }
            FollowUp::SetTimer(at_ns) => {
                let shared = self.clone();
                let ring = move || {
                    let then = shared.candidates.list().timer_fired(at_ns);
                    shared.after_candidates(then, at_ns);
                };
                let in_ns = at_ns.saturating_sub(now_ns);
                self.set_timer(in_ns, Alarm::Once(Box::new(ring)));
            }
        }
    }
}
