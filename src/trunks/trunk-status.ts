/** Status of a trunk: its actor's state, `Retry-After` cool-downs, and draining. */
import { addressesOf, addressKey, addressName } from '#src/domain/trunk-addresses.ts';
import type { TrunkRequests } from '#sip/trunks/directory.ts';
import type { Trunk, TrunkPartStatus, TrunkState, TrunkStatus } from '#src/domain/trunk.ts';
import type { LifeStatus, TrunkLife } from './trunk-life.ts';

/** Status of an unknown trunk. */
export const unknownStatus = (state: TrunkState, detail: string | null = null): TrunkStatus => ({
  state,
  detail,
  lastSeenAt: null,
  restsUntil: null,
  channels: 0,
  addresses: [],
});

type Seen = Pick<TrunkRequests, 'rests' | 'channelsOf'>;

/** Cool-down applies to a trunk that could carry calls; draining has precedence over everything. */
const partStatus = (
  life: LifeStatus,
  { isDrained, restsUntil, channels }: { isDrained: boolean; restsUntil: number | null; channels: number },
  { rests }: Seen,
): TrunkPartStatus => {
  const status = { ...life, restsUntil, channels };
  if (isDrained) return { ...status, state: channels > 0 ? 'draining' : 'drained' };
  if (restsUntil === null || (life.state !== 'ready' && life.state !== 'registered')) return status;
  const detail = `It wants no calls for ${rests.secondsUntil(restsUntil)} more seconds.`;
  return { ...status, state: 'resting', detail };
};

/** Earliest end of a cool-down among its addresses; null if one takes calls now. */
const restOf = (trunk: Trunk, { rests }: Seen): number | null => {
  const ends = addressesOf(trunk)
    .filter(({ drained }) => !drained)
    .map((address) => rests.until(addressKey(trunk, address)));
  const known = ends.flatMap((end) => end ?? []);
  return known.length > 0 && known.length === ends.length ? Math.min(...known) : null;
};

export const statusOf = (life: TrunkLife, seen: Seen): TrunkStatus => {
  const { trunk } = life;
  const lives = new Map(life.addresses().map(({ address, ...status }) => [address, status]));
  const isDrained = trunk.drained || addressesOf(trunk).every(({ drained }) => drained);
  const channels = seen.channelsOf(trunk.id);
  return {
    ...partStatus(life.status(), { isDrained, restsUntil: restOf(trunk, seen), channels }, seen),
    addresses: trunk.addresses.flatMap((one) => {
      const address = addressName(one);
      const known = lives.get(address);
      if (known === undefined) return [];
      const key = addressKey(trunk, one);
      const counted = { restsUntil: seen.rests.until(key), channels: seen.channelsOf(key) };
      return [
        { address, ...partStatus(known, { isDrained: trunk.drained || one.drained, ...counted }, seen) },
      ];
    }),
  };
};
