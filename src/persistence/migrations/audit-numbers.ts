import { Migration } from '@mikro-orm/migrations';

/** Entries are counted in their workspace: what others do is nobody's to see, not even how much of it there is. */
const statements = [
  `alter table workspace add column audit_entries int not null default 0`,
  `alter table audit_entry drop constraint audit_entry_pkey, alter column id drop default`,
  `drop sequence audit_entry_id_seq`,
  `drop index audit_entry_workspace_id_id_index`,
  `update audit_entry set id = numbered.number
    from (select id, row_number() over (partition by workspace_id order by id) as number from audit_entry) numbered
    where audit_entry.id = numbered.id`,
  `alter table audit_entry add primary key (workspace_id, id)`,
  `update workspace set audit_entries =
    (select count(*) from audit_entry where audit_entry.workspace_id = workspace.id)`,
];

export class AuditNumbers extends Migration {
  override up(): void {
    for (const statement of statements) this.addSql(statement);
  }
}
