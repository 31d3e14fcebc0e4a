//! The built dashboard pages, embedded in the binary.
//!
//! `web/dist` is built by `make web` and committed, so that building Confab requires only Rust.
//! `build.rs` turns it into a table, with Swagger UI and the OpenAPI document. The embedded files
//! equal the committed ones byte for byte. No file is read from disk while the server runs.

use std::borrow::Cow;
use std::io::Read as _;

use flate2::read::GzDecoder;

/// An embedded file.
pub struct Asset {
    /// Path below the root, such as `dashboard/index.html`.
    pub path: &'static str,
    /// Uncompressed content, for files that are not compressed or are changed before they are sent.
    plain: Option<&'static [u8]>,
    /// Content compressed with Brotli, if the file compresses well.
    pub brotli: Option<&'static [u8]>,
    pub gzip: Option<&'static [u8]>,
    /// Hash of the content in quotation marks, for the `ETag` header.
    pub etag: &'static str,
    pub content_type: &'static str,
    /// Whether the name contains a hash of the content, so that clients may cache the file forever.
    pub is_hashed: bool,
}

include!(concat!(env!("OUT_DIR"), "/assets.rs"));

impl Asset {
    /// Returns the uncompressed content.
    pub fn bytes(&self) -> Cow<'static, [u8]> {
        match (self.plain, self.gzip) {
            (Some(plain), _) => plain.into(),
            (None, Some(gzip)) => inflated(gzip).into(),
            (None, None) => Cow::Borrowed(&[]),
        }
    }
}

/// Returns the OpenAPI document as committed, without white space between its tokens.
pub fn openapi() -> Vec<u8> {
    inflated(include_bytes!(concat!(env!("OUT_DIR"), "/openapi.json.gz")))
}

/// Decompresses gzip data that `build.rs` compressed.
fn inflated(gzip: &[u8]) -> Vec<u8> {
    let mut bytes = Vec::new();
    // Only running out of memory could make this fail, because the data is complete.
    let _ = GzDecoder::new(gzip).read_to_end(&mut bytes);
    bytes
}

/// Returns the embedded file with this path, or `None` if there is none.
pub fn find(path: &str) -> Option<&'static Asset> {
    let at = ASSETS.binary_search_by(|asset| asset.path.cmp(path)).ok()?;
    ASSETS.get(at)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_file_is_found_by_its_path_and_other_paths_are_not_found() {
        for asset in ASSETS {
            assert!(find(asset.path).is_some_and(|it| it.etag == asset.etag), "{}", asset.path);
        }
        for odd in ["", "/", "dashboard", "dashboard/../Cargo.toml", "dashboard/assets/"] {
            assert!(find(odd).is_none(), "{odd:?}");
        }
    }

    #[test]
    fn every_file_equals_the_built_one_in_any_encoding() {
        for asset in ASSETS.iter().filter(|it| !it.path.starts_with("docs/")) {
            let path = format!("{}/../../web/dist/{}", env!("CARGO_MANIFEST_DIR"), asset.path);
            let built = std::fs::read(path).expect("read");
            assert!(asset.bytes() == built, "{}", asset.path);
        }
    }

    #[test]
    fn the_openapi_document_equals_the_committed_one_without_white_space() {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../web/openapi.json");
        let file: serde_json::Value =
            serde_json::from_slice(&std::fs::read(path).expect("read")).expect("JSON");
        assert!(serde_json::from_slice::<serde_json::Value>(&openapi()).expect("JSON") == file);
        assert!(
            openapi() == serde_json::to_vec(&file).expect("JSON"),
            "the document has no white space"
        );
    }

    #[test]
    fn the_dashboard_page_exists() {
        let page = find("dashboard/index.html").expect("`make web` built the page");
        assert!(!page.is_hashed && page.content_type.starts_with("text/html"));
    }
}
