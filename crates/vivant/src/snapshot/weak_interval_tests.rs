//! An interval of a restored system with a weak address among its arguments. The cut decodes it
//! under the lock of the alarms, where no address may be dropped: that would set an alarm.

use super::taking::{restored, simulated, take_now};
use crate::WeakAddress;
use crate::api::SavedKinds;
use crate::prelude::*;
use crate::sync::Arc;
use std::time::Duration;

#[derive(Actor)]
#[actor(saved, id = "tower::Bell")]
struct Bell {
    heard: u64,
}

#[behaviours(id = "tower::Bell")]
impl Bell {
    #[start]
    fn new() -> Bell {
        Bell { heard: 0 }
    }

    fn tells(&mut self, t: &Turn<Self>, other: Address<Bell>) {
        let weak = Address::downgrade(&other);
        let _timer = t.every(Duration::from_secs(1), t.me().hears(weak));
    }

    fn hears(&mut self, other: WeakAddress<Bell>) {
        self.heard += u64::from(other.upgrade().is_some());
    }

    fn heard(&self) -> u64 {
        self.heard
    }
}

#[test]
fn a_restored_interval_with_a_weak_address_is_saved_again() {
    let kinds = Arc::new(SavedKinds::of::<(Bell,)>().expect("one name"));
    let first = simulated(&kinds, 1);
    let (bell, other) = (Bell::spawn(first.system()), Bell::spawn(first.system()));
    bell.tells(other.clone()).send();
    first.run_for(Duration::from_secs(2));
    let image = take_now(&first);
    drop((bell, other));
    let (again, actors) = restored(&image, 2, &kinds);
    assert_eq!(take_now(&again), image);
    again.run_for(Duration::from_secs(3));
    let heard: u64 = actors
        .values()
        .map(|actor| {
            let bell: Address<Bell> = Address::to_actor(actor.clone());
            bell.heard().ask_blocking().expect("it lives")
        })
        .sum();
    assert_eq!(heard, 5);
}
