import { Migration } from '@mikro-orm/migrations';

/** Last success, cool-down and advice of a webhook endpoint, and the advice of its failed attempts. */
const schema = `
  alter table webhook_endpoint
    add column last_failure_code text null,
    add column last_failure_advice text null,
    add column last_success_at timestamptz(3) null,
    add column cooling_until timestamptz(3) null;

  alter table delivery_attempt
    add column code text null,
    add column advice text null;
`;

export class WebhookAdvice extends Migration {
  override up(): void {
    this.addSql(schema);
  }
}
