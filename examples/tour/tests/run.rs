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

#[test]
fn counter() {
    runs(env!("CARGO_BIN_EXE_counter"), &[], "5050");
}

#[test]
fn ask_chain() {
    runs(env!("CARGO_BIN_EXE_ask_chain"), &[], "net 800");
}

#[test]
fn timers() {
    runs(env!("CARGO_BIN_EXE_timers"), &[], "160ms");
}

#[test]
fn axum_edge() {
    runs(env!("CARGO_BIN_EXE_axum_edge"), &["--once"], "1 hits");
}

#[test]
fn web_of_pages() {
    runs(
        env!("CARGO_BIN_EXE_web_of_pages"),
        &[],
        "gone: [\"here\", \"there\"]",
    );
}

#[test]
fn far_places() {
    runs(
        env!("CARGO_BIN_EXE_far_places"),
        &[],
        "gone: [\"bridge\", \"market\", \"mill\"]",
    );
}

#[test]
fn seeded_race() {
    runs(env!("CARGO_BIN_EXE_seeded_race"), &[], "sold 2 times");
}

#[test]
fn bounded_buffer() {
    runs(env!("CARGO_BIN_EXE_bounded_buffer"), &[], "6 wait");
}

#[test]
fn supervised() {
    runs(
        env!("CARGO_BIN_EXE_supervised"),
        &[],
        "gave up after 4 failures",
    );
}

#[test]
fn full_mailbox() {
    runs(env!("CARGO_BIN_EXE_full_mailbox"), &[], "[8, 9, 10]");
}

#[test]
fn pub_sub() {
    runs(env!("CARGO_BIN_EXE_pub_sub"), &[], "missed 16");
}

#[test]
fn router() {
    runs(env!("CARGO_BIN_EXE_router"), &[], "[6, 3, 3]");
}

#[test]
fn stream_in() {
    runs(env!("CARGO_BIN_EXE_stream_in"), &[], "after 2.5s");
}

#[test]
fn watched() {
    runs(env!("CARGO_BIN_EXE_watched"), &[], "the chair broke");
}

#[test]
fn shared_pages() {
    runs(
        env!("CARGO_BIN_EXE_shared_pages"),
        &[],
        "nobody has the old page",
    );
}
