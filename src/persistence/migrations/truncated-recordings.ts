import { Migration } from '@mikro-orm/migrations';

export class TruncatedRecordings extends Migration {
  override up(): void {
    this.addSql('alter table recording add column truncated boolean not null default false');
  }
}
