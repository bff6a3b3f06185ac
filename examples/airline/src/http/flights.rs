//! `/flights`: queries.

use super::{Form, Problem, Service, Session};
use crate::data::{Airport, Day, Moment, Segment};
use crate::desk::{Offer, Options, Query};
use crate::flight::SeatsLeft;
use crate::id::Id;
use axum::Json;
use axum::extract::State;
use serde::{Deserialize, Serialize};

/// What every flight costs.
const FIRST_CLASS_COST: u32 = 500;
const ECONOMY_CLASS_COST: u32 = 200;

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct QueryForm {
    from_airport: String,
    to_airport: String,
    from_date: String,
    #[serde(default)]
    return_date: String,
    #[serde(default)]
    one_way: String,
}

impl QueryForm {
    fn read(self) -> Result<Query, Problem> {
        for code in [&self.from_airport, &self.to_airport] {
            if Airport::by_code(code).is_none() {
                let reason = format!("{code:?} is not the code of an airport that we serve");
                return Err(Problem::malformed(reason));
            }
        }
        let back = match truth("oneWay", &self.one_way)? {
            true => None,
            false => Some(date("returnDate", &self.return_date)?),
        };
        Ok(Query {
            day: date("fromDate", &self.from_date)?,
            from: self.from_airport,
            to: self.to_airport,
            back,
        })
    }
}

fn date(field: &str, text: &str) -> Result<Day, Problem> {
    Day::parse(text).ok_or_else(|| {
        let reason = format!("{field} is {text:?}, not a date such as 2026-03-10");
        Problem::malformed(reason)
    })
}

/// A yes or no; nothing means no.
pub(super) fn truth(field: &str, text: &str) -> Result<bool, Problem> {
    match text {
        "true" => Ok(true),
        "false" | "" => Ok(false),
        _ => {
            let reason = format!("{field} is {text:?}, neither true nor false");
            Err(Problem::malformed(reason))
        }
    }
}

pub(super) async fn query(
    State(service): State<Service>,
    Session(session): Session,
    Form(form): Form<QueryForm>,
) -> Result<Json<TripFlights>, Problem> {
    let query = form.read()?;
    let desk = service.airline().desk_of(session);
    let options = service.request(desk.query(session, query)).await?;
    Ok(Json(TripFlights::of(&options)))
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct TripFlights {
    trip_flights: Vec<TripLeg>,
    trip_legs: usize,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct TripLeg {
    num_pages: u32,
    flights_options: Vec<FlightOption>,
    current_page: u32,
    has_more_options: bool,
    page_size: u32,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct FlightOption {
    #[serde(rename = "_id")]
    id: Id,
    /// The same: the load plan of the original reads it unless `usePureIDs` is set.
    #[serde(rename = "id")]
    plain_id: Id,
    flight_segment_id: String,
    scheduled_departure_time: Moment,
    scheduled_arrival_time: Moment,
    first_class_base_cost: u32,
    economy_class_base_cost: u32,
    num_first_class_seats: u32,
    num_economy_class_seats: u32,
    airplane_type_id: &'static str,
    #[serde(flatten)]
    left: SeatsLeft,
    flight_segment: SegmentFacts,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct SegmentFacts {
    #[serde(rename = "_id")]
    id: String,
    origin_port: &'static str,
    dest_port: &'static str,
    miles: u32,
}

impl TripFlights {
    fn of(options: &Options) -> TripFlights {
        let leg = |offers: &Vec<Offer>| TripLeg {
            num_pages: 1,
            flights_options: (offers.iter()).map(FlightOption::of).collect(),
            current_page: 0,
            has_more_options: false,
            page_size: 10,
        };
        TripFlights {
            trip_flights: options.legs.iter().map(leg).collect(),
            trip_legs: options.legs.len(),
        }
    }
}

impl FlightOption {
    fn of(offer: &Offer) -> FlightOption {
        let facts = &offer.flight;
        let segment = facts.segment();
        FlightOption {
            id: facts.id,
            plain_id: facts.id,
            flight_segment_id: segment.id.clone(),
            scheduled_departure_time: facts.departure,
            scheduled_arrival_time: facts.arrival,
            first_class_base_cost: FIRST_CLASS_COST,
            economy_class_base_cost: ECONOMY_CLASS_COST,
            num_first_class_seats: offer.seats.cabin.first,
            num_economy_class_seats: offer.seats.cabin.economy,
            airplane_type_id: "B747",
            left: offer.seats.left,
            flight_segment: SegmentFacts::of(segment),
        }
    }
}

impl SegmentFacts {
    fn of(segment: &Segment) -> SegmentFacts {
        SegmentFacts {
            id: segment.id.clone(),
            origin_port: segment.origin.code,
            dest_port: segment.destination.code,
            miles: segment.miles,
        }
    }
}
