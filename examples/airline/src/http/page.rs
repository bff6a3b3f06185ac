//! The web page: one file, with the airports written into it.

use crate::data::Airport;
use axum::response::Html;
use std::fmt::Write;
use std::sync::LazyLock;

static PAGE: LazyLock<String> = LazyLock::new(|| {
    include_str!("page.html")
        .replace("<!--origins-->", &options(Airport::origins(), "JFK"))
        .replace(
            "<!--destinations-->",
            &options(Airport::destinations(), "LHR"),
        )
});

fn options<'a>(airports: impl Iterator<Item = &'a Airport>, chosen: &str) -> String {
    let mut options = String::new();
    for Airport { code, city, .. } in airports {
        let selected = if *code == chosen { " selected" } else { "" };
        // Writing to a string cannot fail.
        let _ = write!(
            options,
            "<option value={code}{selected}>{city} ({code})</option>"
        );
    }
    options
}

pub(super) async fn page() -> Html<&'static str> {
    Html(&PAGE)
}
