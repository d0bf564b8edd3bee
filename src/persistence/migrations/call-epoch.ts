import { Migration } from '@mikro-orm/migrations';

/** Who holds a call, so that whoever held it before writes nothing any more. */
const statements = [
  `alter table call add column epoch int not null default 1`,
  `alter table call_transition add column epoch int not null default 1`,
  // What two holders have kept of a call stays apart.
  `alter table call_transition drop constraint call_transition_pkey, add primary key (call_id, epoch, sequence)`,
  `alter table sip_leg add column epoch int not null default 1`,
  // Each statement of a fact looks for its call, and locks it, itself.
  `alter table call_fact drop constraint call_fact_call_id_foreign`,
  `alter table call_turn drop constraint call_turn_call_id_foreign`,
];

export class CallEpoch extends Migration {
  override up(): void {
    for (const statement of statements) this.addSql(statement);
  }
}
