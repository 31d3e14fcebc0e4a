//! Requests of the older server API (wire facts 3.9).

use confab_domain::limits;
use confab_domain::messages::message::Draft;
use confab_domain::people::registering::UserInput;
use confab_domain::people::user::{UserId, UserRef};
use confab_domain::refusal::Refusal;
use confab_domain::rooms::opening::RoomInput;
use confab_domain::rooms::room::{RoomKind, RoomRef};
use confab_domain::rooms::updating::RoomEdit;

use crate::body::Body;
use crate::fields::{self, AddressedUsers, Flag, NonEmpty, OlderPost, Short};
use crate::message_api::Page;
use crate::message_api::rooms::two_users;
use crate::request::request;
use crate::sdk_api::searching::Search;

request! {
    /// Body of `POST /login_or_register`.
    pub struct LoginFields as "RestV2LoginOrRegister" {
        /// User id: letters, digits and `. - _ @`.
        email: fields::User, required, example = "ana";
        /// Display name of the user.
        username: NonEmpty<fields::Name>, required, example = "Ana";
        /// New password of the user; unchanged if absent.
        password: NonEmpty<Short<{ limits::PASSWORD_CHARS_MAX }>>, optional;
        /// URL of the user's picture.
        avatar_url: NonEmpty<fields::Picture>, optional;
        /// Metadata of the user, defined by the app.
        extras: fields::Properties, optional;
    }
}

/// Parses the user to create or update.
pub fn read_login(body: &Body<'_>) -> Result<UserInput, Refusal> {
    let LoginFields { email: user_id, username, password, avatar_url, extras } =
        body.read_spelled()?;
    Ok(UserInput { user_id, username, password, avatar_url, extras })
}

request! {
    /// Query of `GET /user_profile`.
    pub struct ProfileFields {
        /// Id of the user whose profile is requested.
        user_email: fields::AddressedUser, required, example = "ana";
    }
}

/// Parses the user whose profile is requested.
pub fn read_profile(query: &Body<'_>) -> Result<UserRef, Refusal> {
    query.read().map(|fields: ProfileFields| fields.user_email)
}

request! {
    /// Body of `POST /reset_user_token`.
    pub struct UserFields as "RestV2User" {
        /// Id of the user whose access token is reset.
        user_email: fields::User, required, example = "ana";
    }
}

/// Parses the id of the user whose access token is reset.
pub fn read_user(body: &Body<'_>) -> Result<UserId, Refusal> {
    body.read_spelled().map(|fields: UserFields| fields.user_email)
}

request! {
    /// Body of `POST /create_room`.
    pub struct NewRoomFields as "RestV2CreateRoom" {
        /// Display name of the room.
        name: NonEmpty<fields::Name>, required, example = "Support";
        /// User ids of the participants, at most 100 per call.
        participants: AddressedUsers<1, { limits::CALL_USERS_MAX }>, required,
            also = "participants[]", example = r#"["ana","bob"]"#;
        /// User id of the creator; must exist. The creator is not added as a participant.
        creator: NonEmpty<fields::AddressedUser>, optional;
        /// URL of the room's picture.
        avatar_url: NonEmpty<fields::Picture>, optional;
        /// Free text to store with the room, usually JSON.
        options: NonEmpty<fields::Options>, optional;
    }
}

/// Parses a request to create a group room.
pub fn read_new_room(body: &Body<'_>) -> Result<RoomInput, Refusal> {
    let NewRoomFields { name, participants, creator, avatar_url, options } = body.read_spelled()?;
    Ok(RoomInput {
        unique_id: None,
        creator,
        name,
        avatar_url: avatar_url.unwrap_or_default(),
        options: options.unwrap_or_default(),
        participants,
    })
}

request! {
    /// Body of `POST /update_room`.
    pub struct ChangeRoomFields as "RestV2UpdateRoom" {
        /// Room id or room unique id.
        room_id: fields::Room, required, example = "first";
        /// User id of the participant for whom the response shows the room.
        user_email: NonEmpty<fields::AddressedUser>, optional;
        /// New display name; unchanged if absent.
        room_name: NonEmpty<fields::Name>, optional;
        /// New URL of the room's picture; unchanged if absent.
        room_avatar_url: NonEmpty<fields::Picture>, optional;
        /// New free text to store with the room; unchanged if absent.
        options: NonEmpty<fields::Options>, optional;
    }
}

/// Parses a room, the changes to make to it, and the user for whom the response shows it.
pub fn read_change_room(body: &Body<'_>) -> Result<(RoomRef, RoomEdit, Option<UserRef>), Refusal> {
    let fields: ChangeRoomFields = body.read_spelled()?;
    let (name, avatar_url) = (fields.room_name, fields.room_avatar_url);
    let edit = RoomEdit { name, avatar_url, options: fields.options };
    Ok((fields.room_id, edit, fields.user_email))
}

request! {
    /// Body or query of `GET` and `POST /get_or_create_room_with_target`.
    pub struct PairFields as "RestV2RoomWithTarget" {
        /// User ids of the two participants. The response shows the room for the first one.
        emails: AddressedUsers<2, 2>, required, also = "emails[]", example = r#"["ana","bob"]"#;
        /// Free text to store with the room, usually JSON; ignored if the room exists.
        options: NonEmpty<fields::Options>, optional;
    }
}

/// Parses two users and the options of their single room. The response shows the room for the first
/// user.
pub fn read_pair(body: &Body<'_>) -> Result<([UserRef; 2], String), Refusal> {
    body.read_spelled_then(|fields: PairFields, reading| {
        let users = two_users(reading, "emails", fields.emails)?;
        Some((users, fields.options.unwrap_or_default()))
    })
}

request! {
    /// Body of `POST /add_room_participants` and `POST /remove_room_participants`.
    pub struct RoomAndPeopleFields as "RestV2RoomAndUsers" {
        /// Room id or room unique id.
        room_id: fields::Room, required, example = "first";
        /// Ids of the users to add or remove, at most 100.
        emails: AddressedUsers<1, { limits::CALL_USERS_MAX }>, required, also = "emails[]",
            example = r#"["bob"]"#;
    }
}

/// Parses a room and the users to add or remove.
pub fn read_room_and_people(body: &Body<'_>) -> Result<(RoomRef, Vec<UserRef>), Refusal> {
    let RoomAndPeopleFields { room_id, emails } = body.read_spelled()?;
    Ok((room_id, emails))
}

request! {
    /// Query of `GET /get_user_rooms`.
    pub struct RoomPagesFields {
        /// Id of the user whose rooms are listed.
        user_email: fields::AddressedUser, required, example = "ana";
        /// Page number, from 1. The first page has the rooms with the latest messages.
        page: fields::PageNumber, or 1;
        /// Rooms per page, default 20, at most 100.
        limit: fields::PageSize, or limits::PAGE_DEFAULT;
        /// Whether to include the participants of each room; default false.
        show_participants: Flag, or false;
        /// Kind of rooms to return: `single`, `group` or `channel`; all kinds if absent.
        room_type: fields::RoomKind, optional;
    }
}

/// A request for one page of a user's rooms.
#[derive(Debug)]
pub struct RoomsOfUser {
    pub user: UserRef,
    pub page: Page,
    /// Kind of rooms to return; all kinds if absent.
    pub kind: Option<RoomKind>,
    /// Whether to include the participants of each room.
    pub shows_participants: bool,
}

impl RoomsOfUser {
    /// Parses the query.
    pub fn read(query: &Body<'_>) -> Result<Self, Refusal> {
        let fields: RoomPagesFields = query.read_spelled()?;
        Ok(Self {
            user: fields.user_email,
            page: Page { number: fields.page, size: fields.limit },
            kind: fields.room_type,
            shows_participants: fields.show_participants,
        })
    }
}

request! {
    /// Body of `POST /get_rooms_info`.
    pub struct RoomInfosFields as "RestV2RoomsInfo" {
        /// Rooms by id or unique id, at most 100.
        room_id: fields::Rooms<1>, required, also = "room_id[]", example = r#"["first"]"#;
        /// User id of the user whose unread messages are counted.
        user_email: NonEmpty<fields::AddressedUser>, optional;
        /// Whether to include the participants of each room; default false.
        show_participants: NonEmpty<Flag>, optional;
    }
}

/// A request for a list of rooms, as seen by a user.
#[derive(Debug)]
pub struct RoomInfos {
    /// Rooms to return, 1 to 100.
    pub rooms: Vec<RoomRef>,
    /// The user whose unread messages are counted.
    pub user: Option<UserRef>,
    /// Whether to include the participants of each room.
    pub shows_participants: bool,
}

impl RoomInfos {
    /// Parses the body.
    pub fn read(body: &Body<'_>) -> Result<Self, Refusal> {
        let RoomInfosFields { room_id: rooms, user_email: user, show_participants } =
            body.read_spelled()?;
        Ok(Self { rooms, user, shows_participants: show_participants.unwrap_or(false) })
    }
}

request! {
    /// Body of `POST /post_comment`.
    pub struct PostFields as "RestV2PostComment" {
        /// User id of the sender.
        sender_email: fields::User, required, example = "ana";
        /// Room id or room unique id.
        room_id: fields::Room, required, example = "first";
        post: OlderPost, group;
    }
    unread {
        /// Accepted and ignored: Confab creates no link previews.
        disable_link_preview: Flag, optional;
    }
}

/// Parses a message and its room. `key` becomes the unique id if the body has none.
pub fn read_post(body: &Body<'_>, key: Option<&str>) -> Result<(RoomRef, Draft), Refusal> {
    let PostFields { sender_email, room_id, post } = body.read_keyed(key)?;
    Ok((room_id, post.0.draft(sender_email)))
}

request! {
    /// Body of `POST /search_messages`.
    pub struct FoundInFields as "RestV2SearchMessages" {
        /// User id of the participant whose rooms are searched.
        user_email: fields::AddressedUser, required, example = "ana";
    }
    unread {
        /// Part of the text to find; case-insensitive.
        query: Short<{ limits::SEARCH_CHARS_MAX }>, required, example = "invoice";
        /// Room id or room unique id, to search only this room.
        room_id: NonEmpty<fields::Room>, optional;
    }
}

/// A search in the rooms of a user.
#[derive(Debug)]
pub struct FoundIn {
    /// The user whose rooms are searched.
    pub user: UserRef,
    pub search: Search,
}

impl FoundIn {
    /// Parses the body.
    pub fn read(body: &Body<'_>) -> Result<Self, Refusal> {
        let FoundInFields { user_email: user } = body.read_spelled()?;
        Ok(Self { user, search: Search::read(body)? })
    }
}
