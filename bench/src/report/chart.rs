//! Draws sections of bars as SVG. Each section has its own scale, from zero to its longest line.

use super::figure::{Bar, Platform, Section};
use crate::failure::Failure;
use plotters::coord::Shift;
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};
use std::fmt::Display;
use std::io;
use std::path::Path;

const WIDTH: i32 = 860;
const MARGIN: i32 = 20;
const HEAD: i32 = 66;
const TITLE: i32 = 34;
const ROW: i32 = 22;
/// Where bars begin: labels stand left of it.
const BARS: i32 = 190;
/// Where the longest line ends: figures stand right of the lines.
const END: i32 = WIDTH - 110;

const FONT: &str = "sans-serif";
const TEXT: RGBColor = RGBColor(34, 34, 34);
const FAINT: RGBColor = RGBColor(110, 110, 110);
const OURS: RGBColor = RGBColor(31, 119, 180);
const PEERS: RGBColor = RGBColor(190, 190, 190);

type Area<'a> = DrawingArea<SVGBackend<'a>, Shift>;

pub(super) fn draw(
    path: &Path,
    title: &str,
    caption: &str,
    sections: &[Section],
) -> Result<(), Failure> {
    let rows: usize = sections.iter().map(|section| section.bars.len()).sum();
    let height = HEAD + TITLE * sections.len() as i32 + ROW * rows as i32 + MARGIN;
    let area = SVGBackend::new(path, (WIDTH as u32, height as u32)).into_drawing_area();
    area.fill(&WHITE).map_err(failure)?;
    text(&area, title, (MARGIN, 22), 20, TEXT, HPos::Left)?;
    text(&area, caption, (MARGIN, 46), 12, FAINT, HPos::Left)?;
    let mut y = HEAD;
    for section in sections {
        text(
            &area,
            &section.title,
            (MARGIN, y + TITLE / 2),
            15,
            TEXT,
            HPos::Left,
        )?;
        y += TITLE;
        let longest = section
            .bars
            .iter()
            .map(|bar| bar.sample.range().1)
            .fold(f64::MIN_POSITIVE, f64::max);
        for bar in &section.bars {
            row(&area, bar, y, f64::from(END - BARS) / longest)?;
            y += ROW;
        }
    }
    area.present().map_err(failure)
}

/// A label, a bar to the median, a line from the least to the largest value, and the median.
fn row(area: &Area<'_>, bar: &Bar, y: i32, scale: f64) -> Result<(), Failure> {
    let x = |value: f64| BARS + (value * scale) as i32;
    let middle = y + ROW / 2;
    let median = bar.sample.median();
    let (least, most) = bar.sample.range();
    let colour = match bar.platform {
        Platform::Vivant => OURS,
        Platform::Peer => PEERS,
    };
    text(area, &bar.label, (BARS - 10, middle), 13, TEXT, HPos::Right)?;
    let corners = [(BARS, y + 4), (x(median), y + ROW - 4)];
    area.draw(&Rectangle::new(corners, colour.filled()))
        .map_err(failure)?;
    let line = vec![(x(least), middle), (x(most), middle)];
    area.draw(&PathElement::new(line, TEXT)).map_err(failure)?;
    text(
        area,
        &figure(median),
        (x(most) + 8, middle),
        13,
        TEXT,
        HPos::Left,
    )
}

pub(super) fn text(
    area: &Area<'_>,
    words: &str,
    at: (i32, i32),
    size: i32,
    colour: RGBColor,
    side: HPos,
) -> Result<(), Failure> {
    let style = TextStyle::from((FONT, size).into_font())
        .color(&colour)
        .pos(Pos::new(side, VPos::Center));
    area.draw(&Text::new(words, at, style)).map_err(failure)
}

/// Three digits, and no more than there are.
fn figure(value: f64) -> String {
    match value {
        large if large >= 100.0 => {
            let digits = format!("{large:.0}");
            let groups: Vec<_> = digits.as_bytes().rchunks(3).rev().collect();
            String::from_utf8_lossy(&groups.join(&b","[..])).into_owned()
        }
        middle if middle >= 10.0 => format!("{middle:.1}"),
        small => format!("{small:.2}"),
    }
}

pub(super) fn failure(error: impl Display) -> Failure {
    Failure::Io(io::Error::other(error.to_string()))
}

#[cfg(test)]
mod tests {
    use super::figure;

    #[test]
    fn figures_have_three_digits() {
        let shown = [0.123, 1.0, 12.34, 123.4, 1_234.0, 1_234_567.0].map(figure);
        assert_eq!(shown, ["0.12", "1.00", "12.3", "123", "1,234", "1,234,567"]);
    }
}
