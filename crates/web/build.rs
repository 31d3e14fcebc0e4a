//! Turns `web/dist` into a table: every file as it is, with brotli, with gzip, and its hash.

use std::fmt::Write as _;
use std::fs;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use flate2::Compression;
use flate2::write::GzEncoder;
use sha2::{Digest, Sha256};

/// Brotli's own default, which browsers are built for.
const WINDOW_BITS: u32 = 22;
const BROTLI_QUALITY: u32 = 11;
const BUFFER_BYTES: usize = 64 * 1024;

/// What saves less than this share of a file is not worth a second copy in the binary.
const WORTH_NUMERATOR: usize = 9;
const WORTH_DENOMINATOR: usize = 10;

fn main() -> io::Result<()> {
    let dist = PathBuf::from(env("CARGO_MANIFEST_DIR")).join("../../web/dist");
    let out = PathBuf::from(env("OUT_DIR"));
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-changed={}", dist.display());
    let mut files = Vec::new();
    collect(&dist, &dist, &mut files)?;
    files.sort();
    let mut table = String::from("static ASSETS: &[Asset] = &[\n");
    for (number, path) in files.iter().enumerate() {
        println!("cargo::rerun-if-changed={}", dist.join(path).display());
        let bytes = fs::read(dist.join(path))?;
        row(&mut table, &out, number, path, &bytes)?;
    }
    table.push_str("];\n");
    fs::write(out.join("assets.rs"), table)
}

fn env(name: &str) -> String {
    std::env::var(name).unwrap_or_else(|_| panic!("cargo sets {name}"))
}

/// The files below a folder, as they stand in addresses.
fn collect(folder: &Path, root: &Path, files: &mut Vec<String>) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            collect(&path, root, files)?;
        } else if let Ok(inside) = path.strip_prefix(root) {
            files.push(inside.to_string_lossy().replace('\\', "/"));
        }
    }
    Ok(())
}

/// The line of one file; what is compressed lies beside the table.
fn row(table: &mut String, out: &Path, number: usize, path: &str, bytes: &[u8]) -> io::Result<()> {
    let plain = out.join(format!("{number}.plain"));
    fs::write(&plain, bytes)?;
    let brotli = kept(out.join(format!("{number}.br")), bytes, &with_brotli(bytes)?)?;
    let gzip = kept(out.join(format!("{number}.gz")), bytes, &with_gzip(bytes)?)?;
    let hash: String = Sha256::digest(bytes)[..16].iter().map(|it| format!("{it:02x}")).collect();
    let line = format!(
        "    Asset {{ path: {path:?}, bytes: include_bytes!({plain:?}), brotli: {brotli}, \
         gzip: {gzip}, etag: {etag:?}, content_type: {content_type:?}, is_hashed: {is_hashed} }},",
        etag = format!("\"{hash}\""),
        content_type = content_type(path),
        is_hashed = is_hashed(path),
    );
    writeln!(table, "{line}").map_err(io::Error::other)
}

fn kept(place: PathBuf, bytes: &[u8], compressed: &[u8]) -> io::Result<String> {
    if compressed.len() * WORTH_DENOMINATOR > bytes.len() * WORTH_NUMERATOR {
        return Ok("None".to_owned());
    }
    fs::write(&place, compressed)?;
    Ok(format!("Some(include_bytes!({place:?}))"))
}

fn with_brotli(bytes: &[u8]) -> io::Result<Vec<u8>> {
    let mut compressed = Vec::new();
    let mut writer =
        brotli::CompressorWriter::new(&mut compressed, BUFFER_BYTES, BROTLI_QUALITY, WINDOW_BITS);
    writer.write_all(bytes)?;
    writer.flush()?;
    drop(writer);
    Ok(compressed)
}

fn with_gzip(bytes: &[u8]) -> io::Result<Vec<u8>> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
    encoder.write_all(bytes)?;
    encoder.finish()
}

/// Whether the name holds a hash of the content: then what stands under it never changes.
fn is_hashed(path: &str) -> bool {
    path.split('/').any(|folder| folder == "assets")
}

fn content_type(path: &str) -> &'static str {
    match path.rsplit('.').next().unwrap_or_default() {
        "html" => "text/html; charset=utf-8",
        "js" => "text/javascript; charset=utf-8",
        "css" => "text/css; charset=utf-8",
        "json" => "application/json",
        "webmanifest" => "application/manifest+json",
        "svg" => "image/svg+xml",
        "png" => "image/png",
        "woff2" => "font/woff2",
        other => panic!("{path}: no content type is known for .{other}; add it to build.rs"),
    }
}
