//! Names: of markers, of their module, of handles; and the names that behaviours cannot have.

use proc_macro2::{Ident, Span};
use quote::format_ident;
use syn::Path;
use syn::ext::IdentExt;

/// The identifier without `r#`.
pub(crate) fn bare(ident: &Ident) -> String {
    ident.unraw().to_string()
}

/// `HttpServer` and `HTTPServer` as `http_server`.
pub(crate) fn snake(type_name: &str) -> String {
    let letters: Vec<char> = type_name.chars().collect();
    let mut snake = String::new();
    for (i, &letter) in letters.iter().enumerate() {
        let before = i.checked_sub(1).map(|i| letters[i]);
        let begins_word = letter.is_uppercase()
            && before.is_some_and(|before| {
                let ends_acronym = letters.get(i + 1).is_some_and(|next| next.is_lowercase());
                before != '_' && (!before.is_uppercase() || ends_acronym)
            });
        if begins_word {
            snake.push('_');
        }
        snake.extend(letter.to_lowercase());
    }
    snake
}

/// The module of the messages of a type, or of an interface's impl for it: `account_messages`, and
/// `account_ledger_messages`.
///
/// Not the type's name alone: a module `log` beside an actor `Log` would hide a crate of that name,
/// and a module of the program.
pub(crate) fn messages(of: &Ident, interface: Option<&Ident>) -> Ident {
    let words = [Some(of), interface].into_iter().flatten();
    let words: Vec<String> = words.map(|word| snake(&bare(word))).collect();
    format_ident!("{}_messages", words.join("_"), span = of.span())
}

/// The module of an actor's start, beside that of its messages: `account_messages_start`.
///
/// Not the same one: the impl block with the start may be another than that with the messages.
pub(crate) fn starts(messages: &Ident) -> Ident {
    format_ident!("{}_start", bare(messages), span = messages.span())
}

/// `read_all` as `ReadAll`.
pub(crate) fn camel(method_name: &str) -> String {
    let mut camel = String::new();
    for word in method_name.split('_') {
        let mut letters = word.chars();
        camel.extend(letters.next().into_iter().flat_map(char::to_uppercase));
        camel.push_str(letters.as_str());
    }
    camel
}

/// An identifier of `text`, which may be a keyword.
pub(crate) fn ident(text: &str, span: Span) -> Ident {
    let legal = |text: &str| syn::parse_str::<Ident>(text).is_ok();
    match text {
        "super" | "crate" | "self" | "Self" => format_ident!("{text}_", span = span),
        _ if legal(text) => Ident::new(text, span),
        _ if legal(&format!("r#{text}")) => Ident::new_raw(text, span),
        _ => format_ident!("_{text}", span = span),
    }
}

/// The marker of a behaviour, with the span of the method's name.
pub(crate) fn marker(method: &Ident) -> Ident {
    ident(&camel(&bare(method)), method.span())
}

/// `bank::Account<T>` as `bank::AccountHandle<T>`.
pub(crate) fn handle_path(of: &Path) -> Path {
    let mut path = of.clone();
    if let Some(last) = path.segments.last_mut() {
        last.ident = handle(&last.ident);
    }
    path
}

/// `Account` as `AccountHandle`.
pub(crate) fn handle(of: &Ident) -> Ident {
    format_ident!("{}Handle", bare(of), span = of.span())
}

/// Why a handle's method cannot have this name, if it cannot: the call on an address would reach
/// another method.
pub(crate) fn taken_by(method: &str) -> Option<&'static str> {
    Some(match method {
        "clone" | "clone_from" => "`Clone`",
        "link" | "from_link" => "`Handle`",
        "deref" => "`Deref`",
        "borrow" => "`Borrow`",
        "borrow_mut" => "`BorrowMut`",
        "into" | "try_into" => "`Into` and `TryInto`",
        "to_owned" | "clone_into" => "`ToOwned`",
        "to_string" => "`ToString`",
        "eq" | "ne" => "`PartialEq`",
        "partial_cmp" | "lt" | "le" | "gt" | "ge" => "`PartialOrd`",
        "cmp" | "max" | "min" | "clamp" => "`Ord`",
        "hash" => "`Hash`",
        "fmt" => "`Debug` and `Display`",
        "type_id" => "`Any`",
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn types_to_modules() {
        for (name, module) in [
            ("Account", "account"),
            ("HttpServer", "http_server"),
            ("HTTPServer", "http_server"),
            ("Vec2", "vec2"),
            ("A", "a"),
            ("Odd_Name", "odd_name"),
        ] {
            assert_eq!(snake(name), module);
        }
    }

    #[test]
    fn modules_are_not_called_as_their_types() {
        let [log, loop_, ledger] =
            ["Log", "Loop", "Ledger"].map(|name| ident(name, Span::call_site()));
        assert_eq!(messages(&log, None).to_string(), "log_messages");
        assert_eq!(messages(&loop_, None).to_string(), "loop_messages");
        let both = messages(&log, Some(&ledger));
        assert_eq!(both.to_string(), "log_ledger_messages");
    }

    #[test]
    fn methods_to_markers() {
        for (name, marker) in [
            ("deposit", "Deposit"),
            ("read_all", "ReadAll"),
            ("_quiet", "Quiet"),
            ("x2_y", "X2Y"),
        ] {
            assert_eq!(camel(name), marker);
        }
    }

    #[test]
    fn keywords_stay_names() {
        let span = Span::call_site();
        for (text, name) in [
            ("loop", "r#loop"),
            ("Self", "Self_"),
            ("super", "super_"),
            ("2", "_2"),
            ("fine", "fine"),
        ] {
            assert_eq!(ident(text, span).to_string(), name);
        }
    }
}
