//! Compiles SQLite's own extension for page checksums (D-0084): it is public domain, but not part
//! of the amalgamation that libsqlite3-sys brings.

fn main() {
    const SOURCE: &str = "vendor/cksumvfs.c";
    println!("cargo:rerun-if-changed={SOURCE}");
    let mut build = cc::Build::new();
    if let Some(headers) = std::env::var_os("DEP_SQLITE3_INCLUDE") {
        build.include(headers);
    }
    build
        .file(SOURCE)
        // Every page goes through it, in tests as well.
        .opt_level(2)
        .define("SQLITE_CKSUMVFS_STATIC", None)
        .define("SQLITE_CKSUMVFS_INIT_FUNCNAME", "\"reserve_checksums\"")
        // Not our code: its warnings are not ours to mend.
        .warnings(false)
        .compile("cksumvfs");
}
