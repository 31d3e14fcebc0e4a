-- Distributes the tables of a Citus cluster (D-0014). The rows of a room are on one worker, except
-- those found by another key: names of rooms, unique ids assigned by clients, and ids assigned by
-- providers are distributed by their text. Apps, agents, users, endpoints and settings are on every
-- worker. Deliveries and their attempts are distributed by bucket; their partitions by day,
-- including later ones, are distributed with them. The tables `nodes`, `buckets`, `senders`,
-- `schema_version`, `search_state`, `secret_keys` and `secrets_in_clear` are small and stay on the
-- coordinator.
SELECT create_reference_table('apps');
SELECT create_reference_table('dashboard_users');
SELECT create_reference_table('users');
SELECT create_reference_table('user_grams');
SELECT create_distributed_table('rooms', 'id');
SELECT create_distributed_table('participants', 'room', colocate_with => 'rooms');
SELECT create_distributed_table('messages', 'room', colocate_with => 'rooms');
SELECT create_distributed_table('deletions', 'room', colocate_with => 'rooms');
SELECT create_distributed_table('hidden_messages', 'room', colocate_with => 'rooms');
SELECT create_distributed_table('room_names', 'unique_id', colocate_with => 'none');
SELECT create_distributed_table('client_ids', 'unique_id', colocate_with => 'none');
SELECT create_reference_table('endpoints');
SELECT create_reference_table('custom_buttons');
SELECT create_reference_table('sign_ins');
SELECT create_reference_table('sign_in_codes');
SELECT create_reference_table('settings');
SELECT create_reference_table('audit');
SELECT create_reference_table('page_settings');
SELECT create_reference_table('channels');
SELECT create_reference_table('channel_settings');
SELECT create_reference_table('channel_secrets');
SELECT create_reference_table('channel_states');
SELECT create_reference_table('customer_identities');
SELECT create_distributed_table('channel_messages', 'external_id', colocate_with => 'none');
SELECT create_distributed_table('direct_sends', 'external_id', colocate_with => 'none');
SELECT create_reference_table('agent_channels');
SELECT create_reference_table('divisions');
SELECT create_reference_table('agent_divisions');
SELECT create_reference_table('canned_replies');
SELECT create_reference_table('auto_replies');
SELECT create_reference_table('tags');
SELECT create_reference_table('customer_properties');
SELECT create_reference_table('nonces');
SELECT create_reference_table('visitor_secrets');
SELECT create_distributed_table('customer_rooms', 'room', colocate_with => 'rooms');
SELECT create_distributed_table('sessions', 'room', colocate_with => 'rooms');
SELECT create_distributed_table('trail', 'room', colocate_with => 'rooms');
SELECT create_distributed_table('room_agents', 'room', colocate_with => 'rooms');
SELECT create_distributed_table('served_rooms', 'room', colocate_with => 'rooms');
SELECT create_distributed_table('room_tags', 'room', colocate_with => 'rooms');
SELECT create_distributed_table('seen_marks', 'room', colocate_with => 'rooms');
SELECT create_distributed_table('room_infos', 'room', colocate_with => 'rooms');
SELECT create_distributed_table('notes', 'room', colocate_with => 'rooms');
SELECT create_distributed_table('search_messages', 'room', colocate_with => 'rooms');
SELECT create_distributed_table('search_contacts', 'contact', colocate_with => 'none');
SELECT create_distributed_table('message_states', 'room', colocate_with => 'rooms');
SELECT create_distributed_table('edits', 'room', colocate_with => 'rooms');
SELECT create_distributed_table('events', 'room', colocate_with => 'rooms');
SELECT create_reference_table('devices');
SELECT create_reference_table('blocks');
SELECT create_reference_table('presences');
SELECT create_distributed_table('files', 'hash', colocate_with => 'none');
SELECT create_distributed_table('doubted_files', 'hash', colocate_with => 'files');
SELECT create_reference_table('upload_usage');
SELECT create_distributed_table('analytics_quarters', 'app', colocate_with => 'none');
SELECT create_distributed_table('lanes', 'lane', colocate_with => 'rooms');
SELECT create_distributed_table('deliveries', 'bucket', colocate_with => 'none');
SELECT create_distributed_table('attempts', 'bucket', colocate_with => 'deliveries');
