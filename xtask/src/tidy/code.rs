//! A Rust file with its comments and literals blanked, so that a rule checks code and never text
//! about code.
//!
//! Blanking keeps every line break, and so the line numbers. The lexer is that of rustc, because a
//! parser drops comments.

use ra_ap_rustc_lexer::{FrontmatterAllowed, LiteralKind, TokenKind, tokenize};
use std::cell::OnceCell;
use std::ops::Range;

/// A file and its code.
pub(super) struct Code {
    pub(super) path: String,
    /// The file as it is.
    pub(super) text: String,
    /// The file without comments, and with empty literals.
    pub(super) code: String,
    /// The line and the place of each comment.
    comments: Vec<(usize, Range<usize>)>,
    syntax: OnceCell<syn::Result<syn::File>>,
}

impl Code {
    pub(super) fn new(path: &str, text: String) -> Self {
        let mut code = String::with_capacity(text.len());
        let mut comments = Vec::new();
        let (mut at, mut line) = (0, 1);
        for token in tokenize(&text, FrontmatterAllowed::No) {
            let place = at..at + token.len as usize;
            at = place.end;
            let token_text = &text[place.clone()];
            let breaks = token_text.matches('\n').count();
            let is_comment = matches!(
                token.kind,
                TokenKind::LineComment { .. } | TokenKind::BlockComment { .. }
            );
            if is_comment {
                comments.push((line, place));
            }
            if is_comment || is_quoted(token.kind) {
                code.extend(std::iter::repeat_n('\n', breaks));
                // Separates the tokens that the comment or literal separated.
                code.push(' ');
            } else {
                code.push_str(token_text);
            }
            line += breaks;
        }
        Self {
            path: path.into(),
            text,
            code,
            comments,
            syntax: OnceCell::new(),
        }
    }

    /// The file as a tree.
    pub(super) fn syntax(&self) -> Result<&syn::File, &syn::Error> {
        let parsed = self.syntax.get_or_init(|| syn::parse_file(&self.text));
        parsed.as_ref()
    }

    /// Each line of each comment, with its number, counted from 1.
    pub(super) fn comments(&self) -> impl Iterator<Item = (usize, &str)> {
        self.comments
            .iter()
            .flat_map(|(line, place)| (*line..).zip(self.text[place.clone()].lines()))
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

/// Whether a token is a string or a character. Numbers are code.
fn is_quoted(kind: TokenKind) -> bool {
    match kind {
        TokenKind::Literal { kind, .. } => {
            !matches!(kind, LiteralKind::Int { .. } | LiteralKind::Float { .. })
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn code(text: &str) -> String {
        Code::new("a.rs", text.into()).code
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
