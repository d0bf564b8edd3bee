import { Migration } from '@mikro-orm/migrations';

const statements = [
  `alter table phone_number add column deleted_at timestamptz(3)`,
  // The digits of a number that was deleted are free again.
  `alter table phone_number drop constraint phone_number_number_unique`,
  `create unique index phone_number_number_unique on phone_number (number) where deleted_at is null`,
];

export class DeletedNumbers extends Migration {
  override up(): void {
    for (const statement of statements) this.addSql(statement);
  }
}
