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
  /** Ends the actors of all trunks, whose registrations remain. */
  endAll(): void;
  /** Unregisters all trunks. Resolves when all registrars were notified. */
  leaveAll(): Promise<void>;
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

  const begin = (record: TrunkRecord): void => {
    try {
      const trunk = openTrunk(record, sealing);
      ask.coolDowns.end(trunk.id);
      lives.set(trunk.id, { record, life: beginTrunkLife(trunk, ask, options) });
    } catch (error) {
      logger.error({ trunk_id: record.id, err: error }, 'a trunk cannot be used');
    }
  };

  const end = ({ trunk, stop }: TrunkLife): void => {
    lives.delete(trunk.id);
    stop();
  };

  /** Unregisters a trunk. Resolves when the registrar, if there is one, was notified. */
  const leave = async (life: TrunkLife): Promise<void> => {
    const { state } = life.status();
    end(life);
    if (state !== 'registered') return;
    try {
      await ask.unregister(life.trunk);
    } catch (error) {
      logger.debug({ trunk_id: life.trunk.id, err: error }, 'removing the registration at a trunk failed');
    }
  };

  return {
    follow(records) {
      const enabled = new Map(
        records.filter((record) => record.enabled).map((record) => [record.id, record]),
      );
      for (const [id, { record, life }] of lives) {
        const now = enabled.get(id);
        if (now === undefined) void leave(life);
        // A changed trunk is not unregistered, because its new actor registers at once and the two requests would
        // cross.
        else if (!isSame(now, record)) end(life);
      }
      for (const record of enabled.values()) if (!lives.has(record.id)) begin(record);
    },
    find: (trunkId) => lives.get(trunkId)?.life,
    all: () => [...lives.values()].map(({ life }) => life.trunk),
    endAll() {
      for (const { life } of lives.values()) end(life);
    },
    async leaveAll() {
      await Promise.all([...lives.values()].map(({ life }) => leave(life)));
    },
  };
};
