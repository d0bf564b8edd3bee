import { readConfig, type Config } from '#config/config.ts';
import { readCredentials } from './credentials.ts';
import { urlOf } from './local-url.ts';

/**
 * Finds the gateway of the data folder and its number key for commands: first in the credentials file, then in the
 * settings. Throws a ConfigError.
 */
export const knownGateway = async (
  environment: NodeJS.ProcessEnv,
): Promise<{ config: Config; url: string; key: string | undefined }> => {
  const config = readConfig(environment, false);
  const known = await readCredentials(config.dataFolder);
  return {
    config,
    url: known?.base_url ?? urlOf(config.host, config.port),
    key: environment['NUMBER_KEY'] ?? known?.number_key,
  };
};
