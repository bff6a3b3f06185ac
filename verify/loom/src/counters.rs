//! What `vivant-brc` counts for its feature `counters`: nothing here.

pub(crate) fn born(_owned: bool) {}
pub(crate) fn biased<H>(_header: &H) {}
pub(crate) fn shared<H>(_header: &H) {}
pub(crate) fn queued() {}
