//! What a detection pass is to examine, and what it returns.

/// Identity of an actor: its creation number, and its place in the registry.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct ActorKey {
    pub(crate) id: u64,
    pub(crate) place: u32,
}

/// An actor that has lost an address, and not its last.
pub(crate) type Candidate = ActorKey;

/// How far a pass goes from the candidates.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum PassLimit {
    /// As far as is cheap.
    Normal,
    /// As far as the memory limit allows.
    Extended,
}

impl PassLimit {
    /// Limit of actors examined; twice as many may be reached.
    pub(crate) fn actors(self) -> usize {
        match self {
            PassLimit::Normal if cfg!(test) => 6,
            PassLimit::Normal => 1 << 14,
            PassLimit::Extended => 1 << 20,
        }
    }
}

/// The result of a pass.
pub(crate) struct PassResult {
    /// Not examined, because the pass was cut off.
    pub(crate) unexamined: Vec<Candidate>,
    /// Examined, without a result: it is not known whether they are reachable.
    pub(crate) undecided: Vec<Candidate>,
    pub(crate) took_ns: u64,
    pub(crate) examined: usize,
    pub(crate) unreachable: usize,
}
