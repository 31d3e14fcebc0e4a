//! Ranges: the messages between two ids, whether or not messages have those ids.

use confab_domain::ids::MessageId;

use crate::model::Model;
use crate::world::reading::texts;
use crate::world::{World, room_ref};

pub async fn a_range_contains_both_end_messages_and_all_between_them(world: &World) {
    world.register(&["ana"]).await;
    world.open_group("support", &["ana"]).await;
    let (one, two) =
        (world.post("support", "ana", "one").await, world.post("support", "ana", "two").await);
    let (a, b) = (one.id.0, two.id.0);
    let range = async |from, to| texts(&world.range("support", from, to, 100).await);
    assert_eq!(range(a, b).await, ["two", "one"]);
    assert_eq!(range(a, a).await, ["one"]);
    assert_eq!(range(a + 1, b).await, ["two"]);
    assert_eq!(range(a, b - 1).await, ["one"]);
    assert_eq!(range(i64::MIN, i64::MAX).await, ["two", "one"]);
    for nothing in [(a + 1, b - 1), (b, a), (b + 1, i64::MAX), (0, a - 1), (i64::MAX, i64::MIN)] {
        assert!(range(nothing.0, nothing.1).await.is_empty(), "{nothing:?}");
    }
    assert_eq!(
        texts(&world.range("support", a, b, 1).await),
        ["two"],
        "the newest message of the range"
    );
    world.delete(&[&two]).await;
    assert_eq!(
        texts(&world.range("support", a, b, 1).await),
        ["one"],
        "deleted messages do not count toward the limit"
    );
}

pub async fn a_range_of_an_empty_room_is_empty_and_of_an_unknown_room_is_none(world: &World) {
    world.open_group("empty", &[]).await;
    assert!(world.range("empty", 0, i64::MAX, 100).await.is_empty());
    let ids = (MessageId(0), MessageId(i64::MAX));
    let no_room = world.store.range(world.app, &room_ref("nowhere"), ids, 100).await;
    assert_eq!(no_room.expect("read"), None);
}

/// Ids of two rooms alternate, so each room is queried with ids that belong to the other.
pub async fn ranges_equal_the_model_across_rows_in_memory_on_disk_and_after_a_crash(world: &World) {
    world.register(&["ana"]).await;
    world.open_group("support", &["ana"]).await;
    world.open_group("other", &["ana"]).await;
    let mut model = Model::default();
    for _ in 0..5 {
        model.extend(world.post_many("support", "ana", 41).await);
        world.post_many("other", "ana", 41).await;
    }
    for index in [0, 62, 63, 64, 65, 127, 128, 204] {
        world.delete(&[model.live(index).expect("not deleted yet")]).await;
        model.delete(index);
    }
    let crashed = world.crashed().await;
    check_ranges(&model, world).await;
    check_ranges(&model, &crashed).await;
    let world = world.reopened().await;
    check_ranges(&model, &world).await;
    // The last row is read into memory, the others stay on disk.
    model.extend(world.post_many("support", "ana", 1).await);
    check_ranges(&model, &world).await;
    model.extend(world.post_many("support", "ana", 100).await);
    check_ranges(&model, &world).await;
    check_ranges(&model, &world.reopened().await).await;
}

async fn check_ranges(model: &Model, world: &World) {
    let edges: Vec<usize> =
        (0..model.len()).filter(|index| matches!(index % 64, 0 | 1 | 31 | 62 | 63)).collect();
    for from in &edges {
        for to in &edges {
            for (before, after) in [(0, 0), (-1, 1), (1, -1), (-1_000_000, 1_000_000)] {
                let ids = (model.id_near(*from, before), model.id_near(*to, after));
                model.check_range(world, "support", ids, 100).await;
                model.check_range(world, "support", ids, 3).await;
            }
        }
    }
}
