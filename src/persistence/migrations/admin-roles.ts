import { Migration } from '@mikro-orm/migrations';

const statements = [
  `alter table admin_token
    add column role text not null default 'admin',
    add column expires_at timestamptz(3),
    add column last_used_at timestamptz(3),
    add column node text`,
  `alter table admin_token add constraint admin_token_role_check check (role in ('admin', 'viewer'))`,
  // Until here only gateways made tokens, each for its own file of credentials. No gateway has an empty name.
  `update admin_token set node = ''`,
];

export class AdminRoles extends Migration {
  override up(): void {
    for (const statement of statements) this.addSql(statement);
  }
}
