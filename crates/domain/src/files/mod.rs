//! Uploaded files and upload quotas.

pub mod removing;
pub mod stored_file;
pub mod upload_facts;
pub mod uploading;
