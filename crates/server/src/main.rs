//! The `confab` program.

/// The allocator is faster, and needs less memory, than the system allocator with long-lived
/// buffers and many threads.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> std::process::ExitCode {
    confab_server::commands::run(std::env::args_os())
}
