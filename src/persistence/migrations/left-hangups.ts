import { Migration } from '@mikro-orm/migrations';

/** A hang-up that is asked for while nobody holds the call. Few have one, so looking for them costs next to nothing. */
export class LeftHangups extends Migration {
  override up(): void {
    this.addSql(
      `alter table call_revival add column left_hangup text check (left_hangup in ('hangup', 'hangup_immediately'))`,
    );
    this.addSql(
      `create index call_revival_left_hangup on call_revival (call_id) where left_hangup is not null`,
    );
  }
}
