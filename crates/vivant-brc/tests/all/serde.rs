//! The feature `serde`: as serde's feature `rc`.
#![cfg(feature = "serde")]

use vivant_brc::{Brc, Weak};

#[test]
fn a_reference_is_written_as_its_value() {
    let text = Brc::<str>::from("a \"b\"");
    let written = serde_json::to_string(&(text.clone(), Brc::new(5), &text)).unwrap();
    assert_eq!(written, r#"["a \"b\"",5,"a \"b\""]"#);
    let (a, five, b): (Brc<str>, Brc<i32>, Brc<str>) = serde_json::from_str(&written).unwrap();
    assert_eq!((&*a, *five), (&*text, 5));
    assert!(!Brc::ptr_eq(&a, &b), "each is an object of its own");
}

#[test]
fn slices_of_values_with_destructors() {
    let names: Brc<[String]> = serde_json::from_str(r#"["a","b"]"#).unwrap();
    assert_eq!(*names, ["a", "b"]);
    assert!(serde_json::from_str::<Brc<[String]>>(r#"["a",1]"#).is_err());
}

#[test]
fn a_weak_reference_is_written_as_an_option_and_read_as_none() {
    let five = Brc::new(5);
    let weak = Brc::downgrade(&five);
    assert_eq!(serde_json::to_string(&weak).unwrap(), "5");
    drop(five);
    assert_eq!(serde_json::to_string(&weak).unwrap(), "null");
    let read: Weak<i32> = serde_json::from_str("5").unwrap();
    assert!(read.upgrade().is_none());
    assert!(serde_json::from_str::<Weak<i32>>("\"five\"").is_err());
}
