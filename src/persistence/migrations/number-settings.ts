import { Migration } from '@mikro-orm/migrations';

/**
 * Model, instructions and tools of a number's built-in agent, and the end of its key. Gateways without this migration
 * write null.
 */
const schema = `
  alter table agent_binding
    add column model text null,
    add column prompt text null,
    add column tools jsonb null;

  alter table number_key
    add column key_tail text null;
`;

export class NumberSettings extends Migration {
  override up(): void {
    this.addSql(schema);
  }
}
