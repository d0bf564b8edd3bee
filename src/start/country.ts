import { isCountry, type Country } from '#src/domain/phone-number.ts';
import { StartError } from '#src/domain/start-error.ts';

/** Throws a StartError for a country code without a numbering plan. */
export const countryOf = (code: string): Country => {
  if (isCountry(code)) return code;
  throw new StartError(
    `GW_COUNTRY must be a country with a telephone numbering plan, such as KR (it is "${code}")`,
  );
};
