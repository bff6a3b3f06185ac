//! [`Name`]: a stable name, such as that of a behaviour or of a type.

use std::borrow::Borrow;
use std::fmt;
use std::ops::Deref;

/// A name: of a behaviour, of a type, of what else a message or an error refers to. It derefs to
/// `str`, is compared with texts by `==`, and is [`Copy`].
///
/// A constant of the program is a name at no cost ([`Name::new`]). A name that a file supplied
/// ([`Name::intern`]) is equal to the constant with the same text.
///
/// ```
/// use vivant::Name;
///
/// let name = Name::new("bank::Account::deposit");
/// assert_eq!(name, "bank::Account::deposit");
/// assert!(name.ends_with("deposit"));
/// assert_eq!(name, Name::intern(&String::from("bank::Account::deposit")));
/// ```
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Name(&'static str);

const _: () = assert!(size_of::<Name>() == size_of::<&str>());

impl Name {
    /// Returns a constant of the program as a name.
    #[inline]
    #[must_use]
    pub const fn new(text: &'static str) -> Name {
        Name(text)
    }

    /// The text.
    #[inline]
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        self.0
    }
}

impl Deref for Name {
    type Target = str;

    #[inline]
    fn deref(&self) -> &str {
        self.0
    }
}

impl AsRef<str> for Name {
    fn as_ref(&self) -> &str {
        self.0
    }
}

impl Borrow<str> for Name {
    fn borrow(&self) -> &str {
        self.0
    }
}

impl From<&'static str> for Name {
    fn from(text: &'static str) -> Name {
        Name(text)
    }
}

impl From<Name> for &'static str {
    fn from(name: Name) -> &'static str {
        name.0
    }
}

impl From<Name> for String {
    fn from(name: Name) -> String {
        name.0.to_owned()
    }
}

impl PartialEq<str> for Name {
    fn eq(&self, other: &str) -> bool {
        self.0 == other
    }
}

impl PartialEq<&str> for Name {
    fn eq(&self, other: &&str) -> bool {
        self.0 == *other
    }
}

impl PartialEq<String> for Name {
    fn eq(&self, other: &String) -> bool {
        self.0 == other
    }
}

impl PartialEq<Name> for str {
    fn eq(&self, other: &Name) -> bool {
        self == other.0
    }
}

impl PartialEq<Name> for &str {
    fn eq(&self, other: &Name) -> bool {
        *self == other.0
    }
}

impl PartialEq<Name> for String {
    fn eq(&self, other: &Name) -> bool {
        self == other.0
    }
}

impl fmt::Display for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self.0, f)
    }
}

/// As that of `str`.
impl fmt::Debug for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(self.0, f)
    }
}

vivant_heap::leaf!([] Name);

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeMap;

    #[test]
    fn a_name_is_its_text() {
        let name = Name::new("Till");
        assert_eq!(name, "Till");
        assert_eq!("Till", name);
        assert_eq!(name, String::from("Till"));
        assert_eq!(
            format!("{name} {name:?} {name:>6}|"),
            "Till \"Till\"   Till|"
        );
        assert_eq!(BTreeMap::from([(name, 1)]).get("Till"), Some(&1));
    }
}
