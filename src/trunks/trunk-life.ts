/**
 * One enabled trunk on this gateway. An actor of `machines/trunk-life.ts` registers the trunk and checks its health; a
 * trunk with several addresses has an actor for each.
 */
import type { Logger } from 'pino';
import { createActor, fromPromise, type SnapshotFrom } from 'xstate';
import type { TrunkActors, TrunkLifeTimes, trunkMachine } from '#machines/trunk-life.ts';
import {
  addressName,
  type Trunk,
  type TrunkAddress,
  type TrunkPartStatus,
  type TrunkState,
} from '#src/domain/trunk.ts';
import type { OutOfDialogRequests } from '#sip/trunks/out-of-dialog-requests.ts';
import type { Clock } from '#src/domain/clock.ts';

type Machine = typeof trunkMachine;

export type TrunkLifeOptions = {
  times: TrunkLifeTimes;
  clock: Clock;
  logger: Logger;
  /** Creates the chart with its actors. */
  machineWith: (actors: TrunkActors) => Machine;
};

/** Status of a trunk as its actor knows it, without cool-downs and draining. */
export type LifeStatus = Pick<TrunkPartStatus, 'state' | 'detail' | 'lastSeenAt'>;

export type TrunkLife = {
  readonly trunk: Trunk;
  status(): LifeStatus;
  /**
   * Returns the status of each address; empty for a trunk with one address. `address` is the address's `addressName`.
   */
  addresses(): (LifeStatus & { address: string })[];
  /** Whether calls may use the trunk, or this address of the trunk. */
  isServing(address?: string): boolean;
  /** Sends no further REGISTER. The trunk stays as it is. */
  leaveRegistration(): void;
  /** Stops all requests to the trunk. */
  stop(): void;
};

type TrunkRequester = Pick<OutOfDialogRequests, 'register' | 'check'>;

/** Duties of one actor: a registration, a health check, or both. */
type Part = { trunk: Trunk; registers: boolean; isChecked: boolean; address?: TrunkAddress };

const stateIn = (snapshot: SnapshotFrom<Machine>, registers: boolean): TrunkState => {
  if (snapshot.matches('serving')) return registers ? 'registered' : 'ready';
  if (snapshot.matches('unregistered')) return 'unregistered';
  return snapshot.matches('unreachable') ? 'unreachable' : 'registering';
};

/** Logs the trunk's state. */
const logsStates = ({ trunk, address }: Part, logger: Logger) => {
  let before: TrunkState | null = null;
  const what = address === undefined ? 'a trunk' : 'an address of a trunk';
  const where = address === undefined ? {} : { address: addressName(address) };
  return (state: TrunkState, detail: string | null): void => {
    if (state === before) return;
    before = state;
    const isBad = state === 'unregistered' || state === 'unreachable';
    const about = { trunk_id: trunk.id, trunk: trunk.name, ...where, detail };
    logger[isBad ? 'warn' : 'info'](about, `${what} is ${state}`);
  };
};

const beginPart = (
  part: Part,
  ask: TrunkRequester,
  { machineWith, times, clock, logger }: TrunkLifeOptions,
) => {
  const { trunk, registers, isChecked, address } = part;
  const machine = machineWith({
    register: fromPromise(({ signal }) => ask.register(trunk, signal)),
    check: fromPromise(({ signal }) => ask.check(trunk, signal, address === undefined ? {} : { address })),
  });
  const actor = createActor(machine, {
    clock,
    input: { trunkId: trunk.id, isEnabled: trunk.enabled, registers, isChecked, times },
  });
  const logState = logsStates(part, logger);
  actor.subscribe({
    next: (snapshot) => logState(stateIn(snapshot, registers), snapshot.context.detail),
    error: (error) => logger.error({ trunk_id: trunk.id, err: error }, 'the actor of a trunk crashed'),
  });
  actor.start();

  return {
    status(): LifeStatus {
      const snapshot = actor.getSnapshot();
      const { detail, lastSeenAt } = snapshot.context;
      return { state: stateIn(snapshot, registers), detail, lastSeenAt };
    },
    isServing: (): boolean => actor.getSnapshot().matches('serving'),
    leaveRegistration: (): void => actor.send({ type: 'registration.left' }),
    stop: (): void => void actor.stop(),
  };
};

/**
 * Combines the states of a trunk and its addresses. A trunk without a responding address is unreachable, whatever its
 * own state is.
 */
const together = (own: LifeStatus, addresses: readonly LifeStatus[]): LifeStatus => {
  const seen = [own, ...addresses].flatMap(({ lastSeenAt }) => lastSeenAt ?? []);
  const lastSeenAt = seen.length === 0 ? null : Math.max(...seen);
  const isServing = own.state === 'ready' || own.state === 'registered';
  const isLost = addresses.length > 0 && addresses.every(({ state }) => state === 'unreachable');
  return isServing && isLost
    ? { state: 'unreachable', detail: 'None of its addresses answers.', lastSeenAt }
    : { ...own, lastSeenAt };
};

export const beginTrunkLife = (trunk: Trunk, ask: TrunkRequester, options: TrunkLifeOptions): TrunkLife => {
  const { addresses, healthCheck } = trunk;
  const isChecked = healthCheck && addresses.length === 0;
  const own = beginPart({ trunk, registers: trunk.register, isChecked }, ask, options);
  const parts = addresses.map((address) => ({
    address: addressName(address),
    isDrained: address.drained,
    ...beginPart({ trunk, registers: false, isChecked: healthCheck, address }, ask, options),
  }));
  const open = parts.filter(({ isDrained }) => !isDrained);

  return {
    trunk,
    status: () =>
      together(
        own.status(),
        open.map((part) => part.status()),
      ),
    addresses: () => parts.map((part) => ({ ...part.status(), address: part.address })),
    isServing(address) {
      if (!own.isServing()) return false;
      const asked = address === undefined ? open : parts.filter((part) => part.address === address);
      return asked.length === 0 || asked.some((part) => part.isServing());
    },
    leaveRegistration: own.leaveRegistration,
    stop() {
      own.stop();
      for (const part of parts) part.stop();
    },
  };
};
