//! A virtual user: repeats Acme Air's loop on a connection of its own.

use super::{Kind, Mix, Tally, Visit};
use crate::customer::{PASSWORD, user_name};
use crate::id::Id;
use axum::http::StatusCode;
use example_load::{Answer, Ask, encoded};
use serde::Deserialize;
use serde_json::{Value, json};
use std::cell::RefCell;
use std::rc::Rc;
use std::time::Instant;

/// Queries in a loop.
const QUERIES: usize = 5;
/// Bookings that a user keeps when it cancels.
const KEPT_BOOKINGS: usize = 2;

/// Why a user aborts a loop.
enum Break {
    /// No request is due any more.
    Over,
    /// Something unexpected was answered; it has been noted.
    Failed,
}

/// A virtual user.
#[derive(Debug)]
pub struct User {
    /// Every so-many-th customer is this user's, by its number, so that no two users act for one
    /// customer at once: the second would find bookings gone that the first has cancelled.
    pub(super) it: example_load::User,
    pub(super) mix: Rc<Mix>,
    pub(super) tally: Rc<RefCell<Tally>>,
    pub(super) users: u32,
    pub(super) customers: u32,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct TripFlights {
    trip_flights: Vec<TripLeg>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct TripLeg {
    flights_options: Vec<FlightOption>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct FlightOption {
    #[serde(rename = "_id")]
    id: String,
    flight_segment_id: String,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Booked {
    depart_booking_id: Id,
    return_booking_id: Option<Id>,
}

#[derive(Deserialize)]
struct BookingLine {
    #[serde(rename = "_id")]
    id: Id,
}

impl User {
    /// Loops until no request is due any more.
    pub async fn run(mut self) {
        loop {
            match self.once().await {
                Ok(()) => self.tally.borrow_mut().loops += 1,
                Err(Break::Failed) => {}
                Err(Break::Over) => return,
            }
        }
    }

    async fn once(&mut self) -> Result<(), Break> {
        let mine = (self.customers - self.it.number).div_ceil(self.users);
        let user = user_name(self.it.number + self.users * self.it.chance.u32(0..mine));
        let login = [("login", user.as_str()), ("password", PASSWORD)];
        self.ask(Kind::Login, Ask::form("/rest/api/login", &login))
            .await?;
        let visit = Visit::draw(&mut self.it.chance);
        if visit.changes_profile {
            self.change_profile(&user).await?;
        }
        let mut trip = None;
        for _ in 0..QUERIES {
            trip = self.query().await?;
        }
        if let Some(trip) = trip {
            self.book(&user, &trip).await?;
        }
        let bookings = self.list(&user).await?;
        if visit.cancels {
            for booking in bookings.iter().skip(KEPT_BOOKINGS) {
                self.cancel(&user, *booking).await?;
            }
        }
        let logout = format!("/rest/api/login/logout?login={}", encoded(&user));
        self.ask(Kind::Logout, Ask::get(logout)).await?;
        Ok(())
    }

    async fn change_profile(&mut self, user: &str) -> Result<(), Break> {
        let path = format!("/rest/api/customer/byid/{}", encoded(user));
        let answer = self.ask(Kind::ViewProfile, Ask::get(&path)).await?;
        let mut profile: Value = self.read(Kind::ViewProfile, &answer)?;
        profile["password"] = PASSWORD.into();
        let address = &mut profile["address"];
        address["streetAddress1"] = format!("{} Main St.", self.it.chance.u32(1..1000)).into();
        address["postalCode"] = json!(self.it.chance.u32(10_000..100_000).to_string());
        let update = Ask::post(path, "application/json", profile.to_string());
        self.ask(Kind::UpdateCustomer, update).await?;
        Ok(())
    }

    /// The flights out and back that can be booked, if there is one out.
    async fn query(&mut self) -> Result<Option<(FlightOption, Option<FlightOption>)>, Break> {
        let question = self.mix.next_question(&mut self.it.chance);
        let form = Ask::form(
            "/rest/api/flights/queryflights",
            &[
                ("fromAirport", question.from),
                ("toAirport", question.to),
                ("fromDate", &question.day.to_string()),
                ("returnDate", &question.back.to_string()),
                ("oneWay", "false"),
            ],
        );
        let answer = self.ask(Kind::QueryFlights, form).await?;
        let trip: TripFlights = self.read(Kind::QueryFlights, &answer)?;
        let mut legs = trip.trip_flights.into_iter();
        let mut last = || legs.next().and_then(|mut leg| leg.flights_options.pop());
        let out = last();
        let back = last();
        Ok(out.map(|out| (out, back)))
    }

    async fn book(
        &mut self,
        user: &str,
        (out, back): &(FlightOption, Option<FlightOption>),
    ) -> Result<(), Break> {
        let (back_id, back_segment) = match back {
            Some(back) => (back.id.as_str(), back.flight_segment_id.as_str()),
            None => ("", ""),
        };
        let form = Ask::form(
            "/rest/api/bookings/bookflights",
            &[
                ("userid", user),
                ("toFlightId", &out.id),
                ("toFlightSegId", &out.flight_segment_id),
                ("retFlightId", back_id),
                ("retFlightSegId", back_segment),
                (
                    "oneWayFlight",
                    if back.is_some() { "false" } else { "true" },
                ),
            ],
        );
        let answer = self.send(Kind::BookFlight, form).await?;
        if answer.status == StatusCode::CONFLICT {
            self.tally.borrow_mut().sold_out += 1;
            return Ok(());
        }
        let answer = self.expect_ok(Kind::BookFlight, answer)?;
        let booked: Booked = self.read(Kind::BookFlight, &answer)?;
        let mut tally = self.tally.borrow_mut();
        tally.confirmed.booked.push(booked.depart_booking_id);
        tally.confirmed.booked.extend(booked.return_booking_id);
        tally.round_trips += u64::from(booked.return_booking_id.is_some());
        Ok(())
    }

    async fn list(&mut self, user: &str) -> Result<Vec<Id>, Break> {
        let path = format!("/rest/api/bookings/byuser/{}", encoded(user));
        let answer = self.ask(Kind::ListBookings, Ask::get(path)).await?;
        let lines: Vec<BookingLine> = self.read(Kind::ListBookings, &answer)?;
        Ok(lines.into_iter().map(|line| line.id).collect())
    }

    async fn cancel(&mut self, user: &str, booking: Id) -> Result<(), Break> {
        let number = booking.to_string();
        let form = Ask::form(
            "/rest/api/bookings/cancelbooking",
            &[("number", &number), ("userid", user)],
        );
        self.ask(Kind::CancelBooking, form).await?;
        self.tally.borrow_mut().confirmed.cancelled.push(booking);
        Ok(())
    }

    /// Sends a request that must succeed.
    async fn ask(&mut self, kind: Kind, ask: Ask) -> Result<Answer, Break> {
        let answer = self.send(kind, ask).await?;
        self.expect_ok(kind, answer)
    }

    /// Sends a request when one is due, and records the time from then to its answer.
    async fn send(&mut self, kind: Kind, ask: Ask) -> Result<Answer, Break> {
        let due = self.it.schedule.next().await.ok_or(Break::Over)?;
        let answer = self.it.client.send(ask).await;
        let latency = Instant::now().saturating_duration_since(due);
        let mut tally = self.tally.borrow_mut();
        match answer {
            Ok(answer) => {
                tally.record(kind, latency);
                Ok(answer)
            }
            Err(error) => {
                tally.unexpected(kind, &error.to_string());
                Err(Break::Failed)
            }
        }
    }

    fn expect_ok(&self, kind: Kind, answer: Answer) -> Result<Answer, Break> {
        if answer.status == StatusCode::OK {
            return Ok(answer);
        }
        let what = format!("{} {}", answer.status, answer.text());
        self.tally.borrow_mut().unexpected(kind, &what);
        Err(Break::Failed)
    }

    fn read<'a, T: Deserialize<'a>>(&self, kind: Kind, answer: &'a Answer) -> Result<T, Break> {
        serde_json::from_slice(&answer.body).map_err(|error| {
            let what = format!("cannot be read: {error}: {}", answer.text());
            self.tally.borrow_mut().unexpected(kind, &what);
            Break::Failed
        })
    }
}
