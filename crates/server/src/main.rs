//! The `confab` program.

/// Long-lived buffers and many threads: faster and leaner here than the system's allocator.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> std::process::ExitCode {
    confab_server::commands::run(std::env::args_os())
}
