import { Migration } from '@mikro-orm/migrations';

export class DailyMinutes extends Migration {
  override up(): void {
    this.addSql('alter table workspace add column daily_minutes integer');
    this.addSql('alter table phone_number add column daily_minutes integer');
  }
}
