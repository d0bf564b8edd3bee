/** All migrations, oldest first (`migrations`), with their statements. */
import type { Migration } from '@mikro-orm/migrations';
import { GatewayLoad } from './gateway-load.ts';
import { Initial } from './initial.ts';
import { migrationNames, type MigrationName } from './names.ts';
import { NumberSettings } from './number-settings.ts';
import { Rehearsals } from './rehearsals.ts';
import { TrunkLegs } from './trunk-legs.ts';
import { WebhookAdvice } from './webhook-advice.ts';

const classes: Readonly<
  Record<MigrationName, new (...given: ConstructorParameters<typeof Migration>) => Migration>
> = {
  '0001-schema': Initial,
  '0002-webhook-advice': WebhookAdvice,
  '0003-number-settings': NumberSettings,
  '0004-gateway-load': GatewayLoad,
  '0005-rehearsals': Rehearsals,
  '0006-trunk-legs': TrunkLegs,
};

export const migrations = migrationNames.map((name) => ({ name, class: classes[name] }));
