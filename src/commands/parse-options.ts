/** Parses command-line options for all commands. */
import { parseArgs, type ParseArgsConfig } from 'node:util';

/** Invalid usage, with a message of one line. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

/** `parseArgs` with UsageErrors. */
export const parseOptions = <Config extends ParseArgsConfig>(
  config: Config,
): ReturnType<typeof parseArgs<Config>> => {
  try {
    return parseArgs(config);
  } catch (error) {
    // Removes Node's advice for authors of shell scripts.
    if (error instanceof TypeError)
      throw new UsageError(error.message.replace(/\. .*$/s, ''), { cause: error });
    throw error;
  }
};
