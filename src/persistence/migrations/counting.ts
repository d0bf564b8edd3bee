import { Migration } from '@mikro-orm/migrations';

/** Gateways count the calls of a workspace together, and say who does so alone. */
const statements = [
  `alter table node add column counts_alone boolean not null default false`,
  `drop index call_in_progress_index`,
  `create index call_in_progress_index on call (workspace_id, node) where ended_at is null`,
];

export class Counting extends Migration {
  override up(): void {
    for (const statement of statements) this.addSql(statement);
  }
}
