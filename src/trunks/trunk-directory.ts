/**
 * The trunks of all workspaces as this gateway knows them. Each enabled one lives as an actor that keeps it registered
 * and asks if it is there; a change in the database ends the lives of what was changed and begins new ones.
 */
import type { Logger } from 'pino';
import { createActor, fromPromise, type ActorRefFrom } from 'xstate';
import type { TrunkActors, TrunkLifeTimes, trunkMachine } from '#machines/trunk.ts';
import type { TrunkRequests } from '#sip/trunks/directory.ts';
import type { Clock } from '#src/domain/clock.ts';
import { doneWithin } from '#src/domain/with-timeout.ts';
import type { Trunk, TrunkCheckStep, TrunkState, TrunkStatus } from '#src/domain/trunk.ts';
import type { Database } from '#src/persistence/database.ts';
import { findNumberOwner, listAllTrunks, trunksChannel, type TrunkRecord } from '#src/persistence/trunks.ts';
import type { Sealing } from '#src/persistence/sealing.ts';

type Machine = typeof trunkMachine;

type Life = { trunk: Trunk; record: TrunkRecord; actor: ActorRefFrom<Machine> };

/** How long closing waits for registrars. */
const closeWithinMs = 1_500;

const openTrunk = ({ passwordSealed, ...record }: TrunkRecord, sealing: Pick<Sealing, 'open'>): Trunk => ({
  ...record,
  password: passwordSealed === null ? null : sealing.open(passwordSealed, record.id),
});

export const createTrunkDirectory = (options: {
  database: Database;
  sealing: Pick<Sealing, 'open'>;
  times: TrunkLifeTimes;
  clock: Clock;
  logger: Logger;
  /** Gives the chart of a life what it asks of its trunk. */
  machineWith: (actors: TrunkActors) => Machine;
}) => {
  const { database, sealing, times, clock, logger } = options;
  const lives = new Map<string, Life>();
  let machine: Machine | null = null;
  let requests: TrunkRequests | null = null;
  let stopListening: () => Promise<void> = async () => {};
  let loading: Promise<void> = Promise.resolve();

  const stateOf = ({ trunk, actor }: Life): TrunkState => {
    const snapshot = actor.getSnapshot();
    if (snapshot.matches('serving')) return trunk.register ? 'registered' : 'ready';
    if (snapshot.matches('unregistered')) return 'unregistered';
    return snapshot.matches('unreachable') ? 'unreachable' : 'registering';
  };

  const begin = (record: TrunkRecord): void => {
    if (machine === null) return;
    const trunk = openTrunk(record, sealing);
    const actor = createActor(machine, {
      clock,
      input: {
        trunkId: trunk.id,
        isEnabled: trunk.enabled,
        registers: trunk.register,
        isChecked: trunk.healthCheck,
        times,
      },
    });
    const life = { trunk, record, actor };
    lives.set(trunk.id, life);
    let before: TrunkState | null = null;
    actor.subscribe({
      next({ context: { detail } }) {
        const state = stateOf(life);
        if (state === before) return;
        before = state;
        const isBad = state === 'unregistered' || state === 'unreachable';
        logger[isBad ? 'warn' : 'info'](
          { trunk_id: trunk.id, trunk: trunk.name, detail },
          `a trunk is ${state}`,
        );
      },
      error: (error) => logger.error({ trunk_id: trunk.id, err: error }, 'the life of a trunk broke off'),
    });
    actor.start();
  };

  /** Resolves when the registrar knows, where there is one. */
  const end = async (life: Life): Promise<void> => {
    const wasRegistered = stateOf(life) === 'registered';
    lives.delete(life.trunk.id);
    life.actor.stop();
    if (!wasRegistered) return;
    try {
      await requests?.unregister(life.trunk);
    } catch (error) {
      logger.debug({ trunk_id: life.trunk.id, err: error }, 'a trunk was not told that it is left');
    }
  };

  const load = async (): Promise<void> => {
    const records = await listAllTrunks(database);
    for (const life of lives.values()) {
      const now = records.find(({ id, enabled }) => id === life.trunk.id && enabled);
      if (JSON.stringify(now) === JSON.stringify(life.record)) continue;
      // One that stays registers again at once; leaving it first would cross with that.
      if (now === undefined) void end(life);
      else {
        lives.delete(life.trunk.id);
        life.actor.stop();
      }
    }
    for (const record of records) {
      if (!record.enabled || lives.has(record.id)) continue;
      try {
        begin(record);
      } catch (error) {
        logger.error({ trunk_id: record.id, err: error }, 'a trunk cannot be used');
      }
    }
  };

  const reload = (): Promise<void> => {
    loading = loading.then(load).catch((error: unknown) => {
      logger.error({ err: error }, 'the trunks could not be read from the database');
    });
    return loading;
  };

  const trunkOf = (trunkId: string): Trunk => {
    const life = lives.get(trunkId);
    if (life === undefined) throw new Error('There is no such trunk any more.');
    return life.trunk;
  };

  const all = (): Trunk[] => [...lives.values()].map(({ trunk }) => trunk);

  return {
    all,
    isUsable(trunkId: string): boolean {
      const life = lives.get(trunkId);
      return life !== undefined && life.actor.getSnapshot().matches('serving');
    },
    /** Undefined where there is no enabled trunk with this id, or no real line to try it on. */
    tryOut: async (
      trunkId: string,
      numbers: { from: string; to: string },
    ): Promise<TrunkCheckStep[] | undefined> => {
      const life = lives.get(trunkId);
      return life === undefined ? undefined : requests?.tryOut(life.trunk, numbers);
    },
    ownerOf: (number: string) => findNumberOwner(database, number),

    /** What a trunk is doing, enabled or not. */
    status({ id, enabled }: { id: string; enabled: boolean }): TrunkStatus {
      const life = lives.get(id);
      if (!enabled) return { state: 'disabled', detail: null, lastSeenAt: null };
      if (machine === null)
        return { state: 'unused', detail: 'The lines of this gateway are simulated.', lastSeenAt: null };
      if (life === undefined) return { state: 'registering', detail: null, lastSeenAt: null };
      const { detail, lastSeenAt } = life.actor.getSnapshot().context;
      return { state: stateOf(life), detail, lastSeenAt };
    },

    /** Begins the lives of all trunks. */
    async start(ask: TrunkRequests): Promise<void> {
      requests = ask;
      machine = options.machineWith({
        register: fromPromise(({ input, signal }) => ask.register(trunkOf(input.trunkId), signal)),
        check: fromPromise(({ input, signal }) => ask.check(trunkOf(input.trunkId), signal)),
      });
      stopListening = await database.listen(trunksChannel, () => void reload());
      await reload();
    },

    /** Registrars are told; a trunk has no life any more. */
    async close(): Promise<void> {
      await stopListening();
      await loading;
      await doneWithin(clock, closeWithinMs, Promise.all([...lives.values()].map(end)));
    },
  };
};

export type TrunkDirectory = ReturnType<typeof createTrunkDirectory>;
