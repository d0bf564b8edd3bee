import { Migration } from '@mikro-orm/migrations';

export class CallTransfer extends Migration {
  override up(): void {
    this.addSql('alter table call add column transfer jsonb');
    this.addSql('alter table event drop constraint event_type_check');
    this.addSql(
      `alter table event add constraint event_type_check check (type in ('call.ringing', 'call.answered', 'call.answered_by', 'call.hangup_requested', 'call.hangup_cancelled', 'call.transfer_requested', 'call.transfer_connected', 'call.transfer_failed', 'call.transfer_returned', 'call.ended', 'recording.completed', 'recording.failed', 'call.summarized', 'call.erased'))`,
    );
  }
}
