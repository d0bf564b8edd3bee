import { Migration } from '@mikro-orm/migrations';

/** What it takes to go on with a call whose process has died. Each is changed often, where it stands. */
const table = `create table call_revival (
  call_id uuid not null,
  epoch int not null default 1,
  form int not null,
  start jsonb not null,
  token_sealed text,
  progress jsonb,
  primary key (call_id),
  constraint call_revival_call_id_foreign foreign key (call_id) references call (id)
) with (fillfactor = 50)`;

export class CallRevivals extends Migration {
  override up(): void {
    this.addSql(table);
  }
}
