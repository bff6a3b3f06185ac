// Included by `drop_in.rs` where `Arc` and `Weak` are in scope: a sample of everything that std's
// pages on `Arc` show.

use std::any::Any;
use std::borrow::{Borrow, Cow};
use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::ffi::{CStr, CString, OsStr, OsString};
use std::fmt::{self, Debug};
use std::io::{Read, Seek, Write};
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, RwLock, mpsc};
use std::thread;

/// The events, one a line.
#[derive(Clone, Default)]
struct Journal(Rc<RefCell<Vec<String>>>);

impl Journal {
    fn note(&self, what: impl Debug) {
        self.0.borrow_mut().push(format!("{what:?}"));
    }
}

pub(crate) fn run() -> Vec<String> {
    let journal = Journal::default();
    counts(&journal);
    changes(&journal);
    trees(&journal);
    threads(&journal);
    slices(&journal);
    strings(&journal);
    tables(&journal);
    traits(&journal);
    errors(&journal);
    files(&journal);
    cycles(&journal);
    drops(&journal);
    journal.0.take()
}

fn counts(journal: &Journal) {
    let five = Arc::new(5);
    let same_five = Arc::clone(&five);
    let other_five = Arc::new(5);
    journal.note((
        Arc::ptr_eq(&five, &same_five),
        Arc::ptr_eq(&five, &other_five),
    ));
    journal.note((
        five == other_five,
        five <= other_five,
        five.cmp(&other_five),
    ));
    let weak = Arc::downgrade(&five);
    let weaker = weak.clone();
    journal.note((Arc::strong_count(&five), Arc::weak_count(&five)));
    journal.note((weak.strong_count(), weak.weak_count(), weak.ptr_eq(&weaker)));
    drop(weaker);
    journal.note(weak.upgrade().map(|five| (*five, Arc::strong_count(&five))));
    journal.note((Arc::try_unwrap(five), Arc::into_inner(same_five)));
    journal.note((weak.upgrade(), weak.strong_count(), weak.weak_count()));
    journal.note((
        &weak,
        Weak::<u8>::new().upgrade(),
        Weak::<u8>::default().strong_count(),
    ));
    let three = Arc::new(3);
    let also = three.clone();
    journal.note((Arc::into_inner(three), Arc::into_inner(also)));
    let text = Arc::new(String::from("once"));
    journal.note((
        Arc::unwrap_or_clone(text.clone()),
        Arc::unwrap_or_clone(text),
    ));
    let pinned = Arc::pin(5);
    journal.note((*pinned, pinned.clone()));
    let at = Arc::new(1);
    journal.note(format!("{at:p}") == format!("{:p}", Arc::as_ptr(&at)));
}

fn changes(journal: &Journal) {
    let mut x = Arc::new(3);
    *Arc::get_mut(&mut x).unwrap() = 4;
    let y = Arc::clone(&x);
    journal.note((Arc::get_mut(&mut x), &y));
    *Arc::make_mut(&mut x) += 1;
    journal.note((&x, &y, Arc::strong_count(&y)));
    let weak = Arc::downgrade(&x);
    journal.note(Arc::get_mut(&mut x));
    *Arc::make_mut(&mut x) += 1;
    journal.note((&x, weak.upgrade()));
    let mut list = Arc::<[String]>::from(["a".to_string(), "b".to_string()]);
    let before = list.clone();
    Arc::make_mut(&mut list)[1].push('!');
    journal.note((&list, before));
    let weak = Arc::downgrade(&list);
    Arc::make_mut(&mut list)[0].push('?');
    journal.note((&list, weak.upgrade()));
    let mut text = Arc::<str>::from("shout");
    let quiet = text.clone();
    Arc::make_mut(&mut text).make_ascii_uppercase();
    let weak = Arc::downgrade(&text);
    Arc::make_mut(&mut text).make_ascii_lowercase();
    journal.note((text, quiet, weak.upgrade()));
    let mut path = Arc::<Path>::from(Path::new("a/b"));
    let mut os = Arc::<OsStr>::from(OsStr::new("os"));
    let mut c = Arc::<CStr>::from(c"c");
    let kept = (path.clone(), os.clone(), c.clone());
    Arc::make_mut(&mut path);
    Arc::make_mut(&mut os).make_ascii_uppercase();
    Arc::make_mut(&mut c);
    journal.note((Arc::ptr_eq(&path, &kept.0), Arc::ptr_eq(&c, &kept.2)));
    journal.note((path, os, c, kept));
}

#[derive(Debug, Default)]
struct Tree {
    name: String,
    parent: Mutex<Weak<Tree>>,
    children: Mutex<Vec<Arc<Tree>>>,
}

impl Tree {
    fn new(name: &str) -> Arc<Tree> {
        Arc::new(Tree {
            name: name.to_string(),
            ..Tree::default()
        })
    }

    fn adopt(this: &Arc<Tree>, child: Arc<Tree>) {
        *child.parent.lock().unwrap() = Arc::downgrade(this);
        this.children.lock().unwrap().push(child);
    }

    fn parent(&self) -> Option<String> {
        let parent = self.parent.lock().unwrap().upgrade();
        parent.map(|parent| parent.name.clone())
    }
}

fn trees(journal: &Journal) {
    let root = Tree::new("root");
    let leaf = Tree::new("leaf");
    journal.note(leaf.parent());
    Tree::adopt(&root, leaf.clone());
    Tree::adopt(&root, Tree::new("other"));
    journal.note(leaf.parent());
    journal.note((Arc::strong_count(&leaf), Arc::weak_count(&root)));
    journal.note(&root);
    drop(root);
    journal.note((leaf.parent(), Arc::strong_count(&leaf)));
}

fn threads(journal: &Journal) {
    let shared = Arc::new((
        AtomicUsize::new(0),
        Mutex::new(Vec::new()),
        RwLock::new(String::new()),
    ));
    let running: Vec<_> = (0..4)
        .map(|number| {
            let shared = Arc::clone(&shared);
            thread::spawn(move || {
                let (sum, list, _) = &*shared;
                sum.fetch_add(number, Ordering::Relaxed);
                list.lock().unwrap().push(number);
                Arc::downgrade(&shared)
            })
        })
        .collect();
    let weak: Vec<_> = running
        .into_iter()
        .map(|thread| thread.join().unwrap())
        .collect();
    shared.1.lock().unwrap().sort_unstable();
    journal.note((
        &shared,
        Arc::strong_count(&shared),
        Arc::weak_count(&shared),
    ));
    journal.note(weak.iter().all(|weak| weak.upgrade().is_some()));
    let (sender, receiver) = mpsc::channel();
    let words = Arc::<[&str]>::from(vec!["one", "two"]);
    let other = words.clone();
    thread::spawn(move || sender.send((other.len(), other)).unwrap())
        .join()
        .unwrap();
    let (len, same) = receiver.recv().unwrap();
    journal.note((len, Arc::ptr_eq(&words, &same)));
    drop(words);
    journal.note(Arc::strong_count(&same));
    let scoped = Arc::new(Mutex::new(0));
    thread::scope(|scope| {
        for _ in 0..3 {
            scope.spawn(|| *Arc::clone(&scoped).lock().unwrap() += 1);
        }
    });
    journal.note(Arc::try_unwrap(scoped).unwrap().into_inner().unwrap());
}

fn slices(journal: &Journal) {
    let from_array: Arc<[i32]> = Arc::from([1, 2, 3]);
    let from_slice: Arc<[i32]> = Arc::from(&from_array[1..]);
    let from_vec: Arc<[String]> = Arc::from(vec!["v".to_string(); 3]);
    let mut numbers = [4, 5];
    let from_mut: Arc<[i32]> = Arc::from(&mut numbers[..]);
    let collected: Arc<[i32]> = (0..10).filter(|x| x % 2 == 0).collect();
    let exact: Arc<[Box<i32>]> = (0..3).map(Box::new).collect();
    let cow: Arc<[i32]> = Arc::from(Cow::Borrowed(&[6][..]));
    journal.note((
        &from_array,
        &from_slice,
        &from_vec,
        from_mut,
        collected,
        exact,
        cow,
    ));
    journal.note((
        Arc::<[i32; 3]>::try_from(from_array),
        Arc::<[i32; 3]>::try_from(from_slice),
    ));
    journal.note((
        Arc::<[u8]>::default(),
        Arc::<[()]>::from(vec![(); 3]),
        Arc::<[String]>::from([]),
    ));
    journal.note((
        from_vec.iter().map(String::len).sum::<usize>(),
        from_vec.first(),
    ));
    journal.note(size_of_val(&from_vec));
}

fn strings(journal: &Journal) {
    let text: Arc<str> = Arc::from("eggplant");
    let bytes: Arc<[u8]> = Arc::from(text.clone());
    let mut owned = "mutable".to_string();
    journal.note((
        &text,
        bytes,
        Arc::<str>::from(owned.as_mut_str()),
        Arc::<str>::from(owned),
    ));
    journal.note(Arc::<str>::from(Cow::<str>::Owned("cow".to_string())));
    journal.note((
        Arc::<str>::from("boxed".to_string().into_boxed_str()),
        Arc::<str>::default(),
    ));
    journal.note((
        Arc::<CStr>::from(c"c"),
        Arc::<CStr>::from(CString::from(c"owned")),
        Arc::<CStr>::default(),
    ));
    journal.note((
        Arc::<OsStr>::from(OsStr::new("os")),
        Arc::<OsStr>::from(OsString::from("owned")),
    ));
    journal.note((
        Arc::<Path>::from(Path::new("a/b")),
        Arc::<Path>::from(PathBuf::from("c")),
    ));
    let borrowed: &str = text.borrow();
    let referenced: &str = text.as_ref();
    journal.note((
        borrowed,
        referenced,
        text.len(),
        text.to_uppercase(),
        format!("{text:>10}"),
    ));
}

fn tables(journal: &Journal) {
    let names = ["b", "a", "c"].map(Arc::<str>::from);
    let by_name: HashMap<Arc<str>, usize> = names.iter().cloned().zip(0..).collect();
    journal.note((by_name.get("a"), by_name.get("z"), by_name[&names[2]]));
    let sorted: BTreeSet<Arc<str>> = names.iter().cloned().collect();
    journal.note((&sorted, sorted.contains("b"), names.iter().max()));
    let ordered: BTreeMap<Arc<Vec<u8>>, Arc<str>> = [
        (Arc::new(vec![2]), names[0].clone()),
        (Arc::default(), names[1].clone()),
    ]
    .into();
    journal.note(&ordered);
    let set: HashSet<Arc<str>> = names.into_iter().chain([Arc::from("a")]).collect();
    journal.note((
        set.len(),
        Arc::new(1.5).partial_cmp(&Arc::new(f64::NAN)),
        Arc::new(1) != Arc::new(2),
    ));
}

trait Shape: Send + Sync {
    fn area(&self) -> u32;
}

struct Square(u32);

impl Shape for Square {
    fn area(&self) -> u32 {
        self.0 * self.0
    }
}

fn traits(journal: &Journal) {
    let boxed: Box<dyn Shape> = Box::new(Square(3));
    let shapes: Vec<Arc<dyn Shape>> = vec![
        Arc::from(boxed),
        Arc::from(Box::new(Square(2)) as Box<dyn Shape>),
    ];
    let others = shapes.clone();
    journal.note(
        thread::spawn(move || others.iter().map(|shape| shape.area()).sum::<u32>())
            .join()
            .unwrap(),
    );
    journal.note(Arc::strong_count(&shapes[0]));
    let boxed: Box<dyn Any + Send + Sync> = Box::new("any".to_string());
    let any = Arc::<dyn Any + Send + Sync>::from(boxed);
    let any = any.downcast::<u32>().unwrap_err();
    journal.note(any.downcast::<String>());
    let call: Arc<dyn Fn(u32) -> u32 + Send + Sync> =
        Arc::from(Box::new(|x: u32| x + 1) as Box<dyn Fn(u32) -> u32 + Send + Sync>);
    journal.note((call(1), call.clone()(2)));
}

#[derive(Debug)]
struct Refused(std::num::ParseIntError);

impl fmt::Display for Refused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("refused")
    }
}

impl std::error::Error for Refused {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        Some(&self.0)
    }
}

fn errors(journal: &Journal) {
    let error = Arc::new(Refused("x".parse::<u8>().unwrap_err()));
    let any: Box<dyn std::error::Error> = Box::new(error.clone());
    journal.note((
        any.to_string(),
        any.source().map(ToString::to_string),
        &error,
    ));
}

/// A file in memory would do, but `Arc` forwards reading and writing only for `File`.
fn files(journal: &Journal) {
    if cfg!(miri) {
        return;
    }
    let mut file = Arc::new(tempfile::tempfile().unwrap());
    let mut other = file.clone();
    let name = "one";
    write!(file, "written by {name}").unwrap();
    other.write_all(b", and the other").unwrap();
    other.flush().unwrap();
    journal.note(file.stream_position().unwrap());
    file.rewind().unwrap();
    let (mut start, mut rest) = ([0; 7], String::new());
    other.read_exact(&mut start).unwrap();
    file.read_to_string(&mut rest).unwrap();
    journal.note((start, rest));
    #[cfg(unix)]
    {
        use std::os::fd::{AsFd, AsRawFd};
        journal.note(file.as_fd().as_raw_fd() == AsRawFd::as_raw_fd(&other));
    }
}

struct Gadget {
    me: Weak<Gadget>,
    number: u32,
}

fn cycles(journal: &Journal) {
    let gadget = Arc::new_cyclic(|me| {
        journal.note((me.upgrade().is_none(), me.strong_count(), me.weak_count()));
        Gadget {
            me: me.clone(),
            number: 7,
        }
    });
    let me = gadget.me.upgrade().unwrap();
    journal.note((
        me.number,
        Arc::ptr_eq(&me, &gadget),
        Arc::weak_count(&gadget),
    ));
    let weak = gadget.me.clone();
    drop((gadget, me));
    journal.note(weak.upgrade().is_none());
}

/// Records its drop.
struct Ends(&'static str, Arc<Mutex<Vec<&'static str>>>);

impl Drop for Ends {
    fn drop(&mut self) {
        self.1.lock().unwrap().push(self.0);
    }
}

fn drops(journal: &Journal) {
    let ended = Arc::new(Mutex::new(Vec::new()));
    let [a, b] = ["a", "b"].map(|name| Arc::new(Ends(name, ended.clone())));
    let also_a = a.clone();
    drop(a);
    journal.note(&ended);
    drop(b);
    drop(also_a);
    journal.note(&ended);
    let pair = Arc::<[Ends]>::from([Ends("c", ended.clone()), Ends("d", ended.clone())]);
    let weak = Arc::downgrade(&pair);
    drop(pair);
    journal.note((&ended, weak.upgrade().is_none()));
    drop(Arc::try_unwrap(Arc::new(Ends("e", ended.clone()))).ok());
    // Made by a thread that has ended, and dropped here.
    let notes = ended.clone();
    drop(
        thread::spawn(move || Arc::new(Ends("f", notes)))
            .join()
            .unwrap(),
    );
    journal.note((&ended, Arc::strong_count(&ended)));
}
