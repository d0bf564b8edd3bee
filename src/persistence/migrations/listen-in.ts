import { Migration } from '@mikro-orm/migrations';

export class ListenIn extends Migration {
  override up(): void {
    this.addSql(`alter table phone_number add column listen_in text not null default 'off'`);
    this.addSql(
      `alter table phone_number add constraint phone_number_listen_in_check
        check (listen_in in ('off', 'announced', 'silent'))`,
    );
  }
}
