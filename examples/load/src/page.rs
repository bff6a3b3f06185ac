//! Pages: reports in HTML that load nothing from elsewhere.

use maud::{DOCTYPE, Markup, PreEscaped, html};

const STYLE: &str = "\
:root { color-scheme: light dark; }
body { font: 15px/1.5 system-ui, sans-serif; max-width: 64rem; margin: 2rem auto; padding: 0 1rem; }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; margin: 1rem 0; }
th, td { padding: .25rem .6rem; text-align: right;
  border-bottom: 1px solid color-mix(in srgb, currentColor 20%, transparent); }
th:first-child, td:first-child { text-align: left; }
.charts { display: grid; grid-template-columns: repeat(auto-fill, minmax(24rem, 1fr)); gap: 1rem; }
svg { width: 100%; height: auto; }
svg text { fill: currentColor; }
.bad { color: #c2473b; font-weight: 600; }
";

/// A page with this heading and body, and the complaints at its end.
#[must_use]
pub fn page(heading: &str, body: &Markup, complaints: &[String]) -> String {
    let page = html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                title { (heading) ": latency" }
                style { (PreEscaped(STYLE)) }
            }
            body {
                h1 { (heading) }
                (body)
                @for complaint in complaints { p .bad { (complaint) } }
            }
        }
    };
    page.into_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Answers of a server may contain anything.
    #[test]
    fn complaints_are_escaped() {
        let page = page("A & B", &html! { p { "body" } }, &["<script>".to_owned()]);
        assert!(page.contains("<h1>A &amp; B</h1><p>body</p><p class=\"bad\">&lt;script&gt;</p>"));
    }
}
