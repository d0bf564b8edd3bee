import { Migration } from '@mikro-orm/migrations';

/** Who is signed in to the console, and links that sign in once. Of their secrets only fingerprints are kept. */
export class ConsoleSessions extends Migration {
  override up(): void {
    this.addSql(`
  create table console_session (
    id uuid not null,
    admin_token_id uuid not null,
    secret_hash bytea not null,
    created_at timestamptz(3) not null,
    last_used_at timestamptz(3) not null,
    expires_at timestamptz(3) not null,
    primary key (id),
    constraint console_session_secret_hash_unique unique (secret_hash),
    constraint console_session_admin_token_id_foreign foreign key (admin_token_id)
      references admin_token (id) on delete cascade
  )`);
    this.addSql('create index console_session_admin_token_id_index on console_session (admin_token_id)');
    this.addSql(`
  create table sign_in_link (
    id uuid not null,
    admin_token_id uuid not null,
    code_hash bytea not null,
    created_at timestamptz(3) not null,
    expires_at timestamptz(3) not null,
    used_at timestamptz(3),
    primary key (id),
    constraint sign_in_link_code_hash_unique unique (code_hash),
    constraint sign_in_link_admin_token_id_foreign foreign key (admin_token_id)
      references admin_token (id) on delete cascade
  )`);
    this.addSql('create index sign_in_link_admin_token_id_index on sign_in_link (admin_token_id)');
  }
}
