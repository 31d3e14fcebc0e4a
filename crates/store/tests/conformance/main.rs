//! Conformance tests of the store, run on every engine (design/storage).
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
        each_message_references_the_previous_one_and_numbers_have_no_gap
        concurrent_posts_leave_an_unbroken_chain_in_every_room
        a_message_is_readable_as_soon_as_its_post_is_answered
        pages_can_be_read_while_new_users_register_and_post
        every_kind_of_message_is_read_back_as_posted
        a_broadcast_opens_missing_single_rooms_and_posts_to_existing_ones
        a_room_opened_and_posted_to_in_one_decision_survives_a_crash
        a_room_is_found_by_its_numeric_id_and_by_its_unique_id
        a_numeric_reference_prefers_a_room_id_over_a_unique_id
    }
    pages {
        pages_list_the_newest_message_first
        a_page_past_the_end_is_empty
        pages_skip_deleted_messages_and_stay_full
        reads_of_a_whole_room_include_deleted_messages_without_their_content
        a_page_defers_large_messages_which_are_loaded_in_several_reads
        pages_below_long_runs_of_deleted_messages_are_correct
        a_deleted_message_keeps_its_position_but_no_content
        every_page_equals_the_model_in_memory_on_disk_and_after_a_crash
        rooms_grow_correctly_after_their_message_positions_were_written
        pages_stay_full_while_their_messages_are_deleted
        pages_and_ranges_have_no_gap_while_message_positions_are_written
    }
    random_rooms {
        pages_and_ranges_equal_the_model_after_random_posts_and_deletions
    }
    ranges {
        a_range_contains_both_end_messages_and_all_between_them
        a_range_of_an_empty_room_is_empty_and_of_an_unknown_room_is_none
        ranges_equal_the_model_across_rows_in_memory_on_disk_and_after_a_crash
    }
    many_messages {
        rooms_with_many_messages_equal_the_model_before_and_after_a_restart
        a_room_is_correct_after_enough_rooms_were_opened_to_evict_it
    }
    tallies {
        analytics_written_with_each_decision_equal_rebuilt_analytics
        events_during_an_analytics_rebuild_are_counted_once
        analytics_are_summed_by_time_channel_and_agent_within_one_app
    }
    uploads {
        a_file_counts_once_toward_the_quotas_of_its_app_and_user
        a_file_is_found_by_hash_in_its_app_with_the_fields_of_its_first_upload
        a_doubted_file_is_retained_if_referenced_and_deleted_if_not
        concurrent_uploads_never_exceed_a_quota
        expired_nonces_and_upload_counts_of_past_days_are_purged
    }
    unique_ids {
        a_post_with_a_repeated_client_id_returns_the_first_message
        a_repeated_post_of_the_original_text_returns_the_edited_message
        concurrent_posts_with_one_unique_id_store_one_message
        a_server_generated_unique_id_deletes_its_message
        deleting_several_messages_is_all_or_nothing
        the_unique_id_of_a_deleted_message_cannot_be_reused
        a_message_with_a_client_id_has_no_server_generated_id
        message_ids_of_another_app_are_unknown
        one_unique_id_in_two_apps_names_two_messages
        a_client_may_use_an_id_that_the_server_generated_for_another_app
    }
    many_apps {
        no_read_returns_data_of_another_app
        no_rule_receives_facts_of_another_app
        no_write_changes_another_app
        equal_room_and_user_ids_in_two_apps_are_different_rooms_and_users
        a_room_id_of_another_app_can_be_a_unique_id_in_this_app
        an_app_code_is_created_once_and_its_keys_can_be_replaced
        the_first_app_is_the_oldest_one
        dashboard_users_are_created_with_their_app_or_not_at_all
    }
    changing_keys {
        a_key_is_staged_then_promoted_then_retired
        a_staged_key_can_be_unstaged_and_another_one_staged
        a_new_key_cannot_be_staged_before_the_old_key_expires
        only_one_of_several_concurrent_key_steps_succeeds
        setting_keys_directly_ends_a_key_change_in_progress
        a_key_step_changes_only_the_named_app
    }
    people {
        registration_replaces_given_fields_and_retains_absent_ones
        a_renamed_user_has_the_new_name_on_old_pages_and_new_posts
        changes_are_visible_at_once_despite_concurrent_reads
        a_deactivated_user_may_not_post_until_reactivated
        deactivation_changes_no_user_if_one_is_unknown
        a_new_token_replaces_the_old_one
        two_users_cannot_have_the_same_token
        concurrent_registrations_of_one_user_create_one_user
        clients_cannot_post_as_change_or_add_the_system_user
    }
    realms {
        one_user_id_in_several_realms_names_several_users
        a_user_id_resolves_to_the_participant_in_a_room_and_to_the_apps_user_elsewhere
        a_user_id_resolves_to_a_customer_only_for_users_in_a_shared_room
        a_channel_user_is_resolved_despite_a_cached_app_user_with_the_same_id
        concurrent_registrations_create_one_user_per_user_id_and_realm
    }
    rooms {
        a_room_is_stored_as_it_was_opened
        the_public_channels_of_an_app_are_listed_newest_first
        a_unique_id_in_use_opens_no_second_room
        a_renamed_room_has_its_new_name_in_reads_and_rules
        a_removed_participant_cannot_post_until_added_again
        decisions_of_one_batch_see_each_others_changes
        participants_are_listed_in_the_order_of_registration
        an_unknown_user_prevents_opening_a_room_and_adding_participants
        a_channel_accepts_posts_of_non_members_and_adds_members_by_name
    }
    unread {
        messages_of_others_count_as_unread_and_own_messages_do_not
        posting_marks_all_earlier_messages_as_read
        system_events_count_as_unread
        a_new_participant_has_no_unread_messages
        leaving_and_rejoining_a_room_resets_the_unread_count
        joining_a_channel_after_posting_from_outside_counts_only_later_messages
        deleting_a_message_lowers_the_unread_count_only_if_it_was_unread
        the_total_unread_count_is_the_sum_over_the_users_rooms
        own_posts_are_never_unread_during_concurrent_reads
    }
    catching_up {
        events_of_a_users_rooms_are_read_in_the_order_of_ids
        events_read_in_steps_have_no_gap
        an_event_is_found_by_room_and_id_until_it_is_deleted_or_replaced
        changes_of_messages_are_read_in_the_order_of_ids_up_to_the_requested_size
        edited_messages_are_found_in_any_range_of_a_room
        large_events_are_read_in_bounded_parts_without_a_gap
        messages_after_an_id_are_read_across_rooms_oldest_first
        messages_in_the_room_of_the_last_message_are_never_late
        clearing_a_room_hides_earlier_events_from_that_user_only
        hiding_messages_affects_reads_of_that_user_only
        hidden_messages_are_not_unread_and_deleting_them_lowers_no_count
        missed_channel_events_are_the_posts_and_edits_of_that_channel
        receipts_only_advance_and_lower_the_unread_count
        old_events_are_purged_and_newer_ones_stay
    }
    listings {
        rooms_are_listed_by_their_last_message_newest_first
        rooms_are_listed_by_kind_and_page_with_a_total
        users_are_listed_by_each_column_in_both_directions
        users_created_at_the_same_time_are_listed_in_the_order_of_registration
        deactivated_users_are_listed_and_counted_only_on_request
    }
    deciding {
        a_refused_decision_changes_nothing
        a_rule_that_panics_fails_only_its_own_caller
        a_decision_that_cannot_be_written_fails_only_its_own_caller
        a_decision_is_written_completely_or_not_at_all
        caches_contain_nothing_of_a_rolled_back_batch
        failing_decisions_lose_or_repeat_no_concurrent_post
        a_decision_sees_the_decisions_queued_before_it
        a_closed_store_rejects_writes_and_can_be_closed_again
        writes_queued_when_the_store_closes_are_committed_or_rejected
        a_check_reports_the_room_with_a_broken_message_chain
    }
    endpoints {
        putting_an_endpoint_again_replaces_the_one_of_its_kind
        an_app_can_have_several_endpoints_of_a_kind_with_different_names
        removing_an_endpoint_retains_its_deliveries
        an_endpoint_can_be_paused_and_resumed
        the_health_of_an_endpoint_is_stored_and_replaced_with_the_endpoint
        decisions_of_one_batch_see_changes_of_endpoints
    }
    deliveries {
        deliveries_of_a_lane_are_numbered_without_a_gap
        a_delivery_is_stored_as_it_was_created
        a_failing_decision_in_a_batch_does_not_duplicate_deliveries_of_the_others
        attempts_are_stored_and_finished_deliveries_are_no_longer_pending
        a_lane_without_a_room_is_numbered_without_a_gap
        recording_an_attempt_again_changes_nothing_and_is_not_an_error
        a_late_attempt_record_does_not_change_a_finished_delivery
        only_the_outcome_of_a_started_attempt_replaces_its_start_mark
        attempts_of_one_delivery_recorded_together_apply_in_order
        recording_an_attempt_of_a_purged_delivery_is_not_an_error
    }
    overhearing {
        an_app_has_a_chat_message_webhook_only_while_its_endpoint_is_enabled
        a_rule_receives_the_last_sequence_number_and_participants_of_each_room
        a_rule_receives_a_limited_number_of_participants_per_room
    }
    looks {
        a_scan_returns_deliveries_created_since_the_previous_scan
        scans_miss_no_delivery_that_is_created_concurrently
        the_first_scan_after_a_crash_returns_all_unfinished_deliveries
        one_scan_returns_more_deliveries_than_one_read_holds
        a_scan_returns_all_deliveries_replayed_concurrently
        a_replayed_delivery_is_in_the_next_scan_and_retains_its_attempts
        a_replay_is_not_undone_by_an_attempt_recorded_in_the_same_commit
        scans_return_new_deliveries_after_the_clock_was_set_back
        a_single_sender_leases_every_bucket_until_it_releases_them
    }
    delivery_lists {
        deliveries_are_listed_from_both_ends_and_between_ids
        listed_deliveries_contain_the_result_of_their_last_attempt
        a_delivery_of_another_app_is_not_found
        logged_attempts_are_paged_with_the_newest_delivery_first
        a_backlog_counts_the_unfinished_deliveries_of_an_endpoint
        failed_channel_events_are_counted_until_they_are_replayed
        old_deliveries_are_purged_and_newer_ones_stay_with_their_attempts
        unfinished_deliveries_are_never_purged
        many_deliveries_are_purged_in_several_commits_during_other_writes
    }
    agents {
        agents_of_an_app_are_listed_with_the_number_of_rooms_they_serve
        a_sign_in_code_works_once_and_ends_when_the_password_changes
        a_deleted_agent_is_unlisted_but_reported_until_removed_from_all_rooms
        agents_of_a_room_are_listed_in_the_order_of_assignment
        agents_away_since_a_given_time_are_found_while_they_serve_rooms
        a_sign_in_is_valid_until_it_expires_and_includes_the_agents_channels
    }
    channels {
        channels_are_listed_in_the_order_of_creation_without_deleted_ones
        a_room_resolves_to_its_customer_and_channel
        the_newest_room_of_a_customer_in_a_channel_is_found
    }
    services {
        disconnecting_a_channel_deletes_the_secrets_of_its_provider_account
        one_read_returns_a_named_secret_of_all_channels_of_an_app
        the_health_and_polling_cursor_of_a_channel_are_stored
        a_message_reported_twice_by_a_provider_is_stored_once
        a_customer_is_found_by_each_provider_id_until_erased
        the_state_of_a_direct_send_only_advances_and_is_purged_after_a_time
        message_states_only_advance_in_any_order_of_reports
        outgoing_messages_up_to_a_time_and_queued_parts_are_found
    }
    customers {
        customer_rooms_are_listed_by_filter_with_the_last_changed_first
        a_room_list_continues_from_any_room_in_both_directions
        a_very_long_list_of_served_rooms_has_the_same_order
        rooms_of_several_customers_are_read_at_once_with_the_agents_relation
        only_idle_conversations_that_wait_for_no_agent_are_resolved_automatically
        a_customer_room_is_stored_as_decided
        a_former_agent_of_a_room_can_read_its_events_up_to_their_removal
        the_longest_waiting_room_is_first_in_the_queue_until_an_agent_is_assigned
        rooms_handled_by_a_bot_are_not_queued_while_the_bot_is_enabled
        waiting_rooms_are_listed_longest_first_and_counted_by_channel
        rooms_are_read_with_their_channel_agents_and_tags
        each_change_of_a_customer_room_raises_its_version
        seen_marks_are_stored_per_agent_and_never_go_back
    }
    office {
        divisions_and_their_members_are_stored_per_app
        canned_replies_are_shared_or_visible_to_their_owner_only
        automatic_replies_of_a_channel_override_those_of_the_app
        the_rooms_and_properties_of_a_customer_are_found_in_their_app
        all_sessions_of_an_app_are_listed_in_the_order_of_ids
        notes_of_a_room_are_listed_newest_first
        a_note_with_a_repeated_unique_id_is_stored_once_per_room
        page_settings_of_an_agent_are_stored_until_the_agent_is_deleted
    }
    audit {
        audit_entries_are_found_until_they_are_purged
        the_last_use_of_a_sign_in_is_recorded_and_a_code_works_once
    }
    trails {
        the_trail_of_a_room_contains_its_own_entries_newest_first
        a_session_started_by_an_agent_is_marked_unheard_until_the_customer_writes
        sessions_record_their_answering_and_resolving_agents_and_their_reopening
        the_name_of_a_deleted_agent_stays_readable_in_their_app
    }
    settings {
        the_setting_for_sender_extras_is_read_with_the_app
        settings_are_stored_per_app
        only_apps_with_automatic_allocation_enabled_are_listed_for_it
        only_apps_with_an_idle_time_are_listed_for_resolving_idle_conversations
        a_tag_exists_once_per_app_and_is_listed_on_its_rooms
        renaming_coloring_merging_or_deleting_a_tag_affects_all_its_rooms
        customer_infos_are_stored_with_the_room
        buttons_are_listed_in_the_order_of_creation_with_their_current_values
    }
    seen_rooms {
        rooms_of_a_user_are_listed_with_or_without_empty_ones
        a_room_is_read_with_its_unread_count_last_message_and_clear_position
        participants_are_listed_with_their_read_and_received_positions
        a_position_on_a_deleted_message_is_shown_at_the_previous_message
        rooms_with_unread_messages_are_counted_once_each
        the_newest_message_across_a_users_rooms_is_found
    }
    receipts {
        marks_contain_the_positions_of_every_participant
        the_clear_position_of_a_room_is_stored_per_participant
        a_message_is_found_only_for_participants_that_may_see_it
        messages_after_a_message_are_found_oldest_first_across_rows
    }
    audiences {
        the_audience_of_a_room_follows_its_participants
        a_user_stays_online_until_the_node_that_reported_last_sees_them_offline
        later_events_have_ids_above_the_newest_event_ids
        commit_events_are_published_in_commit_order_before_the_answer
        concurrent_posts_are_published_once_each_in_room_order
        nodes_of_a_shared_store_receive_each_others_notifications
    }
    devices {
        a_device_belongs_to_one_user_of_an_app_at_a_time
        only_the_newest_devices_of_a_user_are_retained
        blocked_users_are_listed_newest_first_by_page
        a_blocked_user_is_blocked_in_rooms_shared_with_the_blocking_user
    }
    searching {
        a_user_is_found_by_key_in_their_own_app_only
        a_token_resolves_to_its_user_even_if_deactivated
        a_password_belongs_to_the_apps_own_user_and_stays_until_replaced
        users_are_found_by_part_of_their_name_or_id_ordered_by_name
        users_are_found_by_short_and_long_texts_and_by_their_current_name
        agents_and_customers_are_hidden_from_users_without_a_shared_room
    }
    search_index {
        messages_and_customers_are_found_by_prefixes_of_their_words
        a_deleted_message_leaves_the_index_and_is_not_indexed_again
        messages_outside_customer_rooms_are_not_indexed
        an_index_step_ends_at_its_limits
        one_process_at_a_time_advances_the_index
    }
    secrets {
        secrets_are_readable_through_the_store_but_not_in_the_database
        a_secret_copied_to_another_row_is_rejected
        keys_of_another_database_are_rejected
        the_first_process_to_open_a_new_store_creates_the_key
        opening_to_serve_fails_only_for_a_folder_that_is_already_served
        the_key_is_changed_while_the_store_is_in_use
        plain_text_secrets_of_an_older_version_are_sealed
        starting_over_after_losing_the_key_replaces_every_secret
    }
    only_looking {
        read_only_access_lists_apps_and_changes_nothing
        read_only_access_creates_nothing_in_an_empty_location
        read_only_access_verifies_keys_as_a_start_does_and_creates_none
        read_only_access_leaves_data_of_another_version_unchanged
    }
    moving {
        an_export_contains_one_whole_app_in_chronological_order
        an_export_reads_one_snapshot_despite_later_writes
        an_import_stores_exported_data_once_with_its_ids_times_and_deletions
        an_import_line_with_an_unknown_reference_changes_nothing
        nodes_and_commands_can_read_the_newest_room_and_whether_several_apps_exist
    }
    restarting {
        message_ids_rise_after_the_clock_was_set_back
        user_keys_rise_after_the_clock_was_set_back
        room_ids_rise_after_the_clock_was_set_back
        repeated_restarts_and_crashes_lose_no_message
        a_crash_while_message_positions_are_written_loses_nothing
        a_crash_during_posts_loses_no_answered_message
    }
}
