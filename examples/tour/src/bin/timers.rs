//! Timers: one-shot, periodic, cancelled; on real threads and in virtual time.
#![allow(clippy::print_stdout, reason = "the example prints what it does")]

use std::time::Duration;
use vivant::Timer;
use vivant::prelude::*;
use vivant::simulation::Simulation;

#[derive(Actor)]
struct Kettle {
    degrees: u64,
    heating: Option<Timer>,
}

#[behaviours]
impl Kettle {
    fn switch_on(&mut self, t: &Turn<Self>) {
        self.heating = Some(t.every(Duration::from_millis(20), t.me().warmer()));
        t.after(Duration::from_secs(5), t.me().switch_off());
    }

    fn warmer(&mut self) {
        self.degrees += 10;
        if self.degrees >= 100 {
            self.switch_off();
        }
    }

    fn switch_off(&mut self) {
        if let Some(heating) = self.heating.take() {
            heating.cancel();
        }
    }

    /// A guard instead of polling: this waits until the water boils.
    #[when(self.degrees >= 100)]
    fn tea(&mut self, t: &Turn<Self>) -> Duration {
        t.now()
    }
}

fn tea(system: &System) -> Result<Duration, AskError> {
    let kettle = system.spawn(Kettle {
        degrees: 20,
        heating: None,
    });
    kettle.switch_on().send();
    kettle.tea().ask_blocking()
}

fn main() -> Result<(), AskError> {
    println!(
        "on threads the water boils after {:?}",
        tea(&System::new())?
    );
    let simulation = Simulation::new(1);
    let virtually = tea(simulation.system())?;
    println!("in virtual time after exactly {virtually:?}");
    assert_eq!(virtually, Duration::from_millis(160));
    Ok(())
}
