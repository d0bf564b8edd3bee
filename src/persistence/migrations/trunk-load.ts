import { Migration } from '@mikro-orm/migrations';

export class TrunkLoad extends Migration {
  override up(): void {
    this.addSql(`
  create table trunk_load (
    trunk_id text not null,
    next_call_at timestamptz(6) not null,
    primary key (trunk_id)
  )`);
    this.addSql(`
  create table trunk_channel (
    trunk_id text not null,
    call_id uuid not null,
    node text not null,
    taken_at timestamptz(3) not null,
    primary key (trunk_id, call_id)
  )`);
  }
}
