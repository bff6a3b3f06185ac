//! The secret that admits a client.

use crate::StartError;
use crate::limits::{TOKEN_LENGTH_MAX, TOKEN_LENGTH_MIN};
use std::fmt;
use std::fs::{self, File, OpenOptions};
use std::hint::black_box;
use std::io::{self, Write};
use std::path::Path;

/// The secret that a client must send first. `{:?}` does not show it.
#[derive(Clone)]
pub struct Token(String);

impl Token {
    /// 128 random bits from the operating system, as 32 hexadecimal digits.
    ///
    /// # Errors
    ///
    /// When the operating system gives none.
    pub fn random() -> Result<Token, StartError> {
        let high = getrandom::u64().map_err(StartError::Random)?;
        let low = getrandom::u64().map_err(StartError::Random)?;
        Ok(Token(format!("{high:016x}{low:016x}")))
    }

    /// A token of the user's own: 16 to 512 visible ASCII characters.
    ///
    /// # Errors
    ///
    /// [`StartError::Token`] for any other text.
    pub fn new(text: impl Into<String>) -> Result<Token, StartError> {
        let text = text.into();
        let fits = (TOKEN_LENGTH_MIN..=TOKEN_LENGTH_MAX).contains(&text.len());
        if fits && text.bytes().all(|byte| byte.is_ascii_graphic()) {
            Ok(Token(text))
        } else {
            Err(StartError::Token {
                length: text.chars().count(),
            })
        }
    }

    /// The secret itself.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Returns true if `shown` is this token. The time does not depend on where the two differ; it
    /// shows only the length.
    pub(crate) fn admits(&self, shown: &str) -> bool {
        let (own, shown) = (self.0.as_bytes(), shown.as_bytes());
        let differing = own
            .iter()
            .zip(shown)
            .fold(0, |differing, (a, b)| black_box(differing | (a ^ b)));
        own.len() == shown.len() && differing == 0
    }

    /// Writes it to a new file that only this user can read. An existing file is replaced; a link
    /// is not followed.
    pub(crate) fn write_to(&self, path: &Path) -> io::Result<()> {
        match fs::remove_file(path) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
            _ => {}
        }
        let mut file = create_private(path)?;
        writeln!(file, "{}", self.0)
    }
}

impl fmt::Debug for Token {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Token(…)")
    }
}

#[cfg(unix)]
fn create_private(path: &Path) -> io::Result<File> {
    use std::os::unix::fs::OpenOptionsExt;
    let mut options = OpenOptions::new();
    options.write(true).create_new(true).mode(0o600).open(path)
}

/// On other systems the file has the permissions of its folder.
#[cfg(not(unix))]
fn create_private(path: &Path) -> io::Result<File> {
    OpenOptions::new().write(true).create_new(true).open(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_whole_token_admits() {
        let token = Token::new("0123456789abcdef").unwrap();
        assert!(token.admits("0123456789abcdef"));
        for wrong in [
            "",
            "0",
            "0123456789abcde",
            "0123456789abcdef0",
            "0123456789abcdeF",
        ] {
            assert!(!token.admits(wrong), "{wrong}");
        }
    }

    #[test]
    fn tokens_of_chance_differ_and_are_long() {
        let (one, other) = (Token::random().unwrap(), Token::random().unwrap());
        assert_eq!(one.as_str().len(), 32);
        assert_ne!(one.as_str(), other.as_str());
        assert!(Token::new(one.as_str()).is_ok());
    }

    #[test]
    fn a_weak_or_broken_token_is_refused() {
        for text in [
            "",
            "short",
            "with a blank in it",
            "with\na line in it",
            "áéíóúáéíóúáéíóú",
        ] {
            assert!(Token::new(text).is_err(), "{text}");
        }
        assert!(Token::new("x".repeat(TOKEN_LENGTH_MAX + 1)).is_err());
    }

    #[test]
    fn it_is_not_shown() {
        let token = Token::random().unwrap();
        assert!(!format!("{token:?}").contains(token.as_str()));
    }
}
