/**
 * Directory of trunks for real lines, which the gateway provides. The directory is in memory, so that calls do not wait
 * for the database.
 */
import type { Destinations } from '#src/domain/destinations.ts';
import type { Trunk, TrunkCheckStep, TrunkRoute } from '#src/domain/trunk.ts';
import type { OutOfDialogRequests } from './out-of-dialog-requests.ts';
import type { TrunkCoolDowns } from './cool-downs.ts';

export type NumberOwner = { workspaceId: string; trunkId: string | null };

export type TrunkRequests = OutOfDialogRequests & {
  /**
   * Tests a trunk by registration, OPTIONS and a call. Numbers are in domestic format; caller and callee are equal for
   * a call that returns to the gateway.
   */
  tryOut(trunk: Trunk, numbers: { from: string; to: string }): Promise<TrunkCheckStep[]>;
  /** Cool-downs of trunks. */
  coolDowns: Pick<TrunkCoolDowns, 'until' | 'end' | 'secondsUntil'>;
  /** Returns the number of current calls over a trunk, or over one of its addresses (`addressKey`). */
  channelsOf(key: string): number;
  /** Returns the trunks that a call from a number of this owner would use now; `to` is domestic or `+…`. */
  route(owner: NumberOwner, to: string): TrunkRoute;
};

export interface TrunkDirectory {
  /** Called once requests to trunks can be sent. Resolves when `all` returns the trunks. */
  start(requests: TrunkRequests): Promise<void>;
  /** Returns the enabled trunks of all workspaces at this moment. */
  all(): readonly Trunk[];
  /**
   * Whether a trunk is registered (if registration is required) and responds. With `address` (an `addressName`),
   * whether that address of the trunk responds.
   */
  isUsable(trunkId: string, address?: string): boolean;
  /** Returns the owner of this number and the trunk to which it is bound; undefined for a number without an owner. */
  ownerOf(number: string): Promise<NumberOwner | undefined>;
  /** Returns the destinations that the next call of a number may use. */
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
