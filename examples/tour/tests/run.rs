//! Every example runs to its end; its assertions are in it.

use std::process::Command;

fn runs(program: &str, arguments: &[&str], says: &str) {
    let output = Command::new(program)
        .args(arguments)
        .output()
        .expect("the example was built");
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(
        output.status.success(),
        "{text}{}",
        String::from_utf8_lossy(&output.stderr)
    );
    assert!(text.contains(says), "{text}");
}

/// The names of examples, their arguments, and a part of what each prints.
macro_rules! examples {
    ($($name:ident $($argument:literal)*: $says:literal,)*) => {$(
        #[test]
        fn $name() {
            let program = env!(concat!("CARGO_BIN_EXE_", stringify!($name)));
            runs(program, &[$($argument),*], $says);
        }
    )*};
}

examples! {
    counter: "5050",
    ask_chain: "net 800",
    exclusive: "a cycle of 2 actors",
    orderly_end: "saved 1500 lines",
    timers: "160ms",
    axum_edge "--once": "1 hits",
    web_of_pages: "gone: [\"here\", \"there\"]",
    far_places: "gone: [\"bridge\", \"market\", \"mill\"]",
    seeded_race: "sold 2 times",
    bounded_buffer: "6 wait",
    joins: "Bob with 4 seats takes 4 to the theatre",
    philosophers: "all 5 ate 3 times",
    barrier: "#...#..",
    token: "in a black frame",
    delegation: "a matter of law",
    pipeline: "Ada buys bread and cheese, after 1s",
    supervised: "gave up after 4 failures",
    full_mailbox: "[8, 9, 10]",
    pub_sub: "missed 16",
    router: "[6, 3, 3]",
    stream_in: "after 2.5s",
    watched: "the chair broke",
    shared_pages: "nobody has the old page",
}
