//! A chart: how many requests of a kind had which latency, both on logarithmic scales.

use super::readable;
use crate::load::KindTally;
use std::fmt::Write;

/// Latencies that are drawn, in powers of ten of microseconds: 10 µs to 10 s.
const LATENCY_POWERS: (i32, i32) = (1, 7);
/// Bars for each power of ten.
const BARS_PER_POWER: usize = 16;
const WIDTH: f64 = 480.0;
const HEIGHT: f64 = 200.0;
/// Room for labels.
const LEFT: f64 = 48.0;
const TOP: f64 = 22.0;
const BOTTOM: f64 = 24.0;
const RIGHT: f64 = 8.0;

/// The chart as an SVG element. It takes its colours from the page.
pub(super) fn chart(title: &str, tally: &KindTally) -> String {
    let bars = bars(tally);
    let powers = count_powers(&bars);
    let mut svg = format!(
        "<svg viewBox=\"0 0 {WIDTH} {HEIGHT}\" role=\"img\" aria-label=\"Latency of {title}\">\n\
         <text x=\"{LEFT}\" y=\"14\" class=\"title\">{title}</text>\n"
    );
    // Writing to a string cannot fail.
    let _ = grid(&mut svg, powers).and_then(|()| draw(&mut svg, &bars, powers));
    if tally.count() > 0 {
        let _ = marks(&mut svg, tally);
    }
    svg.push_str("</svg>\n");
    svg
}

/// The number of requests for each bar.
fn bars(tally: &KindTally) -> Vec<u64> {
    let count = (LATENCY_POWERS.1 - LATENCY_POWERS.0) as usize * BARS_PER_POWER;
    let mut bars = vec![0; count];
    for (us, requests) in tally.latencies() {
        let power = (us.max(1) as f64).log10() - f64::from(LATENCY_POWERS.0);
        // What lies outside is drawn at the edge.
        let bar = (power * BARS_PER_POWER as f64).clamp(0.0, count as f64 - 1.0);
        bars[bar as usize] += requests;
    }
    bars
}

/// How many powers of ten of requests the chart has.
fn count_powers(bars: &[u64]) -> u32 {
    let most = bars.iter().copied().max().unwrap_or(0).max(1);
    most.ilog10() + 1
}

fn x(power: f64) -> f64 {
    let share =
        (power - f64::from(LATENCY_POWERS.0)) / f64::from(LATENCY_POWERS.1 - LATENCY_POWERS.0);
    LEFT + share.clamp(0.0, 1.0) * (WIDTH - LEFT - RIGHT)
}

/// The height of a count; one request can be seen, none cannot.
fn y(count: f64, powers: u32) -> f64 {
    let bottom = HEIGHT - BOTTOM;
    if count <= 0.0 {
        return bottom;
    }
    let share = (count.log10() + 0.3) / (f64::from(powers) + 0.3);
    bottom - share * (bottom - TOP)
}

fn grid(svg: &mut String, powers: u32) -> std::fmt::Result {
    let bottom = HEIGHT - BOTTOM;
    for power in LATENCY_POWERS.0..=LATENCY_POWERS.1 {
        let x = x(f64::from(power));
        let label = readable(10_u64.pow(power as u32))
            .replace(".00", "")
            .replace(".0", "");
        let anchor = if power == LATENCY_POWERS.1 {
            "end"
        } else {
            "middle"
        };
        writeln!(
            svg,
            "<line x1=\"{x:.1}\" x2=\"{x:.1}\" y1=\"{TOP}\" y2=\"{bottom}\" class=\"grid\"/>\
             <text x=\"{x:.1}\" y=\"{:.1}\" text-anchor=\"{anchor}\">{label}</text>",
            bottom + 15.0,
        )?;
    }
    for power in 0..=powers {
        let y = y(10_f64.powi(power as i32), powers);
        writeln!(
            svg,
            "<line x1=\"{LEFT}\" x2=\"{:.1}\" y1=\"{y:.1}\" y2=\"{y:.1}\" class=\"grid\"/>\
             <text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"end\">{}</text>",
            WIDTH - RIGHT,
            LEFT - 5.0,
            y + 4.0,
            10_u64.pow(power),
        )?;
    }
    Ok(())
}

fn draw(svg: &mut String, bars: &[u64], powers: u32) -> std::fmt::Result {
    let bottom = HEIGHT - BOTTOM;
    write!(svg, "<path class=\"bars\" d=\"")?;
    for (bar, count) in bars.iter().enumerate().filter(|(_, count)| **count > 0) {
        let power = |bar: usize| f64::from(LATENCY_POWERS.0) + bar as f64 / BARS_PER_POWER as f64;
        let (from, to) = (x(power(bar)), x(power(bar + 1)));
        let top = y(*count as f64, powers);
        write!(svg, "M{from:.1} {bottom}V{top:.1}H{to:.1}V{bottom}Z")?;
    }
    writeln!(svg, "\"/>")
}

/// A line at each quantile, from left to right as they are named above.
fn marks(svg: &mut String, tally: &KindTally) -> std::fmt::Result {
    let bottom = HEIGHT - BOTTOM;
    let mut names = Vec::new();
    for (share, name) in [(0.5, "p50"), (0.99, "p99"), (0.999, "p99.9")] {
        let us = tally.quantile_us(share);
        let x = x((us.max(1) as f64).log10());
        writeln!(
            svg,
            "<line x1=\"{x:.1}\" x2=\"{x:.1}\" y1=\"{TOP}\" y2=\"{bottom}\" class=\"mark\"/>"
        )?;
        names.push(format!("{name} {}", readable(us)));
    }
    writeln!(
        svg,
        "<text x=\"{:.1}\" y=\"14\" text-anchor=\"end\">{}</text>",
        WIDTH - RIGHT,
        names.join(" · ")
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::load::{Kind, Tally};
    use std::time::Duration;

    #[test]
    fn every_request_is_in_a_bar() {
        let mut tally = Tally::default();
        for us in [0, 1, 10, 99, 100, 1_000_000, 30_000_000] {
            tally.record(Kind::Login, Duration::from_micros(us));
        }
        let bars = bars(tally.kind(Kind::Login));
        assert_eq!(bars.iter().sum::<u64>(), 7);
        assert_eq!((bars[0], bars[bars.len() - 1]), (3, 1));
        let svg = chart("Login", tally.kind(Kind::Login));
        assert_eq!(svg.matches("class=\"mark\"").count(), 3);
        assert!(!svg.contains("NaN") && !svg.contains("inf"), "{svg}");
    }

    #[test]
    fn a_chart_of_nothing_is_a_grid() {
        let svg = chart("Login", &KindTally::default());
        assert_eq!(svg.matches("class=\"mark\"").count(), 0);
        assert!(!svg.contains("NaN") && !svg.contains("inf"), "{svg}");
    }
}
