import { Migration } from '@mikro-orm/migrations';

export class NumberEngines extends Migration {
  override up(): void {
    this.addSql(
      'alter table phone_number add column recognizer text, add column synthesizer text, add column voice text',
    );
  }
}
