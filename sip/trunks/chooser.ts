/** Chooses trunks by what is known now: those of the directory, the configured one behind them, and who rests. */
import { prefixedNumber, type Country } from '#src/domain/phone-number.ts';
import { addressName } from '#src/domain/trunk-addresses.ts';
import type { Trunk, TrunkRoute } from '#src/domain/trunk.ts';
import { chooseTrunks, whyNoRoute, type Choice } from './choose.ts';
import type { NumberOwner, TrunkDirectory } from './directory.ts';
import type { TrunkRests } from './rests.ts';

/** The trunk of the configuration is null where there is none. */
export type TrunkSources = { directory: TrunkDirectory; configured: Trunk | null };

/** Of all workspaces. */
export const allTrunks = ({ directory, configured }: TrunkSources): readonly Trunk[] =>
  configured === null ? directory.all() : [...directory.all(), configured];

export const createChooser = (sources: TrunkSources & { country: Country }, rests: TrunkRests) => {
  const { directory, configured, country } = sources;

  const choiceFor = (owner: NumberOwner | undefined, number: string, headers: readonly string[]): Choice =>
    chooseTrunks({
      owner,
      number,
      headers,
      trunks: allTrunks(sources),
      isUsable: (id, address) => id === configured?.id || directory.isUsable(id, address),
      rests,
      random: Math.random,
    });

  return {
    /** For a call. What is called is domestic or `+…`. */
    choose: async (from: string, to: string, headers: readonly string[]): Promise<Choice> =>
      choiceFor(await directory.ownerOf(from), prefixedNumber(to, country), headers),

    /** The same without a call, for a number of this owner, to be read. */
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
        sentence: routes.length > 0 ? null : whyNoRoute(leftOut, rests.secondsUntil),
      };
    },
  };
};
