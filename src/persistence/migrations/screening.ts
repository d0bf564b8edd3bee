import { Migration } from '@mikro-orm/migrations';

const statements = [
  `alter table call drop constraint call_answered_by_check`,
  `alter table call add constraint call_answered_by_check check (answered_by in ('human', 'machine', 'screening', 'menu'))`,
  `alter table phone_number add column screening text not null default 'answer', add column caller_name text, add column menu text not null default 'talk'`,
  `alter table phone_number add constraint phone_number_screening_check check (screening in ('answer', 'hang_up'))`,
  `alter table phone_number add constraint phone_number_menu_check check (menu in ('talk', 'hang_up'))`,
];

/** Call screening or a menu may answer a call; a number says what becomes of it, and who calls. */
export class Screening extends Migration {
  override up(): void {
    for (const statement of statements) this.addSql(statement);
  }
}
