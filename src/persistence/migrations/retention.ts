import { Migration } from '@mikro-orm/migrations';

export class Retention extends Migration {
  override up(): void {
    for (const table of ['phone_number', 'workspace'])
      this.addSql(`alter table ${table} add column retention_days jsonb`);
  }
}
