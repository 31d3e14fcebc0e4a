//! What callers of the older server API send (wire facts 3.9, D-0094).

use confab_domain::limits;
use confab_domain::messages::message::Draft;
use confab_domain::people::registering::UserInput;
use confab_domain::people::user::{UserId, UserRef};
use confab_domain::refusal::Refusal;
use confab_domain::rooms::opening::RoomInput;
use confab_domain::rooms::room::{RoomKind, RoomRef};
use confab_domain::rooms::updating::RoomEdit;

use crate::body::Body;
use crate::fields::{self, AddressedUsers, Filled, Flag, OlderPost, Short};
use crate::message_api::Page;
use crate::message_api::rooms::two_users;
use crate::request::request;
use crate::sdk_api::searching::Search;

request! {
    /// `POST /login_or_register`
    pub struct LoginFields as "RestV2LoginOrRegister" {
        /// The user id: letters, digits and `. - _ @`.
        email: fields::User, required, example = "ana";
        /// The name for people.
        username: Filled<fields::Name>, required, example = "Ana";
        /// Replaces the old one; a user may have none.
        password: Filled<Short<{ limits::PASSWORD_CHARS_MAX }>>, optional;
        /// A picture.
        avatar_url: Filled<fields::Picture>, optional;
        /// Whatever the app keeps about the user.
        extras: fields::Properties, optional;
    }
}

/// Reads who shall exist.
pub fn read_login(body: &Body<'_>) -> Result<UserInput, Refusal> {
    let LoginFields { email: user_id, username, password, avatar_url, extras } =
        body.read_spelled()?;
    Ok(UserInput { user_id, username, password, avatar_url, extras })
}

request! {
    /// `GET /user_profile`
    pub struct ProfileFields {
        /// The user id.
        user_email: fields::AddressedUser, required, example = "ana";
    }
}

/// Reads whose profile is meant.
pub fn read_profile(query: &Body<'_>) -> Result<UserRef, Refusal> {
    query.read().map(|fields: ProfileFields| fields.user_email)
}

request! {
    /// `POST /reset_user_token`
    pub struct UserFields as "RestV2User" {
        /// The user id.
        user_email: fields::User, required, example = "ana";
    }
}

/// Reads which user is meant.
pub fn read_user(body: &Body<'_>) -> Result<UserId, Refusal> {
    body.read_spelled().map(|fields: UserFields| fields.user_email)
}

request! {
    /// `POST /create_room`
    pub struct NewRoomFields as "RestV2CreateRoom" {
        /// The name for people.
        name: Filled<fields::Name>, required, example = "Support";
        /// User ids of those in it, at most 100 a call.
        participants: AddressedUsers<1, { limits::CALL_USERS_MAX }>, required,
            also = "participants[]", example = r#"["ana","bob"]"#;
        /// A user id. Must exist; is not added as participant by itself.
        creator: Filled<fields::AddressedUser>, optional;
        /// A picture.
        avatar_url: Filled<fields::Picture>, optional;
        /// Free text, usually JSON.
        options: Filled<fields::Options>, optional;
    }
}

/// Reads which group room to open.
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
    /// `POST /update_room`
    pub struct ChangeRoomFields as "RestV2UpdateRoom" {
        /// Room id, or a room unique id.
        room_id: fields::Room, required, example = "first";
        /// For whom the room is shown: a user id.
        user_email: Filled<fields::AddressedUser>, optional;
        /// A new name.
        room_name: Filled<fields::Name>, optional;
        /// A new picture.
        room_avatar_url: Filled<fields::Picture>, optional;
        /// New free text.
        options: Filled<fields::Options>, optional;
    }
}

/// Reads which room changes how, and for whom it is shown.
pub fn read_change_room(body: &Body<'_>) -> Result<(RoomRef, RoomEdit, Option<UserRef>), Refusal> {
    let fields: ChangeRoomFields = body.read_spelled()?;
    let (name, avatar_url) = (fields.room_name, fields.room_avatar_url);
    let edit = RoomEdit { name, avatar_url, options: fields.options };
    Ok((fields.room_id, edit, fields.user_email))
}

request! {
    /// `GET` and `POST /get_or_create_room_with_target`
    pub struct PairFields as "RestV2RoomWithTarget" {
        /// The user ids of two users.
        emails: AddressedUsers<2, 2>, required, also = "emails[]", example = r#"["ana","bob"]"#;
        /// Free text, usually JSON; taken when the room is opened.
        options: Filled<fields::Options>, optional;
    }
}

/// Reads two users, the first of whom is shown the room, and the options of their room.
pub fn read_pair(body: &Body<'_>) -> Result<([UserRef; 2], String), Refusal> {
    body.read_spelled_then(|fields: PairFields, reading| {
        let users = two_users(reading, "emails", fields.emails)?;
        Some((users, fields.options.unwrap_or_default()))
    })
}

request! {
    /// `POST /add_room_participants` and `POST /remove_room_participants`
    pub struct RoomAndPeopleFields as "RestV2RoomAndUsers" {
        /// Room id, or a room unique id.
        room_id: fields::Room, required, example = "first";
        /// User ids, at most 100.
        emails: AddressedUsers<1, { limits::CALL_USERS_MAX }>, required, also = "emails[]",
            example = r#"["bob"]"#;
    }
}

/// Reads a room and users.
pub fn read_room_and_people(body: &Body<'_>) -> Result<(RoomRef, Vec<UserRef>), Refusal> {
    let RoomAndPeopleFields { room_id, emails } = body.read_spelled()?;
    Ok((room_id, emails))
}

request! {
    /// `GET /get_user_rooms`
    pub struct RoomPagesFields {
        /// The user id.
        user_email: fields::AddressedUser, required, example = "ana";
        /// From 1, the rooms last spoken in first.
        page: fields::PageNumber, or 1;
        /// Default 20, at most 100.
        limit: fields::PageSize, or limits::PAGE_DEFAULT;
        /// Also who is in them.
        show_participants: Flag, or false;
        /// `single`, `group` or `channel`.
        room_type: fields::RoomKind, optional;
    }
}

/// A page of a user's rooms.
#[derive(Debug)]
pub struct RoomsOfUser {
    /// Whose.
    pub user: UserRef,
    /// Which page.
    pub page: Page,
    /// Only rooms of this kind.
    pub kind: Option<RoomKind>,
    /// Also who is in them.
    pub shows_participants: bool,
}

impl RoomsOfUser {
    /// Reads the query.
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
    /// `POST /get_rooms_info`
    pub struct RoomInfosFields as "RestV2RoomsInfo" {
        /// Rooms by id or unique id, at most 100.
        room_id: fields::Rooms<1>, required, also = "room_id[]", example = r#"["first"]"#;
        /// Whose unread messages are counted: a user id.
        user_email: Filled<fields::AddressedUser>, optional;
        /// Also who is in them.
        show_participants: Filled<Flag>, optional;
    }
}

/// Which rooms are meant, and who looks at them.
#[derive(Debug)]
pub struct RoomInfos {
    /// At least one, at most 100.
    pub rooms: Vec<RoomRef>,
    /// Whose unread messages are counted.
    pub user: Option<UserRef>,
    /// Also who is in them.
    pub shows_participants: bool,
}

impl RoomInfos {
    /// Reads the body.
    pub fn read(body: &Body<'_>) -> Result<Self, Refusal> {
        let RoomInfosFields { room_id: rooms, user_email: user, show_participants } =
            body.read_spelled()?;
        Ok(Self { rooms, user, shows_participants: show_participants.unwrap_or(false) })
    }
}

request! {
    /// `POST /post_comment`
    pub struct PostFields as "RestV2PostComment" {
        /// The user id of the sender.
        sender_email: fields::User, required, example = "ana";
        /// Room id, or a room unique id.
        room_id: fields::Room, required, example = "first";
        post: OlderPost, group;
    }
    unread {
        /// Taken and not kept: Confab makes no previews of links.
        disable_link_preview: Flag, optional;
    }
}

/// Reads where somebody says what. The `Idempotency-Key` header serves as unique id where the body
/// has none.
pub fn read_post(body: &Body<'_>, key: Option<&str>) -> Result<(RoomRef, Draft), Refusal> {
    let PostFields { sender_email, room_id, post } = body.read_keyed(key)?;
    Ok((room_id, post.0.draft(sender_email)))
}

request! {
    /// `POST /search_messages`
    pub struct FoundInFields as "RestV2SearchMessages" {
        /// In whose rooms: a user id.
        user_email: fields::AddressedUser, required, example = "ana";
    }
    unread {
        /// A part of the text, in any case.
        query: Short<{ limits::SEARCH_CHARS_MAX }>, required, example = "invoice";
        /// Only in this room.
        room_id: Filled<fields::Room>, optional;
    }
}

/// What is searched for, in whose rooms.
#[derive(Debug)]
pub struct FoundIn {
    /// In whose rooms.
    pub user: UserRef,
    /// What.
    pub search: Search,
}

impl FoundIn {
    /// Reads the body.
    pub fn read(body: &Body<'_>) -> Result<Self, Refusal> {
        let FoundInFields { user_email: user } = body.read_spelled()?;
        Ok(Self { user, search: Search::read(body)? })
    }
}
