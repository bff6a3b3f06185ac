//! `airline serve`.

use super::args::ServeArguments;
use super::instance::{Closed, Instance};
use crate::http::{AccessLog, Metrics};
use crate::id::Id;
use example_load::command;

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
    let mut instance = Instance::open(&arguments.data, arguments.port, |service| {
        let service = service.operator(token).metrics(metrics);
        service.access_log(access_log)
    })?;
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
    let Closed { cut_off, audit } = instance.close(None)?;
    if cut_off > 0 {
        println!("{cut_off} connections had a request that took too long");
    }
    Ok(command::print(&audit, None, &audit.complaints()))
}
