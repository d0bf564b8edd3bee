import { Migration } from '@mikro-orm/migrations';

export class AgentHeaders extends Migration {
  override up(): void {
    this.addSql(`alter table agent_binding add column headers_sealed jsonb not null default '{}'`);
    this.addSql('alter table call_revival add column headers_sealed jsonb');
  }
}
