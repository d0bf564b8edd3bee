import { Migration } from '@mikro-orm/migrations';

export class Consent extends Migration {
  override up(): void {
    for (const table of ['phone_number', 'workspace', 'call'])
      this.addSql(`alter table ${table} add column consent jsonb`);
    this.addSql('alter table call drop constraint call_end_reason_check');
    this.addSql(
      `alter table call add constraint call_end_reason_check check (end_reason in ('agent_hangup', 'counterparty_hangup', 'max_duration', 'silence_timeout', 'transfer_completed', 'transfer_failed', 'consent_refused', 'no_answer', 'busy', 'declined', 'cancelled', 'invalid_number', 'trunk_error', 'media_error', 'agent_error', 'no_agent_endpoint', 'caller_rejected', 'system_error'))`,
    );
    this.addSql('alter table event drop constraint event_type_check');
    this.addSql(
      `alter table event add constraint event_type_check check (type in ('call.ringing', 'call.answered', 'call.answered_by', 'call.consent', 'call.hangup_requested', 'call.hangup_cancelled', 'call.transfer_requested', 'call.transfer_connected', 'call.transfer_failed', 'call.transfer_returned', 'call.ended', 'recording.completed', 'recording.failed', 'call.summarized', 'call.erased'))`,
    );
  }
}
