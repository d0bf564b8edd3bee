import { Migration } from '@mikro-orm/migrations';

export class AgentControls extends Migration {
  override up(): void {
    this.addSql(`
      alter table agent_binding add column controls text not null default 'off',
      add constraint agent_binding_controls_check check (controls in ('off', 'inline'))`);
  }
}
