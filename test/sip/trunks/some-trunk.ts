import { configuredTrunk } from '#sip/trunks/configured-trunk.ts';
import type { TrunkDirectory } from '#sip/trunks/directory.ts';
import type { Trunk } from '#src/domain/trunk.ts';

/** The workspace of the trunks and numbers in these tests. */
export const workspaceId = '11111111-1111-4111-8111-111111111111';

export const someTrunk = (changes: Partial<Trunk> = {}): Trunk => ({
  ...configuredTrunk({ address: 'sip.example.com' }),
  id: changes.name ?? 'carrier',
  name: 'carrier',
  workspaceId,
  fromDomain: null,
  priority: 10,
  weight: 10,
  ...changes,
});

/**
 * Returns these trunks, all of them available; every number belongs to their workspace and is bound to none of them.
 */
export const directoryOf = (trunks: readonly Trunk[]): TrunkDirectory => ({
  start: async () => {},
  all: () => trunks,
  isUsable: () => true,
  ownerOf: async () => ({ workspaceId, trunkId: null }),
  destinationsOf: async () => [],
});
