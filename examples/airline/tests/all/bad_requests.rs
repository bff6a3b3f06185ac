//! Every kind of bad request over real HTTP, and requests at bad times.

use crate::support::asks::{DAYS, USER, book_form, days, flights, query_form, refused};
use crate::support::test_server::{TestServer, login};
use axum::http::header::ORIGIN;
use axum::http::{Method, StatusCode};
use example_load::Ask;

#[test]
fn sessions_are_needed_and_end() {
    let mut server = TestServer::open(5, DAYS);
    let [out, _] = {
        server.log_in(USER);
        flights(&mut server)
    };
    assert_eq!(
        server.ask(Ask::get("/rest/api/login/logout")).text(),
        "logged out"
    );
    let [day, next_day] = days(&server);
    let with_session = || {
        [
            query_form(&[("fromDate", &day), ("returnDate", &next_day)]),
            book_form(USER, &out, ""),
            Ask::form(
                "/rest/api/bookings/cancelbooking",
                &[("number", &out), ("userid", USER)],
            ),
            Ask::get(format!("/rest/api/bookings/byuser/{USER}")),
            Ask::get(format!("/rest/api/customer/byid/{USER}")),
            Ask::post(
                format!("/rest/api/customer/byid/{USER}"),
                "application/json",
                "{}".into(),
            ),
        ]
    };
    for ask in with_session() {
        refused(&mut server, ask, 403, "log in");
    }
    // Twice is no mistake.
    assert_eq!(
        server.ask(Ask::get("/rest/api/login/logout")).text(),
        "logged out"
    );
    for (user, password) in [(USER, "secret"), ("uid5@email.com", "password"), ("", "")] {
        let ask = Ask::form(
            "/rest/api/login",
            &[("login", user), ("password", password)],
        );
        refused(
            &mut server,
            ask,
            403,
            "no customer has this name and this password",
        );
    }
    server.log_in("uid1@email.com");
    for ask in [
        book_form(USER, &out, ""),
        Ask::get(format!("/rest/api/bookings/byuser/{USER}")),
    ] {
        refused(&mut server, ask, 403, "another customer");
    }
    refused(
        &mut server,
        Ask::get("/rest/api/customer/byid/uid9@email.com"),
        404,
        "no customer",
    );
    let mut stranger = server.caller();
    let answer = stranger
        .ask(Ask::get("/rest/api/customer/byid/uid1@email.com"))
        .unwrap();
    assert_eq!(answer.status, StatusCode::FORBIDDEN);
}

#[test]
fn bad_requests_are_answered_with_a_reason() {
    let mut server = TestServer::open(5, DAYS);
    server.log_in(USER);
    let [day, next_day] = days(&server);
    let both = [
        ("fromDate", day.as_str()),
        ("returnDate", next_day.as_str()),
    ];
    for (field, value, reason) in [
        ("fromAirport", "XXX", "XXX"),
        ("toAirport", "", "not the code"),
        ("fromDate", "tomorrow", "not a date"),
        ("fromDate", "2026-02-30", "not a date"),
        ("returnDate", "", "not a date"),
        ("oneWay", "perhaps", "neither true nor false"),
    ] {
        let plain = [
            ("fromAirport", "JFK"),
            ("toAirport", "LHR"),
            ("oneWay", "false"),
            both[0],
            both[1],
        ];
        let fields: Vec<_> = plain
            .map(|(name, text)| {
                if name == field {
                    (name, value)
                } else {
                    (name, text)
                }
            })
            .into();
        let ask = Ask::form("/rest/api/flights/queryflights", &fields);
        refused(&mut server, ask, 400, reason);
    }
    refused(
        &mut server,
        query_form(&[]),
        400,
        "missing field `fromDate`",
    );
    let not_a_form = Ask::post("/rest/api/login", "application/json", "{}".into());
    refused(&mut server, not_a_form, 400, "Content-Type");
    refused(
        &mut server,
        Ask::form("/rest/api/login", &[("login", USER)]),
        400,
        "password",
    );
    refused(&mut server, book_form(USER, "7", ""), 400, "toFlightId");
    let [out, _] = flights(&mut server);
    refused(
        &mut server,
        book_form(USER, &out, "back"),
        400,
        "retFlightId",
    );
    let nowhere = "00000000-0000-4000-8000-000000000000";
    refused(&mut server, book_form(USER, nowhere, ""), 404, "no flight");
    refused(
        &mut server,
        book_form(USER, &out, nowhere),
        404,
        "no flight",
    );
    let cancel = |number| {
        Ask::form(
            "/rest/api/bookings/cancelbooking",
            &[("number", number), ("userid", USER)],
        )
    };
    refused(&mut server, cancel("7"), 400, "number");
    let answer = server.ask(cancel(nowhere));
    assert_eq!(answer.status, StatusCode::OK, "{}", answer.text());
    refused(
        &mut server,
        Ask::get("/rest/api/nothing"),
        404,
        "/rest/api/nothing",
    );
    refused(&mut server, Ask::get("/nothing"), 404, "/nothing");
    refused(&mut server, Ask::get("/rest/api/login"), 405, "GET");
    let delete = Ask::get(format!("/rest/api/customer/byid/{USER}")).method(Method::DELETE);
    refused(&mut server, delete, 405, "DELETE");
    for count in ["x", "-1", "5000000000", "500001"] {
        let load = Ask::get(format!("/rest/api/loader/load?numCustomers={count}"));
        refused(&mut server, load, 400, "");
    }
    // After all that, nothing has been booked.
    assert_eq!(
        server
            .ask(Ask::get("/rest/api/config/countBookings"))
            .text(),
        "0"
    );
}

#[test]
fn a_page_of_another_origin_cannot_book() {
    let mut server = TestServer::open(5, DAYS);
    server.log_in(USER);
    let [out, _] = flights(&mut server);
    let foreign = book_form(USER, &out, "").header(ORIGIN, "http://example.com");
    assert_eq!(server.ask(foreign).status, StatusCode::FORBIDDEN);
    let own = format!("http://{}", server.instance.address);
    let own = book_form(USER, &out, "").header(ORIGIN, own);
    assert_eq!(server.ask(own).status, StatusCode::OK);
    let count = server.ask(Ask::get("/rest/api/config/countBookings"));
    assert_eq!(count.text(), "1");
}

#[test]
fn the_last_seat_is_sold_once() {
    let mut server = TestServer::open(5, DAYS);
    server.log_in(USER);
    let [out, back] = flights(&mut server);
    for _ in 0..210 {
        let answer = server.ask(book_form(USER, &out, ""));
        assert_eq!(answer.status, StatusCode::OK, "{}", answer.text());
    }
    refused(&mut server, book_form(USER, &out, ""), 409, "sold out");
    refused(
        &mut server,
        book_form(USER, &out, &back),
        409,
        "nothing was booked",
    );
    assert_eq!(
        server
            .ask(Ask::get("/rest/api/config/countBookings"))
            .text(),
        "210"
    );
}

#[test]
fn an_airline_that_is_down_answers_503() {
    let mut server = TestServer::open(5, DAYS);
    server.log_in(USER);
    server.instance.system.shutdown();
    refused(&mut server, login(USER), 503, "not available");
    refused(
        &mut server,
        Ask::get(format!("/rest/api/customer/byid/{USER}")),
        503,
        "not available",
    );
    refused(
        &mut server,
        Ask::get("/rest/api/config/countBookings"),
        503,
        "not available",
    );
    assert_eq!(
        server.ask(Ask::get("/rest/api/checkstatus")).status,
        StatusCode::OK
    );
}
