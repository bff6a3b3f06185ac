//! The tokens of a file's code, as far as names and paths need them, without the code of tests.

use crate::tidy::Code;
use crate::tidy::code::line_of;

/// A name, `::`, or one other character.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Token<'a> {
    pub(super) at: usize,
    pub(super) text: &'a str,
}

/// The tokens of `source` outside of items under `#[cfg(test)]` or `#[cfg(all(test, …))]`.
pub(super) fn tokens(source: &Code) -> Vec<Token<'_>> {
    without_tests(&split(&source.code))
}

/// The line of a token, counted from 1.
pub(super) fn line(source: &Code, token: Token<'_>) -> usize {
    line_of(&source.code, token.at)
}

pub(super) fn is_name(token: Token<'_>) -> bool {
    token
        .text
        .starts_with(|c: char| c.is_alphabetic() || c == '_')
}

fn split(code: &str) -> Vec<Token<'_>> {
    let in_name = |c: char| c.is_alphanumeric() || c == '_';
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(first) = code[at..].chars().next() {
        let rest = &code[at..];
        let name = |text: &str| text.find(|c| !in_name(c)).unwrap_or(text.len());
        let length = if in_name(first) {
            name(rest)
        } else if first == '\'' {
            // A lifetime: characters are blanked.
            1 + name(&rest[1..])
        } else if rest.starts_with("::") {
            2
        } else {
            first.len_utf8()
        };
        if !first.is_whitespace() {
            found.push(Token {
                at,
                text: &code[at..at + length],
            });
        }
        at += length;
    }
    found
}

fn without_tests<'a>(tokens: &[Token<'a>]) -> Vec<Token<'a>> {
    let mut kept = Vec::new();
    let mut at = 0;
    while at < tokens.len() {
        if is_of_tests(&tokens[at..]) {
            at += item(&tokens[at..]);
        } else {
            kept.push(tokens[at]);
            at += 1;
        }
    }
    kept
}

fn is_of_tests(tokens: &[Token<'_>]) -> bool {
    let begins = |with: &[&str]| {
        tokens.len() >= with.len()
            && tokens
                .iter()
                .zip(with)
                .all(|(token, word)| token.text == *word)
    };
    begins(&["#", "[", "cfg", "(", "test", ")"])
        || begins(&["#", "[", "cfg", "(", "all", "(", "test", ","])
}

/// The number of tokens of the item, field or statement that begins with attributes.
fn item(tokens: &[Token<'_>]) -> usize {
    let mut at = 0;
    while tokens.get(at).is_some_and(|token| token.text == "#") {
        at += 1 + group(&tokens[at + 1..]);
    }
    let mut head = tokens[at..].iter().take_while(|token| token.text != "{");
    let is_use = head.any(|token| token.text == "use");
    while let Some(token) = tokens.get(at) {
        match token.text {
            ";" | "," => return at + 1,
            "{" if !is_use => return at + group(&tokens[at..]),
            "(" | "[" | "{" => at += group(&tokens[at..]),
            "}" => return at,
            _ => at += 1,
        }
    }
    at
}

/// The number of tokens from an opening bracket to its end.
pub(super) fn group(tokens: &[Token<'_>]) -> usize {
    let mut depth = 0_usize;
    for (at, token) in tokens.iter().enumerate() {
        match token.text {
            "(" | "[" | "{" => depth += 1,
            ")" | "]" | "}" => depth = depth.saturating_sub(1),
            _ => {}
        }
        if depth == 0 {
            return at + 1;
        }
    }
    tokens.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(text: &str) -> Vec<String> {
        let source = Code::new("a.rs", text.into());
        let tokens = tokens(&source);
        tokens.iter().map(|token| token.text.into()).collect()
    }

    #[test]
    fn names_and_paths_are_tokens() {
        assert_eq!(texts("a::b<'c>"), ["a", "::", "b", "<", "'c", ">"]);
    }

    #[test]
    fn tests_are_left_out() {
        for text in [
            "#[cfg(test)] mod tests { use crate::x; }",
            "#[cfg(all(test, a))] #[path = \"b\"] mod c;",
            "#[cfg(test)] use crate::{a, b};",
            "#[cfg(test)] fn f(a: u8, b: u8) { g() }",
        ] {
            assert_eq!(texts(&format!("{text} kept")), ["kept"], "{text}");
        }
        assert_eq!(texts("{ #[cfg(test)] a: B, c }"), ["{", "c", "}"]);
        assert_eq!(texts("#[cfg(not(test))] a").last().unwrap(), "a");
    }
}
