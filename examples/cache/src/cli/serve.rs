//! `cache serve`.

use super::args::ServeArguments;
use super::instance::Instance;
use std::error::Error;

/// Serves until interrupted or requested to stop.
///
/// # Errors
///
/// The port cannot be had, or the socket failed.
#[allow(clippy::print_stdout, reason = "this is a command")]
pub(super) fn serve(arguments: &ServeArguments) -> Result<(), Box<dyn Error>> {
    let mut instance = Instance::open(arguments)?;
    println!("{}: {} entries", arguments.store, instance.filled);
    println!(
        "pages: http://{0}/0   statistics: http://{0}/_stats",
        instance.address
    );
    println!("end with Ctrl-C, or by a POST to /_stop");
    instance.wait();
    instance.close()?;
    Ok(())
}
