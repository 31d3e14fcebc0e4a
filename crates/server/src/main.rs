//! The `confab` program: configuration and wiring.

mod serve;

/// The allocator is faster, and needs less memory, than the system allocator with long-lived
/// buffers and many threads.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> std::process::ExitCode {
    confab_cli::run(std::env::args_os(), serve::run)
}
