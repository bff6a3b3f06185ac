//! `/bookings`: trips are booked, listed and cancelled.

use super::flights::truth;
use super::{Form, Path, Problem, Service, Session};
use crate::data::{FlightFacts, Moment, Network};
use crate::desk::{Order, Refusal};
use crate::id::Id;
use axum::Json;
use axum::extract::State;
use axum::http::header::CACHE_CONTROL;
use axum::response::IntoResponse;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

/// The form also has `toFlightSegId` and `retFlightSegId`. A flight's id says everything, and the
/// original does not look at them either.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct BookForm {
    userid: String,
    to_flight_id: String,
    #[serde(default)]
    ret_flight_id: String,
    #[serde(default)]
    one_way_flight: String,
}

impl BookForm {
    fn read(self) -> Result<Order, Problem> {
        let back = match truth("oneWayFlight", &self.one_way_flight)? {
            true => None,
            false => Some(id("retFlightId", &self.ret_flight_id)?),
        };
        Ok(Order {
            outbound: id("toFlightId", &self.to_flight_id)?,
            user: self.userid,
            back,
        })
    }
}

fn id(field: &str, text: &str) -> Result<Id, Problem> {
    let malformed = |why| Problem::malformed(format!("{field} is {text:?}, no id: {why}"));
    text.parse().map_err(malformed)
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct BookedTrip {
    one_way: bool,
    depart_booking_id: Id,
    #[serde(skip_serializing_if = "Option::is_none")]
    return_booking_id: Option<Id>,
}

pub(super) async fn book(
    State(service): State<Service>,
    Session(session): Session,
    Form(form): Form<BookForm>,
) -> Result<impl IntoResponse, Problem> {
    let order = form.read()?;
    let desk = service.airline().desk_of(session);
    let booked = service.request(desk.book(session, order)).await?;
    let trip = BookedTrip {
        one_way: booked.back.is_none(),
        depart_booking_id: booked.outbound,
        return_booking_id: booked.back,
    };
    Ok(([(CACHE_CONTROL, "no-cache")], Json(trip)))
}

#[derive(Debug, Deserialize)]
pub(super) struct CancelForm {
    number: String,
    userid: String,
}

pub(super) async fn cancel(
    State(service): State<Service>,
    Session(session): Session,
    Form(form): Form<CancelForm>,
) -> Result<Json<Value>, Problem> {
    let booking = id("number", &form.number)?;
    let desk = service.airline().desk_of(session);
    let cancel = desk.cancel(session, form.userid, booking);
    match service.ask(cancel).await? {
        // As in the original: what the client wants has come true, by itself or by an earlier try
        // of the same request.
        Ok(()) | Err(Refusal::NoSuchBooking(_)) => Ok(Json(json!({ "status": "success" }))),
        Err(refusal) => Err(refusal.into()),
    }
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Line {
    #[serde(rename = "_id")]
    id: Id,
    /// The same: the load plan of the original reads it unless `usePureIDs` is set.
    pkey: BookingKey,
    customer_id: String,
    flight_id: Id,
    date_of_booking: Moment,
    /// Not in the original: what a customer knows a flight by.
    flight: BookedFlight,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct BookedFlight {
    flight_segment_id: String,
    origin_port: &'static str,
    dest_port: &'static str,
    scheduled_departure_time: Moment,
    scheduled_arrival_time: Moment,
}

impl BookedFlight {
    fn of(network: &Network, facts: &FlightFacts) -> BookedFlight {
        let segment = &network.segments()[facts.segment];
        BookedFlight {
            flight_segment_id: segment.id.clone(),
            origin_port: segment.origin.code,
            dest_port: segment.destination.code,
            scheduled_departure_time: facts.departure,
            scheduled_arrival_time: facts.arrival,
        }
    }
}

/// A booking's key in the first versions of the original.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct BookingKey {
    id: Id,
    customer_id: String,
}

pub(super) async fn by_user(
    State(service): State<Service>,
    Session(session): Session,
    Path(user): Path<String>,
) -> Result<Json<Vec<Line>>, Problem> {
    let desk = service.airline().desk_of(session);
    let bookings = service
        .request(desk.bookings(session, user.clone()))
        .await?;
    let line = |it: crate::customer::BookingLine| Line {
        id: it.booking,
        pkey: BookingKey {
            id: it.booking,
            customer_id: user.clone(),
        },
        customer_id: user.clone(),
        flight_id: it.flight.id,
        flight: BookedFlight::of(service.network(), &it.flight),
        date_of_booking: it.made,
    };
    Ok(Json(bookings.into_iter().map(line).collect()))
}
