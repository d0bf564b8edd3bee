/** The directory of trunks, as real lines need it. The gateway provides it; nothing here is asked for during a call. */
import type { Destinations } from '#src/domain/destinations.ts';
import type { Trunk, TrunkCheckStep, TrunkRoute } from '#src/domain/trunk.ts';
import type { AskTrunk } from './ask-trunk.ts';
import type { TrunkRests } from './rests.ts';

export type NumberOwner = { workspaceId: string; trunkId: string | null };

export type TrunkRequests = AskTrunk & {
  /** Registers, asks, and calls; numbers in domestic format, the same twice for a call that is to come back. */
  tryOut(trunk: Trunk, numbers: { from: string; to: string }): Promise<TrunkCheckStep[]>;
  /** Which trunks have asked to be left alone. */
  rests: Pick<TrunkRests, 'until' | 'end' | 'secondsUntil'>;
  /** Calls that go by a trunk, or by one of its addresses (`addressKey`), now. */
  channelsOf(key: string): number;
  /** Which trunks a call from a number of this owner would take now; `to` is domestic or `+…`. */
  route(owner: NumberOwner, to: string): TrunkRoute;
};

export interface TrunkDirectory {
  /** There is a way to ask trunks now. Resolves when `all` is known. */
  start(requests: TrunkRequests): Promise<void>;
  /** The enabled trunks of all workspaces, as they are now. */
  all(): readonly Trunk[];
  /** Whether a trunk is registered, where it must be, and answers; or whether this address of it (`addressName`) does. */
  isUsable(trunkId: string, address?: string): boolean;
  /** Whose number this is and which trunk it is bound to; undefined for a number that belongs to nobody. */
  ownerOf(number: string): Promise<NumberOwner | undefined>;
  /** Where a number may call, as its next call would be asked. */
  destinationsOf(number: string): Promise<readonly Destinations[]>;
}

/** Where there are no trunks but that of the configuration. */
export const emptyDirectory: TrunkDirectory = {
  start: async () => {},
  all: () => [],
  isUsable: () => true,
  ownerOf: async () => undefined,
  destinationsOf: async () => [],
};
