//! Files: what was uploaded, and what may be.

pub mod removing;
pub mod stored_file;
pub mod upload_facts;
pub mod uploading;
