import { Migration } from '@mikro-orm/migrations';

/**
 * Legs of a call that use channels of a trunk. The primary key stays, because the statements of gateways without this
 * migration name it; such gateways leave the column null.
 */
const schema = `
  alter table trunk_channel
    add column legs text[] null;
`;

export class TrunkLegs extends Migration {
  override up(): void {
    this.addSql(schema);
  }
}
