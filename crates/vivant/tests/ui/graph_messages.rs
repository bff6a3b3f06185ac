use vivant::prelude::*;

#[derive(Actor)]
struct CacheState<'gc> {
    first: Option<Gc<'gc, Mut<u64>>>,
}

#[derive(Object)]
struct Text(String);

#[behaviours]
impl<'gc> CacheState<'gc> {
    fn put(&mut self, first: Gc<'gc, Mut<u64>>) {
        self.first = Some(first);
    }

    fn get(&self) -> Option<Gc<'gc, Mut<u64>>> {
        self.first
    }

    fn fine(&self, text: Val<'gc, Text>) -> Val<'gc, Text> {
        text
    }
}

#[derive(Actor)]
struct OtherState<'gc> {
    kept: Option<Val<'gc, Text>>,
}

#[behaviours]
impl<'gc> OtherState<'gc> {
    fn of_another(&self, _text: Val<'_, Text>) {}

    fn borrowed(&self, _text: &'gc Text) {}

    #[then]
    #[when(got.is_ok())]
    fn filled(&mut self, got: Result<Val<'gc, Text>, AskError>) {
        self.kept = got.ok();
    }
}

#[interface]
trait Library {
    fn find<'gc>(&mut self) -> Val<'gc, Text>;
}

fn main() {}
