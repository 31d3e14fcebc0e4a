//! The built pages of the dashboard, inside the binary.
//!
//! `web/dist` is built by `make web` and committed, so that building Confab needs nothing but Rust;
//! `build.rs` turns it into a table. Asked by the server's `http/web`. Promises: what is found is
//! what was committed, byte for byte. It never reads a file while the server runs.

/// A file of the pages.
pub struct Asset {
    /// Its address below the root, such as `dashboard/index.html`.
    pub path: &'static str,
    pub bytes: &'static [u8],
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
    fn the_page_of_the_dashboard_is_there() {
        let page = find("dashboard/index.html").expect("make web built it");
        assert!(!page.is_hashed && page.content_type.starts_with("text/html"));
    }
}
