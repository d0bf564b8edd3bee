import { Migration } from '@mikro-orm/migrations';

export class CallSound extends Migration {
  override up(): void {
    this.addSql(`alter table call
      add column trunk_id text,
      add column trunk_name text,
      add column failed_trunks text[],
      add column post_dial_delay_ms int,
      add column local_signalling text,
      add column remote_signalling text,
      add column one_way text,
      add column sound jsonb,
      add constraint call_one_way_check check (one_way in ('nothing_received', 'nothing_delivered'))`);
  }
}
