//! Parts of reads that both engines share: pages, lists, queues and caches.

pub(super) mod fair_queue;
pub(super) mod first_page;
pub(super) mod listing;
pub(super) mod pages;
pub(super) mod read_queues;
pub(super) mod room_names;
