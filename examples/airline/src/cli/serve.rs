//! `airline serve`.

use super::args::ServeArguments;
use super::house::House;

/// Serves until interrupted.
///
/// # Errors
///
/// The port cannot be had, or the socket failed.
#[allow(clippy::print_stdout, reason = "this is a command")]
pub(super) fn serve(arguments: &ServeArguments) -> Result<(), Box<dyn std::error::Error>> {
    let house = House::open(&arguments.data, arguments.port)?;
    println!(
        "{} customers and {} flights; log in as uid0@email.com with \"password\"",
        house.loaded.customers, house.loaded.flights
    );
    println!(
        "web page: http://{0}/   API: http://{0}/rest/api/",
        house.address
    );
    println!("end with Ctrl-C");
    house.wait_for_interrupt()?;
    house.close()?;
    Ok(())
}
