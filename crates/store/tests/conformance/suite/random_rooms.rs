//! Random operations on rooms, compared with the model.

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};

use crate::model::Model;
use crate::world::World;

const CASES: u32 = 24;
const MESSAGES_MAX: usize = 400;

/// An operation on a room.
#[derive(Debug, Clone)]
enum Step {
    Post(usize),
    /// Indexes of messages; deleted and missing ones are skipped.
    Delete(Vec<usize>),
    Reopen,
    Crash,
    WriteBehind,
}

/// A read to compare with the model.
#[derive(Debug, Clone)]
enum ModelRead {
    Page(u64, usize),
    /// Two messages by index, each with an offset to its id.
    Range((usize, i64), (usize, i64), usize),
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let step = prop_oneof![
        6 => (1usize..80).prop_map(Step::Post),
        4 => vec(0..MESSAGES_MAX, 1..20).prop_map(Step::Delete),
        1 => Just(Step::Reopen),
        1 => Just(Step::Crash),
        1 => Just(Step::WriteBehind),
    ];
    vec(step, 1..14)
}

fn reads() -> impl Strategy<Value = Vec<ModelRead>> {
    let end = || (0..MESSAGES_MAX, -2i64..=2);
    let read = prop_oneof![
        (1u64..30, 1usize..=100).prop_map(|(page, limit)| ModelRead::Page(page, limit)),
        (end(), end(), 1usize..=100).prop_map(|(a, b, limit)| ModelRead::Range(a, b, limit)),
    ];
    vec(read, 20..40)
}

/// Requires a multi-threaded runtime: each case blocks one of its threads.
pub async fn pages_and_ranges_equal_the_model_after_random_posts_and_deletions(world: &World) {
    let runtime = tokio::runtime::Handle::current();
    let config = Config { cases: CASES, failure_persistence: None, ..Config::default() };
    let seeded = TestRng::deterministic_rng(RngAlgorithm::ChaCha);
    let mut runner = TestRunner::new_with_rng(config, seeded);
    let outcome = runner.run(&(steps(), reads()), |(steps, reads)| {
        let case = async { check(&world.another().await, steps, reads).await };
        tokio::task::block_in_place(|| runtime.block_on(case));
        Ok(())
    });
    outcome.unwrap_or_else(|failure| panic!("{failure}"));
}

async fn check(world: &World, steps: Vec<Step>, reads: Vec<ModelRead>) {
    world.register(&["ana"]).await;
    world.open_group("support", &["ana"]).await;
    let (mut world, mut model) = (world.clone(), Model::default());
    for step in steps {
        match step {
            Step::Post(count) => {
                let count = count.min(MESSAGES_MAX - model.len());
                model.extend(world.post_many("support", "ana", count).await);
            }
            Step::Delete(indexes) => delete(&world, &mut model, &indexes).await,
            Step::Reopen => world = world.reopened().await,
            Step::Crash => world = world.crashed().await,
            Step::WriteBehind => world.write_behind_next().await,
        }
        // Pages are also read between the steps: a store may cache them.
        for limit in [20, 5, 100] {
            model.check_page(&world, "support", 1, limit).await;
        }
    }
    compare(&world, &model, &reads).await;
    let crashed = world.crashed().await;
    compare(&crashed, &model, &reads).await;
    compare(&world.reopened().await, &model, &reads).await;
    compare(&crashed.reopened().await, &model, &reads).await;
}

async fn delete(world: &World, model: &mut Model, indexes: &[usize]) {
    for index in indexes {
        if let Some(message) = model.live(*index) {
            world.delete(&[message]).await;
            model.delete(*index);
        }
    }
}

async fn compare(world: &World, model: &Model, reads: &[ModelRead]) {
    model.check_chain(world, "support").await;
    for read in reads {
        match *read {
            ModelRead::Page(page, limit) => model.check_page(world, "support", page, limit).await,
            ModelRead::Range(from, to, limit) => {
                let ids = (model.id_near(from.0, from.1), model.id_near(to.0, to.1));
                model.check_range(world, "support", ids, limit).await;
            }
        }
    }
    for limit in [1, 20, 100] {
        model.check_pages(world, "support", limit).await;
    }
}
