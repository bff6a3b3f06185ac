//! `airline serve`.

use super::args::ServeArguments;
use super::instance::{Closed, Instance, Saving};
use crate::http::{AccessLog, Metrics};
use crate::id::Id;
use crate::snapshots::Attempt;
use example_load::command;
use std::path::Path;

/// Serves until interrupted; then audits. Returns true if the audit holds.
///
/// # Errors
///
/// The port cannot be had, or the socket failed.
#[allow(clippy::print_stdout, reason = "this is a command")]
pub(super) fn serve(arguments: &ServeArguments) -> Result<bool, Box<dyn std::error::Error>> {
    let token = arguments.operator_token.map_or_else(Id::secret, Ok)?;
    // Before the system of actors is built.
    let metrics = Metrics::install()?;
    let access_log = match arguments.access_log {
        true => AccessLog::to_stderr(),
        false => AccessLog::Off,
    };
    let saving = Saving::of(&arguments.snapshots, Path::new("airline.snapshots"), told);
    let mut instance = Instance::open(&arguments.data, saving, arguments.port, |service| {
        let service = service.operator(token).metrics(metrics);
        service.access_log(access_log)
    })?;
    if let Some(restored) = &instance.restored {
        println!("{restored}");
    }
    println!(
        "{} customers and {} flights; log in as uid0@email.com with \"password\"",
        instance.loaded.customers, instance.loaded.flights
    );
    println!(
        "web page: http://{0}/   API: http://{0}/rest/api/",
        instance.address
    );
    if arguments.operator_token.is_none() {
        println!("operator: Authorization: Bearer {token}");
    }
    println!("end with Ctrl-C or SIGTERM");
    instance.wait_for_interrupt();
    let Closed {
        cut_off,
        audit,
        snapshots,
    } = instance.close(None)?;
    if let Some(snapshots) = snapshots {
        println!("{snapshots}");
    }
    if cut_off > 0 {
        println!("{cut_off} connections had a request that took too long");
    }
    Ok(command::print(&audit, None, &audit.complaints()))
}

#[allow(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "this is a command"
)]
fn told(attempt: &Attempt) {
    match attempt.outcome {
        Ok(_) => println!("{attempt}"),
        Err(_) => eprintln!("{attempt}"),
    }
}
