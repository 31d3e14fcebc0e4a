//! Conformance tests of the store, run on every engine (D-0015).
//!
//! The tests are in [`suite`]: functions of a [`world::World`], which offers the product's
//! operations on any store. Each is listed here once and becomes one test per engine. An engine is
//! one line in `conformance!` and one variant in [`engine`].

mod engine;
mod keys;
mod model;
mod postgres_citus;
mod postgres_commits;
mod postgres_deliveries;
mod postgres_first_pages;
mod postgres_memory;
mod postgres_nodes;
mod postgres_schema;
mod postgres_sessions;
mod sqlite_folder;
mod stamps;
mod suite;
mod verbs;
mod world;

/// Defines the tests of one engine.
macro_rules! tests_on {
    ($engine:ident: $($topic:ident { $($sentence:ident)+ })+) => {
        mod $engine {
            $(mod $topic {
                $(#[tokio::test(flavor = "multi_thread")]
                async fn $sentence() {
                    let engine = crate::engine::Engine::$engine();
                    let world = crate::world::World::start(engine).await;
                    crate::suite::$topic::$sentence(&world).await;
                })+
            })+
        }
    };
}

macro_rules! conformance {
    ($($sentences:tt)+) => {
        tests_on! { sqlite: $($sentences)+ }
        tests_on! { postgres: $($sentences)+ }
        tests_on! { postgres_sharded: $($sentences)+ }
    };
}

conformance! {
    posting {
        each_message_names_the_one_before_and_numbers_have_no_gap
        many_tasks_posting_at_once_leave_an_unbroken_chain_in_every_room
        readers_see_a_message_once_it_was_answered
        pages_can_be_read_while_newcomers_post
        every_kind_of_message_comes_back_as_it_was_posted
        a_broadcast_opens_the_rooms_that_are_missing_and_uses_the_others
        a_room_opened_and_posted_to_by_one_decision_outlives_a_crash
        a_room_is_found_by_its_id_in_digits_and_by_its_unique_id
        digits_lead_to_the_room_of_that_id_once_there_is_one
    }
    pages {
        the_newest_message_comes_first
        a_page_past_the_end_is_empty
        deleted_messages_are_left_out_and_pages_stay_full
        whoever_reads_everything_is_shown_the_places_of_deleted_messages
        large_messages_are_named_with_their_page_and_read_some_at_a_time
        pages_below_many_deletions_in_a_row_are_right
        of_a_deleted_message_only_its_place_is_left
        every_page_equals_the_model_in_memory_on_disk_and_after_a_crash
        rooms_grow_on_after_their_places_were_written
        pages_stay_full_while_their_messages_are_deleted
        pages_and_ranges_have_no_gap_while_places_are_written
    }
    random_rooms {
        random_posts_and_deletions_show_as_in_the_model
    }
    ranges {
        a_range_holds_the_messages_between_two_ids_and_those_two
        a_range_of_an_empty_room_is_empty_and_of_no_room_is_none
        ranges_equal_the_model_across_rows_in_memory_on_disk_and_after_a_crash
    }
    many_messages {
        rooms_of_many_messages_are_right_before_and_after_a_restart
        a_room_is_right_after_very_many_others_were_opened
    }
    tallies {
        what_offices_achieve_is_written_with_each_decision_and_equal_when_made_anew
        what_is_counted_while_all_is_counted_anew_is_counted_once
        tallies_are_summed_by_time_channel_and_agent_within_their_app
    }
    uploads {
        files_are_counted_once_by_app_user_and_day
        a_file_is_found_by_its_hash_in_its_own_app_as_it_was_first_kept
        a_file_in_doubt_stays_while_something_names_it_and_goes_otherwise
        many_uploads_at_once_never_exceed_a_quota
        nonces_that_ended_and_days_that_are_over_are_forgotten
    }
    unique_ids {
        a_clients_id_posted_again_gives_the_first_message
        an_edited_message_is_the_first_one_for_its_original_text
        posts_of_one_id_at_the_same_time_give_exactly_one_message
        a_server_made_id_deletes_the_message_it_was_made_for
        deleting_is_all_or_nothing
        the_id_of_a_deleted_message_is_not_free_again
        a_message_with_a_clients_id_has_no_server_made_one
        an_id_of_another_app_is_unknown
        one_id_in_two_apps_is_two_messages
        a_server_made_id_of_another_app_may_be_a_clients_id
    }
    many_apps {
        no_read_finds_anything_of_another_app
        no_rule_finds_anything_of_another_app
        no_write_reaches_another_app
        the_same_names_in_two_apps_are_two_rooms_and_two_people
        digits_that_are_another_apps_room_id_name_a_room_of_ones_own
        apps_are_made_once_and_their_keys_can_be_changed
        the_first_app_is_the_oldest_and_stays_so
        dashboard_users_are_made_with_their_app_or_not_at_all
    }
    changing_keys {
        a_key_is_staged_then_promoted_then_retired
        a_staged_key_can_be_taken_back_and_another_one_staged
        the_next_change_waits_for_the_end_of_the_old_key
        of_many_who_take_a_step_at_once_one_does
        new_keys_at_once_end_a_change_that_is_under_way
        a_step_changes_only_the_app_it_names
    }
    people {
        given_fields_replace_the_old_ones_and_absent_ones_stay
        a_new_name_shows_on_old_pages_and_with_the_next_post
        what_was_changed_shows_at_once_however_much_is_read
        a_deactivated_user_may_not_post_until_reactivated
        one_unknown_user_keeps_all_from_being_deactivated
        a_new_token_replaces_the_old_one
        no_two_users_have_the_same_token
        registering_one_user_many_times_at_once_makes_one
        the_system_user_cannot_be_posted_as_changed_or_added
    }
    realms {
        one_name_in_several_realms_is_several_people
        a_name_in_a_room_is_who_is_there_and_elsewhere_the_apps_own_user
        who_shares_no_room_with_a_customer_means_the_apps_own_user
        whom_a_channel_makes_is_known_beside_those_who_were_remembered
        one_name_of_one_realm_is_registered_once
    }
    rooms {
        a_room_is_kept_as_it_was_opened
        the_public_channels_of_an_app_are_listed_the_newest_first
        a_taken_unique_id_opens_no_second_room
        a_new_name_of_a_room_is_known_to_readers_and_to_rules
        who_was_removed_may_not_post_and_who_was_added_again_may
        decisions_that_wait_together_know_of_each_other
        participants_stand_in_the_order_they_were_registered
        one_unknown_user_keeps_a_room_from_being_opened_and_others_from_joining
        a_channel_takes_posts_of_everybody_and_members_by_name
    }
    unread {
        what_others_say_is_unread_and_ones_own_is_not
        posting_marks_everything_before_as_read
        system_events_count
        who_joins_has_nothing_unread
        leaving_and_joining_again_forgets_what_was_unread
        joining_again_does_not_undo_a_post_made_in_between
        deleting_lowers_the_count_only_for_what_is_unread
        the_total_is_the_sum_over_the_rooms_one_is_in
        ones_own_posts_are_never_unread_while_they_come_in
    }
    catching_up {
        what_happened_in_ones_rooms_is_found_in_the_order_of_ids
        events_are_read_in_steps_without_a_gap
        an_event_is_found_by_its_room_and_id_until_it_is_gone
        what_happened_to_messages_is_read_in_order_and_no_more_than_wanted
        which_messages_were_corrected_is_known_of_any_stretch_of_a_room
        large_events_are_read_some_at_a_time_without_a_gap
        messages_after_one_are_found_across_rooms_oldest_first
        messages_in_the_room_of_the_last_one_are_never_late
        who_clears_a_room_is_not_shown_what_was_said_before_and_others_are
        who_hides_messages_is_not_shown_them_and_others_are
        what_is_hidden_is_not_unread_and_not_counted_twice_when_it_is_deleted
        what_followers_of_a_channel_missed_is_what_was_said_and_edited_there
        receipts_never_go_back_and_lower_what_is_unread
        what_happened_to_messages_is_forgotten_when_it_is_old
    }
    listings {
        the_room_last_spoken_in_comes_first
        rooms_are_listed_by_kind_and_page_with_the_total_of_all
        users_are_listed_in_every_order_from_both_ends
        users_of_the_same_moment_are_listed_as_they_were_registered
        deactivated_users_are_listed_and_counted_only_when_asked_for
    }
    deciding {
        a_refused_decision_changes_nothing
        a_rule_that_panics_fails_only_its_own_caller
        a_decision_that_cannot_be_written_fails_only_its_own_caller
        a_decision_is_written_whole_or_not_at_all
        what_was_taken_back_is_not_remembered
        failures_among_many_posts_lose_and_repeat_nothing
        a_decision_sees_what_was_decided_just_before
        a_closed_store_takes_no_writes_and_closes_again
        writes_that_wait_when_the_store_closes_are_done_or_refused
        a_check_names_the_room_whose_chain_is_broken
    }
    endpoints {
        an_app_has_one_endpoint_for_each_kind
        an_app_has_several_endpoints_of_a_kind_by_name
        a_removed_endpoint_is_gone_and_what_was_told_stays
        an_endpoint_is_paused_and_goes_on
        the_health_of_an_endpoint_is_kept_and_put_anew_with_it
        decisions_that_wait_together_know_what_became_of_endpoints
    }
    deliveries {
        deliveries_of_a_lane_are_numbered_without_a_gap
        a_delivery_is_kept_as_it_was_made
        a_decision_that_fails_makes_no_delivery
        attempts_are_remembered_and_what_is_delivered_waits_no_more
        a_lane_that_is_no_room_is_numbered_without_a_gap
        an_attempt_recorded_again_changes_nothing_and_fails_nothing
        an_attempt_recorded_too_late_undoes_nothing
        the_outcome_of_a_begun_attempt_replaces_its_mark_and_nothing_else_does
        attempts_of_one_delivery_recorded_together_count_in_their_order
        a_record_of_what_was_forgotten_fails_nothing
    }
    overhearing {
        an_app_knows_whether_it_hears_every_message
        a_rule_finds_how_far_each_room_is_and_who_is_there
        no_more_people_are_found_than_a_notice_names
    }
    looks {
        a_look_finds_what_came_since_the_last_one
        no_look_misses_what_is_made_side_by_side_with_it
        after_a_crash_the_first_look_finds_all_that_waits
        more_than_one_look_reads_at_a_time_is_found_by_one
        many_replayed_at_once_are_all_found
        a_replayed_delivery_is_found_by_the_next_look_and_keeps_its_attempts
        a_replay_is_not_undone_by_the_record_it_is_written_with
        looks_go_on_although_the_clock_was_set_back
        who_sends_alone_holds_every_bucket_until_they_give_them_up
    }
    delivery_lists {
        deliveries_are_listed_from_both_ends_and_between_ids
        a_list_shows_how_the_last_attempt_went
        a_delivery_of_another_app_is_not_there
        attempts_are_logged_newest_delivery_first_and_by_page
        a_backlog_is_what_an_endpoint_of_the_app_has_not_got
        events_of_customers_that_were_given_up_are_counted_until_they_are_replayed
        what_is_old_is_forgotten_and_the_rest_stays_with_its_attempts
        what_waits_is_never_forgotten
        much_is_forgotten_in_several_steps_while_others_write
    }
    agents {
        who_works_in_an_app_is_listed_with_how_many_they_serve
        a_code_signs_in_once_and_ends_with_the_password
        who_is_deleted_works_here_no_more_and_is_found_until_they_left
        who_serves_a_room_stands_in_the_order_they_came
        who_serves_and_is_away_long_enough_is_found
        a_sign_in_is_good_until_its_end_and_shows_the_channels
    }
    channels {
        channels_are_listed_as_they_were_made_without_deleted_ones
        a_customers_room_leads_to_the_customer_and_the_channel
        of_several_rooms_of_a_customer_the_newest_is_found
    }
    services {
        an_account_is_kept_with_its_channel_and_its_secrets_go_with_it
        the_secrets_of_an_apps_channels_are_read_at_once
        how_a_channel_is_and_how_far_it_was_asked_are_kept
        what_a_service_tells_twice_is_received_once
        a_customer_is_found_by_each_of_their_ids_until_they_are_erased
        what_was_sent_beside_all_rooms_only_rises_and_is_forgotten_in_the_end
        states_of_messages_only_rise_in_whichever_order_they_are_told
        what_a_customer_was_sent_until_then_is_found_and_what_waits_too
    }
    customers {
        customers_rooms_are_listed_by_what_they_are_the_last_changed_first
        a_list_of_rooms_is_read_on_from_any_of_them_both_ways
        who_served_very_many_rooms_finds_them_in_the_same_order
        rooms_of_several_customers_and_what_an_agent_is_to_them_are_read_at_once
        only_what_is_idle_and_waits_for_nobody_comes_to_its_end
        a_customers_room_is_kept_as_it_was_decided
        who_served_a_room_is_remembered_and_catches_up_with_it_until_they_left
        who_waits_longest_is_first_in_the_queue_until_somebody_comes
        whom_a_bot_answers_is_not_in_the_queue_while_the_bot_is_on
        those_who_wait_are_listed_and_counted_by_channel_the_longest_first
        rooms_are_listed_with_what_stands_beside_them
        what_changes_a_row_raises_its_version
        what_somebody_has_seen_of_a_room_is_their_own
    }
    office {
        divisions_are_an_apps_own_and_remember_who_is_in_them
        canned_replies_are_everybodys_or_their_owners
        what_is_said_by_itself_is_the_channels_or_else_the_apps
        a_customer_of_the_app_is_found_with_all_their_rooms_and_what_is_known
        all_sessions_of_an_app_are_listed_in_their_order
        notes_are_kept_beside_their_room_the_newest_first
        a_note_that_is_written_again_is_there_once_in_its_room
        what_people_set_in_their_pages_is_kept_until_they_are_gone
    }
    audit {
        who_changed_what_is_found_until_it_is_forgotten
        the_use_of_a_sign_in_is_noted_and_a_code_is_good_once
    }
    trails {
        the_trail_of_a_room_is_its_own_and_the_newest_comes_first
        a_session_that_was_begun_for_a_customer_is_unheard_until_they_write
        sessions_of_a_room_say_who_answered_resolved_and_reopened
        who_worked_in_an_app_keeps_their_name
    }
    settings {
        an_app_holds_whether_it_shows_the_extras_of_senders
        what_an_app_is_set_to_is_its_own
        the_apps_that_allocate_are_those_that_were_set_so
        the_apps_that_end_idle_conversations_are_those_that_were_set_so
        a_tag_is_one_in_the_app_and_is_on_the_rooms_it_was_put_on
        tags_are_renamed_coloured_merged_and_removed_wherever_they_are
        what_is_known_about_a_customer_is_kept_with_the_room
        buttons_are_listed_as_they_were_made_and_as_they_are_now
    }
    seen_rooms {
        ones_rooms_are_listed_with_or_without_silent_ones
        a_room_is_seen_with_what_is_unread_shown_and_cleared
        who_is_in_a_room_is_shown_with_how_far_they_are
        a_mark_at_a_deleted_message_is_shown_at_the_one_before
        rooms_with_something_unread_are_counted_once_each
        the_newest_message_of_all_ones_rooms_is_found
    }
    receipts {
        marks_say_how_far_everybody_in_a_room_is
        up_to_where_somebody_cleared_a_room_is_kept_for_them_alone
        a_message_is_found_by_those_who_may_see_it
        what_follows_a_message_is_found_oldest_first_across_rows
    }
    audiences {
        who_hears_of_a_room_changes_with_everybody_who_comes_or_goes
        who_is_there_and_since_when_is_what_was_noted_last
        nothing_that_happens_later_is_older_than_the_newest_events
        news_are_told_in_the_order_of_commits_before_the_answer
        what_many_say_at_once_is_told_once_each_in_the_order_of_the_room
        nodes_tell_each_other_where_a_store_can_be_shared
    }
    devices {
        a_device_is_in_one_hand_of_an_app_at_a_time
        of_many_devices_the_newest_are_kept
        whom_one_blocks_is_listed_the_newest_first_by_page
        who_is_blocked_is_so_where_they_meet_who_blocked_them
    }
    searching {
        a_user_is_found_by_key_in_their_own_app_only
        a_token_leads_to_its_user_also_to_one_who_is_deactivated
        a_password_is_the_apps_own_users_and_stays_until_another_is_given
        people_are_found_by_a_part_of_their_name_or_id_by_their_names
        people_are_found_by_short_and_long_texts_and_by_their_newest_names
        agents_and_customers_are_hidden_from_those_who_share_no_room
    }
    search_index {
        messages_and_customers_are_found_by_how_their_words_begin
        what_is_deleted_leaves_the_index_and_does_not_come_back
        what_is_said_where_nobody_searches_is_passed_by
        a_step_of_the_index_ends_where_it_is_full
        one_process_at_a_time_says_how_far_the_index_is
    }
    secrets {
        what_is_read_stands_nowhere_in_the_database
        a_secret_put_into_the_row_of_another_is_refused
        other_keys_than_those_of_the_database_are_refused
        the_first_who_opens_a_new_store_makes_the_key
        who_is_about_to_serve_opens_what_nobody_serves_from
        the_key_is_changed_while_the_store_is_in_use
        what_an_older_version_left_in_clear_is_sealed
        who_lost_the_key_starts_over
    }
    only_looking {
        apps_are_read_and_nothing_is_changed
        nothing_is_made_where_there_is_nothing
        keys_are_proven_as_a_start_proves_them_and_none_is_made
        data_of_another_version_are_left_as_they_are
    }
    moving {
        an_app_is_read_whole_in_the_order_of_time_and_no_other_one
        everything_is_of_one_moment_however_long_it_takes
        what_was_read_is_taken_in_once_with_its_ids_times_and_deletions
        a_line_that_names_what_is_not_there_changes_nothing
        nodes_and_commands_learn_the_newest_room_and_whether_there_are_other_apps
    }
    restarting {
        ids_of_messages_rise_when_the_clock_was_set_back
        keys_of_users_rise_when_the_clock_was_set_back
        ids_of_rooms_rise_when_the_clock_was_set_back
        many_restarts_in_a_row_lose_nothing
        a_crash_while_places_are_written_loses_nothing
        a_crash_amid_posts_keeps_every_message_that_was_answered
    }
}
