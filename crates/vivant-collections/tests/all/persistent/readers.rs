//! Versions that one heap makes and others read.

use std::sync::Arc;
use vivant_collections::val;
use vivant_heap::{CountVerifier, Erased, Heap, Mutator, Pacing, PageSource, Val};

const ENTRIES: u64 = if cfg!(miri) { 40 } else { 5_000 };
const VERSIONS: u64 = if cfg!(miri) { 4 } else { 16 };

type Texts<'gc> = val::Map<'gc, u64, Val<'gc, str>>;

/// The content of a message: all of these may be its parts.
#[derive(Clone, Copy, vivant_heap::Object)]
struct News<'gc> {
    texts: Texts<'gc>,
    order: val::Vec<'gc, u64>,
}

root!(Read = Vec<News<'gc>>);
root!(Written = News<'gc>);

fn text<'gc>(m: &Mutator<'gc>, key: u64, version: u64) -> Val<'gc, str> {
    m.val_str(&format!("{key} in {version}"))
}

fn is_version(news: News<'_>, version: u64) {
    news.texts.verify().unwrap();
    assert_eq!(news.texts.len() as u64, ENTRIES - version);
    assert_eq!(news.order.len() as u64, ENTRIES + version);
    for (key, text) in news.texts {
        let since = if *key <= version { *key } else { 0 };
        assert_eq!(**text, *format!("{key} in {since}"));
    }
    assert!(news.order.iter().copied().eq(0..ENTRIES + version));
}

/// The next version: another text, one entry less, and one number more.
fn advance<'gc>(m: &Mutator<'gc>, news: News<'gc>, version: u64) -> News<'gc> {
    let texts = news.texts.insert(m, version, text(m, version, version));
    News {
        texts: texts.remove(m, &(ENTRIES - version)),
        order: news.order.push(m, ENTRIES + version - 1),
    }
}

#[test]
fn a_reader_keeps_versions_that_the_writer_dropped() {
    fn sent<T: Erased + Send>() {}
    sent::<News<'static>>();
    let source = Arc::new(PageSource::new());
    let mut reader = Heap::<Read>::new(&source, Pacing::default(), |_| Vec::new());
    let mut writer = Heap::<Written>::new(&source, Pacing::default(), |m| News {
        texts: val::Map::from_iter(m, (0..ENTRIES).map(|key| (key, text(m, key, 0)))),
        order: val::Vec::from_iter(m, 0..ENTRIES),
    });
    let alone = {
        writer.collect();
        writer.sweep();
        writer.stats().live
    };
    for version in 1..=VERSIONS {
        let parcel = writer.turn(|m, news| {
            *news = advance(m, *news, version);
            m.pack::<News<'static>>(*news)
        });
        if version % 2 == 0 {
            writer.collect();
        }
        reader.turn(|m, read| read.push(m.unpack(parcel)));
        if version % 3 == 0 {
            reader.collect();
        }
        writer.pace();
    }
    let check = |writer: &mut Heap<Written>, reader: &mut Heap<Read>| {
        let mut verifier = CountVerifier::default();
        verifier.heap(writer).unwrap();
        verifier.heap(reader).unwrap();
        verifier.check().unwrap();
    };
    let settle = |writer: &mut Heap<Written>, reader: &mut Heap<Read>| {
        reader.collect();
        check(writer, reader);
        writer.collect();
        writer.sweep();
        check(writer, reader);
        writer.stats().live
    };
    let all = settle(&mut writer, &mut reader);
    // For a few entries as many nodes are changed as kept.
    assert!(
        cfg!(miri) || all < 2 * alone,
        "{all} bytes for what would be {VERSIONS} times {alone}"
    );
    reader.turn(|_, read| {
        for (number, news) in read.iter().enumerate() {
            is_version(*news, number as u64 + 1);
        }
    });
    // The writer drops its versions: all of them stay with the reader.
    writer.turn(|_, news| {
        *news = News {
            texts: val::Map::new(),
            order: val::Vec::new(),
        };
    });
    settle(&mut writer, &mut reader);
    reader.turn(|_, read| {
        for (number, news) in read.iter().enumerate() {
            is_version(*news, number as u64 + 1);
        }
        read.truncate(1);
    });
    let one = settle(&mut writer, &mut reader);
    assert!(one < all, "{one} of {all} bytes are left");
    reader.turn(|_, read| {
        is_version(read[0], 1);
        read.clear();
    });
    assert_eq!(settle(&mut writer, &mut reader), 0);
    drop((writer, reader));
    assert_eq!(source.stats().pages, 0);
}
