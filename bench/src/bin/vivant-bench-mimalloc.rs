//! The same command line on mimalloc: the benches of heaps run it as a child, to compare.

use std::process::ExitCode;

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    vivant_bench::cli::main()
}
