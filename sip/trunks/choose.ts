/**
 * In which order trunks are tried for a call. The rules:
 *
 * 1. A number that is bound to a trunk uses that one alone; its caller id may be worth nothing elsewhere.
 * 2. Otherwise the trunks of its workspace, then the configured one; the lowest priority first.
 * 3. Among equals chance decides by weight, as for SRV records (RFC 2782): a weight of 0 comes last.
 * 4. A trunk that is not usable is tried behind all others and never left out: what is known of it may be old, and
 *    with nothing else left, trying costs nothing.
 */
import type { Trunk } from '#src/domain/trunk.ts';
import type { NumberOwner } from './directory.ts';

export const chooseTrunks = (options: {
  /** Of the number that calls; undefined where nobody knows it. */
  owner: NumberOwner | undefined;
  trunks: readonly Trunk[];
  isUsable: (trunkId: string) => boolean;
  /** From 0 to below 1. */
  random: () => number;
}): Trunk[] => {
  const { owner, trunks, isUsable, random } = options;
  if (owner !== undefined && owner.trunkId !== null) return trunks.filter(({ id }) => id === owner.trunkId);
  const own = trunks.filter(({ workspaceId }) => workspaceId === null || workspaceId === owner?.workspaceId);
  const ranks = Map.groupBy(own, ({ id, workspaceId, priority }) =>
    [isUsable(id) ? 0 : 1, workspaceId === null ? 1 : 0, priority]
      .map((part) => String(part).padStart(5, '0'))
      .join(),
  );
  return [...ranks]
    .toSorted(([one], [other]) => (one < other ? -1 : 1))
    .flatMap(([, equals]) => byChance(equals, random));
};

const byChance = (equals: readonly Trunk[], random: () => number): Trunk[] => {
  const left = [...equals];
  const chosen: Trunk[] = [];
  while (left.length > 0) {
    const total = left.reduce((sum, { weight }) => sum + weight, 0);
    let point = random() * total;
    const index = left.findIndex(({ weight }) => (point -= weight) < 0);
    chosen.push(...left.splice(index === -1 ? 0 : index, 1));
  }
  return chosen;
};
