//! The four endpoints of spec 4.1, broadcasts and ranges: formats and guarantees (spec 2.1 to 2.4,
//! spec 8).

mod broadcast;
mod delete_messages;
mod encodings;
mod kept_json;
mod load_comments;
mod load_comments_with_range;
mod message_types;
mod payload_checks;
mod post_comment;
mod post_system_event_message;
mod replies;
mod sending_rights;
mod unique_ids;
