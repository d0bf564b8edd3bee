import { Migration } from '@mikro-orm/migrations';

const statements = [
  'alter table call add column words_erased_at timestamptz(3), add column erased_at timestamptz(3)',
  'alter table recording add column erased_at timestamptz(3)',
  `create index recording_to_remove_index on recording (erased_at)
    where erased_at is not null and file is not null`,
  'alter table event drop constraint event_type_check',
  `alter table event add constraint event_type_check check (type in ('call.ringing', 'call.answered', 'call.answered_by', 'call.hangup_requested', 'call.hangup_cancelled', 'call.ended', 'recording.completed', 'recording.failed', 'call.summarized', 'call.erased'))`,
];

export class CallErasure extends Migration {
  override up(): void {
    for (const statement of statements) this.addSql(statement);
  }
}
