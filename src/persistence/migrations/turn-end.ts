import { Migration } from '@mikro-orm/migrations';

export class TurnEnd extends Migration {
  override up(): void {
    for (const table of ['phone_number', 'workspace'])
      this.addSql(`alter table ${table} add column turn_end jsonb`);
  }
}
