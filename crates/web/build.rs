//! Embeds the pages: turns `web/dist`, and Swagger UI for the page at `/docs`, into a table. Each
//! row has a file's hash and its content compressed with Brotli and gzip. Files that do not
//! compress well, and files that are changed before they are sent, are also included uncompressed.
//! The OpenAPI document is included with gzip only.

use std::fmt::Write as _;
use std::fs;
use std::io::{self, Cursor, Read as _, Write as _};
use std::path::{Path, PathBuf};

use flate2::Compression;
use flate2::write::GzEncoder;
use sha2::{Digest, Sha256};
use utoipa_swagger_ui_vendored::SWAGGER_UI_VENDORED;
use zip::ZipArchive;

/// Size of Brotli's window, as the exponent of two: the default, which browsers support.
const WINDOW_BITS: u32 = 22;
const BROTLI_QUALITY: u32 = 11;
const BUFFER_BYTES: usize = 64 * 1024;

/// Maximum size of a compressed copy relative to the file: nine tenths. Larger copies are left out.
const WORTH_NUMERATOR: usize = 9;
const WORTH_DENOMINATOR: usize = 10;

/// Names of the Swagger UI files for the page at `/docs`.
const SWAGGER_UI: [&str; 7] = [
    "favicon-16x16.png",
    "favicon-32x32.png",
    "index.css",
    "index.html",
    "swagger-ui-bundle.js",
    "swagger-ui-standalone-preset.js",
    "swagger-ui.css",
];

/// Swagger UI's configuration, which replaces the example in its package. Keys that a user enters
/// are kept until the page is closed. Earlier versions stored them in the browser, so stored keys
/// are removed.
const SWAGGER_INITIALIZER: &str = "window.onload = () => {
  localStorage.removeItem('authorized')
  window.ui = SwaggerUIBundle({
    url: '/openapi.json',
    dom_id: '#swagger-ui',
    deepLinking: true,
    tryItOutEnabled: true,
    presets: [SwaggerUIBundle.presets.apis, SwaggerUIStandalonePreset],
    plugins: [SwaggerUIBundle.plugins.DownloadUrl],
    layout: 'StandaloneLayout',
  })
}
";

fn main() -> io::Result<()> {
    let web = PathBuf::from(env("CARGO_MANIFEST_DIR")).join("../../web");
    let dist = web.join("dist");
    let out = PathBuf::from(env("OUT_DIR"));
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-changed={}", dist.display());
    let mut files = Vec::new();
    collect(&dist, &dist, &mut files)?;
    files.sort();
    let mut contents = Vec::new();
    for path in &files {
        println!("cargo::rerun-if-changed={}", dist.join(path).display());
        let bytes = fs::read(dist.join(path))?;
        contents.push((path.clone(), bytes));
    }
    contents.extend(swagger_ui()?);
    contents.sort();
    let mut table = String::from("static ASSETS: &[Asset] = &[\n");
    for (number, (path, bytes)) in contents.iter().enumerate() {
        row(&mut table, &out, number, path, bytes)?;
    }
    table.push_str("];\n");
    fs::write(out.join("assets.rs"), table)?;
    let document = web.join("openapi.json");
    println!("cargo::rerun-if-changed={}", document.display());
    fs::write(out.join("openapi.json.gz"), with_gzip(&without_blanks(&fs::read(document)?))?)
}

/// Returns the files of the page at `/docs`, as paths with their contents.
fn swagger_ui() -> io::Result<Vec<(String, Vec<u8>)>> {
    let mut archive = ZipArchive::new(Cursor::new(SWAGGER_UI_VENDORED))?;
    let names = archive.file_names().map(|name| name.map(|it| it.into_owned()));
    let names = names.collect::<Result<Vec<String>, _>>()?;
    let initializer = SWAGGER_INITIALIZER.as_bytes().to_vec();
    let mut files = vec![("docs/swagger-initializer.js".to_owned(), initializer)];
    for wanted in SWAGGER_UI {
        let is_it = |name: &&String| name.ends_with(&format!("/dist/{wanted}"));
        let name = names.iter().find(is_it).ok_or_else(|| io::Error::other(wanted))?;
        let mut bytes = Vec::new();
        archive.by_name(name)?.read_to_end(&mut bytes)?;
        files.push((format!("docs/{wanted}"), bytes));
    }
    Ok(files)
}

/// Removes white space from JSON, except in strings.
fn without_blanks(json: &[u8]) -> Vec<u8> {
    let (mut is_text, mut is_escaped) = (false, false);
    let is_significant = |byte: &u8| {
        let is_significant = is_text || !byte.is_ascii_whitespace();
        is_text ^= *byte == b'"' && !is_escaped;
        is_escaped = is_text && *byte == b'\\' && !is_escaped;
        is_significant
    };
    json.iter().copied().filter(is_significant).collect()
}

fn env(name: &str) -> String {
    std::env::var(name).unwrap_or_else(|_| panic!("cargo sets {name}"))
}

/// Collects the paths of all files below a folder, relative to the root.
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

/// Adds a file's row to the table. Writes the compressed content to files in the folder `out`.
fn row(table: &mut String, out: &Path, number: usize, path: &str, bytes: &[u8]) -> io::Result<()> {
    // Swagger UI is loaded rarely, and compressing it with Brotli would take half of this script's
    // time.
    let brotli = match path.starts_with("docs/") {
        true => none(),
        false => kept(out.join(format!("{number}.br")), bytes, &with_brotli(bytes)?)?,
    };
    let gzip = kept(out.join(format!("{number}.gz")), bytes, &with_gzip(bytes)?)?;
    let is_plain = gzip == "None" || path.ends_with(".html");
    let plain = if is_plain { stored(out.join(format!("{number}.plain")), bytes)? } else { none() };
    let hash: String = Sha256::digest(bytes)[..16].iter().map(|it| format!("{it:02x}")).collect();
    let line = format!(
        "    Asset {{ path: {path:?}, plain: {plain}, brotli: {brotli}, \
         gzip: {gzip}, etag: {etag:?}, content_type: {content_type:?}, is_hashed: {is_hashed} }},",
        etag = format!("\"{hash}\""),
        content_type = content_type(path),
        is_hashed = is_hashed(path),
    );
    writeln!(table, "{line}").map_err(io::Error::other)
}

fn kept(place: PathBuf, bytes: &[u8], compressed: &[u8]) -> io::Result<String> {
    if compressed.len() * WORTH_DENOMINATOR > bytes.len() * WORTH_NUMERATOR {
        return Ok(none());
    }
    stored(place, compressed)
}

fn stored(place: PathBuf, bytes: &[u8]) -> io::Result<String> {
    fs::write(&place, bytes)?;
    Ok(format!("Some(include_bytes!({place:?}))"))
}

fn none() -> String {
    "None".to_owned()
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

/// Whether the name contains a hash of the content, so that the content under this name never
/// changes.
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
