import { Migration } from '@mikro-orm/migrations';

const statements = [
  `alter table event_delivery add column call_id uuid, add column position int`,
  // Facts that are written from now on have higher numbers: a call has not fewer facts than events.
  `update event_delivery as delivery set call_id = placed.call_id, position = placed.position
    from (
      select id, call_id,
        row_number() over (partition by call_id order by at, type <> 'call.ringing', type like 'recording.%') - 1
          as position
      from event
    ) as placed
    where placed.id = delivery.event_id`,
  `alter table event_delivery alter column call_id set not null, alter column position set not null`,
  `create index event_delivery_order_index on event_delivery (endpoint_id, call_id, position)
    where state = 'pending'`,
];

export class DeliveryOrder extends Migration {
  override up(): void {
    for (const statement of statements) this.addSql(statement);
  }
}
