//! Pages: HTML that is determined by a title's number and a seed, so the receiver can check that a
//! page is the right one.

use fastrand::Rng;
use std::fmt::Write;
use std::sync::LazyLock;
use vivant::Object;

/// Approximate length of the shortest page, in bytes.
const BYTES_MIN: u32 = 256;
/// Length of the longest page, in mean lengths.
const BYTES_MAX_TIMES: f64 = 8.0;
/// Number of words of a paragraph.
const PARAGRAPH_WORDS: usize = 60;
/// One word in this many is a link to another page.
const LINK_EVERY: u32 = 40;

static WORDS: LazyLock<Vec<&str>> = LazyLock::new(|| {
    "river of the a in was is for station village century north south album first species \
     known as family district football born by county season from and film railway church he population"
        .split(' ')
        .collect()
});

/// All pages of a seed.
#[derive(Object, Clone, Copy, Debug, PartialEq, Eq)]
#[object(leaf)]
pub struct Pages {
    /// The seed.
    pub seed: u64,
    /// Approximate mean length, in bytes. A third of the pages are longer; few are longer than
    /// three times the mean, none longer than eight times.
    pub mean_bytes: u32,
}

impl Pages {
    /// The page of a title. Costs a few microseconds and one allocation.
    #[must_use]
    pub fn render(&self, title: u64) -> String {
        let mut chance = Rng::with_seed(self.seed ^ title.wrapping_mul(0x9e37_79b9_7f4a_7c15));
        let bytes = self.bytes(&mut chance);
        let mut html = String::with_capacity(bytes + 64);
        // Writing to a string cannot fail.
        let _ = write!(
            html,
            "<!DOCTYPE html><html><head><title>Page {title}</title></head><body><h1>Page {title}</h1><p>"
        );
        let mut words = 0;
        while html.len() < bytes {
            words += 1;
            if words % PARAGRAPH_WORDS == 0 {
                html.push_str("</p><p>");
            }
            let word = chance.u32(..);
            let text = WORDS[word as usize % WORDS.len()];
            if (word / 32).is_multiple_of(LINK_EVERY) {
                let _ = write!(html, "<a href=\"/{}\">{text}</a> ", word >> 12);
            } else {
                html.push_str(text);
                html.push(' ');
            }
        }
        html.push_str("</p></body></html>");
        html
    }

    /// Returns true if this is the page of that title, byte by byte.
    #[must_use]
    pub fn is_page(&self, title: u64, html: &[u8]) -> bool {
        self.render(title).as_bytes() == html
    }

    /// A length from an exponential distribution above the minimum.
    fn bytes(&self, chance: &mut Rng) -> usize {
        let mean = f64::from(self.mean_bytes);
        let more = mean - f64::from(BYTES_MIN.min(self.mean_bytes));
        let bytes = mean - more - more * (1.0 - chance.f64()).ln();
        bytes.min(mean * BYTES_MAX_TIMES) as usize
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PAGES: Pages = Pages {
        seed: 1,
        mean_bytes: 1536,
    };

    #[test]
    fn a_page_is_itself_and_no_other() {
        let html = PAGES.render(7);
        assert!(html.contains("<h1>Page 7</h1>") && html.ends_with("</html>"));
        assert!(PAGES.is_page(7, html.as_bytes()));
        assert!(!PAGES.is_page(8, html.as_bytes()));
        assert!(!PAGES.is_page(7, &html.as_bytes()[1..]));
        assert!(!Pages { seed: 2, ..PAGES }.is_page(7, html.as_bytes()));
        let changed = html.replacen("</p>", "</P>", 1);
        assert!(!PAGES.is_page(7, changed.as_bytes()));
    }

    #[test]
    fn pages_are_as_long_as_pages_are() {
        let mut bytes: Vec<usize> = (0..4000).map(|title| PAGES.render(title).len()).collect();
        bytes.sort_unstable();
        let mean = bytes.iter().sum::<usize>() / bytes.len();
        assert!((1450..1700).contains(&mean), "{mean}");
        assert!((256..300).contains(&bytes[0]), "{}", bytes[0]);
        assert!(bytes[3960] > 4 * 1024, "{}", bytes[3960]);
        assert!(bytes[3999] < 8 * 1536 + 100);
    }
}
