//! Ledgers: the records of all flights and customers, and their comparison.

use super::{Audit, Confirmed, Finding};
use crate::customer::CustomerLedger;
use crate::flight::FlightLedger;
use crate::id::Id;
use std::collections::{BTreeMap, BTreeSet};

/// The answers of all flights and customers.
#[derive(Clone, Debug, Default)]
pub struct Ledgers {
    /// The flights.
    pub flights: Vec<FlightLedger>,
    /// The customers.
    pub customers: Vec<CustomerLedger>,
}

impl Ledgers {
    /// Compares all records. Without `confirmed`, A4 is not checked.
    pub fn audit(&self, confirmed: Option<&Confirmed>) -> Audit {
        let mut findings = Vec::new();
        let seats = self.seats(&mut findings);
        let bookings = self.bookings(&mut findings);
        for (booking, seat) in &seats {
            if bookings.get(booking) != Some(seat) {
                findings.push(Finding::SeatWithoutBooking {
                    flight: seat.flight,
                    booking: *booking,
                });
            }
        }
        for (booking, place) in &bookings {
            if seats.get(booking) != Some(place) {
                findings.push(Finding::BookingWithoutSeat {
                    customer: place.customer,
                    booking: *booking,
                });
            }
        }
        if let Some(confirmed) = confirmed {
            compare_with_confirmed(&bookings, confirmed, &mut findings);
        }
        Audit {
            flights: self.flights.len(),
            customers: self.customers.len(),
            seats_taken: self.flights.iter().map(|it| it.taken.len()).sum(),
            bookings: self.customers.iter().map(|it| it.bookings.len()).sum(),
            findings,
        }
    }

    /// A1, and each taken seat by booking.
    fn seats(&self, findings: &mut Vec<Finding>) -> BTreeMap<Id, Place> {
        let mut seats = BTreeMap::new();
        for ledger in &self.flights {
            if ledger.taken.len() > ledger.seats as usize {
                findings.push(Finding::Oversold {
                    flight: ledger.flight,
                    seats: ledger.seats,
                    sold: ledger.taken.len(),
                });
            }
            for (booking, customer) in &ledger.taken {
                let place = Place {
                    flight: ledger.flight,
                    customer: *customer,
                };
                if seats.insert(*booking, place).is_some() {
                    findings.push(Finding::TwoSeats { booking: *booking });
                }
            }
        }
        seats
    }

    /// A3, and each booking.
    fn bookings(&self, findings: &mut Vec<Finding>) -> BTreeMap<Id, Place> {
        let mut bookings = BTreeMap::new();
        for ledger in &self.customers {
            for (booking, flight) in &ledger.bookings {
                let place = Place {
                    flight: *flight,
                    customer: ledger.customer,
                };
                if bookings.insert(*booking, place).is_some() {
                    findings.push(Finding::TwoBookings { booking: *booking });
                }
            }
        }
        bookings
    }
}

/// Where a booking belongs.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Place {
    flight: Id,
    customer: u32,
}

/// A4.
fn compare_with_confirmed(
    bookings: &BTreeMap<Id, Place>,
    confirmed: &Confirmed,
    findings: &mut Vec<Finding>,
) {
    let cancelled: BTreeSet<Id> = confirmed.cancelled.iter().copied().collect();
    let mut booked = BTreeSet::new();
    for booking in &confirmed.booked {
        if !booked.insert(*booking) {
            findings.push(Finding::TwoBookings { booking: *booking });
        }
    }
    for booking in booked.difference(&cancelled) {
        if !bookings.contains_key(booking) {
            findings.push(Finding::Lost { booking: *booking });
        }
    }
    for booking in bookings.keys() {
        if cancelled.contains(booking) {
            findings.push(Finding::NotGone { booking: *booking });
        } else if !booked.contains(booking) {
            findings.push(Finding::Unconfirmed { booking: *booking });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn id(number: u64) -> Id {
        Id::drawn(|| number)
    }

    /// Two seats, both taken; customer 1 has one booking and customer 2 the other.
    fn ledgers() -> Ledgers {
        let customer = |number: u32| CustomerLedger {
            customer: number,
            bookings: vec![(id(number.into()), id(100))],
        };
        Ledgers {
            flights: vec![FlightLedger {
                flight: id(100),
                seats: 2,
                taken: vec![(id(1), 1), (id(2), 2)],
            }],
            customers: vec![customer(1), customer(2)],
        }
    }

    fn confirmed(booked: &[u64], cancelled: &[u64]) -> Confirmed {
        Confirmed {
            booked: booked.iter().copied().map(id).collect(),
            cancelled: cancelled.iter().copied().map(id).collect(),
        }
    }

    #[test]
    fn a_true_story_holds() {
        let audit = ledgers().audit(Some(&confirmed(&[1, 2, 3], &[3])));
        assert!(audit.holds(), "{:?}", audit.findings);
        assert_eq!(
            (
                audit.flights,
                audit.customers,
                audit.seats_taken,
                audit.bookings
            ),
            (1, 2, 2, 2)
        );
    }

    #[test]
    fn canary_an_oversold_flight_is_found() {
        let mut ledgers = ledgers();
        ledgers.flights[0].seats = 1;
        let finding = Finding::Oversold {
            flight: id(100),
            seats: 1,
            sold: 2,
        };
        assert_eq!(ledgers.audit(None).findings, [finding]);
    }

    #[test]
    fn canary_seats_and_bookings_without_each_other_are_found() {
        let mut seat_lost = ledgers();
        seat_lost.flights[0].taken.pop();
        let (customer, booking) = (2, id(2));
        assert_eq!(
            seat_lost.audit(None).findings,
            [Finding::BookingWithoutSeat { customer, booking }]
        );
        let mut booking_lost = ledgers();
        booking_lost.customers.pop();
        let flight = id(100);
        assert_eq!(
            booking_lost.audit(None).findings,
            [Finding::SeatWithoutBooking { flight, booking }]
        );
        let mut of_somebody_else = ledgers();
        of_somebody_else.flights[0].taken[1].1 = 1;
        assert_eq!(of_somebody_else.audit(None).findings.len(), 2);
    }

    #[test]
    fn canary_an_id_used_twice_is_found() {
        let mut ledgers = ledgers();
        ledgers.customers[1].bookings = vec![(id(1), id(100))];
        let findings = ledgers.audit(None).findings;
        assert!(findings.contains(&Finding::TwoBookings { booking: id(1) }));
        let findings = self::ledgers()
            .audit(Some(&confirmed(&[1, 2, 2], &[])))
            .findings;
        assert_eq!(findings, [Finding::TwoBookings { booking: id(2) }]);
        ledgers.flights.push(FlightLedger {
            flight: id(200),
            seats: 1,
            taken: vec![(id(1), 1)],
        });
        let findings = ledgers.audit(None).findings;
        assert!(findings.contains(&Finding::TwoSeats { booking: id(1) }));
    }

    #[test]
    fn canary_what_customers_were_told_is_compared() {
        let findings = |booked, cancelled| {
            ledgers()
                .audit(Some(&confirmed(booked, cancelled)))
                .findings
        };
        assert_eq!(
            findings(&[1, 2, 3], &[]),
            [Finding::Lost { booking: id(3) }]
        );
        assert_eq!(
            findings(&[1, 2], &[2]),
            [Finding::NotGone { booking: id(2) }]
        );
        assert_eq!(
            findings(&[1], &[]),
            [Finding::Unconfirmed { booking: id(2) }]
        );
    }
}
