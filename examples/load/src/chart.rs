//! A chart: how many requests had which latency, both on logarithmic scales.

use crate::{Latency, readable};
use maud::{Markup, PreEscaped, html};
use plotters::prelude::*;
use std::error::Error;

/// Latencies that are drawn, as powers of ten of nanoseconds: 1 µs to 10 s. A latency outside is
/// drawn at the edge.
const FIRST: u32 = 3;
const LAST: u32 = 10;
/// Bars for each power of ten.
const FINE: u32 = 16;
const BARS: usize = ((LAST - FIRST) * FINE) as usize;

const BAR: RGBColor = RGBColor(59, 120, 194);
const MARK: RGBColor = RGBColor(194, 71, 59);
const GRID: RGBColor = RGBColor(128, 128, 128);

/// Draws bars for the numbers of requests, and lines at three quantiles.
#[must_use]
pub fn chart(title: &str, latency: &Latency) -> Markup {
    let mut svg = String::new();
    draw(&mut svg, title, latency).expect("writing to a string does not fail");
    // In a page an SVG element needs no name space, and the page has no address in it.
    let svg = svg.replace(" xmlns=\"http://www.w3.org/2000/svg\"", "");
    html! { div role="img" aria-label={ "Latency: " (title) } { (PreEscaped(svg)) } }
}

fn draw(svg: &mut String, title: &str, latency: &Latency) -> Result<(), Box<dyn Error>> {
    let bars = bars(latency);
    let most = bars.iter().copied().max().unwrap_or(0).max(1);
    let top = 10_f64.powf(f64::from(most.ilog10() + 1));
    let edge = |bar: usize| 10_f64.powf(f64::from(FIRST) + bar as f64 / f64::from(FINE));
    let it = latency.summary();
    let marks = match it.count {
        0 => Vec::new(),
        _ => vec![
            ("p50", it.p50_ns),
            ("p99", it.p99_ns),
            ("p99.9", it.p99_9_ns),
        ],
    };
    let named = marks
        .iter()
        .map(|(name, ns)| format!(" · {name} {}", readable(*ns)));
    let caption = title.to_owned() + &named.collect::<String>();

    let area = SVGBackend::with_string(svg, (480, 200)).into_drawing_area();
    let mut chart = ChartBuilder::on(&area)
        .margin_right(24)
        .caption(caption, ("sans-serif", 13))
        .x_label_area_size(24)
        .y_label_area_size(56)
        // A single request can be seen.
        .build_cartesian_2d((edge(0)..edge(BARS)).log_scale(), (0.5..top).log_scale())?;
    chart
        .configure_mesh()
        .axis_style(GRID)
        .light_line_style(TRANSPARENT)
        .bold_line_style(GRID.mix(0.25))
        .x_label_formatter(&|ns| {
            readable(ns.round() as u64)
                .replace(".00", "")
                .replace(".0", "")
        })
        .y_label_formatter(&|count| format!("{count:.0}"))
        .draw()?;
    let drawn = bars.iter().enumerate().filter(|(_, count)| **count > 0);
    chart.draw_series(drawn.map(|(bar, count)| {
        let corners = [(edge(bar), 0.5), (edge(bar + 1), *count as f64)];
        Rectangle::new(corners, BAR.filled())
    }))?;
    chart.draw_series(marks.iter().map(|(_, ns)| {
        let x = (*ns as f64).clamp(edge(0), edge(BARS));
        PathElement::new(vec![(x, 0.5), (x, top)], MARK)
    }))?;
    area.present()?;
    Ok(())
}

/// Returns the number of requests of each bar.
fn bars(latency: &Latency) -> [u64; BARS] {
    let mut bars = [0; BARS];
    for (ns, requests) in latency.recorded() {
        let bar = ((ns.max(1) as f64).log10() - f64::from(FIRST)) * f64::from(FINE);
        bars[bar.clamp(0.0, BARS as f64 - 1.0) as usize] += requests;
    }
    bars
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    fn marks(latency: &Latency) -> usize {
        let svg = chart("all", latency).into_string();
        assert_eq!(svg.matches("<svg").count(), 1);
        assert!(
            !svg.contains("NaN") && !svg.contains("inf") && !svg.contains("://"),
            "{svg}"
        );
        svg.matches("stroke=\"#C2473B\"").count()
    }

    #[test]
    fn every_request_is_in_a_bar() {
        let mut latency = Latency::default();
        for ns in [0, 10, 1_000, 9_999, 1_000_000, 30_000_000_000] {
            latency.record(Duration::from_nanos(ns));
        }
        let bars = bars(&latency);
        assert_eq!(bars.iter().sum::<u64>(), 6);
        assert_eq!((bars[0], bars[BARS - 1]), (3, 1));
        assert_eq!(marks(&latency), 3);
    }

    #[test]
    fn a_chart_of_nothing_is_a_grid() {
        assert_eq!(marks(&Latency::default()), 0);
    }
}
