/** Reading what a command was called with, the same for all of them. */
import { parseArgs, type ParseArgsConfig } from 'node:util';

/** Called wrongly. Its message is one line for whoever called. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

/** As `parseArgs`, whose complaints become UsageErrors. */
export const parseOptions = <Config extends ParseArgsConfig>(
  config: Config,
): ReturnType<typeof parseArgs<Config>> => {
  try {
    return parseArgs(config);
  } catch (error) {
    // Node's message goes on with advice for authors of shell scripts, which is left out.
    if (error instanceof TypeError)
      throw new UsageError(error.message.replace(/\. .*$/s, ''), { cause: error });
    throw error;
  }
};
