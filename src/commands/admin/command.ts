/** The common part of the operator's commands: what they work on, what they are given and what they answer. */
import type { ParseArgsOptionsConfig } from 'node:util';
import type { Administrator } from '#src/administration/administrator.ts';
import type { ApiServices } from '#src/api/api-services.ts';
import { UsageError } from '../parse-options.ts';

/** The database of the gateway, reached beside it. */
export type CommandContext = Omit<Administrator, 'workspaceId' | 'actor'> &
  Pick<ApiServices, 'platform' | 'country' | 'engines'> & {
    /** Where the console of this gateway is, null where nobody knows, and the token of its file of credentials, if there is one. */
    home: { consoleUrl: string | null; adminToken: string | undefined };
  };

/** Options as they were typed; those that were not given are absent. */
export type CommandArguments = {
  positionals: readonly string[];
  options: Readonly<Record<string, string | boolean | undefined>>;
};

/** The same for people and for machines (`--json`). */
export type Answer = { text: string; json: unknown };

export type Command = {
  /** `workspaces list` */
  name: string;
  /** What stands behind the name. */
  usage: string;
  summary: string;
  /** How many words may stand behind the name. */
  words: { least: number; most: number };
  options: ParseArgsOptionsConfig;
  run(context: CommandContext, given: CommandArguments): Promise<Answer>;
};

/** The actor of these commands: the operator, who has the database. */
export const operator = 'operator';

export const textOption = { type: 'string' } as const;

export const textIn = ({ options }: CommandArguments, name: string): string | undefined => {
  const value = options[name];
  return typeof value === 'string' ? value : undefined;
};

/** The word behind the name of the command, or the option that means the same. */
export const nameIn = (given: CommandArguments, option: string, command: string): string => {
  const [word] = given.positionals;
  const named = textIn(given, option);
  if (word !== undefined && named !== undefined && word !== named)
    throw new UsageError(`"${word}" and --${option} name two different things`);
  const name = word ?? named;
  if (name !== undefined) return name;
  throw new UsageError(`It is called as: npm run admin -- ${command}`);
};

/** Columns of words, two spaces apart. The first row is the heading. */
export const table = (rows: readonly (readonly string[])[]): string => {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  return rows
    .map((row) =>
      row
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
};
