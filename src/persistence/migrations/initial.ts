import { Migration } from '@mikro-orm/migrations';

/**
 * The schema of 0.1.0. Tables and constraints follow from the entities (`orm.schema.getCreateSchemaSQL()`). Three parts
 * are written by hand, because entities cannot express them: `fillfactor`, which leaves room for updates in place;
 * `unlogged`, for counts that may be lost in a crash of the server; and `jsonb_path_ops` of the metadata's index.
 */
const schema = `
  create table call_checkpoint (
    call_id uuid not null,
    node text not null,
    epoch int not null default 1,
    form int not null,
    ahead_ms double precision null,
    token_sealed text null,
    headers_sealed jsonb null,
    settings jsonb null,
    legs jsonb not null default '{}',
    progress jsonb null,
    pending_hangup text null,
    primary key (call_id)
  ) with (fillfactor = 50);

  create index call_checkpoint_node_index on call_checkpoint (node);

  create index call_checkpoint_pending_hangup on call_checkpoint (call_id) where pending_hangup is not null;

  alter table call_checkpoint add constraint call_checkpoint_pending_hangup_check check (pending_hangup in ('hangup', 'hangup_immediately'));

  create table call_fact (
    call_id uuid not null,
    sequence int not null,
    type text not null,
    "at" timestamptz(3) not null,
    data jsonb not null,
    primary key (call_id, sequence)
  );

  create table call_transition (
    call_id uuid not null,
    epoch int not null default 1,
    sequence int not null,
    "at" timestamptz(3) not null,
    machine text not null,
    chart_version text not null,
    state_before text null,
    event_type text not null,
    state_after text not null,
    facts_before int not null,
    primary key (call_id, epoch, sequence)
  );

  create table call_turn (
    call_id uuid not null,
    sequence int not null,
    "role" text not null,
    text text not null,
    t_offset_sec double precision not null,
    spoken_at timestamptz(3) not null,
    whole boolean not null,
    primary key (call_id, sequence)
  );

  alter table call_turn add constraint call_turn_role_check check ("role" in ('assistant', 'user'));

  create table node (
    name text not null,
    instance uuid not null,
    address text null,
    seen_at timestamptz(3) not null,
    lost_at timestamptz(3) null,
    takes_lines text null,
    takes_form int null,
    counts_alone boolean not null default false,
    claimed_until timestamptz(3) null,
    primary key (name)
  );

  create table node_signal (
    id uuid not null,
    to_node text not null,
    from_node text not null,
    request jsonb not null,
    state text not null,
    answer jsonb null,
    sent_at timestamptz(3) not null,
    primary key (id)
  );

  create index node_signal_to_node_index on node_signal (to_node);

  alter table node_signal add constraint node_signal_state_check check (state in ('sent', 'taken', 'answered'));

  create unlogged table request_count (
    "key" text not null,
    requests int not null,
    ends_at timestamptz(3) not null,
    primary key ("key")
  );

  create table sip_message (
    call_id uuid not null,
    at_micros bigint not null,
    direction text not null,
    transport text not null,
    local text not null,
    remote text not null,
    text text not null,
    left_out int not null,
    primary key (call_id, at_micros)
  );

  create index sip_message_at_micros_index on sip_message (at_micros);

  alter table sip_message add constraint sip_message_direction_check check (direction in ('in', 'out'));

  alter table sip_message add constraint sip_message_transport_check check (transport in ('udp', 'tcp', 'tls', 'ws', 'wss'));

  create table trunk_channel (
    trunk_id text not null,
    call_id uuid not null,
    node text not null,
    taken_at timestamptz(3) not null,
    primary key (trunk_id, call_id)
  );

  create table trunk_load (
    trunk_id text not null,
    next_call_at timestamptz(6) not null,
    primary key (trunk_id)
  );

  create table workspace (
    id uuid not null,
    name text not null,
    time_zone text not null default 'Asia/Seoul',
    max_duration_sec int null,
    default_duration_sec int null,
    silence_timeout_sec int null,
    ring_timeout_sec int null,
    max_concurrent_calls int null,
    recording_enabled boolean null,
    barge_in jsonb null,
    turn_end jsonb null,
    retention_days jsonb null,
    consent jsonb null,
    destinations jsonb null,
    max_calls_in_progress int null,
    daily_minutes int null,
    audit_entries int not null default 0,
    created_at timestamptz(3) not null,
    primary key (id)
  );

  create table trunk (
    id uuid not null,
    workspace_id uuid not null,
    name text not null,
    host text not null,
    port int null,
    transport text not null,
    addresses jsonb not null default '[]',
    username text null,
    password_sealed text null,
    register boolean not null,
    realm text null,
    from_domain text null,
    number_format text not null,
    caller_id text not null,
    privacy boolean not null,
    codecs text[] null,
    srtp text not null default 'off',
    media text not null default 'freeswitch',
    prefixes text[] not null default '{}',
    priority int not null,
    weight int not null,
    max_channels int null,
    calls_per_second int null,
    failover_statuses text[] not null default '{401,403,407,408,429,5xx}',
    redirects text not null default 'refused',
    refer boolean not null default false,
    accept_refer boolean not null default false,
    inbound_addresses text[] not null,
    inbound_auth text not null,
    headers_in text[] not null default '{}',
    headers_out text[] not null default '{}',
    health_check boolean not null,
    drained boolean not null default false,
    enabled boolean not null,
    created_at timestamptz(3) not null,
    primary key (id)
  );

  alter table trunk add constraint trunk_workspace_id_name_unique unique (workspace_id, name);

  alter table trunk add constraint trunk_transport_check check (transport in ('udp', 'tcp', 'tls'));

  alter table trunk add constraint trunk_number_format_check check (number_format in ('domestic', 'e164', 'e164_without_plus'));

  alter table trunk add constraint trunk_caller_id_check check (caller_id in ('from', 'p-asserted-identity', 'p-preferred-identity'));

  alter table trunk add constraint trunk_srtp_check check (srtp in ('off', 'optional', 'required'));

  alter table trunk add constraint trunk_media_check check (media in ('freeswitch', 'auto', 'direct'));

  alter table trunk add constraint trunk_redirects_check check (redirects in ('refused', 'same_host', 'any'));

  alter table trunk add constraint trunk_inbound_auth_check check (inbound_auth in ('none', 'digest'));

  create table phone_number (
    id uuid not null,
    workspace_id uuid not null,
    number text not null,
    language text not null,
    max_duration_sec int null,
    default_duration_sec int null,
    silence_timeout_sec int null,
    ring_timeout_sec int null,
    max_concurrent_calls int null,
    recording_enabled boolean null,
    barge_in jsonb null,
    turn_end jsonb null,
    retention_days jsonb null,
    consent jsonb null,
    destinations jsonb null,
    daily_minutes int null,
    greeting text null,
    inbound_auth_method text not null default 'none',
    inbound_auth_url text null,
    inbound_auth_secret_sealed text null,
    created_at timestamptz(3) not null,
    deleted_at timestamptz(3) null,
    trunk_id uuid null,
    voicemail text not null default 'talk',
    voicemail_message text null,
    screening text not null default 'answer',
    caller_name text null,
    menu text not null default 'talk',
    transfer_to jsonb null,
    record_transfers boolean not null default true,
    transfer_max_duration_sec int not null default 3600,
    listen_in text not null default 'off',
    recognizer text null,
    synthesizer text null,
    voice text null,
    primary key (id)
  );

  create index phone_number_workspace_id_index on phone_number (workspace_id);

  create unique index phone_number_number_unique on phone_number (number) where deleted_at is null;

  alter table phone_number add constraint phone_number_inbound_auth_method_check check (inbound_auth_method in ('none', 'handshake'));

  alter table phone_number add constraint phone_number_voicemail_check check (voicemail in ('talk', 'hang_up', 'leave_message'));

  alter table phone_number add constraint phone_number_screening_check check (screening in ('answer', 'hang_up'));

  alter table phone_number add constraint phone_number_menu_check check (menu in ('talk', 'hang_up'));

  alter table phone_number add constraint phone_number_listen_in_check check (listen_in in ('off', 'announced', 'silent'));

  create table webhook_endpoint (
    id uuid not null,
    workspace_id uuid not null,
    number_id uuid null,
    url text not null,
    events text[] null,
    secret_sealed text not null,
    previous_secret_sealed text null,
    previous_secret_until timestamptz(3) null,
    state text not null default 'active',
    disabled_reason text null,
    failing_since timestamptz(3) null,
    last_failure text null,
    created_at timestamptz(3) not null,
    primary key (id)
  );

  create index webhook_endpoint_workspace_id_index on webhook_endpoint (workspace_id);

  alter table webhook_endpoint add constraint webhook_endpoint_state_check check (state in ('active', 'paused', 'disabled'));

  create table number_key (
    number_id uuid not null,
    key_hash bytea not null,
    key_sealed text null,
    issued_at timestamptz(3) not null,
    primary key (number_id)
  );

  alter table number_key add constraint number_key_key_hash_unique unique (key_hash);

  create table agent_binding (
    number_id uuid not null,
    direction text not null,
    agent text not null,
    agent_type text null,
    chat_url text null,
    assistant_id text null,
    agent_id text null,
    controls text not null default 'off',
    token_sealed text null,
    headers_sealed jsonb not null default '{}',
    primary key (number_id, direction)
  );

  alter table agent_binding add constraint agent_binding_direction_check check (direction in ('inbound', 'outbound'));

  alter table agent_binding add constraint agent_binding_agent_check check (agent in ('builtin', 'endpoint'));

  alter table agent_binding add constraint agent_binding_agent_type_check check (agent_type in ('webhook', 'openai_compatible', 'n8n', 'langgraph', 'mastra'));

  alter table agent_binding add constraint agent_binding_controls_check check (controls in ('off', 'inline'));

  create table "call" (
    id uuid not null,
    workspace_id uuid not null,
    number_id uuid not null,
    direction text not null,
    own_number text not null,
    counterparty text not null,
    caller_name text null,
    diversions jsonb null,
    language text not null,
    status text not null,
    end_reason text null,
    instruction text null,
    summary text null,
    metadata jsonb null,
    sip_headers jsonb null,
    transfer jsonb null,
    consent jsonb null,
    max_duration_sec int not null,
    recording_enabled boolean not null,
    started_at timestamptz(3) not null,
    answered_at timestamptz(3) null,
    ended_at timestamptz(3) null,
    duration_sec double precision null,
    answered_by text null,
    sip_status int null,
    sip_reason text null,
    sip_call_id text null,
    sip_explanation jsonb null,
    trunk_id text null,
    trunk_name text null,
    failed_trunks text[] null,
    post_dial_delay_ms int null,
    local_signalling text null,
    remote_signalling text null,
    one_way text null,
    sound jsonb null,
    words_erased_at timestamptz(3) null,
    erased_at timestamptz(3) null,
    node text not null,
    epoch int not null default 1,
    primary key (id)
  ) with (fillfactor = 75);

  create index call_number_id_started_at_id_index on "call" (number_id, started_at, id);

  create index call_workspace_id_started_at_id_index on "call" (workspace_id, started_at, id);

  create index call_in_progress_index on "call" (workspace_id, node) where ended_at is null;

  create index call_metadata_index on "call" using gin (metadata jsonb_path_ops) where metadata is not null;

  alter table "call" add constraint call_direction_check check (direction in ('inbound', 'outbound'));

  alter table "call" add constraint call_status_check check (status in ('ringing', 'active', 'completed', 'no_answer', 'failed'));

  alter table "call" add constraint call_end_reason_check check (end_reason in ('agent_hangup', 'counterparty_hangup', 'max_duration', 'silence_timeout', 'transfer_completed', 'transfer_failed', 'consent_refused', 'no_answer', 'busy', 'declined', 'cancelled', 'invalid_number', 'trunk_error', 'media_error', 'agent_error', 'no_agent_endpoint', 'caller_rejected', 'system_error'));

  alter table "call" add constraint call_answered_by_check check (answered_by in ('human', 'machine', 'screening', 'menu'));

  alter table "call" add constraint call_one_way_check check (one_way in ('nothing_received', 'nothing_delivered'));

  create table recording (
    call_id uuid not null,
    status text not null,
    content_type text null,
    duration_sec double precision null,
    bytes bigint null,
    file text null,
    node text null,
    truncated boolean not null default false,
    created_at timestamptz(3) not null,
    finished_at timestamptz(3) null,
    erased_at timestamptz(3) null,
    primary key (call_id)
  );

  create index recording_left_index on recording (node) where status = 'pending' and node is not null;

  create index recording_to_remove_index on recording (erased_at) where erased_at is not null and file is not null;

  alter table recording add constraint recording_status_check check (status in ('pending', 'completed', 'failed'));

  create table idempotency_record (
    number_id uuid not null,
    "key" text not null,
    fingerprint bytea not null,
    call_id uuid not null,
    response_status int not null,
    response_body text not null,
    created_at timestamptz(3) not null,
    primary key (number_id, "key")
  );

  create index idempotency_record_created_at_index on idempotency_record (created_at);

  create table event (
    id text not null,
    workspace_id uuid not null,
    number_id uuid not null,
    call_id uuid not null,
    type text not null,
    "at" timestamptz(3) not null,
    snapshot jsonb not null,
    primary key (id)
  );

  create index event_call_id_index on event (call_id);

  alter table event add constraint event_type_check check (type in ('call.ringing', 'call.answered', 'call.answered_by', 'call.consent', 'call.hangup_requested', 'call.hangup_cancelled', 'call.transfer_requested', 'call.transfer_connected', 'call.transfer_failed', 'call.transfer_returned', 'call.ended', 'recording.completed', 'recording.failed', 'call.summarized', 'call.erased'));

  create table event_delivery (
    id uuid not null,
    event_id text not null,
    endpoint_id uuid not null,
    call_id uuid not null,
    "position" int not null,
    state text not null,
    attempts int not null default 0,
    attempts_before int not null default 0,
    next_attempt_at timestamptz(3) not null,
    claimed_until timestamptz(3) null,
    claimed_by text null,
    created_at timestamptz(3) not null,
    finished_at timestamptz(3) null,
    primary key (id)
  );

  create index event_delivery_event_id_index on event_delivery (event_id);

  create index event_delivery_due_index on event_delivery (endpoint_id, next_attempt_at) where state = 'pending';

  create index event_delivery_claimed_index on event_delivery (endpoint_id, claimed_until) where state = 'pending' and claimed_until is not null;

  create index event_delivery_order_index on event_delivery (endpoint_id, call_id, "position") where state = 'pending';

  create index event_delivery_claimed_by_index on event_delivery (claimed_by) where claimed_by is not null;

  create index event_delivery_dead_index on event_delivery (endpoint_id) where state = 'dead';

  create index event_delivery_endpoint_id_created_at_id_index on event_delivery (endpoint_id, created_at, id);

  alter table event_delivery add constraint event_delivery_state_check check (state in ('pending', 'delivered', 'dead'));

  create table delivery_attempt (
    delivery_id uuid not null,
    attempt int not null,
    "at" timestamptz(3) not null,
    duration_ms int not null,
    http_status int null,
    error text null,
    primary key (delivery_id, attempt)
  );

  create table call_search (
    call_id uuid not null,
    workspace_id uuid not null,
    started_at timestamptz(3) not null,
    words tsvector not null,
    primary key (call_id)
  );

  create index call_search_workspace_id_started_at_call_id_index on call_search (workspace_id, started_at, call_id);

  create index call_search_words_index on call_search using gin (words);

  create table audit_entry (
    workspace_id uuid not null,
    id bigint not null,
    actor text not null,
    action text not null,
    subject text not null,
    "at" timestamptz(3) not null,
    detail jsonb not null,
    primary key (workspace_id, id)
  );

  create table admin_token (
    id uuid not null,
    workspace_id uuid not null,
    name text not null,
    "role" text not null default 'admin',
    token_hash bytea not null,
    token_key_id text null,
    created_at timestamptz(3) not null,
    revoked_at timestamptz(3) null,
    expires_at timestamptz(3) null,
    last_used_at timestamptz(3) null,
    node text null,
    primary key (id)
  );

  create index admin_token_workspace_id_index on admin_token (workspace_id);

  alter table admin_token add constraint admin_token_token_hash_unique unique (token_hash);

  alter table admin_token add constraint admin_token_role_check check ("role" in ('admin', 'viewer'));

  create table sign_in_link (
    id uuid not null,
    admin_token_id uuid not null,
    code_hash bytea not null,
    created_at timestamptz(3) not null,
    expires_at timestamptz(3) not null,
    used_at timestamptz(3) null,
    primary key (id)
  );

  create index sign_in_link_admin_token_id_index on sign_in_link (admin_token_id);

  alter table sign_in_link add constraint sign_in_link_code_hash_unique unique (code_hash);

  create table simulated_callee (
    workspace_id uuid not null,
    number text not null,
    script jsonb not null,
    rehearsal jsonb null,
    primary key (workspace_id, number)
  );

  create table console_session (
    id uuid not null,
    admin_token_id uuid not null,
    secret_hash bytea not null,
    created_at timestamptz(3) not null,
    last_used_at timestamptz(3) not null,
    expires_at timestamptz(3) not null,
    primary key (id)
  );

  create index console_session_admin_token_id_index on console_session (admin_token_id);

  alter table console_session add constraint console_session_secret_hash_unique unique (secret_hash);

  alter table trunk add constraint trunk_workspace_id_foreign foreign key (workspace_id) references workspace (id);

  alter table phone_number add constraint phone_number_workspace_id_foreign foreign key (workspace_id) references workspace (id);

  alter table phone_number add constraint phone_number_trunk_id_foreign foreign key (trunk_id) references trunk (id) on delete set null;

  alter table webhook_endpoint add constraint webhook_endpoint_workspace_id_foreign foreign key (workspace_id) references workspace (id);

  alter table webhook_endpoint add constraint webhook_endpoint_number_id_foreign foreign key (number_id) references phone_number (id) on delete no action;

  alter table number_key add constraint number_key_number_id_foreign foreign key (number_id) references phone_number (id) on update no action on delete no action;

  alter table agent_binding add constraint agent_binding_number_id_foreign foreign key (number_id) references phone_number (id);

  alter table "call" add constraint call_workspace_id_foreign foreign key (workspace_id) references workspace (id);

  alter table "call" add constraint call_number_id_foreign foreign key (number_id) references phone_number (id);

  alter table recording add constraint recording_call_id_foreign foreign key (call_id) references "call" (id) on update no action on delete no action;

  alter table idempotency_record add constraint idempotency_record_number_id_foreign foreign key (number_id) references phone_number (id);

  alter table idempotency_record add constraint idempotency_record_call_id_foreign foreign key (call_id) references "call" (id) on update no action on delete no action;

  alter table event add constraint event_call_id_foreign foreign key (call_id) references "call" (id);

  alter table event_delivery add constraint event_delivery_event_id_foreign foreign key (event_id) references event (id);

  alter table event_delivery add constraint event_delivery_endpoint_id_foreign foreign key (endpoint_id) references webhook_endpoint (id) on delete cascade;

  alter table delivery_attempt add constraint delivery_attempt_delivery_id_foreign foreign key (delivery_id) references event_delivery (id) on delete cascade;

  alter table call_search add constraint call_search_call_id_foreign foreign key (call_id) references "call" (id) on update no action on delete cascade;

  alter table audit_entry add constraint audit_entry_workspace_id_foreign foreign key (workspace_id) references workspace (id);

  alter table admin_token add constraint admin_token_workspace_id_foreign foreign key (workspace_id) references workspace (id);

  alter table sign_in_link add constraint sign_in_link_admin_token_id_foreign foreign key (admin_token_id) references admin_token (id) on delete cascade;

  alter table simulated_callee add constraint simulated_callee_workspace_id_foreign foreign key (workspace_id) references workspace (id);

  alter table console_session add constraint console_session_admin_token_id_foreign foreign key (admin_token_id) references admin_token (id) on delete cascade;
`;

export class Initial extends Migration {
  override up(): void {
    this.addSql(schema);
  }
}
