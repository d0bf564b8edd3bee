/** Parses command-line options for all commands. */
import { parseArgs, type ParseArgsConfig } from 'node:util';

/** Reports invalid usage of a command by a message of one line. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

/** Calls `parseArgs` and throws its errors as UsageErrors. */
export const parseOptions = <Config extends ParseArgsConfig>(
  config: Config,
): ReturnType<typeof parseArgs<Config>> => {
  try {
    return parseArgs(config);
  } catch (error) {
    // Removes Node's hint for authors of shell scripts from the message.
    if (error instanceof TypeError)
      throw new UsageError(error.message.replace(/\. .*$/s, ''), { cause: error });
    throw error;
  }
};

/**
 * Returns the value of `--url`. Throws a UsageError for an option that is not a URL of HTTP or HTTPS, such as
 * `localhost:8080`.
 */
export const httpUrl = <Text extends string | undefined>(
  text: Text,
  example = 'https://gateway.example.com',
): Text => {
  if (text === undefined || /^https?:$/.test(URL.parse(text)?.protocol ?? '')) return text;
  throw new UsageError(`--url must be a URL such as ${example}`);
};
