//! The older server API, `/api/v2/rest` (wire facts 3.9). Its requests identify users by `email`
//! where v2.1 uses `user_id`; its responses have the shapes of the client API.

mod answers;
mod requests;

pub use answers::{
    RoomAndPeople, RoomInfo, RoomInfoList, RoomInfoPage, room_and_people, room_info,
    room_info_list, room_info_page,
};
pub use requests::{
    ChangeRoomFields, FoundIn, FoundInFields, LoginFields, NewRoomFields, PairFields, PostFields,
    ProfileFields, RoomAndPeopleFields, RoomInfos, RoomInfosFields, RoomPagesFields, RoomsOfUser,
    UserFields, read_change_room, read_login, read_new_room, read_pair, read_post, read_profile,
    read_room_and_people, read_user,
};
