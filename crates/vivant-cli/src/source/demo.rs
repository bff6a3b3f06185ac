//! The demo: a small system in this process.

use super::cast::{self, Labour, OVERLOAD};
use super::connection::Connection;
use super::{Source, TokenSource, Trouble};
use std::time::Duration;
use vivant::System;
use vivant::simulation::{Faults, Simulation};
use vivant_console::Console;
use vivant_console::wire::Snapshot;

/// On threads, in real time, and observed as any program is: through a socket.
pub(super) struct Live {
    connection: Connection,
    // Dropped in this order: the console holds a handle of the system.
    _console: Console,
    _system: System,
}

impl Live {
    pub(super) fn start() -> Result<Live, Trouble> {
        let system = System::builder()
            .name("demo")
            .workers(2)
            .overload(OVERLOAD)
            .build();
        cast::open(&system, Labour::Sleeps);
        let console = vivant_console::serve(&system).map_err(Trouble::Demo)?;
        let token = TokenSource::Text(console.token().as_str().to_owned());
        Ok(Live {
            connection: Connection::to(console.address().to_string(), token),
            _console: console,
            _system: system,
        })
    }
}

impl Source for Live {
    fn look(&mut self) -> Result<Snapshot, Trouble> {
        self.connection.look()
    }
}

/// Under a seed, in virtual time. Only a snapshot lets time pass: the same seed shows the same
/// screens.
pub(super) struct Seeded {
    simulation: Simulation,
    step: Duration,
}

impl Seeded {
    pub(super) fn start(seed: u64, step: Duration) -> Seeded {
        // Some turns are slow, and some actors are delayed while others send to them.
        let faults = Faults::none()
            .slow_turns(50_000, Duration::from_millis(10))
            .delays(200_000, Duration::from_millis(1_500));
        let builder = System::builder().overload(OVERLOAD);
        let simulation = Simulation::with(seed, faults, builder);
        cast::open(simulation.system(), Labour::Simulated);
        Seeded { simulation, step }
    }
}

impl Source for Seeded {
    fn look(&mut self) -> Result<Snapshot, Trouble> {
        self.simulation.run_for(self.step);
        let inspection = self.simulation.system().inspect();
        Ok(Snapshot::from_inspection(
            self.simulation.now(),
            &inspection,
        ))
    }
}
