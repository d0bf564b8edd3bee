/**
 * Chooses the trunks of a call by their current state: the workspace's trunks, then the configured one, except for
 * trunks in a cool-down.
 */
import { prefixedNumber, type Country } from '#src/domain/phone-number.ts';
import { addressName, type Trunk, type TrunkRoute } from '#src/domain/trunk.ts';
import { chooseTrunks, whyNoRoute, type Choice } from './choose.ts';
import type { NumberOwner, TrunkDirectory } from './directory.ts';
import type { TrunkCoolDowns } from './cool-downs.ts';

/** Trunks to choose from. `configured` is null if the configuration contains no trunk. */
export type TrunkSources = { directory: TrunkDirectory; configured: Trunk | null };

/** Returns the trunks of all workspaces. */
export const allTrunks = ({ directory, configured }: TrunkSources): readonly Trunk[] =>
  configured === null ? directory.all() : [...directory.all(), configured];

export const createChooser = (sources: TrunkSources & { country: Country }, coolDowns: TrunkCoolDowns) => {
  const { directory, configured, country } = sources;

  const choiceFor = (owner: NumberOwner | undefined, number: string, headers: readonly string[]): Choice =>
    chooseTrunks({
      owner,
      number,
      headers,
      trunks: allTrunks(sources),
      isUsable: (id, address) => id === configured?.id || directory.isUsable(id, address),
      coolDowns,
      random: Math.random,
    });

  return {
    /** Chooses the trunks of a call. The called number is domestic or `+…`. */
    choose: async (from: string, to: string, headers: readonly string[]): Promise<Choice> =>
      choiceFor(await directory.ownerOf(from), prefixedNumber(to, country), headers),

    /** Chooses like `choose` for a number of this owner, but for display instead of a call. */
    route(owner: NumberOwner, to: string): TrunkRoute {
      const number = prefixedNumber(to, country);
      const { routes, leftOut } = choiceFor(owner, number, []);
      return {
        number,
        trunks: routes.map(({ trunk: { id, name }, prefix, addresses }) => ({
          trunkId: id,
          name,
          prefix,
          addresses: addresses.map((address) => addressName(address)),
        })),
        leftOut: leftOut.flatMap(({ trunk: { id, name }, because }) =>
          because === 'headers' ? [] : [{ trunkId: id, name, because }],
        ),
        sentence: routes.length > 0 ? null : whyNoRoute(leftOut, coolDowns.secondsUntil),
      };
    },
  };
};
