import { Migration } from '@mikro-orm/migrations';

const statements = [
  `create table sip_leg (
    id uuid primary key,
    call_id uuid,
    node text not null,
    leg jsonb not null
  )`,
  'create index sip_leg_node_index on sip_leg (node)',
];

export class SipLegs extends Migration {
  override up(): void {
    for (const statement of statements) this.addSql(statement);
  }
}
