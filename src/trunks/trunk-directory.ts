/** Trunks of all workspaces as this gateway knows them, for calls, callers and the API. */
import type { NumberOwner, TrunkRequests } from '#sip/trunks/directory.ts';
import { effectivePolicy, type PolicySettings } from '#src/domain/call-policy.ts';
import { createCoalescedTask, type CoalescedTask } from '#src/domain/coalesced-task.ts';
import type { Destinations } from '#src/domain/destinations.ts';
import { doneWithin } from '#src/domain/with-timeout.ts';
import type { Trunk, TrunkCheckStep, TrunkRoute, TrunkStatus } from '#src/domain/trunk.ts';
import { findNumberByDigits } from '#src/persistence/callable-numbers.ts';
import type { Database } from '#src/persistence/database.ts';
import { findNumberOwner, listAllTrunks, trunksChannel } from '#src/persistence/trunks.ts';
import { statusOf, unknownStatus } from './trunk-status.ts';
import { createTrunkLives, type TrunkLives, type TrunkLivesOptions } from './trunk-lives.ts';

/** Longest wait of close for registrars. */
const closeWithinMs = 1_500;

/** Called at the start of a gateway with real lines. */
type Started = { requests: TrunkRequests; lives: TrunkLives; following: CoalescedTask };

export const createTrunkDirectory = (
  options: TrunkLivesOptions & {
    database: Database;
    platformPolicy: PolicySettings;
    /** Whether a trunk may have these hosts. */
    mayUse: (hosts: readonly string[]) => boolean;
  },
) => {
  const { database, platformPolicy, clock, logger } = options;
  let started: Started | null = null;
  let stopListening = async (): Promise<void> => {};
  /** Trunks stored before the operator restricted addresses. */
  let refused: ReadonlySet<string> = new Set();

  const isAllowed = ({ host, addresses }: Pick<Trunk, 'host' | 'addresses'>): boolean =>
    options.mayUse([host, ...addresses.map((address) => address.host)]);

  const follow = async (lives: TrunkLives): Promise<void> => {
    try {
      const trunks = await listAllTrunks(database);
      const allowed = trunks.filter(isAllowed);
      const others = trunks.filter((trunk) => !isAllowed(trunk));
      refused = new Set(others.map(({ id }) => id));
      for (const { id } of others)
        logger.warn({ trunk_id: id }, 'a trunk is not used: GW_TRUNK_ADDRESSES does not allow its address');
      lives.follow(allowed);
    } catch (error) {
      logger.error({ err: error }, 'the trunks could not be read from the database');
    }
  };

  return {
    all: (): Trunk[] => started?.lives.all() ?? [],
    isUsable: (trunkId: string, address?: string): boolean =>
      started?.lives.find(trunkId)?.isServing(address) ?? false,
    /** Undefined without an enabled trunk of this id, or without a real line to test it. */
    async tryOut(
      trunkId: string,
      numbers: { from: string; to: string },
    ): Promise<TrunkCheckStep[] | undefined> {
      const life = started?.lives.find(trunkId);
      return life && started?.requests.tryOut(life.trunk, numbers);
    },
    /** Undefined without a real line. */
    route: (owner: NumberOwner, to: string): TrunkRoute | undefined => started?.requests.route(owner, to),
    ownerOf: (number: string) => findNumberOwner(database, number),
    async destinationsOf(number: string): Promise<readonly Destinations[]> {
      const found = await findNumberByDigits(database, number);
      if (found === undefined) return [platformPolicy.destinations];
      return effectivePolicy(found.policy, found.workspace.policy, platformPolicy).destinations;
    },

    /** Status of a trunk, enabled or not. */
    status({ id, enabled }: { id: string; enabled: boolean }): TrunkStatus {
      if (!enabled) return unknownStatus('disabled');
      if (started === null) return unknownStatus('unused', 'The lines of this gateway are simulated.');
      if (refused.has(id))
        return unknownStatus('unused', 'The operator of this gateway does not allow its address.');
      const life = started.lives.find(id);
      return life === undefined ? unknownStatus('registering') : statusOf(life, started.requests);
    },

    /** Starts the actors of all trunks. */
    async start(requests: TrunkRequests): Promise<void> {
      const lives = createTrunkLives(requests, options);
      const following = createCoalescedTask(() => follow(lives));
      started = { requests, lives, following };
      stopListening = await database.listen(trunksChannel, () => void following.run());
      await following.run();
    },

    /** Unregisters and stops the actors of all trunks. */
    async close(): Promise<void> {
      await stopListening();
      if (started === null) return;
      await started.following.close();
      await doneWithin(clock, closeWithinMs, started.lives.leaveAll());
    },
  };
};

export type TrunkDirectory = ReturnType<typeof createTrunkDirectory>;
