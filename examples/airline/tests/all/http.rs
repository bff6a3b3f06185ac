//! Every endpoint over real HTTP.

use crate::support::asks::{DAYS, USER, book_form, days, flights, query_form, refused};
use crate::support::test_server::{TestServer, json};
use axum::http::StatusCode;
use axum::http::header::AUTHORIZATION;
use example_load::{Ask, encoded};
use serde_json::{Value, json};

#[test]
fn a_trip_is_searched_booked_listed_and_cancelled() {
    let mut server = TestServer::open(5, DAYS);
    server.log_in(USER);
    let [day, next_day] = days(&server);
    let answer = server.ask(query_form(&[("fromDate", &day), ("returnDate", &next_day)]));
    let found = json(&answer);
    assert_eq!(found["tripLegs"], 2);
    let leg = &found["tripFlights"][0];
    assert_eq!(
        (
            &leg["numPages"],
            &leg["currentPage"],
            &leg["pageSize"],
            &leg["hasMoreOptions"]
        ),
        (&json!(1), &json!(0), &json!(10), &json!(false))
    );
    let flight = &leg["flightsOptions"][0];
    assert_eq!(flight["flightSegment"]["originPort"], "JFK");
    assert_eq!(flight["flightSegment"]["destPort"], "LHR");
    assert_eq!(flight["flightSegmentId"], flight["flightSegment"]["_id"]);
    assert_eq!(flight["firstClassBaseCost"], 500);
    assert_eq!(flight["economyClassBaseCost"], 200);
    assert_eq!(flight["numFirstClassSeats"], 10);
    assert_eq!(flight["numEconomyClassSeats"], 200);
    assert_eq!(flight["economyClassSeatsLeft"], 200);
    assert_eq!(flight["airplaneTypeId"], "B747");
    let departure = flight["scheduledDepartureTime"].as_str().unwrap();
    assert!(departure.starts_with(&day), "{departure}");

    let [out, back] = flights(&mut server);
    let booked = json(&server.ask(book_form(USER, &out, &back)));
    assert_eq!(booked["oneWay"], false);
    let single = json(&server.ask(book_form(USER, &out, "")));
    assert_eq!(single["oneWay"], true);
    assert_eq!(single.get("returnBookingId"), None);
    let answer = server.ask(query_form(&[("fromDate", &day), ("oneWay", "true")]));
    let left = &json(&answer)["tripFlights"][0]["flightsOptions"][0]["economyClassSeatsLeft"];
    assert_eq!(left, 198);

    let list = || Ask::get(format!("/rest/api/bookings/byuser/{}", encoded(USER)));
    let listed = json(&server.ask(list()));
    assert_eq!(listed.as_array().unwrap().len(), 3);
    assert!(
        listed
            .as_array()
            .unwrap()
            .iter()
            .all(|it| it["customerId"] == USER)
    );
    let of = |id: &Value| {
        let lines = listed.as_array().unwrap().iter();
        lines.into_iter().find(|it| it["_id"] == *id).unwrap()["flightId"].clone()
    };
    let flown = |id: &Value| {
        let lines = listed.as_array().unwrap().iter();
        let line = lines.into_iter().find(|it| it["_id"] == *id).unwrap();
        let flight = line["flight"].clone();
        let leaves = flight["scheduledDepartureTime"].as_str().unwrap();
        assert!(leaves < flight["scheduledArrivalTime"].as_str().unwrap());
        ["flightSegmentId", "originPort", "destPort"].map(|name| flight[name].clone())
    };
    assert_eq!(flown(&booked["departBookingId"])[1..], ["JFK", "LHR"]);
    assert_eq!(flown(&booked["returnBookingId"])[1..], ["LHR", "JFK"]);
    assert_eq!(
        flown(&booked["departBookingId"])[0],
        flight["flightSegmentId"]
    );
    assert_eq!(of(&booked["departBookingId"]), out);
    assert_eq!(of(&booked["returnBookingId"]), back);
    assert!(listed[0]["dateOfBooking"].as_str().unwrap().ends_with('Z'));

    let number = booked["departBookingId"].as_str().unwrap();
    let cancel = || {
        Ask::form(
            "/rest/api/bookings/cancelbooking",
            &[("number", number), ("userid", USER)],
        )
    };
    assert_eq!(json(&server.ask(cancel())), json!({ "status": "success" }));
    // A second time it is gone already, as the client wants it.
    assert_eq!(json(&server.ask(cancel())), json!({ "status": "success" }));
    assert_eq!(json(&server.ask(list())).as_array().unwrap().len(), 2);
    let count = |server: &mut TestServer, what| {
        server
            .ask(Ask::get(format!("/rest/api/config/{what}")))
            .text()
    };
    assert_eq!(count(&mut server, "countBookings"), "2");
    assert_eq!(count(&mut server, "countSessions"), "1");
    let audit = server.instance.airline.audit(None);
    assert!(server.instance.system.block_on(audit).holds());
}

/// The load plan of the original, without `usePureIDs`: it reads `id` and `pkey.id`, and has no
/// segments.
#[test]
fn the_plan_without_pure_ids_books_and_cancels() {
    let mut server = TestServer::open(5, DAYS);
    server.log_in(USER);
    let [day, next_day] = days(&server);
    let form = query_form(&[("fromDate", &day), ("returnDate", &next_day)]);
    let found = json(&server.ask(form));
    let id = |leg: usize| {
        let id = &found["tripFlights"][leg]["flightsOptions"][0]["id"];
        id.as_str().expect("a text").to_owned()
    };
    let book = |one_way: &str, back: &str| {
        let fields = [
            ("userid", USER),
            ("toFlightId", &id(0)),
            ("toFlightSegId", "null"),
            ("retFlightId", back),
            ("retFlightSegId", "null"),
            ("oneWayFlight", one_way),
        ];
        Ask::form("/rest/api/bookings/bookflights", &fields)
    };
    for form in [book("false", &id(1)), book("true", "null")] {
        let answer = server.ask(form);
        assert_eq!(answer.status, StatusCode::OK, "{}", answer.text());
    }
    let listed = json(&server.ask(Ask::get(format!("/rest/api/bookings/byuser/{USER}"))));
    assert_eq!(listed.as_array().unwrap().len(), 3);
    for line in listed.as_array().unwrap() {
        assert_eq!(line["pkey"]["customerId"], USER);
        let number = line["pkey"]["id"].as_str().unwrap();
        let fields = [("number", number), ("userid", USER)];
        let cancel = Ask::form("/rest/api/bookings/cancelbooking", &fields);
        assert_eq!(json(&server.ask(cancel)), json!({ "status": "success" }));
    }
    let count = server.ask(Ask::get("/rest/api/config/countBookings"));
    assert_eq!(count.text(), "0");
}

#[test]
fn a_profile_is_read_and_changed() {
    let mut server = TestServer::open(5, 1);
    server.log_in(USER);
    let path = format!("/rest/api/customer/byid/{USER}");
    let mut profile = json(&server.ask(Ask::get(&path)));
    assert_eq!(profile["_id"], USER);
    assert_eq!(profile["status"], "GOLD");
    assert_eq!(profile["total_miles"], 1_000_000);
    assert_eq!(profile["miles_ytd"], 1000);
    assert_eq!(profile["address"]["streetAddress1"], "123 Main St.");
    assert_eq!(profile["phoneNumberType"], "BUSINESS");
    assert_eq!(profile.get("password"), None);
    profile["address"]["postalCode"] = "27618".into();
    profile["total_miles"] = 5.into();
    profile["password"] = "password".into();
    let post = |body: &Value| Ask::post(&path, "application/json; charset=UTF-8", body.to_string());
    let changed = json(&server.ask(post(&profile)));
    assert_eq!(changed["address"]["postalCode"], "27618");
    assert_eq!(
        changed["total_miles"], 1_000_000,
        "miles cannot be given to oneself"
    );
    assert_eq!(json(&server.ask(Ask::get(&path))), changed);

    profile["password"] = "secret".into();
    refused(&mut server, post(&profile), 403, "password");
    profile["password"] = 7.into();
    refused(&mut server, post(&profile), 400, "password");
    refused(&mut server, post(&json!({})), 400, "missing field");
    let text = |body: &str| Ask::post(&path, "application/json", body.to_owned());
    refused(&mut server, text("{"), 400, "JSON");
    let as_text = Ask::post(&path, "text/plain", profile.to_string());
    refused(&mut server, as_text, 400, "Content-Type");
    refused(&mut server, text(&"x".repeat(70_000)), 413, "limit");
}

#[test]
fn operators_need_no_session() {
    let mut server = TestServer::open(5, DAYS);
    let mut get = |path: &str| {
        let answer = server.ask(Ask::get(format!("/rest/api/{path}")));
        assert_eq!(answer.status, StatusCode::OK, "{path}: {}", answer.text());
        answer.text()
    };
    for (path, text) in [
        ("config/countCustomers", "5"),
        ("config/countFlights", "1182"),
        ("config/countFlightSegments", "394"),
        ("config/countAirports", "14"),
        ("config/countBookings", "0"),
        ("config/countSessions", "0"),
        ("config/activeDataService", "actors"),
        ("loader/query", "5"),
        ("checkstatus", "OK"),
    ] {
        assert_eq!(get(path), text, "{path}");
    }
    assert!(get("config/runtime").contains("\"Runtime\""));
    assert!(get("config/dataServices").contains("actors"));
}

#[test]
fn the_operator_audits_a_running_airline() {
    let mut server = TestServer::open(5, DAYS);
    server.log_in(USER);
    let [out, back] = flights(&mut server);
    let booked = json(&server.ask(book_form(USER, &out, &back)));
    refused(
        &mut server,
        Ask::get("/audit"),
        403,
        "for the operator only",
    );
    let answer = server.ask_as_operator(Ask::get("/audit"));
    assert_eq!(answer.status, StatusCode::OK);
    let audit = json(&answer);
    assert_eq!(audit["holds"], true);
    assert_eq!(
        (&audit["flights"], &audit["customers"]),
        (&json!(1182), &json!(5))
    );
    assert_eq!(
        (&audit["seats_taken"], &audit["bookings"]),
        (&json!(2), &json!(2))
    );

    // Self-test: a seat is freed and its booking stays.
    let directory = server.instance.airline.manager().directory().ask_blocking();
    let directory = directory.unwrap().unwrap();
    let flight = directory.leg(out.parse().unwrap()).unwrap().flight;
    let booking = booked["departBookingId"].as_str().unwrap().parse().unwrap();
    flight.release(booking).ask_blocking().unwrap();
    let answer = server.ask_as_operator(Ask::get("/audit"));
    assert_eq!(answer.status, StatusCode::INTERNAL_SERVER_ERROR);
    let finding = json(&answer)["findings"][0].as_str().unwrap().to_owned();
    assert!(finding.ends_with("has no seat"), "{finding}");
}

#[test]
fn only_the_operator_replaces_the_data() {
    let mut server = TestServer::open(5, DAYS);
    server.log_in(USER);
    let [out, _] = flights(&mut server);
    assert_eq!(server.ask(book_form(USER, &out, "")).status, StatusCode::OK);
    let load = |query: &str| Ask::get(format!("/rest/api/loader/load{query}"));
    let config = |what: &str| Ask::get(format!("/rest/api/config/{what}"));
    refused(
        &mut server,
        load("?numCustomers=7"),
        403,
        "only the operator",
    );
    for token in [
        "Bearer ",
        "Bearer 00000000-0000-4000-8000-000000000000",
        "x",
    ] {
        let ask = load("?numCustomers=7").header(AUTHORIZATION, token);
        refused(&mut server, ask, 403, "for the operator only");
    }
    assert_eq!(server.ask(config("countBookings")).text(), "1");
    assert_eq!(server.ask(config("countCustomers")).text(), "5");

    // The number of customers is that of the command line, unless the request names another.
    for (query, customers) in [("", "5"), ("?numCustomers=7", "7")] {
        let answer = server.ask_as_operator(load(query));
        assert_eq!(answer.text(), "Database Finished Loading");
        assert_eq!(server.ask(config("countCustomers")).text(), customers);
        let asked = server.ask(Ask::get("/rest/api/loader/query"));
        assert_eq!(asked.text(), customers);
    }
    assert_eq!(server.ask(config("countBookings")).text(), "0");
}

#[test]
fn the_api_is_also_where_the_load_plan_of_the_original_looks() {
    let mut server = TestServer::open(5, DAYS);
    let form = [("login", USER), ("password", "password")];
    let answer = server.ask(Ask::form("/acmeair-webapp/rest/api/login", &form));
    assert_eq!(
        (answer.status, answer.text().as_str()),
        (StatusCode::OK, "logged in")
    );
    let answer = server.ask(Ask::get(format!(
        "/acmeair-webapp/rest/api/customer/byid/{USER}"
    )));
    assert_eq!(json(&answer)["_id"], USER);
    refused(
        &mut server,
        Ask::get("/acmeair-webapp/rest/api/x"),
        404,
        "/rest/api/x",
    );
}

#[test]
fn the_page_needs_nothing_from_elsewhere() {
    let mut server = TestServer::open(5, DAYS);
    let answer = server.ask(Ask::get("/"));
    assert_eq!(answer.status, StatusCode::OK);
    let page = answer.text();
    assert!(page.contains("<option value=JFK selected>New York (JFK)</option>"));
    // Bookings are listed by what a customer knows a flight by, not by parts of ids.
    assert!(page.contains("it.flight.originPort") && !page.contains(".slice(0, 8)"));
    // Each table's cells have their column's name for narrow screens.
    assert!(page.contains("attr(data-label)"));
    assert!(!page.contains("<!--") && !page.contains("://") && !page.contains("src="));
}
