/** Trunks of all workspaces as this gateway knows them. Calls, inbound access and the API read them here. */
import type { NumberOwner, TrunkRequests } from '#sip/trunks/directory.ts';
import { type PolicySettings, effectivePolicy } from '#src/domain/call-policy.ts';
import { type CoalescedTask, createCoalescedTask } from '#src/domain/coalesced-task.ts';
import type { Destinations } from '#src/domain/destinations.ts';
import {
  addressKey,
  addressName,
  addressesOf,
  type Trunk,
  type TrunkCheckStep,
  type TrunkPartStatus,
  type TrunkRoute,
  type TrunkState,
  type TrunkStatus,
} from '#src/domain/trunk.ts';
import { doneWithin } from '#src/domain/with-timeout.ts';
import type { Database } from '#src/persistence/database/database.ts';
import { findNumberByDigits } from '#src/persistence/numbers/callable-numbers.ts';
import { findNumberOwner, listAllTrunks, trunksChannel } from '#src/persistence/trunks/trunks.ts';
import type { LifeStatus, TrunkLife } from './trunk-life.ts';
import { type TrunkLives, type TrunkLivesOptions, createTrunkLives } from './trunk-lives.ts';

// Computes the status of a trunk from its actor's state, `Retry-After` cool-downs, and draining.

/** Status of an unknown trunk. */
const unknownStatus = (state: TrunkState, detail: string | null = null): TrunkStatus => ({
  state,
  detail,
  lastSeenAt: null,
  restsUntil: null,
  channels: 0,
  addresses: [],
});

type Seen = Pick<TrunkRequests, 'coolDowns' | 'channelsOf'>;

/**
 * Computes the status of a trunk or address. A cool-down applies only to a trunk that could carry calls; draining has
 * precedence over every other state.
 */
const partStatus = (
  life: LifeStatus,
  { isDrained, restsUntil, channels }: { isDrained: boolean; restsUntil: number | null; channels: number },
  { coolDowns }: Seen,
): TrunkPartStatus => {
  const status = { ...life, restsUntil, channels };
  if (isDrained) return { ...status, state: channels > 0 ? 'draining' : 'drained' };
  if (restsUntil === null || (life.state !== 'ready' && life.state !== 'registered')) return status;
  const detail = `It wants no calls for ${coolDowns.secondsUntil(restsUntil)} more seconds.`;
  return { ...status, state: 'resting', detail };
};

/** Returns the earliest end of a cool-down among the trunk's addresses; null if one address takes calls now. */
const coolDownOf = (trunk: Trunk, { coolDowns }: Seen): number | null => {
  const ends = addressesOf(trunk)
    .filter(({ drained }) => !drained)
    .map((address) => coolDowns.until(addressKey(trunk, address)));
  const known = ends.flatMap((end) => end ?? []);
  return known.length > 0 && known.length === ends.length ? Math.min(...known) : null;
};

const statusOf = (life: TrunkLife, seen: Seen): TrunkStatus => {
  const { trunk } = life;
  const lives = new Map(life.addresses().map(({ address, ...status }) => [address, status]));
  const isDrained = trunk.drained || addressesOf(trunk).every(({ drained }) => drained);
  const channels = seen.channelsOf(trunk.id);
  return {
    ...partStatus(life.status(), { isDrained, restsUntil: coolDownOf(trunk, seen), channels }, seen),
    addresses: trunk.addresses.flatMap((one) => {
      const address = addressName(one);
      const known = lives.get(address);
      if (known === undefined) return [];
      const key = addressKey(trunk, one);
      const counted = { restsUntil: seen.coolDowns.until(key), channels: seen.channelsOf(key) };
      return [
        { address, ...partStatus(known, { isDrained: trunk.drained || one.drained, ...counted }, seen) },
      ];
    }),
  };
};

/** Maximum time for which `close` waits for registrars. */
const closeWithinMs = 1_500;

/** Delay in milliseconds before a failed read of the trunks is repeated: initial value, and maximum of the backoff. */
const rereadFirstMs = 1_000;
const rereadLongestMs = 30_000;

/** Objects created when a gateway with real lines starts. */
type Started = { requests: TrunkRequests; lives: TrunkLives; following: CoalescedTask };

export const createTrunkDirectory = (
  options: TrunkLivesOptions & {
    database: Database;
    platformPolicy: PolicySettings;
    /** Whether a trunk may have these hosts by the operator's rules. */
    mayUse: (hosts: readonly string[]) => boolean;
    /**
     * Whether other gateways that take calls need the registrations of this one, because they register with the same
     * contact. Rejects while the database is unavailable.
     */
    areRegistrationsShared: () => Promise<boolean>;
  },
) => {
  const { database, platformPolicy, clock, logger } = options;
  let started: Started | null = null;
  /** Timer of the next read after a failed one. */
  let reread: unknown;
  let rereadMs = rereadFirstMs;
  let stopListening = async (): Promise<void> => {};
  /** Ids of stored trunks with addresses that the operator's rules no longer allow. */
  let refused: ReadonlySet<string> = new Set();

  const isAllowed = ({ host, addresses }: Pick<Trunk, 'host' | 'addresses'>): boolean =>
    options.mayUse([host, ...addresses.map((address) => address.host)]);

  const follow = async (lives: TrunkLives, readAgain: () => void): Promise<void> => {
    clock.clearTimeout(reread);
    try {
      const trunks = await listAllTrunks(database);
      const allowed = trunks.filter(isAllowed);
      const others = trunks.filter((trunk) => !isAllowed(trunk));
      refused = new Set(others.map(({ id }) => id));
      for (const { id } of others)
        logger.warn({ trunk_id: id }, 'a trunk is not used: GW_TRUNK_ADDRESSES does not allow its address');
      lives.follow(allowed);
      rereadMs = rereadFirstMs;
    } catch (error) {
      logger.error(
        { err: error, again_in_ms: rereadMs },
        'the trunks could not be read from the database; they are read again',
      );
      reread = clock.setTimeout(readAgain, rereadMs);
      rereadMs = Math.min(rereadMs * 2, rereadLongestMs);
    }
  };

  const unregisterUnlessShared = async ({ lives }: Started, registered: readonly Trunk[]): Promise<void> => {
    if (registered.length === 0) return;
    try {
      if (await options.areRegistrationsShared()) return;
    } catch (error) {
      // Other gateways may need the registrations, which end by themselves.
      logger.warn(
        { err: error },
        'registrations at trunks were not removed, because the database is unavailable',
      );
      return;
    }
    await lives.unregister(registered);
  };

  return {
    all: (): Trunk[] => started?.lives.all() ?? [],
    isUsable: (trunkId: string, address?: string): boolean =>
      started?.lives.find(trunkId)?.isServing(address) ?? false,
    /** Tests a trunk. Resolves to undefined without an enabled trunk of this id, or without a real line. */
    async tryOut(
      trunkId: string,
      numbers: { from: string; to: string },
    ): Promise<TrunkCheckStep[] | undefined> {
      const life = started?.lives.find(trunkId);
      return life && started?.requests.tryOut(life.trunk, numbers);
    },
    /** Returns the trunks that a call would use; undefined without a real line. */
    route: (owner: NumberOwner, to: string): TrunkRoute | undefined => started?.requests.route(owner, to),
    ownerOf: (number: string) => findNumberOwner(database, number),
    async destinationsOf(number: string): Promise<readonly Destinations[]> {
      const found = await findNumberByDigits(database, number);
      if (found === undefined) return [platformPolicy.destinations];
      return effectivePolicy(found.policy, found.workspace.policy, platformPolicy).destinations;
    },

    /** Returns the status of a trunk, which may be enabled or disabled. */
    status({ id, enabled }: { id: string; enabled: boolean }): TrunkStatus {
      if (!enabled) return unknownStatus('disabled');
      if (started === null) return unknownStatus('unused', 'The lines of this gateway are simulated.');
      if (refused.has(id))
        return unknownStatus('unused', 'The operator of this gateway does not allow its address.');
      const life = started.lives.find(id);
      return life === undefined ? unknownStatus('registering') : statusOf(life, started.requests);
    },

    /** Starts the actors of all trunks. A failed read of the trunks is repeated until it succeeds. */
    async start(requests: TrunkRequests): Promise<void> {
      const lives = createTrunkLives(requests, options);
      const following: CoalescedTask = createCoalescedTask(() => follow(lives, () => void following.run()));
      started = { requests, lives, following };
      stopListening = await database.listen(trunksChannel, () => void following.run());
      await following.run();
    },

    /** Registers all trunks once more, when this gateway is known to take calls (see `TrunkLives`). */
    registerAgain(): void {
      started?.lives.registerAgain();
    },

    /**
     * Called when this gateway takes no more calls. Leaves shared registrations to the gateways that take calls: a later
     * refresh would register trunks again after the last of them has removed the registrations.
     */
    async takeNoMore(): Promise<void> {
      if (started === null) return;
      try {
        if (await options.areRegistrationsShared()) started.lives.leaveRegistrations();
      } catch (error) {
        logger.debug({ err: error }, 'registrations at trunks are not left to other gateways');
      }
    },

    /** Stops the actors of all trunks, and unregisters the trunks unless other gateways need their registrations. */
    async close(): Promise<void> {
      await stopListening();
      if (started === null) return;
      await started.following.close();
      clock.clearTimeout(reread);
      const registered = started.lives.endAll();
      await doneWithin(clock, closeWithinMs, unregisterUnlessShared(started, registered));
    },
  };
};

export type TrunkDirectory = ReturnType<typeof createTrunkDirectory>;
