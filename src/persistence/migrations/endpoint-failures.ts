import { Migration } from '@mikro-orm/migrations';

const statement = `alter table webhook_endpoint add column failing_since timestamptz(3), add column last_failure text`;

export class EndpointFailures extends Migration {
  override up(): void {
    this.addSql(statement);
  }
}
