import type { z } from 'zod';
import { secretSettings } from './settings.ts';

/** Thrown for a setting that prevents the start. The message is one line that names the setting. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
}

/** Returns the variables with the prefix GW_. An empty variable counts as absent. */
export const givenSettings = (environment: NodeJS.ProcessEnv): Record<string, string | undefined> =>
  Object.fromEntries(
    Object.entries(environment).filter(([name, value]) => name.startsWith('GW_') && value !== ''),
  );

const problemOf = (issue: z.core.$ZodIssue, environment: NodeJS.ProcessEnv): string => {
  const name = String(issue.path[0]);
  const value = environment[name] ?? '';
  return secretSettings.has(name)
    ? `${name} ${issue.message}`
    : `${name} ${issue.message} (it is ${JSON.stringify(value.slice(0, 100))})`;
};

/** Parses the settings. Throws a ConfigError whose message names the first invalid setting. */
export const parseSettings = <Values>(form: z.ZodType<Values>, environment: NodeJS.ProcessEnv): Values => {
  const parsed = form.safeParse(givenSettings(environment));
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  throw new ConfigError(issue === undefined ? 'The settings are not valid' : problemOf(issue, environment));
};
