//! `cache serve`.

use super::args::ServeArguments;
use super::house::House;
use std::error::Error;

/// Serves until interrupted or told to stop.
///
/// # Errors
///
/// The port cannot be had, or the socket failed.
#[allow(clippy::print_stdout, reason = "this is a command")]
pub(super) fn serve(arguments: &ServeArguments) -> Result<(), Box<dyn Error>> {
    let house = House::open(arguments)?;
    println!("{}: {} entries", arguments.store, house.filled);
    println!(
        "pages: http://{0}/0   statistics: http://{0}/_stats",
        house.address
    );
    println!("end with Ctrl-C, or by a POST to /_stop");
    house.wait()?;
    house.close()?;
    Ok(())
}
