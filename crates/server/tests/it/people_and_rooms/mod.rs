//! Users, rooms and participants (wire facts 3.1 and 3.2).

mod activity;
mod channels;
mod customers_by_name;
mod participants;
mod reply_times;
mod room_lists;
mod room_names;
mod rooms;
mod single_rooms;
mod tokens;
mod unread;
mod user_lists;
mod users;
