//! The program `vivant-bench` and its workloads, from outside.

mod command;
mod tiny;
mod together;
