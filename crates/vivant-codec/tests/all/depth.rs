//! Values that are nested too deeply are errors, when they are saved and when they are loaded.

use std::collections::BTreeMap;
use vivant_codec::{DEPTH_MAX, LoadErrorKind, SaveErrorKind, Saved, from_bytes, to_bytes};

#[derive(Saved, Debug, PartialEq)]
struct Link {
    next: Option<Box<Link>>,
}

#[derive(Saved, Debug, PartialEq)]
enum Json {
    Null,
    List(Vec<Json>),
    Object(BTreeMap<String, Json>),
}

fn list(length: u32) -> Link {
    (1..length).fold(Link { next: None }, |next, _| Link {
        next: Some(Box::new(next)),
    })
}

fn nested(depth: u32) -> Json {
    (0..depth).fold(Json::Null, |inner, level| match level % 2 {
        0 => Json::List(vec![inner]),
        _ => Json::Object(BTreeMap::from([("a".to_owned(), inner)])),
    })
}

/// A linked list is as long as the limit, and no longer.
#[test]
fn the_limit_is_the_same_for_both_ways() {
    let longest = list(DEPTH_MAX + 1);
    let bytes = to_bytes(&longest).unwrap();
    assert_eq!(from_bytes::<Link>(&bytes).unwrap(), longest);
    let error = to_bytes(&list(DEPTH_MAX + 2)).unwrap_err();
    assert_eq!(error.kind(), &SaveErrorKind::TooDeep);
    let mut longer = vec![1; DEPTH_MAX as usize + 1];
    longer.push(0);
    let error = from_bytes::<Link>(&longer).unwrap_err();
    assert_eq!(error.kind(), &LoadErrorKind::TooDeep);

    let deepest = nested(DEPTH_MAX);
    let bytes = to_bytes(&deepest).unwrap();
    assert_eq!(from_bytes::<Json>(&bytes).unwrap(), deepest);
    assert!(to_bytes(&nested(DEPTH_MAX + 1)).is_err());
}

/// A million levels neither overflow the stack nor take long.
#[test]
fn hostile_depth_is_an_error() {
    let error = from_bytes::<Link>(&vec![1; 1_000_000]).unwrap_err();
    assert_eq!(error.kind(), &LoadErrorKind::TooDeep);
    // The path names what is next to the failure, and is short.
    assert!(error.to_string().len() < 1000, "{error}");
    let error = from_bytes::<Json>(&[1, 1].repeat(500_000)).unwrap_err();
    assert_eq!(error.kind(), &LoadErrorKind::TooDeep);
}

#[derive(Saved, Clone, Debug)]
struct Without {
    #[saved(skip)]
    #[expect(dead_code)]
    cache: [u64; 4],
}

#[test]
fn elements_without_bytes_are_limited() {
    let most = vec![(); vivant_codec::EMPTY_ELEMENTS_MAX];
    assert_eq!(
        from_bytes::<Vec<()>>(&to_bytes(&most).unwrap()).unwrap(),
        most
    );
    let error = to_bytes(&(most, vec![()])).unwrap_err();
    assert_eq!(error.kind(), &SaveErrorKind::TooManyEmptyElements);

    let bytes = to_bytes(&(u64::MAX >> 1)).unwrap();
    let error = from_bytes::<Vec<Without>>(&bytes).unwrap_err();
    assert!(
        matches!(error.kind(), LoadErrorKind::TooLong { .. }),
        "{error}"
    );
    // Twice half of the limit and one more: each sequence alone is within it.
    let half = to_bytes(&(vivant_codec::EMPTY_ELEMENTS_MAX as u64 / 2 + 1)).unwrap();
    let error =
        from_bytes::<(Vec<Without>, Vec<()>)>(&[&half[..], &half[..]].concat()).unwrap_err();
    assert!(matches!(
        error.kind(),
        LoadErrorKind::TooLong { .. } | LoadErrorKind::TooManyEmptyElements
    ));
}
