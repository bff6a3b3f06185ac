//! Features `tracing` and `metrics`: what subscribers and recorders receive.

mod metrics;
mod tracing;
