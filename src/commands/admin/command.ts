/** Common types of the operator's commands: dependencies, arguments and results. */
import type { ParseArgsOptionsConfig } from 'node:util';
import type { Administrator } from '#src/administration/administrator.ts';
import type { ApiServices } from '#src/api/api-services.ts';
import { UsageError } from '../parse-options.ts';

/** Connection to the gateway's database, which does not need a running gateway. */
export type CommandContext = Omit<Administrator, 'workspaceId' | 'actor'> &
  Pick<ApiServices['directory'], 'platform' | 'country' | 'engines'> & {
    /** URL of this gateway's console, null if unknown, and the token in its credentials file, if there is one. */
    home: { consoleUrl: string | null; adminToken: string | undefined };
  };

/** Options as typed; omitted options are absent. */
export type CommandArguments = {
  positionals: readonly string[];
  options: Readonly<Record<string, string | boolean | undefined>>;
};

/** One result in two forms: text for people, and JSON for machines (`--json`). */
export type Answer = { text: string; json: unknown };

export type Command = {
  /** Name of the command, such as `workspaces list`. */
  name: string;
  /** Usage line: the arguments after the command's name. */
  usage: string;
  summary: string;
  /** Minimum and maximum number of arguments. */
  words: { least: number; most: number };
  options: ParseArgsOptionsConfig;
  run(context: CommandContext, given: CommandArguments): Promise<Answer>;
};

/** Actor in the audit log for these commands: the operator, who has access to the database. */
export const operator = 'operator';

export const textOption = { type: 'string' } as const;

export const textIn = ({ options }: CommandArguments, name: string): string | undefined => {
  const value = options[name];
  return typeof value === 'string' ? value : undefined;
};

/** Returns the argument after the command's name, or the equivalent option. */
export const nameIn = (given: CommandArguments, option: string, command: string): string => {
  const [word] = given.positionals;
  const named = textIn(given, option);
  if (word !== undefined && named !== undefined && word !== named)
    throw new UsageError(`"${word}" and --${option} name two different things`);
  const name = word ?? named;
  if (name !== undefined) return name;
  throw new UsageError(`It is called as: npm run admin -- ${command}`);
};

/** Formats rows as columns, two spaces apart. The first row is the heading. */
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
