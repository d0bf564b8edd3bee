import { Migration } from '@mikro-orm/migrations';

export class TrunkNumbersWithoutPlus extends Migration {
  override up(): void {
    this.addSql('alter table trunk drop constraint trunk_number_format_check');
    this.addSql(
      `alter table trunk add constraint trunk_number_format_check check (number_format in ('domestic', 'e164', 'e164_without_plus'))`,
    );
  }
}
