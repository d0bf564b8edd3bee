/**
 * Statements for databases of builds before 0.1.0, whose migrations `0001-schema` replaced. The statements bring a
 * database with all of those migrations to the new schema, in one transaction with the change of the migration's name.
 */
export const formerMigrations = { count: 57, last: '0073-recording-nodes' };

/**
 * Statements in order. The last ones merge `call_revival` and `sip_leg` into one table with all data that another
 * process needs to resume a call, and add the callees of the simulated line.
 */
export const fromFormer = [
  `create table call_checkpoint (
    call_id uuid primary key,
    node text not null,
    epoch int not null default 1,
    form int not null,
    ahead_ms double precision,
    token_sealed text,
    headers_sealed jsonb,
    settings jsonb,
    legs jsonb not null default '{}',
    progress jsonb,
    pending_hangup text check (pending_hangup in ('hangup', 'hangup_immediately'))
  ) with (fillfactor = 50)`,
  'create index call_checkpoint_node_index on call_checkpoint (node)',
  `create index call_checkpoint_pending_hangup on call_checkpoint (call_id) where pending_hangup is not null`,
  `insert into call_checkpoint (call_id, node, epoch, form, ahead_ms, token_sealed, headers_sealed, settings, legs, progress, pending_hangup)
  select r.call_id, c.node, r.epoch, r.form, r.ahead_ms, r.token_sealed, r.headers_sealed, r.start,
    coalesce((select jsonb_object_agg(l.id::text, l.leg) from sip_leg l where l.call_id = r.call_id), '{}'),
    r.progress, r.left_hangup
  from call_revival r join call c on c.id = r.call_id`,
  `insert into call_checkpoint (call_id, node, epoch, form, legs)
  select coalesce(call_id, id), min(node), max(epoch), 1, jsonb_object_agg(id::text, leg) from sip_leg
  group by coalesce(call_id, id)
  on conflict do nothing`,
  'drop table call_revival',
  'drop table sip_leg',
  `create table simulated_callee (
    workspace_id uuid not null,
    number text not null,
    script jsonb not null,
    rehearsal jsonb,
    primary key (workspace_id, number),
    constraint simulated_callee_workspace_id_foreign foreign key (workspace_id) references workspace (id)
  )`,
];
