/** Default policy of the platform, with the operator's settings applied. */
import type { Config } from '#config/config.ts';
import { platformCallPolicy, platformDeniedDestinations } from '#config/policy.ts';
import type { PolicySettings } from '#src/domain/call-policy.ts';
import { destinationKinds, destinationsIn, kindsBut, type Destinations } from '#src/domain/destinations.ts';
import { StartError } from '#src/domain/start-error.ts';
import { isCountry, type Country } from '#src/domain/phone-number.ts';

/** Returns the numbering plan of a country code. Throws a StartError if there is none. */
export const countryOf = (code: string): Country => {
  if (isCountry(code)) return code;
  throw new StartError(
    `GW_COUNTRY must be a country with a telephone numbering plan, such as KR (it is "${code}")`,
  );
};

/** Parses destination kinds. Throws a StartError for an unknown kind. */
const destinationsOf = (words: readonly string[]): Destinations => {
  const read = destinationsIn(words);
  if (!('wrong' in read)) return read;
  throw new StartError(
    `GW_DESTINATIONS must be of prefixes and of the kinds ${destinationKinds.join(', ')} (it has "${read.wrong}")`,
  );
};

export const platformPolicyOf = ({ destinations }: Pick<Config, 'destinations'>): PolicySettings => ({
  ...platformCallPolicy,
  destinations:
    destinations === null
      ? { kinds: kindsBut(platformDeniedDestinations), allowedPrefixes: [], deniedPrefixes: [] }
      : destinationsOf(destinations),
});
