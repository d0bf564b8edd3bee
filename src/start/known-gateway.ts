import { readConfig, type Config } from '#config/config.ts';
import { readCredentials } from './credentials.ts';
import { urlOf } from './http-server.ts';

/**
 * Where a command of this machine finds the gateway of its data folder, and the key of its number: by its credentials
 * where it has written some, else where the settings have it. Throws a ConfigError.
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
