/**
 * Order of the trunks and addresses for a call. The rules:
 *
 * 1. A number that is bound to a trunk uses only that trunk; the number's caller id may be invalid elsewhere.
 * 2. Otherwise the trunks of its workspace are used, then the configured one; the lowest priority comes first.
 * 3. A trunk with prefixes serves only their numbers; the longest match goes first, before any priority, followed by
 *   trunks for all numbers. The order among equals is random by weight.
 * 4. A trunk that accepts no calls is left out: a drained one, or one in its cool-down.
 * 5. A call with custom headers uses only trunks that list all of them, so that every header is sent.
 * 6. An unusable trunk is tried after all others and never left out: its state may be outdated, and as a last resort an
 *   attempt costs little.
 *
 * The same rules apply to the addresses of a trunk.
 */
import { unlistedHeaders } from '#src/domain/sip-headers.ts';
import { addressKey, addressName, addressesOf, type Trunk, type TrunkAddress } from '#src/domain/trunk.ts';
import type { NumberOwner } from './directory.ts';
import type { TrunkCoolDowns } from './cool-downs.ts';

/**
 * Returns all elements in a random order by weight, as for SRV records (RFC 2782). Elements with a weight of 0 come
 * last.
 */
const byChance = <Weighted extends { weight: number }>(
  equals: readonly Weighted[],
  /** Returns a random number from 0 to below 1. */
  random: () => number,
): Weighted[] => {
  const left = [...equals];
  const chosen: Weighted[] = [];
  while (left.length > 0) {
    const total = left.reduce((sum, { weight }) => sum + weight, 0);
    let point = random() * total;
    const index = left.findIndex(({ weight }) => (point -= weight) < 0);
    chosen.push(...left.splice(index === -1 ? 0 : index, 1));
  }
  return chosen;
};

/** A trunk that may carry the call, and its addresses in the order of attempts. */
export type ChosenTrunk = {
  trunk: Trunk;
  addresses: TrunkAddress[];
  /** The trunk's prefix that matches the number; empty if the trunk serves all numbers. */
  prefix: string;
};

/** A trunk of the number that accepts no calls now. `until` is in wall-clock milliseconds since the epoch. */
export type LeftOut = { trunk: Trunk } & (
  | { because: 'drained' | 'prefixes' | 'headers' }
  | { because: 'resting'; until: number }
);

export type Choice = { routes: ChosenTrunk[]; leftOut: LeftOut[] };

export type ChoiceOptions = {
  /** Owner of the calling number; undefined if the owner is unknown. */
  owner: NumberOwner | undefined;
  /** The called number in the form that is compared with prefixes. */
  number: string;
  /** Names of the call's custom headers. */
  headers: readonly string[];
  trunks: readonly Trunk[];
  isUsable: (trunkId: string, address?: string) => boolean;
  coolDowns: Pick<TrunkCoolDowns, 'until'>;
  /** Returns a random number from 0 to below 1. */
  random: () => number;
};

const trunksOf = ({ owner, trunks }: Pick<ChoiceOptions, 'owner' | 'trunks'>): readonly Trunk[] =>
  owner !== undefined && owner.trunkId !== null
    ? trunks.filter(({ id }) => id === owner.trunkId)
    : trunks.filter(({ workspaceId }) => workspaceId === null || workspaceId === owner?.workspaceId);

/** Maximum length of a prefix, including the +. */
const longestPrefix = 16;

/** Returns the sort key of a trunk or address. Ranks are compared as texts. */
const rankOf = (...parts: readonly number[]): string =>
  parts.map((part) => String(part).padStart(5, '0')).join();

/** Sorts by rank, lowest first; the order among equals is random by weight. */
const inOrder = <Weighted extends { weight: number }>(
  all: readonly Weighted[],
  rank: (one: Weighted) => string,
  random: () => number,
): Weighted[] =>
  [...Map.groupBy(all, rank)]
    .toSorted(([one], [other]) => (one < other ? -1 : 1))
    .flatMap(([, equals]) => byChance(equals, random));

/**
 * Returns the longest matching prefix; empty if the trunk serves all numbers, undefined if it does not serve this
 * number.
 */
const prefixOf = ({ prefixes }: Trunk, number: string): string | undefined =>
  prefixes.length === 0
    ? ''
    : prefixes
        .filter((prefix) => number.startsWith(prefix))
        .toSorted((one, other) => other.length - one.length)[0];

/** Returns the addresses of a trunk that accept calls, or why there are none. */
const routeBy = (
  trunk: Trunk,
  { number, headers, isUsable, coolDowns, random }: ChoiceOptions,
): ChosenTrunk | LeftOut => {
  const prefix = prefixOf(trunk, number);
  if (prefix === undefined) return { trunk, because: 'prefixes' };
  if (unlistedHeaders(headers, trunk.headersOut).length > 0) return { trunk, because: 'headers' };
  const open = trunk.drained ? [] : addressesOf(trunk).filter(({ drained }) => !drained);
  if (open.length === 0) return { trunk, because: 'drained' };
  const ends = open.map((address) => ({ address, until: coolDowns.until(addressKey(trunk, address)) }));
  const awake = ends.flatMap(({ address, until }) => (until === null ? [address] : []));
  if (awake.length === 0)
    return { trunk, because: 'resting', until: Math.min(...ends.map(({ until }) => until ?? Infinity)) };
  const rank = (address: TrunkAddress): string =>
    rankOf(isUsable(trunk.id, addressName(address)) ? 0 : 1, address.priority);
  return { trunk, prefix, addresses: inOrder(awake, rank, random) };
};

export const chooseTrunks = (options: ChoiceOptions): Choice => {
  const { isUsable, random } = options;
  const routes: (ChosenTrunk & { weight: number })[] = [];
  const leftOut: LeftOut[] = [];
  for (const trunk of trunksOf(options)) {
    const route = routeBy(trunk, options);
    if ('because' in route) leftOut.push(route);
    else routes.push({ ...route, weight: trunk.weight });
  }
  const ordered = inOrder(
    routes,
    ({ trunk: { id, workspaceId, priority }, prefix }) =>
      rankOf(isUsable(id) ? 0 : 1, workspaceId === null ? 1 : 0, longestPrefix - prefix.length, priority),
    random,
  );
  return { routes: ordered.map(({ trunk, addresses, prefix }) => ({ trunk, addresses, prefix })), leftOut };
};

/**
 * Explains why there is no trunk to try. Among trunks in a cool-down, the explanation names the one whose cool-down
 * ends first.
 */
export const whyNoRoute = (
  leftOut: readonly LeftOut[],
  secondsUntil: TrunkCoolDowns['secondsUntil'],
): string => {
  const resting = leftOut.flatMap((one) => (one.because === 'resting' ? [one] : []));
  const [first] = resting.toSorted((one, other) => one.until - other.until);
  if (first !== undefined)
    return `The trunk "${first.trunk.name}" wants no calls for ${secondsUntil(first.until)} more seconds.`;
  const drained = leftOut.find(({ because }) => because === 'drained');
  if (drained !== undefined) return `The trunk "${drained.trunk.name}" is drained: it takes no new calls.`;
  if (leftOut.some(({ because }) => because === 'headers'))
    return 'No trunk that serves this number names all the headers of the call in "headers_out".';
  return leftOut.length === 0
    ? 'There is no enabled trunk for this number'
    : 'No trunk serves this number: its prefix stands in none of their lists.';
};
