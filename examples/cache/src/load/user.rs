//! A user: requests pages on a connection of its own, and checks each page.

use super::{Tally, Unexpected};
use crate::http::FOUND_HEADER;
use crate::page::Pages;
use crate::popularity::Popularity;
use crate::store::Found;
use axum::http::StatusCode;
use example_load::{Answer, Ask};
use std::cell::RefCell;
use std::rc::Rc;
use std::time::Instant;

/// A user.
#[derive(Debug)]
pub struct User {
    pub(super) it: example_load::User,
    pub(super) popularity: Rc<Popularity>,
    pub(super) tally: Rc<RefCell<Tally>>,
    pub(super) pages: Pages,
    /// Requests that were due before are not measured.
    pub(super) measured_from: Instant,
}

impl User {
    /// Sends requests until none is due any more.
    pub async fn run(mut self) {
        while let Some(due) = self.it.schedule.next().await {
            let title = self.popularity.draw(&mut self.it.chance);
            let sent = due.elapsed();
            let answer = self.it.client.send(Ask::get(format!("/{title}"))).await;
            let answered = due.elapsed();
            let answer = match answer {
                Ok(answer) => answer,
                Err(error) => {
                    let what = Unexpected::NoAnswer(error.to_string());
                    self.tally.borrow_mut().unexpected(what);
                    continue;
                }
            };
            let mut tally = self.tally.borrow_mut();
            match looked_at(&self.pages, title, &answer) {
                Ok(found) => {
                    tally.page(found, answer.body.len());
                    if due >= self.measured_from {
                        tally.measured(found, sent, answered);
                    }
                }
                Err(what) => tally.unexpected(what),
            }
        }
    }
}

/// Whether the page of an answer was in the cache; `None` if the answer is not a page.
#[must_use]
pub fn found(answer: &Answer) -> Option<Found> {
    let found = answer.headers.get(FOUND_HEADER)?;
    Some(match found.as_bytes() {
        b"hit" => Found::Hit,
        _ => Found::Miss,
    })
}

/// Checks that an answer is the requested page. Called after the time was taken, because it renders
/// the page once more.
pub(super) fn looked_at(pages: &Pages, title: u64, answer: &Answer) -> Result<Found, Unexpected> {
    match (answer.status, found(answer)) {
        (StatusCode::OK, Some(found)) if pages.is_page(title, &answer.body) => Ok(found),
        (StatusCode::OK, _) => Err(Unexpected::WrongPage { title }),
        (status, _) => Err(Unexpected::Status {
            status: status.as_u16(),
            text: answer.text(),
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use axum::http::{HeaderMap, HeaderValue};

    /// A self-test of the load generator's check.
    #[test]
    fn canary_a_wrong_page_is_noticed() {
        let pages = Pages {
            seed: 1,
            mean_bytes: 300,
        };
        let hit = (FOUND_HEADER, HeaderValue::from_static("hit"));
        let answer = |body: String| Answer {
            status: StatusCode::OK,
            headers: HeaderMap::from_iter([hit.clone()]),
            body: body.into(),
        };
        let wrong = Err(Unexpected::WrongPage { title: 3 });
        let looked = |answer: &Answer| looked_at(&pages, 3, answer);
        assert_eq!(looked(&answer(pages.render(3))), Ok(Found::Hit));
        assert_eq!(looked(&answer(pages.render(4))), wrong);
        assert_eq!(looked(&answer(pages.render(3).to_uppercase())), wrong);
        assert_eq!(looked(&answer(pages.render(3) + " ")), wrong);
        let unsaid = Answer {
            headers: HeaderMap::new(),
            ..answer(pages.render(3))
        };
        assert_eq!(looked(&unsaid), wrong);
        let broken = Answer {
            status: StatusCode::SERVICE_UNAVAILABLE,
            ..answer("late".to_owned())
        };
        let text = "late".to_owned();
        assert_eq!(
            looked(&broken),
            Err(Unexpected::Status { status: 503, text })
        );
    }
}
