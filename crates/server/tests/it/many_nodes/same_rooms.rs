//! Posts to the same rooms through two nodes form one unbroken chain in each room.

use super::posters::Crowd;
use super::{TwoNodes, check_log};

const ACKNOWLEDGED: usize = 800;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn posts_through_two_nodes_form_one_unbroken_chain_in_each_room() {
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
