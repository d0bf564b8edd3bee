/** All migrations, oldest first (`migrations`), with their statements. */
import type { Migration } from '@mikro-orm/migrations';
import { Initial } from './initial.ts';
import { migrationNames, type MigrationName } from './names.ts';
import { NumberSettings } from './number-settings.ts';
import { WebhookAdvice } from './webhook-advice.ts';

const classes: Readonly<
  Record<MigrationName, new (...given: ConstructorParameters<typeof Migration>) => Migration>
> = {
  '0001-schema': Initial,
  '0002-webhook-advice': WebhookAdvice,
  '0003-number-settings': NumberSettings,
};

export const migrations = migrationNames.map((name) => ({ name, class: classes[name] }));
