/**
 * Reads telephone numbers as trunks and people write them, by one rule (the table of guides/trunks.md, under "Number
 * formats"). Numbers of this country become domestic (`01012345678`), others international (`+12025550123`). A `+` is
 * unambiguous, while an international prefix (`001…`) could be domestic digits.
 */
import { getCountryCallingCode, parsePhoneNumberFromString } from 'libphonenumber-js/max';
import { domesticNumber, normalizeDestination, normalizePhoneNumber, type Country } from './phone-number.ts';
import { Refusal } from './refusal.ts';

/**
 * Preferred reading of ambiguous digits. For example, `3223456789` may be 032-2345-6789 without its 0, or a number in
 * Brussels without its +.
 */
export type BareDigits = 'national' | 'international';

/** Reads a number with `+`, possibly with a superfluous 0 (`+82010…`). */
const readInternational = (number: string, country: Country): string | undefined => {
  const parsed = parsePhoneNumberFromString(number);
  if (parsed === undefined) return undefined;
  return domesticNumber(parsed.number, country) ?? (parsed.isValid() ? parsed.number : undefined);
};

/**
 * Reads a number without its 0 (`1012345678`), or with one of the country's international prefixes (`00700…`, `011…`).
 */
const readNational = (digits: string, country: Country): string | undefined => {
  const withZero = normalizePhoneNumber(`0${digits}`, country);
  if (withZero !== undefined) return withZero;
  const parsed = parsePhoneNumberFromString(digits, country);
  return parsed?.isValid() === true ? readInternational(parsed.number, country) : undefined;
};

const readWritten = (written: string, country: Country, bare: BareDigits): string | undefined => {
  if (written.startsWith('+')) return readInternational(written, country);
  const domestic = normalizePhoneNumber(written, country);
  if (domestic !== undefined) return domestic;
  // Trunks of all countries write 00 for +, whatever prefix is dialled in the country.
  const behindZeros = written.startsWith('00')
    ? readInternational(`+${written.slice(2)}`, country)
    : undefined;
  if (behindZeros !== undefined) return behindZeros;
  const withoutPlus = readInternational(`+${written}`, country);
  if (bare === 'international' || written.startsWith(getCountryCallingCode(country)))
    return withoutPlus ?? readNational(written, country);
  return readNational(written, country) ?? withoutPlus;
};

/** Recent readings, because the few called numbers of a gateway are read several times in each call. */
const recent = new Map<string, string | undefined>();
const mostRecent = 1_000;

/** Reads a number written as digits with an optional `+`. Returns undefined if no reading is in a numbering plan. */
export const readPhoneNumber = (
  written: string,
  country: Country,
  bare: BareDigits = 'national',
): string | undefined => {
  if (!/^\+?\d{1,20}$/.test(written)) return undefined;
  const key = `${country} ${bare} ${written}`;
  if (recent.has(key)) return recent.get(key);
  const number = readWritten(written, country, bare);
  if (recent.size >= mostRecent) recent.clear();
  recent.set(key, number);
  return number;
};

/**
 * Maximum length of the beginning that is shown; a longer one would reveal more of the number than country and area.
 */
const longestBeginning = 8;

/**
 * Returns how to correct a number of this country, such as `write 0 in place of +82`. The text is the middle of a
 * sentence and contains only the beginning of the number. Returns undefined for other input.
 */
export const domesticFormAdvice = (input: string, country: Country): string | undefined => {
  if (input.length > 40) return undefined;
  const written = input.replaceAll(/[-\s().]/g, '');
  const domestic = readPhoneNumber(written, country);
  if (domestic === undefined || domestic.startsWith('+')) return undefined;
  if (domestic === written) return 'write digits alone, with hyphens and spaces at most';
  let same = 0;
  while (same < domestic.length && written.at(-1 - same) === domestic.at(-1 - same)) same += 1;
  const [theirs, ours] = [written, domestic].map((number) => number.slice(0, number.length - same));
  if (theirs === undefined || ours === undefined) return undefined;
  if (Math.max(theirs.length, ours.length) > longestBeginning) return undefined;
  if (theirs === '') return `write ${ours} before it`;
  return ours === '' ? `leave out ${theirs}` : `write ${ours} in place of ${theirs}`;
};

/** Reads a number to call like `normalizeDestination`. Throws a Refusal (`invalid_to`) that describes the format. */
export const readDestination = (input: string, country: Country): string => {
  const destination = normalizeDestination(input, country);
  if (destination !== undefined) return destination;
  const advice = domesticFormAdvice(input, country);
  throw new Refusal(
    'invalid_to',
    advice === undefined
      ? 'Give the number in domestic format, as it is dialled within the country, for example 010-0000-0001.'
      : `Give the number in domestic format: ${advice}.`,
  );
};
