import { Migration } from '@mikro-orm/migrations';

/** Version and load of each gateway. Gateways without this migration leave them null. */
const schema = `
  alter table node
    add column version text null,
    add column load jsonb null;
`;

export class GatewayLoad extends Migration {
  override up(): void {
    this.addSql(schema);
  }
}
