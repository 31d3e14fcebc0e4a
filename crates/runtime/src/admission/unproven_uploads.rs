//! Limits on uploads whose sender is not authenticated yet: published clients send the file before
//! the token, so anyone can start an upload (design/files).
//!
//! The received parts of these files are on disk, so the number and total size of such uploads are
//! limited, in total and per address. An upload is counted until its sender is authenticated or the
//! upload ends.

use std::collections::HashMap;
use std::sync::Arc;

use confab_domain::limits;
use parking_lot::Mutex;

use crate::admission::peer::Peer;

/// Counters of the running uploads whose sender is not authenticated yet. Cheap to clone; all
/// clones share the counters.
#[derive(Clone)]
pub struct UnprovenUploads(Arc<UnprovenUploadsInner>);

struct UnprovenUploadsInner {
    /// Maximum size of one file in bytes. The limits on total size are at least this high, so that
    /// one file of any permitted size fits.
    file_bytes_max: u64,
    held: Mutex<HeldUploads>,
}

#[derive(Default)]
struct HeldUploads {
    in_all: UploadShare,
    by_peer: HashMap<Peer, UploadShare>,
}

#[derive(Default, Clone, Copy)]
struct UploadShare {
    uploads: usize,
    bytes: u64,
}

impl UploadShare {
    fn fits(self, uploads_max: usize, bytes_max: u64) -> bool {
        self.uploads <= uploads_max && self.bytes <= bytes_max
    }
}

impl UnprovenUploads {
    pub fn new(file_bytes_max: u64) -> Self {
        Self(Arc::new(UnprovenUploadsInner { file_bytes_max, held: Mutex::default() }))
    }

    /// Counts a new upload, or returns `None` if there are too many.
    pub fn begin(&self, peer: Peer) -> Option<UnprovenUpload> {
        let is_taken = self.take(peer, UploadShare { uploads: 1, bytes: 0 });
        is_taken.then(|| UnprovenUpload { pool: self.clone(), peer, bytes: 0 })
    }

    /// Adds an amount to the counters, unless a limit would be exceeded. Returns whether it was
    /// added.
    fn take(&self, peer: Peer, more: UploadShare) -> bool {
        let with = |share: UploadShare| UploadShare {
            uploads: share.uploads + more.uploads,
            bytes: share.bytes + more.bytes,
        };
        let at_least = |bytes: u64| bytes.max(self.0.file_bytes_max);
        let mut held = self.0.held.lock();
        let in_all = with(held.in_all);
        let of_peer = with(held.by_peer.get(&peer).copied().unwrap_or_default());
        let fits = in_all.fits(limits::UNPROVEN_UPLOADS_MAX, at_least(limits::UNPROVEN_BYTES_MAX))
            && of_peer.fits(
                limits::UNPROVEN_UPLOADS_OF_PEER_MAX,
                at_least(limits::UNPROVEN_BYTES_OF_PEER_MAX),
            );
        if fits {
            held.in_all = in_all;
            held.by_peer.insert(peer, of_peer);
            show(in_all);
        }
        fits
    }

    fn give_back(&self, peer: Peer, bytes: u64) {
        let mut held = self.0.held.lock();
        let UploadShare { uploads, bytes: all } = held.in_all;
        held.in_all = UploadShare { uploads: uploads - 1, bytes: all - bytes };
        show(held.in_all);
        if let Some(share) = held.by_peer.get_mut(&peer) {
            *share = UploadShare { uploads: share.uploads - 1, bytes: share.bytes - bytes };
            if share.uploads == 0 {
                held.by_peer.remove(&peer);
            }
        }
    }
}

fn show(in_all: UploadShare) {
    metrics::gauge!("confab_unauthenticated_uploads").set(in_all.uploads as f64);
    metrics::gauge!("confab_unauthenticated_upload_bytes").set(in_all.bytes as f64);
}

/// An upload whose sender is not authenticated yet, counted until it is dropped.
pub struct UnprovenUpload {
    pool: UnprovenUploads,
    peer: Peer,
    bytes: u64,
}

impl UnprovenUpload {
    /// Counts more bytes. Returns false, and counts nothing, if they exceed a limit.
    #[must_use]
    pub fn grow(&mut self, bytes: u64) -> bool {
        let is_taken = self.pool.take(self.peer, UploadShare { uploads: 0, bytes });
        self.bytes += if is_taken { bytes } else { 0 };
        is_taken
    }
}

impl Drop for UnprovenUpload {
    fn drop(&mut self) {
        self.pool.give_back(self.peer, self.bytes);
    }
}

#[cfg(test)]
mod tests {
    use std::net::Ipv4Addr;

    use super::*;

    fn peer(number: u32) -> Peer {
        Peer::of_socket(Ipv4Addr::from(number).into())
    }

    #[test]
    fn uploads_are_limited_per_address_and_in_total() {
        let pool = UnprovenUploads::new(1);
        let of_peer: Vec<_> = std::iter::from_fn(|| pool.begin(peer(0))).collect();
        assert_eq!(of_peer.len(), limits::UNPROVEN_UPLOADS_OF_PEER_MAX);
        let others: Vec<_> = (1..).map_while(|number| pool.begin(peer(number))).collect();
        assert_eq!(others.len() + of_peer.len(), limits::UNPROVEN_UPLOADS_MAX);
        drop((of_peer, others));
        let held = pool.0.held.lock();
        assert_eq!((held.in_all.uploads, held.in_all.bytes, held.by_peer.len()), (0, 0, 0));
    }

    #[test]
    fn bytes_are_counted_on_arrival_and_released_on_drop() {
        let pool = UnprovenUploads::new(1);
        let mut one = pool.begin(peer(1)).expect("there is room");
        assert!(one.grow(limits::UNPROVEN_BYTES_OF_PEER_MAX));
        assert!(!one.grow(1));
        let mut other = pool.begin(peer(1)).expect("there is room");
        assert!(!other.grow(1), "both uploads are of one address");
        assert!(pool.begin(peer(2)).expect("there is room").grow(1));
        drop(one);
        assert!(other.grow(1));
    }

    #[test]
    fn the_largest_accepted_file_fits() {
        let file = 4 * limits::UNPROVEN_BYTES_MAX;
        let pool = UnprovenUploads::new(file);
        assert!(pool.begin(peer(1)).expect("there is room").grow(file));
    }
}
