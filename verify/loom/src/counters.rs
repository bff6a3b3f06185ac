//! Statistics of `vivant-brc` for its feature `counters`: none here.

pub(crate) fn born(_owned: bool) {}
pub(crate) fn biased(_was_shared: bool) {}
pub(crate) fn shared(_is_first: bool) {}
pub(crate) fn queued() {}
