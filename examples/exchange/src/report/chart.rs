//! A chart: how many orders had which latency, both on logarithmic scales.

use super::{SHARES, readable};
use crate::latency::Latency;
use std::fmt::Write;

/// Latencies that are drawn, in powers of ten of nanoseconds: 1 µs to 1 s. What lies outside is drawn at the edge.
const FIRST: u32 = 3;
const LAST: u32 = 9;
/// Bars for each power of ten.
const FINE: u32 = 16;
const BARS: usize = ((LAST - FIRST) * FINE) as usize;
/// The whole picture.
const WIDTH: f64 = 480.0;
const HEIGHT: f64 = 200.0;
/// What bars and lines lie between; the rest is for words.
const LEFT: f64 = 48.0;
const RIGHT: f64 = WIDTH - 8.0;
const TOP: f64 = 22.0;
const BOTTOM: f64 = HEIGHT - 24.0;

/// The chart as an SVG element. It takes its colours from the page.
pub(super) fn chart(title: &str, latency: &Latency) -> String {
    let mut svg = format!(
        "<svg viewBox=\"0 0 {WIDTH} {HEIGHT}\" role=\"img\" aria-label=\"Latency: {title}\">\n\
         <text x=\"{LEFT}\" y=\"14\" class=\"title\">{title}</text>\n"
    );
    let bars = bars(latency);
    let most = bars.iter().copied().max().unwrap_or(0).max(1);
    // Writing to a string cannot fail.
    let _ = grid(&mut svg, most).and_then(|()| draw(&mut svg, &bars, most));
    if latency.count() > 0 {
        let _ = marks(&mut svg, latency);
    }
    svg.push_str("</svg>\n");
    svg
}

/// How many orders each bar stands for.
fn bars(latency: &Latency) -> [u64; BARS] {
    let mut bars = [0; BARS];
    for (ns, orders) in latency.recorded() {
        let bar = (power(ns) - f64::from(FIRST)) * f64::from(FINE);
        bars[bar.clamp(0.0, BARS as f64 - 1.0) as usize] += orders;
    }
    bars
}

fn power(ns: u64) -> f64 {
    (ns.max(1) as f64).log10()
}

/// Where a latency lies, as a power of ten of nanoseconds.
fn x(power: f64) -> f64 {
    let share = (power - f64::from(FIRST)) / f64::from(LAST - FIRST);
    LEFT + share.clamp(0.0, 1.0) * (RIGHT - LEFT)
}

/// The height of a count, if the greatest is `most`. One order can be seen.
fn y(count: u64, most: u64) -> f64 {
    let powers = f64::from(most.ilog10() + 1);
    match count {
        0 => BOTTOM,
        _ => BOTTOM - ((count as f64).log10() + 0.3) / (powers + 0.3) * (BOTTOM - TOP),
    }
}

fn grid(svg: &mut String, most: u64) -> std::fmt::Result {
    for power in FIRST..=LAST {
        let (x, label) = (x(f64::from(power)), readable(10_u64.pow(power)));
        let label = label.replace(".00", "").replace(".0", "");
        let anchor = if power == LAST { "end" } else { "middle" };
        writeln!(
            svg,
            "<line x1=\"{x:.1}\" x2=\"{x:.1}\" y1=\"{TOP}\" y2=\"{BOTTOM}\" class=\"grid\"/>\
             <text x=\"{x:.1}\" y=\"{:.1}\" text-anchor=\"{anchor}\">{label}</text>",
            BOTTOM + 15.0,
        )?;
    }
    for power in 0..=most.ilog10() + 1 {
        let count = 10_u64.pow(power);
        let y = y(count, most);
        writeln!(
            svg,
            "<line x1=\"{LEFT}\" x2=\"{RIGHT}\" y1=\"{y:.1}\" y2=\"{y:.1}\" class=\"grid\"/>\
             <text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"end\">{count}</text>",
            LEFT - 5.0,
            y + 4.0,
        )?;
    }
    Ok(())
}

fn draw(svg: &mut String, bars: &[u64; BARS], most: u64) -> std::fmt::Result {
    write!(svg, "<path class=\"bars\" d=\"")?;
    let edge = |bar: usize| x(f64::from(FIRST) + bar as f64 / f64::from(FINE));
    for (bar, count) in bars.iter().enumerate().filter(|(_, count)| **count > 0) {
        let (from, to, top) = (edge(bar), edge(bar + 1), y(*count, most));
        write!(svg, "M{from:.1} {BOTTOM}V{top:.1}H{to:.1}V{BOTTOM}Z")?;
    }
    writeln!(svg, "\"/>")
}

/// A line at each quantile; their names stand above, from left to right.
fn marks(svg: &mut String, latency: &Latency) -> std::fmt::Result {
    let mut names = Vec::new();
    for (share, name) in SHARES {
        let ns = latency.quantile_ns(share);
        let x = x(power(ns));
        writeln!(
            svg,
            "<line x1=\"{x:.1}\" x2=\"{x:.1}\" y1=\"{TOP}\" y2=\"{BOTTOM}\" class=\"mark\"/>"
        )?;
        names.push(format!("{name} {}", readable(ns)));
    }
    let names = names.join(" · ");
    writeln!(
        svg,
        "<text x=\"{RIGHT}\" y=\"14\" text-anchor=\"end\">{names}</text>"
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    #[test]
    fn every_order_is_in_a_bar() {
        let mut latency = Latency::default();
        for ns in [0, 10, 1_000, 9_999, 1_000_000, 30_000_000_000] {
            latency.record(Duration::from_nanos(ns));
        }
        let bars = bars(&latency);
        assert_eq!(bars.iter().sum::<u64>(), 6);
        assert_eq!((bars[0], bars[BARS - 1]), (3, 1));
        let svg = chart("all", &latency);
        assert_eq!(svg.matches("class=\"mark\"").count(), 3);
        assert!(!svg.contains("NaN") && !svg.contains("inf"), "{svg}");
    }

    #[test]
    fn a_chart_of_nothing_is_a_grid() {
        let svg = chart("none", &Latency::default());
        assert_eq!(svg.matches("class=\"mark\"").count(), 0);
        assert!(!svg.contains("NaN") && !svg.contains("inf"), "{svg}");
    }
}
