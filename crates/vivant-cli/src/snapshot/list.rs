//! `vivant snapshot list`: the images of a store.

use super::header::Header;
use super::json::quoted;
use super::problem::Problem;
use super::verdict::Verdict;
use std::fmt::Write as _;
use std::io::Write;
use vivant_journal::Catalog;

/// How images are listed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ListForm {
    /// A table.
    Text,
    /// A line of JSON for each image.
    Json,
}

const COLUMNS: [&str; 10] = [
    "image",
    "taken at",
    "system",
    "saved",
    "restart",
    "not saved",
    "messages",
    "bytes",
    "stored",
    "needs",
];

/// Lists all images of a store, newest first. An image that cannot be read is listed with the
/// reason.
///
/// Reads the manifests only.
///
/// # Errors
///
/// The store fails, or `out`.
pub fn list(catalog: &Catalog, form: ListForm, out: &mut impl Write) -> Result<Verdict, Problem> {
    let images = catalog.images()?;
    let intact = images.intact.iter().map(|it| (it.number, Header::of(it)));
    let unreadable = images.unreadable.into_iter();
    let unreadable = unreadable.map(|it| (it.number, Err(it.error.into())));
    let mut all: Vec<(u64, Result<Header, Problem>)> = intact.chain(unreadable).collect();
    all.sort_by_key(|(number, _)| std::cmp::Reverse(*number));
    match form {
        ListForm::Json => {
            for (number, header) in &all {
                writeln!(out, "{}", line(*number, header))?;
            }
        }
        ListForm::Text => out.write_all(table(&all).as_bytes())?,
    }
    match all.iter().all(|(_, header)| header.is_ok()) {
        true => Ok(Verdict::Good),
        false => Ok(Verdict::Bad),
    }
}

fn line(number: u64, header: &Result<Header, Problem>) -> String {
    let error = match header {
        Ok(header) => match serde_json::to_string(header) {
            Ok(line) => return line,
            Err(error) => error.to_string(),
        },
        Err(error) => error.to_string(),
    };
    format!("{{\"number\":{number},\"error\":{}}}", quoted(&error))
}

fn table(all: &[(u64, Result<Header, Problem>)]) -> String {
    if all.is_empty() {
        return "no images\n".to_owned();
    }
    let mut rows = vec![COLUMNS.map(str::to_owned)];
    rows.extend(
        all.iter()
            .filter_map(|(_, header)| Some(row(header.as_ref().ok()?))),
    );
    let width = |column: usize| {
        let widths = rows.iter().map(|row| row[column].chars().count());
        widths.max().unwrap_or(0)
    };
    let widths: [usize; 10] = std::array::from_fn(width);
    let mut rows = rows.iter();
    let mut text = String::new();
    let mut add = |row: Option<&[String; 10]>| {
        for (at, cell) in row.into_iter().flatten().enumerate() {
            let gap = if at == 0 { "" } else { "  " };
            let width = widths[at];
            // Writing to a string does not fail.
            let _ = match at {
                // Words stand on the left.
                1 | 2 => write!(text, "{gap}{cell:<width$}"),
                // The last one needs no room behind it.
                9 => write!(text, "{gap}{cell}"),
                _ => write!(text, "{gap}{cell:>width$}"),
            };
        }
        text.push('\n');
    };
    add(rows.next());
    let mut damaged = String::new();
    for (number, header) in all {
        match header {
            Ok(_) => add(rows.next()),
            Err(error) => damaged.push_str(&format!("image {number} cannot be read: {error}\n")),
        }
    }
    text + &damaged
}

fn row(header: &Header) -> [String; 10] {
    [
        header.number.to_string(),
        header.taken_at.clone(),
        header.system.escape_debug().to_string(),
        header.saved.to_string(),
        header.restarting.to_string(),
        header.not_saved.to_string(),
        header.messages.to_string(),
        header.bytes.to_string(),
        header.stored_bytes.to_string(),
        needed(&header.needed),
    ]
}

/// The numbers of needed images, or a dash.
fn needed(images: &[u64]) -> String {
    let numbers: Vec<String> = images.iter().map(u64::to_string).collect();
    match numbers.is_empty() {
        true => "-".to_owned(),
        false => numbers.join(","),
    }
}
