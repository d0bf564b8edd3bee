/** Directory of trunks for real lines, provided by the gateway; it is not queried during a call. */
import type { Destinations } from '#src/domain/destinations.ts';
import type { Trunk, TrunkCheckStep, TrunkRoute } from '#src/domain/trunk.ts';
import type { OutOfDialogRequests } from './out-of-dialog-requests.ts';
import type { TrunkCoolDowns } from './cool-downs.ts';

export type NumberOwner = { workspaceId: string; trunkId: string | null };

export type TrunkRequests = OutOfDialogRequests & {
  /**
   * Checks a trunk by registration, OPTIONS and a call. Numbers are in domestic format, and equal for a call that
   * returns to the gateway.
   */
  tryOut(trunk: Trunk, numbers: { from: string; to: string }): Promise<TrunkCheckStep[]>;
  /** Cool-downs of trunks. */
  coolDowns: Pick<TrunkCoolDowns, 'until' | 'end' | 'secondsUntil'>;
  /** Number of current calls over a trunk, or over one of its addresses (`addressKey`). */
  channelsOf(key: string): number;
  /** Trunks that a call from a number of this owner would use now; `to` is domestic or `+…`. */
  route(owner: NumberOwner, to: string): TrunkRoute;
};

export interface TrunkDirectory {
  /** Called when requests to trunks are possible. Resolves when `all` is known. */
  start(requests: TrunkRequests): Promise<void>;
  /** The enabled trunks of all workspaces at this moment. */
  all(): readonly Trunk[];
  /** Whether a trunk is registered, if required, and answers; or whether this address of it (`addressName`) does. */
  isUsable(trunkId: string, address?: string): boolean;
  /** Owner of this number and the trunk it is bound to; undefined for a number without an owner. */
  ownerOf(number: string): Promise<NumberOwner | undefined>;
  /** Destinations that the next call of a number may use. */
  destinationsOf(number: string): Promise<readonly Destinations[]>;
}

/** Directory for a gateway with only the configured trunk. */
export const emptyDirectory: TrunkDirectory = {
  start: async () => {},
  all: () => [],
  isUsable: () => true,
  ownerOf: async () => undefined,
  destinationsOf: async () => [],
};
