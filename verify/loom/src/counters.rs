//! Statistics of `vivant-brc` for its feature `counters`: none here.

pub(crate) fn born(_owned: bool) {}
pub(crate) fn biased<H>(_header: &H) {}
pub(crate) fn shared<H>(_header: &H) {}
pub(crate) fn queued() {}
