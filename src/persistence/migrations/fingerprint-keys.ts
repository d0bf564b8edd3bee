import { Migration } from '@mikro-orm/migrations';

export class FingerprintKeys extends Migration {
  override up(): void {
    this.addSql('alter table admin_token add column token_key_id text');
  }
}
