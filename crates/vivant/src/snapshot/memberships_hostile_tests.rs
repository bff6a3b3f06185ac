//! Images with groups and topics that no program has: an error that says which, and no panic.

use super::image::Image;
use super::not_restored::NotRestored;
use super::restore::restore;
use super::taking::{simulated, take_now};
use crate::actor::TableName;
use crate::api::SavedKinds;
use crate::prelude::*;
use crate::sync::Arc;
use crate::{Group, Lagged, Topic};

/// Reads numbers, and texts, and is in a group.
#[derive(Actor)]
#[actor(saved)]
struct Reader {
    read: u64,
}

#[behaviours]
impl Reader {
    #[start]
    fn new() -> Reader {
        Reader { read: 0 }
    }

    #[then]
    fn number(&mut self, _number: Result<u64, Lagged>) {
        self.read += 1;
    }

    #[then]
    fn text(&mut self, _text: Result<String, Lagged>) {
        self.read += 1;
    }

    /// No topic has such values.
    #[then]
    fn answer(&mut self, _answer: Result<u64, AskError>) {
        self.read += 1;
    }
}

/// Has handles of a group and of topics without a name.
#[derive(Actor)]
#[actor(saved)]
struct Holder {
    readers: Group<Reader>,
    numbers: Topic<u64>,
    texts: Topic<String>,
}

#[behaviours]
impl Holder {}

fn kinds() -> Arc<SavedKinds> {
    Arc::new(SavedKinds::of::<(Reader, Holder)>().expect("no two names are equal"))
}

/// A program with a group and two topics, and values on their way.
fn image() -> Image {
    let simulation = simulated(&kinds(), 1);
    let system = simulation.system();
    let readers: Vec<_> = (0..2).map(|_| Reader::spawn(system)).collect();
    simulation.run();
    let group = system.group::<Reader>("readers").expect("it is new");
    let numbers: Topic<u64> = system.topic("numbers").expect("it is new");
    let texts: Topic<String> = system.topic("texts").expect("it is new");
    for reader in &readers {
        // No topic has it.
        let _continuation = reader.answer();
        assert!(group.join(reader));
        let subscription = numbers.subscribe_bounded(1, reader.number());
        subscription.forever();
        texts.subscribe(reader.text()).forever();
    }
    for number in 0..3 {
        numbers.publish(number);
    }
    take_now(&simulation)
}

/// The same without names: the group has the number 0, the topics have 1 and 2.
fn unnamed() -> Image {
    let simulation = simulated(&kinds(), 1);
    let system = simulation.system();
    let readers: Vec<_> = (0..2).map(|_| Reader::spawn(system)).collect();
    let holder = Holder {
        readers: Group::new(),
        numbers: Topic::new(),
        texts: Topic::new(),
    };
    for reader in &readers {
        assert!(holder.readers.join(reader));
        holder.numbers.subscribe(reader.number()).forever();
        holder.texts.subscribe(reader.text()).forever();
    }
    holder.numbers.publish(1);
    let _holder = system.spawn(holder);
    simulation.run();
    let image = take_now(&simulation);
    let tables = &image.shared.tables;
    assert_eq!(tables.groups[0].name, TableName::Numbered(0));
    assert_eq!(tables.topics[1].name, TableName::Numbered(2));
    assert_eq!(tables.next_table, 3);
    image
}

fn restored(image: &Image) -> Result<(), NotRestored> {
    let simulation = simulated(&kinds(), 1);
    let actors = restore(simulation.system().shared(), image, &kinds())?;
    simulation.run();
    drop(actors);
    simulation.run();
    Ok(())
}

/// The error of an image that was changed.
fn error(change: impl FnOnce(&mut Image)) -> NotRestored {
    error_of(image(), change)
}

fn error_of(mut image: Image, change: impl FnOnce(&mut Image)) -> NotRestored {
    assert!(restored(&image).is_ok());
    change(&mut image);
    restored(&image).expect_err("no program has it")
}

#[test]
fn a_member_is_an_actor_of_the_image() {
    let no_actor = error(|image| image.shared.tables.groups[0].members.push(77));
    assert!(matches!(no_actor, NotRestored::NoActor(77)), "{no_actor}");
    let twice = error(|image| image.shared.tables.groups[0].members.push(0));
    assert!(twice.to_string().contains("\"readers\""), "{twice}");
    let other = error(|image| image.shared.tables.groups[0].joined_as = "dyn Other".to_owned());
    assert!(matches!(other, NotRestored::NoTarget { .. }), "{other}");
}

#[test]
fn a_subscriber_is_an_actor_of_the_image() {
    let error = error(|image| {
        image.shared.tables.topics[0].subscriptions[1].then.actor = 77;
    });
    assert!(matches!(error, NotRestored::NoActor(77)), "{error}");
}

#[test]
fn a_name_has_one_group_and_one_topic() {
    let topic = error(|image| {
        let topics = &mut image.shared.tables.topics;
        topics[1].name = topics[0].name.clone();
    });
    assert!(topic.to_string().contains("twice"), "{topic}");
    let group = error(|image| {
        let groups = &mut image.shared.tables.groups;
        groups.push(super::memberships::GroupRecord {
            name: groups[0].name.clone(),
            joined_as: groups[0].joined_as.clone(),
            members: Vec::new(),
        });
    });
    assert!(group.to_string().contains("twice"), "{group}");
}

#[test]
fn a_bound_is_a_number_of_values() {
    let error = error(|image| image.shared.tables.topics[0].subscriptions[0].capacity = 0);
    assert!(error.to_string().contains("\"numbers\""), "{error}");
    let mut huge = image();
    huge.shared.tables.topics[0].subscriptions[0].capacity = u64::MAX;
    assert!(restored(&huge).is_ok(), "nothing is made for a bound");
}

#[test]
fn numbers_of_subscriptions_were_given_once() {
    for change in [
        |image: &mut Image| image.shared.tables.topics[0].subscriptions[0].number = 2,
        |image: &mut Image| image.shared.tables.topics[0].subscriptions[1].number = u64::MAX,
        |image: &mut Image| image.shared.tables.next_subscription = 1,
    ] {
        let error = error(change);
        assert!(matches!(error, NotRestored::Topic { .. }), "{error}");
    }
    let error = error(|image| image.shared.tables.next_subscription = u64::MAX);
    let is_number = matches!(error, NotRestored::SubscriptionNumber(u64::MAX));
    assert!(is_number, "{error}");
}

/// A value for one board names the subscription of another one.
#[test]
fn a_value_names_a_subscription_of_its_reader() {
    let error = error(|image| {
        let subscriptions = &image.shared.tables.topics[0].subscriptions;
        let actors: Vec<_> = subscriptions.iter().map(|it| it.then.actor).collect();
        for message in &mut image.waiting {
            message.actor = match message.actor {
                it if it == actors[0] => actors[1],
                it if it == actors[1] => actors[0],
                it => it,
            };
        }
    });
    assert!(error.to_string().contains("of another actor"), "{error}");
}

/// The topic of numbers with a subscriber of texts, and with a continuation of a promise.
#[test]
fn a_subscriber_takes_the_values_of_its_topic() {
    let error = error(|image| {
        let topics = &mut image.shared.tables.topics;
        let text = topics[1].subscriptions[0].then.message.kind;
        topics[0].subscriptions[1].then.message.kind = text;
    });
    assert!(error.to_string().contains("several types"), "{error}");
    let mut image = image();
    for kind in &mut image.kinds.kinds {
        if let super::message_record::WaitingKind::Message(kind) = &mut kind.what
            && kind.form == crate::api::SavedForm::Continuation
        {
            kind.name = kind.name.replace("number", "answer");
        }
    }
    let error = restored(&image).expect_err("it continues a promise");
    assert!(matches!(error, NotRestored::Topic { .. }), "{error}");
}

#[test]
fn a_value_of_an_unknown_subscription_is_delivered() {
    let mut image = image();
    image.shared.tables.topics.clear();
    assert!(restored(&image).is_ok());
}

#[test]
fn a_number_is_one_that_the_system_has_given() {
    let group = error_of(unnamed(), |image| image.shared.tables.next_table = 0);
    assert!(matches!(group, NotRestored::Group { .. }), "{group}");
    let topic = error_of(unnamed(), |image| image.shared.tables.next_table = 2);
    let is_topic = matches!(&topic, NotRestored::Topic { name, .. } if name == "#2");
    assert!(is_topic, "{topic}");
    let handle = error_of(unnamed(), |image| {
        image.shared.tables.groups.clear();
        image.shared.tables.topics.clear();
        image.shared.tables.next_table = 2;
    });
    assert!(matches!(handle, NotRestored::Value { .. }), "{handle}");
    assert!(handle.to_string().contains("the topic 2"), "{handle}");
    let last = error_of(unnamed(), |image| image.shared.tables.next_table = u64::MAX);
    assert!(matches!(last, NotRestored::TableNumber(u64::MAX)), "{last}");
}

#[test]
fn a_number_has_one_group_or_topic_of_one_type() {
    let twice = error_of(unnamed(), |image| {
        let topics = &mut image.shared.tables.topics;
        topics[1].name = topics[0].name.clone();
    });
    assert!(twice.to_string().contains("twice"), "{twice}");
    let topic = error_of(unnamed(), |image| {
        image.shared.tables.groups[0].name = TableName::Numbered(1);
    });
    assert!(matches!(topic, NotRestored::Topic { .. }), "{topic}");
    let handle = error_of(unnamed(), |image| {
        let topics = &mut image.shared.tables.topics;
        topics[0].name = TableName::Numbered(2);
        topics[1].name = TableName::Numbered(1);
    });
    assert!(handle.to_string().contains("another type"), "{handle}");
}

/// Nothing in the image has a handle of it.
#[test]
fn a_topic_that_nothing_has_ends_with_the_restore() {
    let mut image = unnamed();
    image.shared.tables.topics[1].name = TableName::Numbered(3);
    image.shared.tables.next_table = 4;
    assert!(restored(&image).is_ok());
}
