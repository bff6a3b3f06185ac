//! `airline serve`.

use super::args::ServeArguments;
use super::instance::Instance;
use crate::id::Id;

/// Serves until interrupted.
///
/// # Errors
///
/// The port cannot be had, or the socket failed.
#[allow(clippy::print_stdout, reason = "this is a command")]
pub(super) fn serve(arguments: &ServeArguments) -> Result<(), Box<dyn std::error::Error>> {
    let token = arguments.operator_token.map_or_else(Id::secret, Ok)?;
    let mut instance = Instance::open(&arguments.data, arguments.port, token)?;
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
    instance.close()?;
    Ok(())
}
