import { Migration } from '@mikro-orm/migrations';

/** A key is kept with the call that it placed, in one transaction; refusals and requests under way keep none. */
const statements = [
  `delete from idempotency_record where state <> 'done' or response_status <> 201`,
  `alter table idempotency_record drop column state, add column call_id uuid`,
  `update idempotency_record set call_id = (response_body::jsonb ->> 'call_id')::uuid`,
  `alter table idempotency_record alter column call_id set not null,
    alter column response_status set not null, alter column response_body set not null,
    add constraint idempotency_record_call_id_foreign foreign key (call_id) references call (id)`,
];

export class KeyedAnswers extends Migration {
  override up(): void {
    for (const statement of statements) this.addSql(statement);
  }
}
