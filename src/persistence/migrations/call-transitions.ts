import { Migration } from '@mikro-orm/migrations';

const table = `create table call_transition (
  call_id uuid not null,
  sequence int not null,
  at timestamptz(3) not null,
  machine text not null,
  chart_version text not null,
  state_before text,
  event_type text not null,
  state_after text not null,
  facts_before int not null,
  primary key (call_id, sequence),
  constraint call_transition_call_id_foreign foreign key (call_id) references call (id)
)`;

export class CallTransitions extends Migration {
  override up(): void {
    this.addSql(table);
  }
}
