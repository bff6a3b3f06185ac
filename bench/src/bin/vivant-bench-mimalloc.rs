//! The same command line on mimalloc: the benches of heaps run it as a child, to compare.

use std::process::ExitCode;

// The thread sanitizer does not see how the C code of mimalloc orders its uses of memory.
#[cfg_attr(not(vivant_system_allocator), global_allocator)]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    vivant_bench::cli::main()
}
