//! A Rust file with its comments and literals blanked, so that a rule checks code and never text
//! about code.
//!
//! Blanking keeps every line break, and so the line numbers. It is a lexer for this one purpose: it
//! knows line and block comments (which nest), strings of all kinds, characters, and that `'a` is a
//! lifetime.

/// A file and its code.
pub(super) struct Code {
    pub(super) path: String,
    /// The file as it is.
    pub(super) text: String,
    /// The file without comments, and with empty literals.
    pub(super) code: String,
}

impl Code {
    pub(super) fn new(path: &str, text: String) -> Self {
        let code = blanked(&text);
        Self {
            path: path.into(),
            text,
            code,
        }
    }

    /// Each line of each comment, with its number, counted from 1.
    pub(super) fn comments(&self) -> impl Iterator<Item = (usize, &str)> {
        let mut at = 0;
        let spans = std::iter::from_fn(move || {
            let (start, end) = next_comment(&self.text, at)?;
            at = end;
            Some((start, &self.text[start..end]))
        });
        spans.flat_map(|(start, comment)| {
            let first = line_of(&self.text, start);
            (first..).zip(comment.lines())
        })
    }

    /// The lines of code at which `word` stands alone, not within a longer name. A word may end in
    /// `!` or hold `::`.
    pub(super) fn lines_with<'a>(&'a self, word: &'a str) -> impl Iterator<Item = usize> + 'a {
        words_at(&self.code, word).map(|at| line_of(&self.code, at))
    }
}

/// The places in `code` at which `word` stands alone.
pub(super) fn words_at<'a>(code: &'a str, word: &'a str) -> impl Iterator<Item = usize> + 'a {
    code.match_indices(word)
        .map(|(at, _)| at)
        .filter(move |at| {
            let before = code[..*at].chars().next_back();
            let after = code[at + word.len()..].chars().next();
            let longer_before = before.is_some_and(in_name);
            let longer_after = word.ends_with(in_name) && after.is_some_and(in_name);
            !longer_before && !longer_after
        })
}

/// The line, counted from 1, of a place in a text.
pub(super) fn line_of(text: &str, at: usize) -> usize {
    1 + text[..at].matches('\n').count()
}

fn in_name(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

fn blanked(text: &str) -> String {
    let mut code = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let after_name = code.ends_with(in_name);
        let end = comment(rest).or_else(|| literal(rest, after_name));
        let taken = match end {
            Some(end) => {
                code.extend(rest[..end].chars().filter(|c| *c == '\n'));
                // Separates the tokens that the comment or literal separated.
                code.push(' ');
                end
            }
            None => {
                code.push(first);
                first.len_utf8()
            }
        };
        rest = &rest[taken..];
    }
    code
}

/// Where the next comment of `text` begins and ends, from `at` on, which lies outside of literals.
fn next_comment(text: &str, mut at: usize) -> Option<(usize, usize)> {
    loop {
        let rest = &text[at..];
        let first = rest.chars().next()?;
        if let Some(length) = comment(rest) {
            return Some((at, at + length));
        }
        let after_name = text[..at].ends_with(in_name);
        at += literal(rest, after_name).unwrap_or(first.len_utf8());
    }
}

/// The length of the comment at the start of `text`.
fn comment(text: &str) -> Option<usize> {
    if text.starts_with("//") {
        return Some(text.find('\n').unwrap_or(text.len()));
    }
    if !text.starts_with("/*") {
        return None;
    }
    let mut depth = 0;
    let mut at = 0;
    while at < text.len() {
        let rest = &text.as_bytes()[at..];
        if rest.starts_with(b"/*") {
            depth += 1;
            at += 2;
        } else if rest.starts_with(b"*/") {
            depth -= 1;
            at += 2;
            if depth == 0 {
                return Some(at);
            }
        } else {
            at += 1;
        }
    }
    Some(text.len())
}

/// The length of the string or character at the start of `text`, its prefix (`b`, `c`, `r`, `br`,
/// `cr`) included.
fn literal(text: &str, after_name: bool) -> Option<usize> {
    if text.starts_with('\'') {
        return character(text);
    }
    let prefix = if after_name {
        0
    } else {
        text.find(|c| !matches!(c, 'b' | 'c' | 'r'))
            .filter(|at| *at <= 2)?
    };
    let body = &text[prefix..];
    let raw = text[..prefix].ends_with('r');
    if body.starts_with('"') && !raw {
        return Some(prefix + quoted(body, '"'));
    }
    if body.starts_with('\'') && &text[..prefix] == "b" {
        return Some(prefix + quoted(body, '\''));
    }
    let hashes = body.find(|c| c != '#')?;
    if raw && body[hashes..].starts_with('"') {
        let close = format!("\"{}", "#".repeat(hashes));
        let start = prefix + hashes + 1;
        return Some(
            text[start..]
                .find(&close)
                .map_or(text.len(), |at| start + at + close.len()),
        );
    }
    None
}

/// The length of the character at the start of `text`, if it is not a lifetime.
fn character(text: &str) -> Option<usize> {
    let mut chars = text.char_indices().skip(1);
    let (_, first) = chars.next()?;
    let (second_at, second) = chars.next()?;
    if first == '\\' {
        Some(quoted(text, '\''))
    } else {
        (second == '\'').then_some(second_at + 1)
    }
}

/// The length of the text between two `quote`s, both included, with backslash escapes.
fn quoted(text: &str, quote: char) -> usize {
    let mut chars = text.char_indices().skip(1);
    while let Some((at, c)) = chars.next() {
        if c == '\\' {
            chars.next();
        } else if c == quote {
            return at + c.len_utf8();
        }
    }
    text.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn code(text: &str) -> String {
        blanked(text)
    }

    #[test]
    fn comments_are_blank_and_lines_are_kept() {
        assert_eq!(code("a // unsafe\nb"), "a  \nb");
        assert_eq!(code("a /* x /* y */ \n z */ b"), "a \n  b");
        assert_eq!(code("/// doc\n//! doc\nfn f() {}").trim(), "fn f() {}");
    }

    #[test]
    fn literals_are_blank() {
        for literal in [
            r#""unsafe""#,
            r#""a \" unsafe""#,
            r##"r"unsafe \""##,
            r###"r#"a " unsafe"#"###,
            r#"b"unsafe""#,
            r###"br#"unsafe"#"###,
            r#"c"unsafe""#,
            "\"two\nunsafe lines\"",
        ] {
            let code = code(&format!("f({literal}); after"));
            assert!(!code.contains("unsafe"), "{literal} -> {code}");
            assert!(code.ends_with("); after"), "{literal} -> {code}");
        }
    }

    #[test]
    fn characters_are_blank_and_lifetimes_are_not() {
        assert_eq!(
            code(r#"f('"', b'"', '\'', '\\', 'é') x"#),
            "f( ,  ,  ,  ,  ) x"
        );
        assert_eq!(
            code("fn f<'a>(x: &'a str, y: &'static str)"),
            "fn f<'a>(x: &'a str, y: &'static str)"
        );
        assert_eq!(
            code("'outer: loop { break 'outer }"),
            "'outer: loop { break 'outer }"
        );
    }

    #[test]
    fn raw_names_and_names_before_quotes_are_code() {
        assert_eq!(code("r#type + bar"), "r#type + bar");
        assert_eq!(code("macro_br!(\"x\")"), "macro_br!( )");
    }

    #[test]
    fn a_word_stands_alone() {
        let text = "unsafe {}\nunsafe_code\nnot_unsafe\nx(unsafe)\n";
        assert_eq!(
            Code::new("a.rs", text.into())
                .lines_with("unsafe")
                .collect::<Vec<_>>(),
            [1, 4]
        );
        let text = "todo!();\nmytodo!();\n";
        assert_eq!(
            Code::new("a.rs", text.into())
                .lines_with("todo!")
                .collect::<Vec<_>>(),
            [1]
        );
    }
}
