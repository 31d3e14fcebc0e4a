//! The message API: one file a route, named after the last segment of its path.

use confab_domain::people::user::UserId;
use confab_domain::refusal::Refusal;

pub(super) mod add_room_participants;
pub(super) mod broadcast;
pub(super) mod create_room;
pub(super) mod deactivate_users;
pub(super) mod delete_messages;
pub(super) mod get_or_create_channel;
pub(super) mod get_or_create_room_with_target;
pub(super) mod get_room_participants;
pub(super) mod get_rooms_info;
pub(super) mod get_unread_count;
pub(super) mod get_user_list;
pub(super) mod get_user_rooms;
pub(super) mod get_user_token;
pub(super) mod get_user_unread_count;
pub(super) mod load_comments;
pub(super) mod load_comments_with_range;
pub(super) mod login_or_register;
pub(super) mod post_comment;
pub(super) mod post_system_event_message;
pub(super) mod reactivate_users;
pub(super) mod remove_room_participants;
pub(super) mod reset_user_token;
pub(super) mod update_room;
pub(super) mod user_profile;
pub(super) mod webhook_logs;

fn unknown_user(user: &UserId) -> Refusal {
    Refusal::UsersNotFound(vec![user.as_str().to_owned()])
}

fn counted(count: usize, noun: &str) -> String {
    if count == 1 { format!("1 {noun}") } else { format!("{count} {noun}s") }
}
