/** A configuration read from a test environment. */
import { ConfigError, readConfig, type Config } from '#config/config.ts';

export const read = (environment: Record<string, string> = {}): Config => readConfig(environment, false);

/** The error message. */
export const refused = (environment: Record<string, string>): string => {
  try {
    read(environment);
  } catch (error) {
    if (error instanceof ConfigError) return error.message;
    throw error;
  }
  throw new Error(`This was accepted: ${JSON.stringify(environment)}`);
};
