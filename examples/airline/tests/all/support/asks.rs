//! Requests that several tests send, and what they expect.

use super::test_server::{TestServer, json};
use example_load::Ask;

/// The user of the requests.
pub(crate) const USER: &str = "uid3@email.com";

pub(crate) fn query_form<'a>(changed: &[(&'a str, &'a str)]) -> Ask {
    let mut fields = vec![("fromAirport", "JFK"), ("toAirport", "LHR")];
    fields.extend(changed);
    Ask::form("/rest/api/flights/queryflights", &fields)
}

/// The timetable of tests: today, when some flights have left, and two days more.
pub(crate) const DAYS: u16 = 3;

/// The days of the timetable's flights after today, as texts.
pub(crate) fn days(server: &TestServer) -> [String; 2] {
    let directory = server.instance.airline.manager().directory().ask_blocking();
    let timetable = directory.unwrap().unwrap().timetable().clone();
    let today = timetable.first_day();
    [1, 2].map(|number| airline::data::Day(today.0 + number).to_string())
}

/// The ids of the flights from New York to London on the first of those days, and back on the
/// second.
pub(crate) fn flights(server: &mut TestServer) -> [String; 2] {
    let [out, back] = days(server);
    let answer = server.ask(query_form(&[("fromDate", &out), ("returnDate", &back)]));
    let found = json(&answer);
    [0, 1].map(|leg| {
        let id = &found["tripFlights"][leg]["flightsOptions"][0]["_id"];
        id.as_str().unwrap().to_owned()
    })
}

pub(crate) fn book_form(user: &str, out: &str, back: &str) -> Ask {
    let one_way = if back.is_empty() { "true" } else { "false" };
    Ask::form(
        "/rest/api/bookings/bookflights",
        &[
            ("userid", user),
            ("toFlightId", out),
            ("toFlightSegId", "AA1"),
            ("retFlightId", back),
            ("retFlightSegId", ""),
            ("oneWayFlight", one_way),
        ],
    )
}

/// Sends a request, and checks the status and that there is a reason.
pub(crate) fn refused(server: &mut TestServer, ask: Ask, status: u16, reason: &str) {
    let asked: String = format!("{ask:?}").chars().take(200).collect();
    let answer = server.ask(ask);
    assert_eq!(answer.status.as_u16(), status, "{asked}: {}", answer.text());
    let error = json(&answer)["error"].as_str().unwrap().to_owned();
    assert!(
        error.contains(reason),
        "{asked}: {error:?} does not say {reason:?}"
    );
}
