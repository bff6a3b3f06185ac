use vivant::prelude::*;

#[derive(Actor)]
struct Log<T> {
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
