/** The foundation that every part of the gateway stands on and is given first. */
import type { Logger } from 'pino';
import type { Config } from '#config/config.ts';
import type { CallTime } from '#src/calls/live/call-time.ts';
import type { Clock } from '#src/domain/clock.ts';
import type { PolicySettings } from '#src/domain/call-policy.ts';
import type { Country } from '#src/domain/phone-number.ts';
import type { Database } from '#src/persistence/database.ts';
import type { Sealing } from '#src/persistence/sealing.ts';
import type { Surroundings } from './surroundings.ts';

export type Foundation = {
  config: Config;
  country: Country;
  /** What holds where neither number nor workspace says anything. */
  platformPolicy: PolicySettings;
  database: Database;
  sealing: Sealing;
  /** The wall clock: what is shown goes by it. */
  clock: Clock;
  /** One that nobody sets: what is measured goes by it. */
  steadyClock: Clock;
  /** That of the database, which all gateways share. */
  databaseClock: Clock;
  callTime: CallTime;
  /** Runs as fast as the simulated calls do. */
  callClock: Clock;
  logger: Logger;
  surroundings: Surroundings;
  /** Ends whatever was started, in the order in which it can be done without. */
  started: AsyncDisposableStack;
};
