/**
 * Actors of all enabled trunks, kept consistent with the database. A changed trunk gets a new actor; unchanged trunks
 * keep theirs.
 */
import type { OutOfDialogRequests } from '#sip/trunks/out-of-dialog-requests.ts';
import type { TrunkRequests } from '#sip/trunks/directory.ts';
import type { Trunk } from '#src/domain/trunk.ts';
import type { Sealing } from '#src/persistence/database/sealing.ts';
import type { TrunkRecord } from '#src/persistence/trunks/trunks.ts';
import { beginTrunkLife, type TrunkLife, type TrunkLifeOptions } from './trunk-life.ts';

export type TrunkLivesOptions = TrunkLifeOptions & { sealing: Pick<Sealing, 'open'> };

export type TrunkLives = {
  /** Updates the actors. `records` contains all current trunks. */
  follow(records: readonly TrunkRecord[]): void;
  find(trunkId: string): TrunkLife | undefined;
  all(): Trunk[];
  /**
   * Registers each trunk once more, beside the refreshes of its actor: the last gateway before this one may have
   * removed the registration.
   */
  registerAgain(): void;
  /**
   * Leaves the registrations to other gateways: from now on this one refreshes none, and removes only those of trunks
   * that are removed.
   */
  leaveRegistrations(): void;
  /**
   * Ends the actors of all trunks and leaves their registrations as they are. Returns the registered trunks that this
   * gateway would have to unregister: none after `leaveRegistrations`.
   */
  endAll(): Trunk[];
  /** Removes the registrations of these trunks. Resolves when all registrars were notified. */
  unregister(trunks: readonly Trunk[]): Promise<void>;
};

const openTrunk = ({ passwordSealed, ...record }: TrunkRecord, sealing: Pick<Sealing, 'open'>): Trunk => ({
  ...record,
  password: passwordSealed === null ? null : sealing.open(passwordSealed, record.id),
});

const isSame = (one: TrunkRecord, other: TrunkRecord): boolean =>
  JSON.stringify(one) === JSON.stringify(other);

/** Sends requests to trunks, and ends a trunk's cool-downs when an actor of the trunk starts. */
type TrunkRequester = OutOfDialogRequests & { coolDowns: Pick<TrunkRequests['coolDowns'], 'end'> };

export const createTrunkLives = (ask: TrunkRequester, options: TrunkLivesOptions): TrunkLives => {
  const { sealing, logger } = options;
  const lives = new Map<string, { record: TrunkRecord; life: TrunkLife }>();
  const ending = new AbortController();
  let keepsRegistrations = true;

  const begin = (record: TrunkRecord): void => {
    try {
      const trunk = openTrunk(record, sealing);
      ask.coolDowns.end(trunk.id);
      const life = beginTrunkLife(trunk, ask, options);
      if (!keepsRegistrations) life.leaveRegistration();
      lives.set(trunk.id, { record, life });
    } catch (error) {
      logger.error({ trunk_id: record.id, err: error }, 'a trunk cannot be used');
    }
  };

  const end = ({ trunk, stop }: TrunkLife): void => {
    lives.delete(trunk.id);
    stop();
  };

  const endAndFindRegistered = (lives: readonly TrunkLife[]): Trunk[] => {
    const registered = lives.filter((life) => life.status().state === 'registered');
    for (const life of lives) end(life);
    return registered.map(({ trunk }) => trunk);
  };

  const unregister = async (trunks: readonly Trunk[]): Promise<void> => {
    const removals = trunks.map(async (trunk) => {
      try {
        await ask.unregister(trunk);
      } catch (error) {
        logger.debug({ trunk_id: trunk.id, err: error }, 'removing the registration at a trunk failed');
      }
    });
    await Promise.all(removals);
  };

  const registerAgain = async (trunk: Trunk): Promise<void> => {
    try {
      await ask.register(trunk, ending.signal);
    } catch (error) {
      logger.debug({ trunk_id: trunk.id, err: error }, 'registering once more at a trunk failed');
    }
  };

  return {
    follow(records) {
      const enabled = new Map(
        records.filter((record) => record.enabled).map((record) => [record.id, record]),
      );
      for (const [id, { record, life }] of lives) {
        const now = enabled.get(id);
        if (now !== undefined && isSame(now, record)) continue;
        const registered = endAndFindRegistered([life]);
        // A changed trunk is not unregistered if its new actor registers at once, because the two requests would cross.
        if (now?.register !== true) void unregister(registered);
      }
      for (const record of enabled.values()) if (!lives.has(record.id)) begin(record);
    },
    find: (trunkId) => lives.get(trunkId)?.life,
    all: () => [...lives.values()].map(({ life }) => life.trunk),
    registerAgain() {
      for (const {
        life: { trunk },
      } of lives.values())
        if (trunk.register) void registerAgain(trunk);
    },
    leaveRegistrations() {
      keepsRegistrations = false;
      for (const { life } of lives.values()) life.leaveRegistration();
    },
    endAll() {
      ending.abort();
      const registered = endAndFindRegistered([...lives.values()].map(({ life }) => life));
      return keepsRegistrations ? registered : [];
    },
    unregister,
  };
};
