import { Migration } from '@mikro-orm/migrations';

/** The wall clocks of two gateways, or of one before and after it was set, do not say how long a call has lasted. */
export class CallRevivalTime extends Migration {
  override up(): void {
    this.addSql(`alter table call_revival add column ahead_ms double precision`);
  }
}
