//! Senders outside that wait until a receiver has recovered (`Mutes::wait`), and one of them that
//! stops waiting.

use crate::runtime::mute::{Mutes, Pressure, Wait, Watermarks};
use crate::sync::Arc;
use loom::thread;

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Holder {
    /// Processes the waiting messages.
    Drains,
    Ends,
    /// The fault: it lowers its depth and does not check for waiting senders.
    TellsNobody,
}

/// It waits until it is notified.
const PATIENT: usize = 0;
/// It stops waiting.
const IMPATIENT: usize = 1;

pub(super) fn run(holder: Holder) {
    let marks = Watermarks::at(1);
    let system = Arc::new((Mutes::new(), Pressure::new()));
    let _two_wait = (system.1.add(), system.1.add());
    let offers = [PATIENT, IMPATIENT].map(|offer| {
        let system = system.clone();
        thread::spawn(move || {
            let (mutes, load) = &*system;
            let overloaded = load.first() >= marks.overloaded;
            let waits = overloaded && mutes.wait(offer, (0, load), marks) == Wait::Waits;
            if waits && offer == IMPATIENT {
                mutes.remove_offer(0, |other| *other == IMPATIENT);
            }
            waits
        })
    });
    let (mutes, load) = &*system;
    let mut told = Vec::new();
    match holder {
        Holder::Drains | Holder::TellsNobody => {
            for _ in 0..2 {
                if load.subtract(1, marks) && holder == Holder::Drains {
                    told.extend(mutes.recovered((0, load)));
                }
            }
        }
        Holder::Ends => {
            load.closed();
            told = mutes.ended((0, load));
        }
    }
    let [waited, _left] = offers.map(|offer| offer.join().unwrap());
    let times = told.iter().filter(|other| **other == PATIENT).count();
    assert_eq!(times, usize::from(waited), "P3: an offer was not told once");
    let left = mutes.pairs(|_| ()).len();
    assert_eq!(left, 0, "P3: somebody waits for ever");
}
