//! The definition of a bench.

use crate::failure::Failure;
use crate::param::Param;
use crate::row::{Figures, Row};
use crate::run::Run;
use std::fmt;
use vivant::{EqualNames, SavedActors, SavedKinds, SystemBuilder};

/// A benchmark: a name, its parameters, and what runs it.
pub struct Bench {
    /// As the command line and the rows say it; where the peers have the workload, their name for
    /// it.
    pub name: &'static str,
    /// One line for `list`.
    pub about: &'static str,
    /// The chart in which it stands.
    pub group: Group,
    /// How many operations the peers' programs make under this name; none where they have no such
    /// workload.
    pub peer_ops: Option<u64>,
    /// What can be chosen.
    pub params: &'static [Param],
    /// The types of its actors, for a bench of which all actors are saved.
    pub saved: Option<SavedTypes>,
    pub(crate) run: fn(&Run) -> Result<Vec<Figures>, Failure>,
    /// The work of a child process, for a bench that measures processes.
    pub(crate) child: Option<fn(&Run) -> Result<(), Failure>>,
}

/// The types of the actors of a bench, which are all saved.
#[derive(Clone, Copy, Debug)]
pub struct SavedTypes {
    /// Their kinds.
    pub kinds: fn() -> Result<SavedKinds, EqualNames>,
    /// Names them to the builder of the system.
    pub(crate) list: fn(SystemBuilder) -> SystemBuilder,
}

/// The chart in which a bench's numbers are shown.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Group {
    /// Messages between actors that are there.
    Messages,
    /// The making and ending of actors.
    Creation,
    /// The wait of a client.
    Latency,
    /// In the data, in no chart.
    Uncharted,
    /// Programs of the Savina suite, in no chart.
    Savina,
    /// Operations on counts.
    Counts,
    /// Figures of counted references, in no chart.
    References,
    /// Programs with counted pointers.
    Programs,
    /// References that another thread drops.
    Queued,
    /// Actors with heaps.
    Graphs,
    /// Heaps by themselves, in no chart.
    Heaps,
    /// Actors with large graphs, in no chart.
    Large,
    /// Runs for a given duration, in no report.
    Soak,
    /// What actors share or hand over, in no chart.
    Sharing,
}

impl Bench {
    /// A bench of this process alone, which the peers do not have.
    pub(crate) const fn new(
        group: Group,
        name: &'static str,
        about: &'static str,
        params: &'static [Param],
        run: fn(&Run) -> Result<Vec<Figures>, Failure>,
    ) -> Bench {
        let (peer_ops, saved, child) = (None, None, None);
        Bench {
            name,
            about,
            group,
            peer_ops,
            params,
            saved,
            run,
            child,
        }
    }

    pub(crate) const fn peer_ops(mut self, ops: u64) -> Bench {
        self.peer_ops = Some(ops);
        self
    }

    /// All actors are of these types, and are saved.
    pub(crate) const fn saved<T: SavedActors>(mut self) -> Bench {
        self.saved = Some(SavedTypes {
            kinds: SavedKinds::of::<T>,
            list: SystemBuilder::saved::<T>,
        });
        self
    }

    pub(crate) const fn child(mut self, child: fn(&Run) -> Result<(), Failure>) -> Bench {
        self.child = Some(child);
        self
    }

    /// Runs it and checks the result.
    ///
    /// # Errors
    ///
    /// The result is wrong, or there is none.
    pub fn run(&self, run: &Run) -> Result<Vec<Row>, Failure> {
        let figures = (self.run)(run)?;
        Ok(figures
            .into_iter()
            .map(|figures| Row::new(self, run, figures))
            .collect())
    }

    /// The bench of this name.
    pub fn named(name: &str) -> Option<&'static Bench> {
        crate::BENCHES.iter().find(|bench| bench.name == name)
    }
}

impl fmt::Debug for Bench {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Bench({})", self.name)
    }
}
