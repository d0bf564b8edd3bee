import { Migration } from '@mikro-orm/migrations';

export class Destinations extends Migration {
  override up(): void {
    this.addSql('alter table workspace add column destinations jsonb');
    this.addSql('alter table phone_number add column destinations jsonb');
  }
}
