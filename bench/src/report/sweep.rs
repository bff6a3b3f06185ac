//! The chart of `queued`: a line for each pointer, over the share of references that the other
//! thread drops.

use super::chart::{failure, text};
use super::rounds::{Figures, Samples};
use crate::failure::Failure;
use plotters::prelude::*;
use plotters::style::text_anchor::HPos;
use std::collections::BTreeMap;
use std::iter;
use std::path::Path;

const WIDTH: u32 = 860;
const HEIGHT: u32 = 420;
const HEAD: u32 = 66;

/// The panels, from left to right: field and title.
const PANELS: [(&str, &str); 2] = [
    ("relative_time", "time, arc is 1"),
    ("relative_memory", "peak memory, arc is 1"),
];

const COLOURS: [RGBColor; 3] = [
    RGBColor(110, 110, 110),
    RGBColor(31, 119, 180),
    RGBColor(214, 96, 39),
];

/// By pointer: the medians at each share.
type Curves = BTreeMap<String, Vec<(f64, f64)>>;

pub(super) fn draw(
    path: &Path,
    title: &str,
    caption: &str,
    samples: &Samples,
) -> Result<(), Failure> {
    let area = SVGBackend::new(path, (WIDTH, HEIGHT)).into_drawing_area();
    area.fill(&WHITE).map_err(failure)?;
    text(&area, title, (20, 22), 20, BLACK, HPos::Left)?;
    text(&area, caption, (20, 46), 12, COLOURS[0], HPos::Left)?;
    let (_, below) = area.split_vertically(HEAD);
    for (panel, (field, title)) in below.split_evenly((1, PANELS.len())).iter().zip(PANELS) {
        let curves = curves(samples, field);
        let largest = curves.values().flatten().map(|it| it.1).fold(1.0, f64::max);
        let mut chart = ChartBuilder::on(panel)
            .caption(title, ("sans-serif", 15))
            .margin(12)
            .x_label_area_size(40)
            .y_label_area_size(40)
            .build_cartesian_2d(0.0..1.0, 0.0..largest * 1.15)
            .map_err(failure)?;
        chart
            .configure_mesh()
            .light_line_style(WHITE)
            .x_desc("share of the references that the other thread drops")
            .label_style(("sans-serif", 12))
            .draw()
            .map_err(failure)?;
        for ((pointer, points), colour) in curves.iter().zip(COLOURS.iter().cycle()) {
            let end = *points.last().expect("a curve has points");
            let line = PathElement::new(points.clone(), colour.stroke_width(2));
            chart.draw_series(iter::once(line)).map_err(failure)?;
            let style = ("sans-serif", 13).into_font().color(colour);
            let above = (end.0 - 0.06, end.1 + largest * 0.06);
            let label = Text::new(pointer.clone(), above, style);
            chart.draw_series(iter::once(label)).map_err(failure)?;
        }
    }
    area.present().map_err(failure)
}

fn curves(samples: &Samples, field: &str) -> Curves {
    let point = |(name, figures): (&String, &Figures)| {
        let mut words = name.strip_prefix("queued ")?.split(' ');
        let (pointer, ratio) = (words.next()?.to_owned(), words.next()?.parse().ok()?);
        Some((pointer, (ratio, figures.get(field)?.counted().median())))
    };
    let mut curves = Curves::new();
    for (pointer, point) in samples.iter().filter_map(point) {
        curves.entry(pointer).or_default().push(point);
    }
    curves
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::sample::Runs;

    #[test]
    fn curves_have_their_points_in_order() {
        let mut samples = Samples::new();
        for (name, value) in [
            ("queued arc 1.0", 3.0),
            ("queued arc 0.0", 2.0),
            ("fib", 9.0),
        ] {
            let mut runs = Runs::default();
            runs.push(value, None);
            let figures = samples.entry(name.to_owned()).or_default();
            figures.insert("relative_time".to_owned(), runs);
        }
        let curves = curves(&samples, "relative_time");
        assert_eq!(curves.len(), 1);
        assert_eq!(curves["arc"], [(0.0, 2.0), (1.0, 3.0)]);
    }
}
