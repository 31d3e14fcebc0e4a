//! Posts through two nodes into the same rooms: one unbroken chain each.

use super::posters::Crowd;
use super::{TwoNodes, check_log};

const ACKNOWLEDGED: usize = 800;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn two_nodes_post_into_the_same_rooms_and_each_room_has_one_unbroken_chain() {
    let TwoNodes { folder, one, two } = TwoNodes::start().await;
    let callers = [one.shop(), two.shop()];
    let mut crowd = Crowd::gather(&callers[0], 12, 3).await;
    let posting = crowd.post_through(&callers);
    posting.acknowledged(ACKNOWLEDGED).await;
    crowd.posters = posting.end().await;
    crowd.check("two nodes", &folder, &callers).await;
    check_log(&one);
    check_log(&two);
}
