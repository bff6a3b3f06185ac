//! What every bench names.

pub(crate) use crate::bench::{Bench, Group};
pub(crate) use crate::failure::Failure;
pub(crate) use crate::latency::{Latencies, Quantiles};
pub(crate) use crate::meter::{Meter, Spent};
pub(crate) use crate::param::{Param, Params, Value};
pub(crate) use crate::row::Figures;
pub(crate) use crate::run::{FAIR, PAUSES, Run};
