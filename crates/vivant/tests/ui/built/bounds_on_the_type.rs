//! The counterpart of `stop_hook_bounds.rs`; and because it is built, not only checked, so are the others: whether a
//! stop hook is called is known only then.
use vivant::prelude::*;

#[derive(Actor)]
struct Log<T: ToString> {
    lines: Vec<T>,
}

#[behaviours]
impl<T: ToString + Send + 'static> Log<T> {
    fn line(&mut self, line: T) {
        self.lines.push(line);
    }

    #[stop]
    fn flush(&mut self) {
        let _ = self.lines.iter().map(T::to_string).collect::<String>();
    }
}


fn main() {
    let log = System::new().spawn(Log { lines: vec![] });
    log.line(1).send();
}
