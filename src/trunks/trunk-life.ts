/** One enabled trunk on this gateway: an actor of `machines/trunk.ts` keeps it registered and asks if it is there. */
import type { Logger } from 'pino';
import { createActor, fromPromise, type SnapshotFrom } from 'xstate';
import type { TrunkActors, TrunkLifeTimes, trunkMachine } from '#machines/trunk.ts';
import type { AskTrunk } from '#sip/trunks/ask-trunk.ts';
import type { Clock } from '#src/domain/clock.ts';
import type { Trunk, TrunkState, TrunkStatus } from '#src/domain/trunk.ts';

type Machine = typeof trunkMachine;

export type TrunkLifeOptions = {
  times: TrunkLifeTimes;
  clock: Clock;
  logger: Logger;
  /** Gives the chart of a life what it asks of its trunk. */
  machineWith: (actors: TrunkActors) => Machine;
};

/** What the life itself knows. */
export type LifeStatus = Pick<TrunkStatus, 'state' | 'detail' | 'lastSeenAt'>;

export type TrunkLife = {
  readonly trunk: Trunk;
  status(): LifeStatus;
  /** Whether calls may go this way. */
  isServing(): boolean;
  /** Nothing is asked of the trunk any more. */
  stop(): void;
};

const stateIn = (snapshot: SnapshotFrom<Machine>, { register }: Trunk): TrunkState => {
  if (snapshot.matches('serving')) return register ? 'registered' : 'ready';
  if (snapshot.matches('unregistered')) return 'unregistered';
  return snapshot.matches('unreachable') ? 'unreachable' : 'registering';
};

/** Says in the log what the trunk has come to. */
const logsStates = (trunk: Trunk, logger: Logger) => {
  let before: TrunkState | null = null;
  return (state: TrunkState, detail: string | null): void => {
    if (state === before) return;
    before = state;
    const isBad = state === 'unregistered' || state === 'unreachable';
    logger[isBad ? 'warn' : 'info']({ trunk_id: trunk.id, trunk: trunk.name, detail }, `a trunk is ${state}`);
  };
};

export const beginTrunkLife = (
  trunk: Trunk,
  ask: Pick<AskTrunk, 'register' | 'check'>,
  { machineWith, times, clock, logger }: TrunkLifeOptions,
): TrunkLife => {
  const machine = machineWith({
    register: fromPromise(({ signal }) => ask.register(trunk, signal)),
    check: fromPromise(({ signal }) => ask.check(trunk, signal)),
  });
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
  const logState = logsStates(trunk, logger);
  actor.subscribe({
    next: (snapshot) => logState(stateIn(snapshot, trunk), snapshot.context.detail),
    error: (error) => logger.error({ trunk_id: trunk.id, err: error }, 'the life of a trunk broke off'),
  });
  actor.start();

  return {
    trunk,
    status() {
      const snapshot = actor.getSnapshot();
      const { detail, lastSeenAt } = snapshot.context;
      return { state: stateIn(snapshot, trunk), detail, lastSeenAt };
    },
    isServing: () => actor.getSnapshot().matches('serving'),
    stop: () => void actor.stop(),
  };
};
