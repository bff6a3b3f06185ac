//! The program: serves a store until Ctrl-C or SIGTERM.
#![allow(clippy::print_stdout, reason = "the program says what it does")]

use clap::Parser;
use documents::commit::{Commit, Edit};
use documents::disk::FileDisk;
use documents::tree::Tree;
use std::error::Error;
use std::path::PathBuf;
use std::sync::Arc;
use tokio::net::TcpListener;
use vivant::System;

/// Serves versioned documents over HTTP, until Ctrl-C or SIGTERM.
#[derive(Parser)]
#[command(version)]
struct Arguments {
    /// Port on the loopback interface; 0 for any
    #[arg(long, default_value_t = 3200)]
    port: u16,
    /// The file with all commits [default: vivant-documents.journal in the temporary directory]
    #[arg(long)]
    journal: Option<PathBuf>,
}

const EXAMPLE: &str =
    r#"{"base":1,"edits":[{"document":"hello","at":7,"remove":5,"insert":"reader"}]}"#;

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error + Send + Sync>> {
    let arguments = Arguments::parse();
    let in_temporary = || std::env::temp_dir().join("vivant-documents.journal");
    let path = arguments.journal.unwrap_or_else(in_temporary);
    let listener = TcpListener::bind(("127.0.0.1", arguments.port)).await?;
    let url = format!("http://{}", listener.local_addr()?);
    let system = System::builder()
        .on_report(|report| eprintln!("{report}"))
        .build();
    let disk = FileDisk::open(&path)
        .map_err(|error| format!("cannot open {}: {error}", path.display()))?;
    let tree = Tree::open(&system, Arc::new(disk));
    tree.is_up().await?;
    let recovered = tree.store.head().ask().await?.look(|head| head.number);
    println!("version {recovered} from {}", path.display());
    if recovered == 0 {
        let hello = Edit {
            document: "hello".to_owned(),
            at: 0,
            remove: 0,
            insert: "Hello, world.\n".to_owned(),
        };
        let (reads, edits) = (Vec::new(), vec![hello]);
        tree.store
            .commit(Commit {
                base: 0,
                reads,
                edits,
            })
            .ask()
            .await??;
    }
    println!("try\n  curl -i {url}/documents/hello");
    println!("  curl {url}/commits --json '{EXAMPLE}'");
    println!("  the same once more: a conflict");
    println!("  curl '{url}/documents/hello?version=1'");
    println!("serving on {url}, until Ctrl-C");
    let app = documents::http::router(tree.store.clone());
    println!("{}", vivant_axum::serve(listener, app, &system).await?);
    Ok(())
}
