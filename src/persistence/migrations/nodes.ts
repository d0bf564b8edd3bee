import { Migration } from '@mikro-orm/migrations';

/** Gateways see each other, and ask each other about the calls that they hold. */
const statements = [
  `
  create table node (
    name text not null,
    instance uuid not null,
    address text,
    seen_at timestamptz(3) not null,
    lost_at timestamptz(3),
    claimed_until timestamptz(3),
    primary key (name)
  )`,
  `
  create table node_signal (
    id uuid not null,
    to_node text not null,
    from_node text not null,
    request jsonb not null,
    state text not null,
    answer jsonb,
    sent_at timestamptz(3) not null,
    primary key (id),
    constraint node_signal_state_check check (state in ('sent', 'taken', 'answered'))
  )`,
  `create index node_signal_to_node_index on node_signal (to_node)`,
];

export class Nodes extends Migration {
  override up(): void {
    for (const statement of statements) this.addSql(statement);
  }
}
