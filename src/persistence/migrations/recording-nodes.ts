import { Migration } from '@mikro-orm/migrations';

export class RecordingNodes extends Migration {
  override up(): void {
    this.addSql('alter table recording add column node text');
    this.addSql(
      "create index recording_left_index on recording (node) where status = 'pending' and node is not null",
    );
  }
}
