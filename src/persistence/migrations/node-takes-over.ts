import { Migration } from '@mikro-orm/migrations';

/** Gateways of before take no calls over that are handed to them. */
export class NodeTakesOver extends Migration {
  override up(): void {
    this.addSql(`alter table node add column takes_lines text, add column takes_form int`);
  }
}
