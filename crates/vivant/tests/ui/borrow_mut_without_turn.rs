use vivant::prelude::*;

#[derive(Object)]
struct Person<'gc> {
    name: String,
    friends: Vec<Gc<'gc, Mut<Person<'gc>>>>,
}

#[derive(Actor)]
struct CircleState<'gc> {
    first: Option<Gc<'gc, Mut<Person<'gc>>>>,
}

#[behaviours]
impl<'gc> CircleState<'gc> {
    #[start]
    fn new() -> Self {
        CircleState { first: None }
    }

    fn rename(&mut self, t: &Turn<'gc, Circle>, name: String) {
        if let Some(first) = self.first {
            first.borrow_mut().name = name;
            first.borrow_mut().friends.push(first);
        }
        let _ = t;
    }
}

fn main() {}
