//! Support of an app: divisions, canned replies, automatic replies, contacts and all sessions.

use confab_domain::agents::dividing::{PutDivision, RemoveDivision, SetDefaultDivision};
use confab_domain::agents::division::Division;
use confab_domain::agents::page_settings::PageSettings;
use confab_domain::agents::role::Role;
use confab_domain::agents::staffing::AgentEdit;
use confab_domain::ids::{AgentId, ID_END, NoteId, SessionId, UserKey};
use confab_domain::json_text::JsonText;
use confab_domain::messages::unique_id::UniqueId;
use confab_domain::support::annotations::note::NoteRef;
use confab_domain::support::annotations::noting::{PutNote, RemoveNote};
use confab_domain::support::automation::auto_reply::AutoReplies;
use confab_domain::support::automation::auto_replying::{SetChannelReplies, SetOffice};
use confab_domain::support::automation::canning::{
    CannedReplyInput, PutCannedReply, RemoveCannedReply,
};
use confab_domain::support::automation::office_hours::{OfficeHours, OpenStretch};
use confab_domain::support::contacts::customer_info::SetCustomerProperty;

use crate::world::{World, everywhere};

async fn division(world: &World, name: &str) -> Division {
    let rule = PutDivision { division: None, name: name.to_owned() };
    world.decide(rule).await.expect("created")
}

pub async fn divisions_and_their_members_are_stored_per_app(world: &World) {
    let other = world.another_app("other").await;
    let (sales, care) = (division(world, "Sales").await, division(world, "Care").await);
    let night = division(world, "Night").await;
    let theirs = division(&other, "Sales").await;
    let ana = world.create_agent("ana", Role::Agent).await;
    let bob = world.create_agent("bob", Role::Agent).await;
    let cat = world.create_agent("cat", Role::Agent).await;
    let divisions = Some(vec![care.id, night.id]);
    world.change_agent(&bob, AgentEdit { divisions, ..AgentEdit::default() }).await;
    world.decide(SetDefaultDivision { division: care.id }).await.expect("set");
    let renamed = PutDivision { division: Some(sales.id), name: "Orders".to_owned() };
    world.decide(renamed).await.expect("renamed");
    world.decide(RemoveDivision { division: night.id }).await.expect("removed");
    world.delete_agent(&cat).await;
    let refused = world.decide(RemoveDivision { division: theirs.id }).await;
    assert!(refused.is_err(), "it belongs to another app");
    everywhere(world, async |world| {
        let found = world.store.divisions(world.app).await.expect("read");
        let shown: Vec<_> = found.all.iter().map(|it| (it.name.as_str(), it.is_default)).collect();
        assert_eq!(shown, [("Orders", false), ("Care", true)]);
        assert_eq!(found.all[0].created_at, sales.created_at);
        let mut members = found.members.clone();
        members.sort();
        assert_eq!(members, [(ana.user.id, sales.id), (bob.user.id, care.id)]);
        let own = other.store.divisions(other.app).await.expect("read");
        assert_eq!((own.all.as_slice(), own.members.len()), (&[theirs.clone()][..], 0));
    })
    .await;
}

fn wanted(shortcut: &str, is_shared: bool) -> CannedReplyInput {
    let text = format!("The text of {shortcut}");
    CannedReplyInput { shortcut: shortcut.to_owned(), text, language: "en".to_owned(), is_shared }
}

pub async fn canned_replies_are_shared_or_visible_to_their_owner_only(world: &World) {
    let other = world.another_app("other").await;
    let ana = world.create_agent("ana", Role::Agent).await.user;
    let bob = world.create_agent("bob", Role::Agent).await;
    let put = |wanted, by| PutCannedReply { reply: None, wanted, by };
    let shared = world.decide(put(wanted("hi", true), None)).await.expect("shared");
    let own = world.decide(put(wanted("bye", false), Some(ana.clone()))).await.expect("stored");
    let gone = world.decide(put(wanted("gone", true), None)).await.expect("shared");
    let of_bob = put(wanted("bye", false), Some(bob.user.clone()));
    world.decide(of_bob).await.expect("another agent may use the same shortcut");
    other.decide(put(wanted("theirs", true), None)).await.expect("stored");
    world.decide(RemoveCannedReply { reply: gone.id, by: None }).await.expect("removed");
    let change = PutCannedReply {
        reply: Some(own.id),
        wanted: wanted("ciao", false),
        by: Some(ana.clone()),
    };
    let own = world.decide(change).await.expect("changed");
    let taken = put(wanted("HI", false), Some(ana.clone()));
    assert!(world.decide(taken).await.is_err(), "the shortcut is in use");
    world.delete_agent(&bob).await;
    everywhere(world, async |world| {
        let seen = async |of| world.store.canned_replies(world.app, of).await.expect("read");
        assert_eq!(seen(Some(ana.id)).await, [shared.clone(), own.clone()]);
        for of in [None, Some(AgentId(7)), Some(bob.user.id)] {
            let seen: Vec<_> = seen(of).await.iter().map(|it| it.id).collect();
            assert_eq!(seen, [shared.id], "a deleted agent has no own replies");
        }
    })
    .await;
}

pub async fn automatic_replies_of_a_channel_override_those_of_the_app(world: &World) {
    let other = world.another_app("other").await;
    let (sms, mail) = (world.connect("sms").await, world.connect("mail").await);
    let text = |text: &str| Some(text.to_owned());
    let of_app = AutoReplies {
        online_text: text("Welcome"),
        is_online_if_resolved: Some(true),
        ..AutoReplies::default()
    };
    let stretch = OpenStretch::parse(1, "09:00", "17:00").expect("a stretch");
    let hours = OfficeHours::new("hours", vec![stretch]).expect("hours");
    let set = SetOffice {
        timezone: text("Asia/Jakarta"),
        hours: Some(hours),
        auto_replies: of_app.clone(),
    };
    world.decide(set).await.expect("set");
    let later = AutoReplies { offline_text: text("Closed"), ..AutoReplies::default() };
    let set = SetOffice { auto_replies: later, ..SetOffice::default() };
    world.decide(set).await.expect("set");
    let own = AutoReplies { online_text: text("By SMS"), ..AutoReplies::default() };
    let set = SetChannelReplies { channel: sms.id, auto_replies: own.clone() };
    world.decide(set).await.expect("set");
    let foreign = SetChannelReplies { channel: sms.id, auto_replies: own };
    assert!(other.decide(foreign).await.is_err(), "the channel belongs to another app");
    let room = world.customer(&sms, "one").await.room;
    everywhere(world, async |world| {
        let found = world.store.auto_replies(world.app).await.expect("read");
        assert_eq!(found.of_app, AutoReplies { offline_text: text("Closed"), ..of_app.clone() });
        let sms = found.of(sms.id);
        assert_eq!((sms.online_text, sms.offline_text), (text("By SMS"), text("Closed")));
        assert_eq!(found.of(mail.id), found.of_app);
        let theirs = other.store.auto_replies(other.app).await.expect("read");
        assert_eq!(theirs, Default::default());
        assert_eq!(
            world.texts(&room.to_string(), 1, 10).await,
            ["By SMS", "hello"],
            "the automatic reply was posted"
        );
        let settings = world.store.settings(world.app).await.expect("read");
        assert_eq!(settings.office_hours().stretches(), [stretch]);
    })
    .await;
}

pub async fn the_rooms_and_properties_of_a_customer_are_found_in_their_app(world: &World) {
    let other = world.another_app("other").await;
    let (sms, mail) = (world.connect("sms").await, world.connect("mail").await);
    let theirs = other.connect("sms").await;
    let one = world.customer(&sms, "one").await;
    let same_name = world.customer(&mail, "one").await;
    let foreign = other.customer(&theirs, "one").await;
    for (label, value) in [("City", "Yogyakarta"), ("Tier", "Gold"), ("City", "Solo")] {
        let (label, value) = (label.to_owned(), value.to_owned());
        let rule = SetCustomerProperty { customer: one.customer, label, value };
        world.decide(rule).await.expect("set");
    }
    everywhere(world, async |world| {
        let rooms = async |contact: UserKey| {
            world.store.rooms_of_contact(world.app, contact, 10).await.expect("read")
        };
        assert_eq!(rooms(one.customer).await, [one.room]);
        assert_eq!(rooms(same_name.customer).await, [same_name.room]);
        assert_eq!(rooms(foreign.customer).await, [], "it belongs to another app");
        let known = world.store.properties_of(one.customer).await.expect("read");
        let known: Vec<_> = known.iter().map(|it| (&*it.label, &*it.value)).collect();
        assert_eq!(known, [("City", "Solo"), ("Tier", "Gold")]);
    })
    .await;
}

pub async fn all_sessions_of_an_app_are_listed_in_the_order_of_ids(world: &World) {
    let other = world.another_app("other").await;
    let (sms, theirs) = (world.connect("sms").await, other.connect("sms").await);
    let ada = world.create_agent("ada", Role::Admin).await;
    let one = world.customer(&sms, "one").await;
    let foreign = other.customer(&theirs, "foreign").await;
    world.resolve(one.room, &ada).await;
    let two = world.customer(&sms, "two").await;
    world.customer_posts(&one, "one", "me again").await;
    everywhere(world, async |world| {
        let listed = async |after, size| {
            let found = world.store.sessions_of_app(world.app, None, after, size).await;
            found.expect("read")
        };
        let all = listed(SessionId(0), 10).await;
        let rooms: Vec<_> = all.iter().map(|it| it.session.room).collect();
        assert_eq!(rooms, [one.room, two.room, one.room]);
        assert_eq!((all[0].channel, all[0].customer.as_str()), (sms.id, "one"));
        assert_eq!(all[0].customer_name, "The customer one");
        let ends: Vec<_> = all.iter().map(|it| it.session.resolved_at.is_some()).collect();
        assert_eq!(ends, [true, false, false]);
        let rest = listed(all[0].session.id, 1).await;
        assert_eq!((rest.len(), rest[0].session.id), (1, all[1].session.id));
        let of_room = async |room, after, size| {
            let found = world.store.sessions_of_app(world.app, Some(room), after, size).await;
            found.expect("read").iter().map(|it| it.session.id).collect::<Vec<_>>()
        };
        let (first, last) = (all[0].session.id, all[2].session.id);
        assert_eq!(of_room(one.room, SessionId(0), 10).await, [first, last]);
        assert_eq!(of_room(one.room, SessionId(0), 1).await, [first]);
        assert_eq!(of_room(one.room, first, 10).await, [last]);
        assert_eq!(of_room(foreign.room, SessionId(0), 10).await, [], "it belongs to another app");
    })
    .await;
}

pub async fn notes_of_a_room_are_listed_newest_first(world: &World) {
    let channel = world.connect("sms").await;
    let (ann, eve) =
        (world.customer(&channel, "ann").await.room, world.customer(&channel, "eve").await.room);
    let by = world.create_agent("ana", Role::Admin).await.user;
    let put = |room, note: Option<NoteId>, text: &str| {
        let note = note.map_or(NoteRef::New, NoteRef::Id);
        PutNote { room, note, text: text.into(), by: by.clone() }
    };
    let mut made = Vec::new();
    for (room, text) in [(ann, "first"), (ann, "second"), (ann, "third"), (eve, "other")] {
        made.push(world.decide(put(room, None, text)).await.expect("recorded"));
    }
    world.decide(put(ann, Some(made[0].id), "First")).await.expect("changed");
    let gone = RemoveNote { room: ann, note: made[1].id, by: by.clone() };
    world.decide(gone).await.expect("removed");
    let elsewhere = RemoveNote { room: eve, note: made[0].id, by: by.clone() };
    assert!(world.decide(elsewhere).await.is_err(), "the note belongs to another room");
    everywhere(world, async |world| {
        let texts = async |before, size| {
            let found = world.store.notes(ann, before, size).await.expect("read");
            found.into_iter().map(|note| (note.text, note.by_name)).collect::<Vec<_>>()
        };
        let named = |text: &str| (text.to_owned(), by.name.clone());
        assert_eq!(texts(NoteId(ID_END), 9).await, [named("third"), named("First")]);
        assert_eq!(texts(NoteId(ID_END), 1).await, [named("third")]);
        assert_eq!(texts(made[2].id, 9).await, [named("First")]);
        let first = world.store.note(ann, made[0].id).await.expect("read").expect("it exists");
        assert_eq!((first.created_at, first.by), (made[0].created_at, by.id));
        assert_eq!(world.store.note(eve, made[0].id).await.expect("read"), None);
    })
    .await;
}

pub async fn a_note_with_a_repeated_unique_id_is_stored_once_per_room(world: &World) {
    let channel = world.connect("sms").await;
    let (ann, eve) =
        (world.customer(&channel, "ann").await.room, world.customer(&channel, "eve").await.room);
    let by = world.create_agent("ana", Role::Admin).await.user;
    let put = |room, text: &str| {
        let note = NoteRef::UniqueId(UniqueId::from_stored("made-by-the-page".to_owned()));
        PutNote { room, note, text: text.into(), by: by.clone() }
    };
    let first = world.decide(put(ann, "called")).await.expect("recorded");
    let again = world.decide(put(ann, "called")).await.expect("the repeated note succeeds");
    assert_eq!(first.id, again.id);
    let elsewhere = world.decide(put(eve, "called")).await.expect("recorded");
    assert_ne!(first.id, elsewhere.id);
    everywhere(world, async |world| {
        for room in [ann, eve] {
            let found = world.store.notes(room, NoteId(ID_END), 9).await.expect("read");
            assert_eq!(found.len(), 1);
        }
    })
    .await;
}

pub async fn page_settings_of_an_agent_are_stored_until_the_agent_is_deleted(world: &World) {
    let (ana, bob) = (
        world.create_agent("ana", Role::Agent).await,
        world.create_agent("bob", Role::Agent).await,
    );
    let language = |word: &str| Some(Some(word.to_owned()));
    let preferences = Some(JsonText::from_checked(r#"{"a":1.50}"#));
    let edit = AgentEdit { language: language("id"), ..AgentEdit::default() };
    world.change_agent(&ana, edit).await;
    let edit = AgentEdit { preferences: preferences.clone(), ..AgentEdit::default() };
    world.change_agent(&ana, edit).await;
    let edit = AgentEdit { language: language("en"), ..AgentEdit::default() };
    world.change_agent(&bob, edit).await;
    let edit = AgentEdit { language: Some(None), ..AgentEdit::default() };
    world.change_agent(&bob, edit).await;
    let world = &everywhere(world, async |world| {
        let of = async |id| world.store.page_settings(id).await.expect("read");
        let expected =
            PageSettings { language: Some("id".to_owned()), preferences: preferences.clone() };
        assert_eq!(of(ana.user.id).await, expected);
        assert_eq!(of(bob.user.id).await, PageSettings::default());
    })
    .await;
    world.delete_agent(&ana).await;
    let left = world.store.page_settings(ana.user.id).await.expect("read");
    assert_eq!(left, PageSettings::default());
}
