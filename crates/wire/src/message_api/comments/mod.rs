//! Calls about comments: post, load, post system events, delete (spec 4.1).

mod answers;
mod requests;

pub use answers::{Comment, CommentBox, CommentList, CommentUser, broadcast, loaded, posted};
pub use requests::{
    BroadcastDrafts, BroadcastFields, DeleteMessagesFields, LoadComments, LoadCommentsFields,
    LoadRange, LoadRangeFields, PostComment, PostCommentFields, PostSystemEventFields,
    read_delete_messages,
};
