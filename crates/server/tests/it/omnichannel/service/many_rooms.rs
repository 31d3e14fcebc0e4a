//! Lists of rooms stay fast with 100,000 open rooms.

use std::time::{Duration, Instant};

use crate::support::test_server::TestServer;
use crate::support::world::World;

const ROOMS: usize = 100_000;

/// Run it with `cargo test --test it many_rooms -- --ignored --nocapture`.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "creates 100,000 rooms"]
async fn lists_of_100_000_open_rooms_are_fast() {
    let server = TestServer::start_with(&[("app_requests_per_second", "100000")]).await;
    let office = std::sync::Arc::new(World::of(&server).await);
    let (admin, bo) = (office.admin().await, office.agent("Bo").await);
    for start in (0..ROOMS).step_by(500) {
        let come = |number: usize| {
            let office = office.clone();
            tokio::spawn(async move { office.waiting(&format!("customer{number}")).await })
        };
        let coming: Vec<_> = (start..start + 500).map(come).collect();
        for customer in coming {
            customer.await.expect("created");
        }
    }
    let ann = office.waiting("ann").await;
    office.assign(&ann, &bo).await.data();
    let body = serde_json::json!({"room_id": ann.room(), "tag": "vip"});
    admin.post("/api/v1/room_tag/create", body).await.data();
    let queries: [&[(&str, &str)]; 7] = [
        &[],
        &[("serve_status", "unserved")],
        &[("serve_status", "served")],
        &[("status", "unresolved"), ("limit", "100")],
        &[("status", "resolved")],
        &[("tag", "vip")],
        &[("text", "nobody is called so")],
    ];
    for query in queries {
        let mut slowest = Duration::ZERO;
        for _ in 0..20 {
            let start = Instant::now();
            let answer = admin.get("/api/v2/customer_rooms", query).await;
            slowest = slowest.max(start.elapsed());
            assert_eq!(answer.status, 200, "{}", answer.text);
        }
        println!("{query:?}: at most {slowest:?}");
        assert!(slowest < Duration::from_secs(2), "{query:?}: {slowest:?}");
    }
}
