import { Migration } from '@mikro-orm/migrations';

export class CallerIdentity extends Migration {
  override up(): void {
    this.addSql('alter table call add column caller_name text, add column diversions jsonb');
  }
}
