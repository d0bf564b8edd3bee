/**
 * `npm run --silent credentials`: prints the address of the gateway on this machine and the credentials of its first
 * number as shell variables, for the commands of the guides: `eval "$(npm run --silent credentials)"`.
 */
import { join } from 'node:path';
import { ConfigError, readConfig } from '#config/config.ts';
import { terminalLine } from '#src/domain/terminal-text.ts';
import { readCredentials, type StoredCredentials } from '#src/start/credentials.ts';

/** Quotes a text for a POSIX shell, which then takes it as it is. */
const quoted = (text: string): string => `'${text.replaceAll("'", String.raw`'\''`)}'`;

/** Returns one `export NAME='value'` per line. The names are those that the examples and the other commands read. */
export const shellVariables = ({ base_url, number_key, admin_token, number_id }: StoredCredentials): string =>
  Object.entries({
    GATEWAY_URL: base_url,
    NUMBER_KEY: number_key,
    ADMIN_TOKEN: admin_token,
    NUMBER_ID: number_id,
  })
    .map(([name, value]) => `export ${name}=${quoted(value)}\n`)
    .join('');

/** Returns the exit code. */
export const main = async (
  environment: NodeJS.ProcessEnv,
  print: (text: string) => void,
  complain: (line: string) => void,
): Promise<0 | 1> => {
  const { dataFolder } = readConfig(environment, false);
  const credentials = await readCredentials(dataFolder);
  if (credentials === undefined) {
    complain(
      `There are no credentials in ${join(dataFolder, 'dev-credentials.json')}: the first npm start creates them.`,
    );
    return 1;
  }
  print(shellVariables(credentials));
  return 0;
};

if (import.meta.main) {
  const complain = (line: string): void => void process.stderr.write(`${terminalLine(line)}\n`);
  try {
    process.exitCode = await main(process.env, (text) => process.stdout.write(text), complain);
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    complain(error.message);
    process.exitCode = 1;
  }
}
