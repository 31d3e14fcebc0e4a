//! Channels, and rooms of their customers.

use confab_domain::agents::role::Role;
use confab_domain::channels::connecting::{ChangeChannel, ChannelInput, DisconnectChannel};
use confab_domain::ids::{ChannelId, RoomId};
use confab_domain::people::user::Realm;
use confab_domain::support::settings::Settings;

use crate::world::{World, everywhere, user_id};

async fn rename(world: &World, channel: ChannelId, name: &str) {
    let wanted = ChannelInput { name: Some(name.to_owned()), ..ChannelInput::default() };
    world.decide(ChangeChannel { channel, wanted }).await.expect("renamed");
}

async fn disconnect(world: &World, channel: ChannelId) {
    world.decide(DisconnectChannel { channel }).await.expect("disconnected");
}

pub async fn channels_are_listed_in_the_order_of_creation_without_deleted_ones(world: &World) {
    let sms = world.connect("sms").await;
    let mail = world.connect("mail").await;
    let fax = world.connect("fax").await;
    let other = world.another_app("other").await;
    let theirs = other.connect("theirs").await;
    world.stamps.advance_seconds(60);
    rename(world, mail.id, "e-mail").await;
    disconnect(world, fax.id).await;
    everywhere(world, async |world| {
        let found = world.store.channels(world.app).await.expect("read");
        assert_eq!(found.len(), 2);
        assert!(found[0] == sms, "unchanged, with its key");
        assert_eq!((found[1].id, found[1].name.as_str()), (mail.id, "e-mail"));
        assert_eq!(found[1].identifier_key, mail.identifier_key);
        assert_eq!(found[1].created_at, mail.created_at);
        assert!(found[1].updated_at > mail.updated_at);
        assert!(world.store.channels(other.app).await.expect("read") == [theirs.clone()]);
    })
    .await;
}

pub async fn a_room_resolves_to_its_customer_and_channel(world: &World) {
    let sms = world.connect("sms").await;
    let mail = world.connect("mail").await;
    let by_sms = world.customer(&sms, "cid").await;
    let by_mail = world.customer(&mail, "cid").await;
    world.register(&["cid"]).await;
    world.open_group("no customer's", &["cid"]).await;
    let other = world.another_app("other").await;
    everywhere(world, async |world| {
        for (room, channel) in [(&by_sms, &sms), (&by_mail, &mail)] {
            let found = world.store.customer_of_room(world.app, room.room).await.expect("read");
            let (customer, from) = found.expect("the room has a customer");
            assert_eq!((customer.key, customer.user_id), (room.customer, user_id("cid")));
            assert_eq!(customer.realm, Realm::Channel(channel.id));
            assert!(from == *channel);
            let found = world.store.customer_of_room(other.app, room.room).await.expect("read");
            assert!(found.is_none(), "the room is not in the other app");
        }
        let group = world.room("no customer's").await.id;
        for room in [group, RoomId(1)] {
            let found = world.store.customer_of_room(world.app, room).await.expect("read");
            assert!(found.is_none());
        }
    })
    .await;
}

pub async fn the_newest_room_of_a_customer_in_a_channel_is_found(world: &World) {
    let admin = world.create_agent("admin", Role::Admin).await;
    let (sms, mail) = (world.connect("sms").await, world.connect("mail").await);
    world.set(Settings::IS_SESSIONAL, "true").await;
    let old = world.customer(&sms, "cid").await;
    let of = async |world: &World, channel: ChannelId, customer: &str| {
        let customer = user_id(customer);
        world.store.room_of_customer(world.app, channel, &customer).await.expect("read")
    };
    assert_eq!(of(world, sms.id, "cid").await, Some(old.clone()));
    world.resolve(old.room, &admin).await;
    world.stamps.advance_seconds(60);
    let new = world.customer(&sms, "cid").await;
    assert_ne!(new.room, old.room, "the customer has a new room");
    let other = world.another_app("other").await;
    let world = everywhere(world, async |world| {
        assert_eq!(of(world, sms.id, "cid").await, Some(new.clone()));
        assert_eq!(
            of(world, mail.id, "cid").await,
            None,
            "the customer has no room in this channel"
        );
        assert_eq!(of(world, sms.id, "dan").await, None, "dan has no room");
        let cid = user_id("cid");
        let theirs = world.store.room_of_customer(other.app, sms.id, &cid).await;
        assert_eq!(theirs.expect("read"), None);
    })
    .await;
    disconnect(&world, sms.id).await;
    assert_eq!(of(&world, sms.id, "cid").await, Some(new), "rooms outlive their channel");
}
