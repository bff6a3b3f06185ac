use vivant::prelude::*;

#[derive(Actor)]
struct SceneState<'gc> {
    node: Gc<'gc, Mut<u64>>,
}

#[behaviours]
impl<'gc> SceneState<'gc> {
    #[start]
    fn new(t: &Turn<'gc, Scene>) -> Self {
        SceneState {
            node: t.alloc(Mut::new(1)),
        }
    }

    fn root(&self, t: &Turn<'gc, Scene>) -> Rooted<Scene, Mut<u64>> {
        t.root(self.node)
    }

    #[then]
    fn branded(&mut self, _price: Result<u64, AskError>, _nodes: Rooted<Scene, Gc<'gc, u64>>) {}
}

#[derive(Actor)]
struct OtherState<'gc> {
    node: Gc<'gc, Mut<u64>>,
}

#[behaviours]
impl<'gc> OtherState<'gc> {
    #[start]
    fn new(t: &Turn<'gc, Other>) -> Self {
        OtherState {
            node: t.alloc(Mut::new(1)),
        }
    }

    fn opens(&mut self, t: &Turn<'gc, Other>, node: Rooted<Scene, Mut<u64>>) {
        self.node = node.open(t).unwrap();
    }
}

#[derive(Actor)]
struct KeeperState<'gc> {
    node: Option<Rooted<Keeper, Mut<u64>>>,
    first: Option<Gc<'gc, u64>>,
}

#[behaviours]
impl<'gc> KeeperState<'gc> {
    #[start]
    fn new() -> Self {
        KeeperState {
            node: None,
            first: None,
        }
    }
}

fn reads_outside(node: &Rooted<Scene, Mut<u64>>) -> u64 {
    *node.borrow()
}

fn main() {}
