//! [`SavedProgram`]: what the program of a system says that it saves.

use crate::actor::Shared;
use crate::api::SavedKinds;
use crate::sync::Arc;
use std::sync::OnceLock;

/// The kinds that the builder of a system was given, if it was.
#[derive(Default)]
pub(crate) struct SavedProgram(OnceLock<Arc<SavedKinds>>);

impl SavedProgram {
    pub(crate) fn of(system: &Shared) -> Option<Arc<SavedKinds>> {
        let program: &SavedProgram = system.extensions.part();
        program.0.get().cloned()
    }

    /// Sets the kinds of a new system.
    pub(crate) fn set(system: &Shared, kinds: Arc<SavedKinds>) {
        let program: &SavedProgram = system.extensions.part();
        let _kinds = program.0.get_or_init(|| kinds);
    }
}
