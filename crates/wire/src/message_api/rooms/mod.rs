//! Calls about rooms and their participants (wire facts 3.2).

mod answers;
mod requests;

pub use answers::{
    ChangedRoom, Participants, ParticipantsAdded, ParticipantsRemoved, RoomBox, RoomList,
    RoomShape, RoomUnread, UnreadCounts, UserRoomsMeta, UserRoomsShape, changed_room, one_room,
    participants, participants_added, participants_removed, room_list, user_rooms,
};
pub(crate) use requests::two_users;
pub use requests::{
    ChannelFields, CreateRoomFields, PairFields, ParticipantsFields, RoomAndUsersFields,
    RoomsFields, UnreadFields, UpdateRoomFields, UserRooms, UserRoomsFields, read_channel,
    read_create_room, read_pair, read_participants, read_room_and_users, read_rooms, read_unread,
    read_update,
};
