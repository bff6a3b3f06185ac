use vivant::prelude::*;

#[derive(Actor)]
struct Cache;

#[behaviours]
impl Cache {
    #[start]
    fn new(capacity: usize) -> Result<Self, String> {
        Err(capacity.to_string())
    }
}

mod named_spawn {
    use vivant::prelude::*;

    #[derive(Actor)]
    struct Cache;

    #[behaviours]
    impl Cache {
        #[start]
        fn spawn(name: &str) -> Self {
            let _ = name;
            Cache
        }
    }
}

mod twice {
    use vivant::prelude::*;

    #[derive(Actor)]
    struct Cache;

    #[behaviours]
    impl Cache {
        #[start]
        fn new() -> Self {
            Cache
        }

        #[start]
        #[when(true)]
        fn other(&self) -> Self {
            Cache
        }

        #[start]
        async fn third<T>(_: T) -> Self {
            Cache
        }
    }
}

mod not_sendable {
    use std::rc::Rc;
    use vivant::prelude::*;

    #[derive(Actor)]
    struct Cache;

    #[behaviours]
    impl Cache {
        #[start]
        fn new(capacity: Rc<usize>) -> Self {
            let _ = capacity;
            Cache
        }
    }
}

fn main() {}
