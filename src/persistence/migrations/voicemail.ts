import { Migration } from '@mikro-orm/migrations';

const statements = [
  `alter table call add column answered_by text`,
  `alter table call add constraint call_answered_by_check check (answered_by in ('human', 'machine'))`,
  `alter table phone_number add column voicemail text not null default 'talk', add column voicemail_message text`,
  `alter table phone_number add constraint phone_number_voicemail_check
    check (voicemail in ('talk', 'hang_up', 'leave_message'))`,
  `alter table event drop constraint event_type_check`,
  `alter table event add constraint event_type_check check (type in ('call.ringing', 'call.answered', 'call.answered_by', 'call.hangup_requested', 'call.hangup_cancelled', 'call.ended', 'recording.completed', 'recording.failed', 'call.summarized'))`,
];

export class Voicemail extends Migration {
  override up(): void {
    for (const statement of statements) this.addSql(statement);
  }
}
