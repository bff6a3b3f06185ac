//! Names and arguments that expansions use themselves, keywords, items that `#[cfg]` leaves out,
//! and actors written by a user's own macro.

use super::Outcome;
use vivant::Message;
use vivant::prelude::*;

#[derive(Actor)]
struct Loop {
    state: u64,
}

#[behaviours]
impl Loop {
    #[start]
    fn new(spawner: u64, turn: u64) -> Self {
        Loop {
            state: spawner + turn,
        }
    }

    #[when(self.state > 0 && args < resolver && [1, 2].iter().any(|args| args % 2 == 0))]
    fn run(
        &mut self,
        state: u64,
        mut args: u64,
        resolver: u64,
        answer: u64,
        _: &'static str,
    ) -> u64 {
        args += state + resolver + answer + self.state;
        args
    }

    fn r#type(&mut self, r#in: u64) -> u64 {
        r#in
    }

    #[cfg(any())]
    fn left_out(&mut self, _: NoSuchType) {}

    #[deprecated = "call `run`"]
    fn walk(&mut self) {}

    fn boxed(&mut self, f: Box<dyn Fn(&str) -> &str + Send>) -> fn(&u64) -> &u64 {
        let _ = f("x");
        |number| number
    }
}

#[behaviours(module = absent)]
#[cfg(any())]
impl Loop {
    fn absent(&mut self) {}
}

#[test]
#[allow(deprecated)]
fn names_of_the_expansion_are_free_for_users() -> Outcome {
    let system = System::new();
    let actor = Loop::spawn(&system, 1, 2);
    assert_eq!(actor.run(1, 2, 3, 4, "x").ask_blocking()?, 13);
    assert_eq!(actor.r#type(5).ask_blocking()?, 5);
    assert_eq!(actor.boxed(Box::new(|text| text)).ask_blocking()?(&3), &3);
    actor.walk().send();
    assert_eq!(
        <loop_messages::Type<Loop> as Message>::NAME,
        "all::macros::awkward::Loop::type"
    );
    Ok(())
}

macro_rules! counter {
    ($name:ident, $number:ty, $step:expr) => {
        #[derive(Actor)]
        struct $name {
            count: $number,
        }

        #[behaviours]
        impl $name {
            #[when(self.count < limit)]
            fn step(&mut self, limit: $number) -> $number {
                self.count += $step;
                self.count
            }

            #[then]
            fn stepped(&mut self, count: Result<$number, AskError>) -> $number {
                count.unwrap_or(0)
            }

            fn twice(&mut self, t: &Turn<Self>) -> Promise<$number> {
                t.ask(t.me().step(100)).then(t.me().stepped())
            }
        }
    };
}

counter!(Small, u8, 3);

#[test]
fn actors_of_a_user_macro_run() -> Outcome {
    let system = System::new();
    let small = system.spawn(Small { count: 0 });
    assert_eq!(small.step(1).ask_blocking()?, 3);
    assert_eq!(small.twice().ask_blocking()?, 6);
    Ok(())
}
