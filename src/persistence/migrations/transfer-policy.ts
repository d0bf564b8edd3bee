import { Migration } from '@mikro-orm/migrations';

export class TransferPolicy extends Migration {
  override up(): void {
    this.addSql(
      `alter table phone_number
        add column record_transfers boolean not null default true,
        add column transfer_max_duration_sec int not null default 3600`,
    );
  }
}
