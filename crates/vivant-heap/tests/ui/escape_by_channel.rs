//! Y1: nor through a channel.

include!("shared/numbers.rs");

fn main() {
    let (sender, _receiver) = std::sync::mpsc::channel();
    heap().turn(|m, _| sender.send(m.alloc(1)).unwrap());
}
