//! What sinks and resolvers are saved as, without the types of values.

use crate::actor::{ExclusiveWait, SeenActors, WaitNumber};
use crate::interned::Name;
use std::any::{Any, TypeId};
use std::collections::BTreeSet;
use std::fmt;
use std::time::Duration;
use vivant_codec::{
    Decoder, Encoder, Field, LoadError, SaveError, Saved, Shape, Variant, shape_of,
};

/// A value that was encoded.
#[derive(Clone, Debug)]
pub(crate) struct ShapedBytes {
    pub(crate) shape: &'static Shape,
    pub(crate) bytes: Vec<u8>,
}

impl ShapedBytes {
    pub(super) fn by(
        shape: &'static Shape,
        contexts: &[&dyn Any],
        save: impl FnOnce(&mut Encoder<'_>),
    ) -> Result<ShapedBytes, PromiseUnsaved> {
        let mut out = Encoder::new().with_contexts(contexts);
        save(&mut out);
        match out.finish() {
            Ok(bytes) => Ok(ShapedBytes { shape, bytes }),
            Err(error) => Err(PromiseUnsaved::Value(error)),
        }
    }
}

/// Why a promise cannot be saved.
#[derive(Debug)]
pub(crate) enum PromiseUnsaved {
    /// It was carried out of its turn, so what will be done with its value is open.
    NotFinal,
    /// It is in no list of its owner: it was opened while that was not held.
    Unlisted,
    /// What is done with its value is not saved, such as a closure: the name of the sink.
    Sink(Name),
    /// No saved actor has a message with such a reply, or a continuation with such a hole.
    UnknownValue,
    /// A value could not be encoded.
    Value(SaveError),
}

/// What the sinks of one actor are saved with.
pub(in super::super) struct SinkSaver<'k> {
    /// The codec of outcomes, an `OutcomeCodec<T>`, by the type of the message that brings a `T`.
    codecs: &'k dyn Fn(TypeId) -> Option<&'k dyn Any>,
    contexts: &'k [&'k dyn Any],
    /// The exclusive waits of the present incarnation.
    waits: &'k [ExclusiveWait],
    /// The joins that have been saved, by the number of their promise.
    pub(in super::super) joins: BTreeSet<u64>,
    /// Values that the present sink has, with their positions.
    pub(super) values: Vec<(u64, ShapedBytes)>,
}

impl<'k> SinkSaver<'k> {
    pub(super) fn new(
        codecs: &'k dyn Fn(TypeId) -> Option<&'k dyn Any>,
        contexts: &'k [&'k dyn Any],
        waits: &'k [ExclusiveWait],
    ) -> SinkSaver<'k> {
        SinkSaver {
            codecs,
            contexts,
            waits,
            joins: BTreeSet::new(),
            values: Vec::new(),
        }
    }

    /// The codec of this type, of outcomes that a message of the type `arrival` brings.
    pub(in super::super) fn codec<C: 'static>(
        &self,
        arrival: TypeId,
    ) -> Result<&'k C, PromiseUnsaved> {
        let codec = (self.codecs)(arrival).and_then(|codec| codec.downcast_ref());
        codec.ok_or(PromiseUnsaved::UnknownValue)
    }

    /// The contexts of encoders.
    pub(in super::super) fn contexts(&self) -> &'k [&'k dyn Any] {
        self.contexts
    }

    /// Whether a wait is one of an earlier incarnation.
    pub(in super::super) fn has_ended(&self, wait: WaitNumber) -> bool {
        self.waits.iter().all(|open| open.number != wait)
    }

    /// The content of a sink.
    pub(in super::super) fn content<T: Saved<'static>>(
        &self,
        value: &T,
    ) -> Result<ShapedBytes, PromiseUnsaved> {
        ShapedBytes::by(T::SHAPE, self.contexts, |out| value.save(out))
    }

    /// As `content`, for a value that is encoded as those of this shape are.
    pub(in super::super) fn content_as<T: Saved<'static>>(
        &self,
        shape: &'static Shape,
        value: &T,
    ) -> Result<ShapedBytes, PromiseUnsaved> {
        ShapedBytes::by(shape, self.contexts, |out| value.save(out))
    }

    /// An outcome that has arrived at this position of a join.
    pub(in super::super) fn arrived(&mut self, at: usize, outcome: ShapedBytes) {
        self.values.push((at as u64, outcome));
    }
}

/// The types of results in a program. The context of an encoder.
#[derive(Default)]
pub(crate) struct ListedResults(pub(super) BTreeSet<TypeId>);

impl ListedResults {
    /// Whether a restore finds this type. If nothing says which ones there are, it may.
    fn may_have(result: Option<TypeId>, out: &Encoder<'_>) -> bool {
        let listed: Option<&ListedResults> = out.context();
        match (listed, result) {
            (Some(listed), Some(result)) => listed.0.contains(&result),
            _ => true,
        }
    }
}

const UNLISTED_RESULT: &str = "a request that is delegated as the `Ok` of a result of which no \
     saved actor has a message with such a reply, or a continuation: await the reply, and give `Ok` of that";

/// What a resolver gives its value to.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(in super::super) enum PromiseName {
    /// Nothing waits in a saved actor: the message was sent, or is awaited outside of the system.
    Nothing,
    /// The promise with this number, among those that the actor has open.
    Of {
        /// The number of its system, which no file has.
        system: u64,
        owner: u64,
        number: u64,
        /// The owner is saved with its promises. A file has no others.
        is_saved: bool,
    },
    /// As the other name, if the value comes before this time has passed; `limit` is the whole time
    /// limit, and `timer` the number of its alarm, which orders limits that pass at one time.
    InTime {
        timer: u64,
        left: Duration,
        limit: Duration,
        then: Box<PromiseName>,
    },
    /// As the other name, of which the value is the `Ok`.
    Ok {
        of: Box<PromiseName>,
        /// The type of the result, which no file has.
        result: Option<TypeId>,
    },
    /// It cannot be saved.
    Unsaved(&'static str),
}

impl PromiseName {
    /// The name as it was so long ago: more time was left.
    pub(crate) fn earlier_by(self, late: Duration) -> PromiseName {
        match self {
            PromiseName::InTime {
                timer,
                left,
                limit,
                then,
            } => PromiseName::InTime {
                timer,
                left: left.saturating_add(late),
                limit,
                then: Box::new(then.earlier_by(late)),
            },
            PromiseName::Ok { of, result } => PromiseName::Ok {
                of: Box::new(of.earlier_by(late)),
                result,
            },
            name => name,
        }
    }

    /// The name of a resolver behind more relays than are followed.
    pub(in super::super) fn too_far() -> PromiseName {
        PromiseName::Unsaved("a value that is passed on more often than is followed")
    }

    /// The name of a resolver of the `Ok` of this name, of this type of results.
    pub(in super::super) fn ok(self, result: TypeId) -> PromiseName {
        match self {
            PromiseName::Nothing => PromiseName::Nothing,
            of_result => PromiseName::Ok {
                of: Box::new(of_result),
                result: Some(result),
            },
        }
    }

    /// The actor and the number of the promise, behind all relays.
    pub(super) fn promise(&self) -> Option<(u64, u64)> {
        match self {
            PromiseName::Nothing | PromiseName::Unsaved(_) => None,
            PromiseName::Of { owner, number, .. } => Some((*owner, *number)),
            PromiseName::InTime { then: of, .. } | PromiseName::Ok { of, .. } => of.promise(),
        }
    }

    /// Whether nothing in the image waits for the value.
    fn is_nothing(&self, out: &Encoder<'_>) -> bool {
        match self {
            PromiseName::Nothing => true,
            PromiseName::Of { system, .. } => SeenActors::is_elsewhere(*system, out),
            PromiseName::Ok { of, .. } => of.is_nothing(out),
            PromiseName::InTime { .. } | PromiseName::Unsaved(_) => false,
        }
    }

    /// Whether a promise in the image may wait for the value.
    fn is_awaited(&self) -> bool {
        match self {
            PromiseName::Nothing | PromiseName::Unsaved(_) => false,
            PromiseName::Of { is_saved, .. } => *is_saved,
            PromiseName::InTime { then: of, .. } | PromiseName::Ok { of, .. } => of.is_awaited(),
        }
    }
}

impl<'gc> Saved<'gc> for PromiseName {
    const SHAPE: &'static Shape = &Shape::variants(
        "vivant::PromiseName",
        const {
            &[
                Variant::new("Nothing", &[]),
                Variant::new(
                    "Of",
                    const {
                        &[
                            Field::new("owner", shape_of::<'gc, u64>()),
                            Field::new("number", shape_of::<'gc, u64>()),
                        ]
                    },
                ),
                Variant::new(
                    "InTime",
                    const {
                        &[
                            Field::new("timer", shape_of::<'gc, u64>()),
                            Field::new("left", shape_of::<'gc, Duration>()),
                            Field::new("limit", shape_of::<'gc, Duration>()),
                            Field::new("then", shape_of::<'gc, Box<PromiseName>>()),
                        ]
                    },
                ),
                Variant::new(
                    "Ok",
                    const { &[Field::new("of", shape_of::<'gc, Box<PromiseName>>())] },
                ),
            ]
        },
    );

    fn save(&self, out: &mut Encoder<'_>) {
        match self {
            PromiseName::Nothing => out.variant(0),
            // As if a thread outside of the system waited.
            PromiseName::Of { system, .. } if SeenActors::is_elsewhere(*system, out) => {
                out.variant(0);
            }
            PromiseName::Of { owner, number, .. } => {
                out.variant(1);
                owner.save(out);
                number.save(out);
            }
            PromiseName::InTime {
                timer,
                left,
                limit,
                then,
            } => {
                out.variant(2);
                timer.save(out);
                left.save(out);
                limit.save(out);
                then.save(out);
            }
            PromiseName::Ok { of, .. } if of.is_nothing(out) => out.variant(0),
            PromiseName::Ok { of, result } => {
                if of.is_awaited() && !ListedResults::may_have(*result, out) {
                    return out.error(UNLISTED_RESULT);
                }
                out.variant(3);
                of.save(out);
            }
            PromiseName::Unsaved(why) => out.error(*why),
        }
    }

    fn load(input: &mut Decoder<'gc, '_>) -> Result<Self, LoadError> {
        let (variant, mut fields) = input.variant(Self::SHAPE)?;
        let name = match variant {
            0 => PromiseName::Nothing,
            1 => PromiseName::Of {
                system: 0,
                owner: fields.field(0)?,
                number: fields.field(1)?,
                is_saved: true,
            },
            2 => PromiseName::InTime {
                timer: fields.field(0)?,
                left: fields.field(1)?,
                limit: fields.field(2)?,
                then: fields.field(3)?,
            },
            3 => PromiseName::Ok {
                of: fields.field(0)?,
                result: None,
            },
            _ => return Err(fields.no_variant()),
        };
        fields.end()?;
        Ok(name)
    }
}

impl fmt::Display for PromiseUnsaved {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            PromiseUnsaved::NotFinal => f.write_str("it was carried out of its turn"),
            PromiseUnsaved::Unlisted => f.write_str("it was opened outside of its owner's turns"),
            PromiseUnsaved::Sink(kind) => write!(
                f,
                "its value goes to `{kind}`, which is not saved: `.then(t.me().method(…))` is"
            ),
            PromiseUnsaved::UnknownValue => f.write_str(
                "no saved actor has a message with such a reply, or a continuation of it: the \
                 actor that was asked is to be saved, too",
            ),
            PromiseUnsaved::Value(error) => write!(f, "{error}"),
        }
    }
}
