import { Migration } from '@mikro-orm/migrations';

/** In the order in which the tables refer to each other. */
const statements = [
  `
  create table workspace (
    id uuid not null,
    name text not null,
    time_zone text not null default 'Asia/Seoul',
    max_duration_sec int,
    default_duration_sec int,
    silence_timeout_sec int,
    ring_timeout_sec int,
    max_concurrent_calls int,
    recording_enabled boolean,
    max_calls_in_progress int,
    created_at timestamptz(3) not null,
    primary key (id)
  )`,
  `
  create table admin_token (
    id uuid not null,
    workspace_id uuid not null,
    name text not null,
    token_hash bytea not null,
    created_at timestamptz(3) not null,
    revoked_at timestamptz(3),
    primary key (id),
    constraint admin_token_token_hash_unique unique (token_hash),
    constraint admin_token_workspace_id_foreign foreign key (workspace_id) references workspace (id)
  )`,
  `create index admin_token_workspace_id_index on admin_token (workspace_id)`,
  `
  create table phone_number (
    id uuid not null,
    workspace_id uuid not null,
    number text not null,
    language text not null,
    max_duration_sec int,
    default_duration_sec int,
    silence_timeout_sec int,
    ring_timeout_sec int,
    max_concurrent_calls int,
    recording_enabled boolean,
    greeting text,
    inbound_auth_method text not null default 'none',
    inbound_auth_url text,
    inbound_auth_secret_sealed text,
    created_at timestamptz(3) not null,
    primary key (id),
    constraint phone_number_number_unique unique (number),
    constraint phone_number_inbound_auth_method_check check (inbound_auth_method in ('none', 'handshake')),
    constraint phone_number_workspace_id_foreign foreign key (workspace_id) references workspace (id)
  )`,
  `create index phone_number_workspace_id_index on phone_number (workspace_id)`,
  `
  create table agent_binding (
    number_id uuid not null,
    direction text not null,
    agent text not null,
    agent_type text,
    chat_url text,
    assistant_id text,
    agent_id text,
    token_sealed text,
    primary key (number_id, direction),
    constraint agent_binding_direction_check check (direction in ('inbound', 'outbound')),
    constraint agent_binding_agent_check check (agent in ('builtin', 'endpoint')),
    constraint agent_binding_agent_type_check check (agent_type in ('webhook', 'openai_compatible', 'n8n', 'langgraph', 'mastra')),
    constraint agent_binding_number_id_foreign foreign key (number_id) references phone_number (id)
  )`,
  `
  create table number_key (
    number_id uuid not null,
    key_hash bytea not null,
    key_sealed text,
    issued_at timestamptz(3) not null,
    primary key (number_id),
    constraint number_key_key_hash_unique unique (key_hash),
    constraint number_key_number_id_foreign foreign key (number_id) references phone_number (id) on update no action on delete no action
  )`,
  `
  create table call (
    id uuid not null,
    workspace_id uuid not null,
    number_id uuid not null,
    direction text not null,
    own_number text not null,
    counterparty text not null,
    language text not null,
    status text not null,
    end_reason text,
    instruction text,
    summary text,
    max_duration_sec int not null,
    recording_enabled boolean not null,
    started_at timestamptz(3) not null,
    answered_at timestamptz(3),
    ended_at timestamptz(3),
    duration_sec double precision,
    sip_status int,
    sip_reason text,
    sip_call_id text,
    node text not null,
    primary key (id),
    constraint call_direction_check check (direction in ('inbound', 'outbound')),
    constraint call_status_check check (status in ('ringing', 'active', 'completed', 'no_answer', 'failed')),
    constraint call_end_reason_check check (end_reason in ('agent_hangup', 'counterparty_hangup', 'max_duration', 'silence_timeout', 'no_answer', 'busy', 'declined', 'cancelled', 'invalid_number', 'trunk_error', 'media_error', 'agent_error', 'no_agent_endpoint', 'caller_rejected', 'system_error')),
    constraint call_workspace_id_foreign foreign key (workspace_id) references workspace (id),
    constraint call_number_id_foreign foreign key (number_id) references phone_number (id)
  )`,
  `create index call_number_id_started_at_id_index on call (number_id, started_at, id)`,
  `create index call_workspace_id_started_at_id_index on call (workspace_id, started_at, id)`,
  `create index call_in_progress_index on call (node) where status in ('ringing', 'active')`,
  `
  create table call_turn (
    call_id uuid not null,
    sequence int not null,
    role text not null,
    text text not null,
    t_offset_sec double precision not null,
    spoken_at timestamptz(3) not null,
    whole boolean not null,
    primary key (call_id, sequence),
    constraint call_turn_role_check check (role in ('assistant', 'user')),
    constraint call_turn_call_id_foreign foreign key (call_id) references call (id)
  )`,
  `
  create table call_fact (
    call_id uuid not null,
    sequence int not null,
    type text not null,
    at timestamptz(3) not null,
    data jsonb not null,
    primary key (call_id, sequence),
    constraint call_fact_call_id_foreign foreign key (call_id) references call (id)
  )`,
  `
  create table recording (
    call_id uuid not null,
    status text not null,
    content_type text,
    duration_sec double precision,
    bytes bigint,
    file text,
    created_at timestamptz(3) not null,
    finished_at timestamptz(3),
    primary key (call_id),
    constraint recording_status_check check (status in ('pending', 'completed', 'failed')),
    constraint recording_call_id_foreign foreign key (call_id) references call (id) on update no action on delete no action
  )`,
  `
  create table audit_entry (
    id bigserial primary key,
    workspace_id uuid not null,
    actor text not null,
    action text not null,
    subject text not null,
    at timestamptz(3) not null,
    detail jsonb not null,
    constraint audit_entry_workspace_id_foreign foreign key (workspace_id) references workspace (id)
  )`,
  `create index audit_entry_workspace_id_id_index on audit_entry (workspace_id, id)`,
  `
  create table idempotency_record (
    number_id uuid not null,
    key text not null,
    fingerprint bytea not null,
    state text not null,
    response_status int,
    response_body text,
    created_at timestamptz(3) not null,
    primary key (number_id, key),
    constraint idempotency_record_state_check check (state in ('running', 'done')),
    constraint idempotency_record_number_id_foreign foreign key (number_id) references phone_number (id)
  )`,
  `create index idempotency_record_created_at_index on idempotency_record (created_at)`,
  `
  create table event (
    id text not null,
    workspace_id uuid not null,
    number_id uuid not null,
    call_id uuid not null,
    type text not null,
    at timestamptz(3) not null,
    snapshot jsonb not null,
    primary key (id),
    constraint event_type_check check (type in ('call.ringing', 'call.answered', 'call.hangup_requested', 'call.hangup_cancelled', 'call.ended', 'recording.completed', 'recording.failed', 'call.summarized')),
    constraint event_call_id_foreign foreign key (call_id) references call (id)
  )`,
  `create index event_call_id_index on event (call_id)`,
  `
  create table webhook_endpoint (
    id uuid not null,
    workspace_id uuid not null,
    number_id uuid,
    url text not null,
    events text[],
    secret_sealed text not null,
    previous_secret_sealed text,
    previous_secret_until timestamptz(3),
    state text not null default 'active',
    disabled_reason text,
    created_at timestamptz(3) not null,
    primary key (id),
    constraint webhook_endpoint_state_check check (state in ('active', 'paused', 'disabled')),
    constraint webhook_endpoint_workspace_id_foreign foreign key (workspace_id) references workspace (id),
    constraint webhook_endpoint_number_id_foreign foreign key (number_id) references phone_number (id) on delete no action
  )`,
  `create index webhook_endpoint_workspace_id_index on webhook_endpoint (workspace_id)`,
  `
  create table event_delivery (
    id uuid not null,
    event_id text not null,
    endpoint_id uuid not null,
    state text not null,
    attempts int not null default 0,
    attempts_before int not null default 0,
    next_attempt_at timestamptz(3) not null,
    claimed_until timestamptz(3),
    created_at timestamptz(3) not null,
    finished_at timestamptz(3),
    primary key (id),
    constraint event_delivery_state_check check (state in ('pending', 'delivered', 'dead')),
    constraint event_delivery_event_id_foreign foreign key (event_id) references event (id),
    constraint event_delivery_endpoint_id_foreign foreign key (endpoint_id) references webhook_endpoint (id) on delete cascade
  )`,
  `create index event_delivery_event_id_index on event_delivery (event_id)`,
  `create index event_delivery_due_index on event_delivery (endpoint_id, next_attempt_at) where state = 'pending'`,
  `create index event_delivery_claimed_index on event_delivery (endpoint_id, claimed_until) where state = 'pending' and claimed_until is not null`,
  `create index event_delivery_endpoint_id_created_at_id_index on event_delivery (endpoint_id, created_at, id)`,
  `
  create table delivery_attempt (
    delivery_id uuid not null,
    attempt int not null,
    at timestamptz(3) not null,
    duration_ms int not null,
    http_status int,
    error text,
    primary key (delivery_id, attempt),
    constraint delivery_attempt_delivery_id_foreign foreign key (delivery_id) references event_delivery (id) on delete cascade
  )`,
];

export class Initial extends Migration {
  override up(): void {
    for (const statement of statements) this.addSql(statement);
  }
}
