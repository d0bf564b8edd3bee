/** Chooses trunks by what is known now: those of the directory, the configured one behind them, and who rests. */
import type { Trunk } from '#src/domain/trunk.ts';
import { chooseTrunks, type Choice } from './choose.ts';
import type { TrunkDirectory } from './directory.ts';
import type { TrunkRests } from './rests.ts';

/** The trunk of the configuration is null where there is none. */
export type TrunkSources = { directory: TrunkDirectory; configured: Trunk | null };

/** Of all workspaces. */
export const allTrunks = ({ directory, configured }: TrunkSources): readonly Trunk[] =>
  configured === null ? directory.all() : [...directory.all(), configured];

/** For calls from a number in domestic format. */
export const createChooser =
  (sources: TrunkSources, rests: TrunkRests) =>
  async (from: string): Promise<Choice> => {
    const { directory, configured } = sources;
    return chooseTrunks({
      owner: await directory.ownerOf(from),
      trunks: allTrunks(sources),
      isUsable: (id, address) => id === configured?.id || directory.isUsable(id, address),
      rests,
      random: Math.random,
    });
  };
