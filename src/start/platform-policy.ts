/** Default policy: the platform's values and the operator's settings. */
import type { Config } from '#config/config.ts';
import { platformCallPolicy, platformDeniedDestinations } from '#config/policy.ts';
import type { PolicySettings } from '#src/domain/call-policy.ts';
import { destinationKinds, destinationsIn, kindsBut, type Destinations } from '#src/domain/destinations.ts';
import { StartError } from '#src/domain/start-error.ts';
import { isCountry, type Country } from '#src/domain/phone-number.ts';

/** Throws a StartError for a country code without a numbering plan. */
export const countryOf = (code: string): Country => {
  if (isCountry(code)) return code;
  throw new StartError(
    `GW_COUNTRY must be a country with a telephone numbering plan, such as KR (it is "${code}")`,
  );
};

/** Throws a StartError for an unknown kind. */
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
