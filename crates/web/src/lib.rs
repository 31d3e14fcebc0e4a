//! The built pages of the dashboard, inside the binary.
//!
//! `web/dist` is built by `make web` and committed, so that building Confab needs nothing but Rust;
//! `build.rs` turns it into a table, with Swagger UI and the API's document. Asked by the server's
//! `http/web` and `http/docs`. Promises: what is found is what was committed, byte for byte. It
//! never reads a file while the server runs.

use std::borrow::Cow;
use std::io::Read as _;

use flate2::read::GzDecoder;

/// A file of the pages.
pub struct Asset {
    /// Its address below the root, such as `dashboard/index.html`.
    pub path: &'static str,
    /// As it is, where it is not compressed, or is changed before it is sent.
    plain: Option<&'static [u8]>,
    /// Compressed, where that is worth it.
    pub brotli: Option<&'static [u8]>,
    pub gzip: Option<&'static [u8]>,
    /// A hash of its content, in quotes as the header has it.
    pub etag: &'static str,
    pub content_type: &'static str,
    /// Its name changes with its content: it can be kept for good.
    pub is_hashed: bool,
}

include!(concat!(env!("OUT_DIR"), "/assets.rs"));

impl Asset {
    /// The file as it is.
    pub fn bytes(&self) -> Cow<'static, [u8]> {
        match (self.plain, self.gzip) {
            (Some(plain), _) => plain.into(),
            (None, Some(gzip)) => inflated(gzip).into(),
            (None, None) => Cow::Borrowed(&[]),
        }
    }
}

/// The document of the API, as it is checked in.
pub fn openapi() -> Vec<u8> {
    inflated(include_bytes!(concat!(env!("OUT_DIR"), "/openapi.json.gz")))
}

/// What was compressed when this was built.
fn inflated(gzip: &[u8]) -> Vec<u8> {
    let mut bytes = Vec::new();
    // Out of memory, it cannot fail: what was compressed is whole.
    let _ = GzDecoder::new(gzip).read_to_end(&mut bytes);
    bytes
}

/// The file of this path; there is none for anything that was not built.
pub fn find(path: &str) -> Option<&'static Asset> {
    let at = ASSETS.binary_search_by(|asset| asset.path.cmp(path)).ok()?;
    ASSETS.get(at)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_file_is_found_by_its_path_and_nothing_else_is() {
        for asset in ASSETS {
            assert!(find(asset.path).is_some_and(|it| it.etag == asset.etag), "{}", asset.path);
        }
        for odd in ["", "/", "dashboard", "dashboard/../Cargo.toml", "dashboard/assets/"] {
            assert!(find(odd).is_none(), "{odd:?}");
        }
    }

    #[test]
    fn every_file_is_what_was_built_however_it_is_kept() {
        for asset in ASSETS.iter().filter(|it| !it.path.starts_with("docs/")) {
            let path = format!("{}/../../web/dist/{}", env!("CARGO_MANIFEST_DIR"), asset.path);
            let built = std::fs::read(path).expect("read");
            assert!(asset.bytes() == built, "{}", asset.path);
        }
    }

    #[test]
    fn the_document_is_what_is_checked_in_without_blanks() {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../web/openapi.json");
        let file: serde_json::Value =
            serde_json::from_slice(&std::fs::read(path).expect("read")).expect("JSON");
        assert!(serde_json::from_slice::<serde_json::Value>(&openapi()).expect("JSON") == file);
        assert!(openapi() == serde_json::to_vec(&file).expect("JSON"), "blanks are left");
    }

    #[test]
    fn the_page_of_the_dashboard_is_there() {
        let page = find("dashboard/index.html").expect("make web built it");
        assert!(!page.is_hashed && page.content_type.starts_with("text/html"));
    }
}
