/** Settings of a gateway for tests, on this database. */
export const testSettings = (databaseUrl: string, dataFolder: string): Record<string, string> => ({
  GW_PORT: '0',
  GW_DATA_DIR: dataFolder,
  GW_DATABASE_URL: databaseUrl,
  GW_DATABASE_POOL: '4',
  GW_DATABASE_JOURNAL_POOL: '2',
  GW_MASTER_KEY: Buffer.alloc(32, 7).toString('base64'),
  GW_AGENT_ALLOW_LOOPBACK: '1',
  GW_SIMULATOR_SPEED: '20',
  // Load shedding is off, because tests place calls on busy machines, too.
  GW_MAX_DELAY_MS: '0',
  GW_DRAIN_SEC: '0',
});
