import { Migration } from '@mikro-orm/migrations';

/** Runs of suites of simulated callers and callees. Gateways without this migration run none. */
const schema = `
  create table rehearsal (
    id uuid not null,
    workspace_id uuid not null,
    number_id uuid not null,
    suite text not null,
    source text not null,
    repeat int not null,
    parallel int not null,
    status text not null,
    problem text null,
    actor text not null,
    node text not null,
    alive_at timestamptz(3) not null,
    calls_all int not null,
    calls_done int not null default 0,
    result jsonb null,
    created_at timestamptz(3) not null,
    started_at timestamptz(3) null,
    ended_at timestamptz(3) null,
    primary key (id)
  );

  alter table rehearsal add constraint rehearsal_status_check check (status in ('queued', 'running', 'passed', 'failed', 'cancelled', 'interrupted'));

  create index rehearsal_workspace_id_created_at_id_index on rehearsal (workspace_id, created_at, id);

  create unique index rehearsal_running_unique on rehearsal (number_id) where status = 'running';

  create index rehearsal_unfinished_index on rehearsal (number_id, created_at) where status in ('queued', 'running');

  alter table rehearsal add constraint rehearsal_workspace_id_foreign foreign key (workspace_id) references workspace (id);

  alter table rehearsal add constraint rehearsal_number_id_foreign foreign key (number_id) references phone_number (id);
`;

export class Rehearsals extends Migration {
  override up(): void {
    this.addSql(schema);
  }
}
