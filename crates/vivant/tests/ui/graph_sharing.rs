use vivant::prelude::*;

#[derive(Object)]
struct Text(String);

#[derive(Actor)]
struct CacheState<'gc> {
    kept: Option<Val<'gc, Text>>,
}

#[behaviours]
impl<'gc> CacheState<'gc> {
    fn put(&mut self, text: Val<'gc, Text>) {
        self.kept = Some(text);
    }

    fn get(&self) -> Option<Val<'gc, Text>> {
        self.kept
    }

    fn kept_from_a_parcel(&mut self, text: Parcel<Val<'static, Text>>) {
        text.look(|text| self.kept = Some(*text));
    }

    fn unopened(&mut self, t: &Turn<'gc, Cache>, of: Address<Cache>) -> Promise<()> {
        t.ask(of.get()).then(t.me().got_whole())
    }

    #[then]
    fn got_whole(&mut self, text: Result<Val<'gc, Text>, AskError>) {
        self.kept = text.ok();
    }
}

#[derive(Actor)]
struct Reader;

#[behaviours]
impl Reader {
    fn two<'gc>(&self, _one: Val<'gc, Text>, _other: Val<'gc, Text>) {}

    fn answered<'gc>(&self, text: Val<'gc, Text>) -> Val<'gc, Text> {
        text
    }

    fn stepped<'gc>(&self, text: Val<'gc, Text>) -> vivant::Step<Val<'gc, Text>, ()> {
        vivant::Step::Again(text)
    }
}

fn outside(cache: &Address<Cache>) -> usize {
    cache.get().ask_blocking().unwrap().unwrap().0.len()
}

fn main() {}
