//! Maps changes to the statements that write them. Frequent changes (new messages, new deliveries
//! and progress of deliveries) are written by each engine in its own way.

use confab_domain::decision::change::{
    AgentChange, Change, ChannelChange, FileChange, MessageChange, RoomChange, SearchChange,
    SupportChange, UserChange, WebhookChange,
};
use confab_domain::ids::AppId;

use super::{
    agents, analytics_quarters, apps, audit, auto_replies, blocks, buttons, canned_replies,
    channel_accounts, channel_messages, channel_states, channels, customer_identities,
    customer_info, customer_rooms, devices, direct_sends, divisions, endpoints, files,
    hidden_messages, message_states, messages, nonces, notes, page_settings, participants,
    presences, room_agents, room_events, rooms, search, seen_marks, sessions, settings,
    sign_in_codes, sign_ins, tags, trail, user_grams, users,
};
use crate::secrets::sealer::Sealer;
use crate::sql::Ask;

/// Returns the statements that write a change, in order. Returns none for a frequent change, which
/// the engine writes itself.
pub(crate) fn writes(app: AppId, change: &Change, sealer: &Sealer) -> Vec<Ask> {
    match change {
        Change::Message(change) => message(change),
        Change::Room(change) => room(change),
        Change::User(change) => user(app, change, sealer),
        Change::Agent(change) => agent(app, change),
        Change::Service(change) => service(app, change),
        Change::Channel(change) => channel(change, sealer),
        Change::Webhook(change) => webhook(change),
        Change::File(change) => file(change),
        Change::Search(change) => searched(change),
        Change::App(change) => apps::change(app, change, sealer),
        Change::Audit(entry) => audit::add(app, entry),
        Change::PurgeAuditLog { before } => audit::purge(*before),
    }
}

fn message(change: &MessageChange) -> Vec<Ask> {
    match change {
        MessageChange::Insert { .. } => Vec::new(),
        MessageChange::InsertEvent(event) => {
            let is_row = event.changes_row();
            let touch = is_row.then(|| customer_rooms::touch(event.room));
            room_events::insert(event).into_iter().chain(touch).collect()
        }
        MessageChange::PurgeEvents { before } => room_events::purge(*before),
        MessageChange::Delete { room, number, id } => {
            let gone = messages::delete(*room, *number, *id);
            gone.into_iter().chain([search::remove_message(*room, *id)]).collect()
        }
        MessageChange::Hide { room, user, number } => hidden_messages::hide(*room, *user, *number),
    }
}

fn room(change: &RoomChange) -> Vec<Ask> {
    match change {
        RoomChange::Insert(room) => vec![rooms::insert(room)],
        RoomChange::Update(room) => {
            let touch = room.customer.map(|_| customer_rooms::touch(room.id));
            [rooms::update(room)].into_iter().chain(touch).collect()
        }
        RoomChange::AddParticipant { room, user, read_number, at } => {
            participants::add(*room, *user, *read_number, *at)
        }
        RoomChange::RemoveParticipant { room, user } => participants::remove(*room, *user),
    }
}

fn user(app: AppId, change: &UserChange, sealer: &Sealer) -> Vec<Ask> {
    match change {
        UserChange::Insert(new) => {
            let index = search::put_contact(&new.user).or_else(|| user_grams::put(&new.user));
            [users::insert(new, sealer)].into_iter().chain(index).collect()
        }
        UserChange::Update { user, password_hash } => {
            let update = users::update(user, password_hash.as_deref());
            let index = search::put_contact(user).or_else(|| user_grams::put(user));
            [update].into_iter().chain(index).collect()
        }
        UserChange::SetToken { user, token } => vec![users::set_token(*user, token, sealer)],
        UserChange::Erase { user } => {
            let index = [search::remove_contact(user.key), user_grams::remove(user.key)];
            let asks = [users::erase(user)].into_iter().chain(index);
            let secret = channels::delete_visitor_secret(user);
            let secret = secret.into_iter().chain([customer_identities::delete(user.key)]);
            let devices = devices::remove_all(user.key);
            let properties = customer_info::remove_all(user.key);
            asks.chain(secret).chain(devices).chain(properties).collect()
        }
        UserChange::SetPresence { user, is_online, at, node } => {
            presences::set(*user, *is_online, *at, *node)
        }
        UserChange::EndPresences { node } => presences::end_all(*node),
        UserChange::AddNonce { nonce, until } => nonces::add(app, nonce, *until),
        UserChange::UseNonce { nonce } => nonces::remove(app, nonce),
        UserChange::PurgeNonces { before } => nonces::purge(*before),
        UserChange::PutDevice { user, device, at } => devices::put(*user, device, *at),
        UserChange::RemoveDevice { user, token } => devices::remove(*user, token),
        UserChange::RemoveDevices { user } => devices::remove_all(*user),
        UserChange::Block { user, blocked, at } => blocks::add(*user, *blocked, *at),
        UserChange::Unblock { user, blocked } => blocks::remove(*user, *blocked),
    }
}

fn agent(app: AppId, change: &AgentChange) -> Vec<Ask> {
    match change {
        AgentChange::Put(agent) => agents::put(agent),
        AgentChange::SetPassword { user, hash } => agents::set_password(*user, hash),
        AgentChange::AddSignIn { .. } => sign_ins::add(change),
        AgentChange::RecordSignInUse { hash, at } => sign_ins::see(hash, *at),
        AgentChange::AddSignInCode { hash, user, until } => sign_in_codes::add(hash, *user, *until),
        AgentChange::EndSignIn { hash, .. } => sign_ins::end(hash),
        AgentChange::EndSignIns { user } => sign_ins::end_all(*user),
        AgentChange::SetLanguage { user, language } => {
            page_settings::set_language(*user, language.as_deref())
        }
        AgentChange::SetPreferences { user, preferences } => {
            page_settings::set_preferences(*user, preferences)
        }
        AgentChange::RemovePageSettings { user } => page_settings::remove(*user),
        AgentChange::EndSignInCode { hash } => sign_in_codes::end(hash),
        AgentChange::PutDivision(division) => divisions::put(app, division),
        AgentChange::RemoveDivision { division } => divisions::remove(app, *division),
        AgentChange::SetDivisions { user, divisions } => divisions::set_of(app, *user, divisions),
    }
}

fn service(app: AppId, change: &SupportChange) -> Vec<Ask> {
    match change {
        SupportChange::PutCustomerRoom(customer_room) => customer_rooms::put(customer_room),
        SupportChange::AddAgent { room, agent, at } => room_agents::add(*room, *agent, *at),
        SupportChange::RemoveAgent { room, agent, until_message } => {
            room_agents::remove(*room, *agent, *until_message)
        }
        SupportChange::AddTrail(entry) => trail::add(entry),
        SupportChange::Tally(tally) => analytics_quarters::add(app, tally),
        SupportChange::SetSetting { name, value } => settings::set(app, name, value.as_deref()),
        SupportChange::PutAutoReplies { channel, auto_replies } => {
            auto_replies::put(app, *channel, auto_replies)
        }
        SupportChange::PutButton { button, label } => buttons::put(app, *button, label),
        SupportChange::RemoveButton { button } => buttons::remove(app, *button),
        SupportChange::PutCannedReply(reply) => canned_replies::put(app, reply),
        SupportChange::RemoveCannedReply { reply } => canned_replies::remove(app, *reply),
        SupportChange::RemoveCannedRepliesOf { owner } => canned_replies::remove_of(app, *owner),
        SupportChange::PutNote { note, .. } => notes::put(note),
        SupportChange::RemoveNote { room, note } => notes::remove(*room, *note),
        SupportChange::AddTag { room, tag } => tags::add(app, *room, tag),
        SupportChange::RemoveTag { room, tag } => tags::remove(*room, *tag),
        SupportChange::See { room, agent, number } => seen_marks::see(*room, *agent, *number),
        SupportChange::Unsee { room, agent, number } => seen_marks::unsee(*room, *agent, *number),
        SupportChange::PutInfo { room, info } => customer_info::put_info(*room, info),
        SupportChange::RemoveInfo { room, key } => customer_info::remove_info(*room, key),
        SupportChange::PutProperty { customer, property } => {
            customer_info::put_property(*customer, property)
        }
        SupportChange::RemoveProperty { customer, property } => {
            customer_info::remove_property(*customer, *property)
        }
        SupportChange::EraseRoom { room } => {
            let infos = customer_info::remove_infos(*room);
            let kept = [notes::remove_all(*room), sessions::delete_notes(*room)];
            let named = [channel_messages::delete(*room), message_states::delete(*room)];
            let room = customer_rooms::delete_channel_data(*room);
            infos.into_iter().chain(kept).chain(named).chain([room]).collect()
        }
        SupportChange::ChangeTag(tag) => tags::change(app, tag),
        SupportChange::RemoveTagOfApp { tag, into } => tags::remove_of_app(app, *tag, *into),
    }
}

fn channel(change: &ChannelChange, sealer: &Sealer) -> Vec<Ask> {
    match change {
        ChannelChange::Put(channel) => channels::put(channel, sealer),
        ChannelChange::SetVisitorSecret { channel, user, hash } => {
            channels::set_visitor_secret(*channel, user, hash)
        }
        ChannelChange::SetAccountSetting { channel, name, value } => {
            channel_accounts::set_setting(*channel, name, value.as_deref())
        }
        ChannelChange::SetAccountSecret { channel, name, value } => {
            channel_accounts::set_secret(*channel, name, value.as_deref(), sealer)
        }
        ChannelChange::DeleteSecrets { channel } => channel_accounts::delete_secrets(*channel),
        ChannelChange::SetHealth { channel, health } => {
            channel_states::set_health(*channel, health)
        }
        ChannelChange::SetCursor { channel, cursor } => {
            channel_states::set_cursor(*channel, *cursor)
        }
        ChannelChange::Identify { channel, identity, customer, at } => {
            customer_identities::put(*channel, identity, *customer, *at)
        }
        ChannelChange::AddMessage(message) => channel_messages::add(message),
        ChannelChange::AddState(state) => message_states::add(state),
        ChannelChange::SetState { state, is_again } => message_states::set(state, *is_again),
        ChannelChange::SetDirectSend(sent) => direct_sends::set(sent),
        ChannelChange::PurgeDirectSends { before } => direct_sends::purge(*before),
    }
}

fn webhook(change: &WebhookChange) -> Vec<Ask> {
    match change {
        WebhookChange::PutEndpoint(endpoint) => endpoints::put(endpoint),
        WebhookChange::RemoveEndpoint { endpoint } => endpoints::remove(*endpoint),
        WebhookChange::SetPaused { endpoint, is_paused } => {
            endpoints::set_paused(*endpoint, *is_paused)
        }
        WebhookChange::SetHealth { endpoint, failing, is_enabled } => {
            endpoints::set_health(*endpoint, *failing, *is_enabled)
        }
        WebhookChange::InsertDelivery(_)
        | WebhookChange::RecordAttempt { .. }
        | WebhookChange::Replay { .. } => Vec::new(),
    }
}

fn file(change: &FileChange) -> Vec<Ask> {
    match change {
        FileChange::Add(file) => files::add(file),
        FileChange::Doubt { app, hash } => files::doubt(*app, hash),
        FileChange::Trust { app, hash } => vec![files::trust(*app, hash)],
        FileChange::MarkChecked { app, hash, up_to } => files::check_uploads(*app, hash, *up_to),
        FileChange::Remove { app, hash, size } => files::remove(*app, hash, *size),
        FileChange::CountUpload { app, user, day, bytes } => {
            files::count_upload(*app, *user, *day, *bytes)
        }
        FileChange::PurgeUploads { before_day } => files::purge_uploads(*before_day),
    }
}

fn searched(change: &SearchChange) -> Vec<Ask> {
    match change {
        SearchChange::AddMessage { room, message, words } => {
            search::add_message(*room, *message, words)
        }
        SearchChange::AddContact { contact, app, words } => {
            search::add_contact(*contact, *app, words)
        }
        SearchChange::SetState { state, now } => search::set_state(state, *now),
    }
}
