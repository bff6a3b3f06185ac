//! What a cut has of an actor: its state, or its start.

use super::super::image::Content;
use super::super::message_record::Encoded;
use super::super::start_record::StartRecord;
use super::super::unsaved::Unsaved;
use super::ImageRecorder;
use crate::actor::{Header, SavedClass, StateRef};
use crate::api::SavedForm;
use crate::saving::EncodedStart;
use crate::sync::lock;
use vivant_codec::Encoder;

impl ImageRecorder {
    /// With the locals of its next step, if they are in its heap.
    pub(super) fn content(
        &self,
        actor: &Header,
        state: &mut StateRef<'_>,
    ) -> Option<(Content, Option<Encoded>)> {
        let without = |content| Some((content, None));
        match self.scope.saved(actor) {
            SavedClass::Nothing => None,
            _ if !state.has_state() => without(Content::Unstarted),
            // Its supervisor has its start.
            SavedClass::Start(_) if self.has_supervisor(actor) => without(Content::Unstarted),
            SavedClass::State(functions) => {
                let save = |out: &mut Encoder<'_>| (functions.save)(state, out);
                let (state, locals) = match &actor.class.heap {
                    Some(_) => self.encoded_with_heap(actor, functions.shape, save),
                    None => (self.encoded(actor, functions.shape, save), None),
                };
                Some((Content::State(state), locals))
            }
            SavedClass::Start(start) => match self.start_of_root(actor) {
                Some(start) => without(Content::Start(start)),
                None => without(self.start(actor, start(state))?),
            },
        }
    }

    pub(super) fn has_supervisor(&self, actor: &Header) -> bool {
        lock(&self.recorded).children.contains(&actor.id)
    }

    fn start(&self, actor: &Header, start: Option<EncodedStart>) -> Option<Content> {
        let Some((name, args)) = start else {
            self.lacks(actor, "a start by a closure or a value");
            return None;
        };
        let kind = self.kinds.kind(SavedForm::Start, &name);
        match (kind.and_then(|table| table.codec.as_ref()), args) {
            (Some(codec), Ok(args)) => Some(Content::Start(StartRecord {
                name: name.to_string(),
                args: Encoded {
                    shape: self.shape(codec.shape),
                    bytes: args.into(),
                },
            })),
            (_, Err(error)) => {
                let actor = actor.path();
                self.fails(Unsaved::Value { actor, error });
                None
            }
            (None, _) => {
                self.is_not_listed(actor, format!("the start `{name}`"));
                None
            }
        }
    }
}
