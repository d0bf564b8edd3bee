import { Migration } from '@mikro-orm/migrations';

export class SipExplanation extends Migration {
  override up(): void {
    this.addSql('alter table call add column sip_explanation jsonb');
  }
}
