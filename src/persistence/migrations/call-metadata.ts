import { Migration } from '@mikro-orm/migrations';

export class CallMetadata extends Migration {
  override up(): void {
    this.addSql('alter table call add column metadata jsonb, add column sip_headers jsonb');
    // A call that nobody said anything of has no entry.
    this.addSql(
      'create index call_metadata_index on call using gin (metadata jsonb_path_ops) where metadata is not null',
    );
  }
}
