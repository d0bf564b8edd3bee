import { Migration } from '@mikro-orm/migrations';

export class Transfers extends Migration {
  override up(): void {
    this.addSql('alter table phone_number add column transfer_to jsonb');
    this.addSql('alter table call drop constraint call_end_reason_check');
    this.addSql(
      `alter table call add constraint call_end_reason_check check (end_reason in ('agent_hangup', 'counterparty_hangup', 'max_duration', 'silence_timeout', 'transfer_completed', 'transfer_failed', 'no_answer', 'busy', 'declined', 'cancelled', 'invalid_number', 'trunk_error', 'media_error', 'agent_error', 'no_agent_endpoint', 'caller_rejected', 'system_error'))`,
    );
  }
}
