/** Names of all migrations, oldest first. A name never changes once it was released. */
export const migrationNames = [
  '0001-schema',
  '0002-webhook-advice',
  '0003-number-settings',
  '0004-gateway-load',
  '0005-rehearsals',
  '0006-trunk-legs',
] as const;

export type MigrationName = (typeof migrationNames)[number];

/** Migration that creates the schema of 0.1.0. */
export const initialName: MigrationName = '0001-schema';
