import { Migration } from '@mikro-orm/migrations';

/** Unlogged: a count that is lost with the server lets somebody ask anew, and nobody waits for the disk. */
export class RequestCounts extends Migration {
  override up(): void {
    this.addSql(`
  create unlogged table request_count (
    key text not null,
    requests int not null,
    ends_at timestamptz(3) not null,
    primary key (key)
  )`);
  }
}
