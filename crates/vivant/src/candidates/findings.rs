//! What a detection pass is to examine, and what it returns.

/// Identity of an actor: its creation number, and its place in the registry.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Who {
    pub(crate) id: u64,
    pub(crate) place: u32,
}

/// An actor that has lost an address, and not its last.
pub(crate) type Candidate = Who;

/// How far a pass goes from the candidates.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Reach {
    /// As far as is cheap.
    Near,
    /// As far as the memory limit allows.
    Far,
}

impl Reach {
    /// Limit of actors examined; twice as many may be reached.
    pub(crate) fn actors(self) -> usize {
        match self {
            Reach::Near if cfg!(test) => 6,
            Reach::Near => 1 << 14,
            Reach::Far => 1 << 20,
        }
    }
}

/// The result of a pass.
pub(crate) struct Findings {
    /// Not examined, because the pass was cut off.
    pub(crate) left: Vec<Candidate>,
    /// Examined, without a result: it is not known whether they are reachable.
    pub(crate) again: Vec<Candidate>,
    pub(crate) took_ns: u64,
    pub(crate) looked_at: usize,
    pub(crate) ended: usize,
}
