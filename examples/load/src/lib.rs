//! The library of the example services: a load generator over HTTP, a server on the loopback
//! interface, and reports.
#![doc = include_str!("../README.md")]

mod chart;
mod client;
pub mod command;
mod ended;
mod latency;
mod page;
mod process;
mod report_file;
mod schedule;
mod server;
mod table;
mod users;

pub use chart::chart;
pub use client::{Answer, Ask, Caller, Client, encoded};
pub use ended::Ended;
pub use latency::{Latency, Summary, readable};
pub use page::page;
pub use process::Process;
pub use report_file::ReportFile;
pub use schedule::Schedule;
pub use server::{BindError, Running, Server};
pub use table::Table;
pub use users::{Load, Sent, User};
