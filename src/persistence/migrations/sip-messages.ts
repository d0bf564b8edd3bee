import { Migration } from '@mikro-orm/migrations';

const statements = [
  `create table sip_message (
    call_id uuid not null,
    at_micros bigint not null,
    direction text not null,
    transport text not null,
    local text not null,
    remote text not null,
    text text not null,
    left_out int not null,
    primary key (call_id, at_micros),
    constraint sip_message_direction_check check (direction in ('in', 'out')),
    constraint sip_message_transport_check check (transport in ('udp', 'tcp', 'tls', 'ws', 'wss'))
  )`,
  'create index sip_message_at_micros_index on sip_message (at_micros)',
];

export class SipMessages extends Migration {
  override up(): void {
    for (const statement of statements) this.addSql(statement);
  }
}
