/**
 * Allowed destinations of calls (guides/design/limits.md, "Destinations"): kinds of numbers, and allowed or denied
 * prefixes. All other destinations are refused, because expensive numbers are the target of stolen keys and of callers
 * who talk an agent into a transfer.
 */
import { internationalNumber, planOf, type Country } from './phone-number.ts';

/** Kinds of numbers in the numbering plans. `international` is every number of another country. */
export const destinationKinds = [
  'mobile',
  'fixed_line',
  'toll_free',
  'shared_cost',
  'voip',
  'personal',
  'uan',
  'pager',
  'voicemail',
  'premium',
  'international',
] as const;

export type DestinationKind = (typeof destinationKinds)[number];

export type Destinations = {
  kinds: DestinationKind[];
  /** Prefixes: digits as dialled within the country, or `+` and country code. */
  allowedPrefixes: string[];
  deniedPrefixes: string[];
};

/** Reason why a number may not be called: the number's kind, or another rule. */
export type DestinationProblem = DestinationKind | 'denied_prefix' | 'emergency' | 'no_country' | 'unknown';

export const destinationProblems = [
  ...destinationKinds,
  'denied_prefix',
  'emergency',
  'no_country',
  'unknown',
] as const satisfies readonly DestinationProblem[];

/**
 * Kinds of domestic numbers by libphonenumber's types. A number whose type belongs to several kinds is allowed if any
 * of them is.
 */
const kindsOfType = {
  MOBILE: ['mobile'],
  FIXED_LINE: ['fixed_line'],
  // Type of numbers in plans that do not distinguish mobile and fixed lines, as in North America.
  FIXED_LINE_OR_MOBILE: ['fixed_line', 'mobile'],
  TOLL_FREE: ['toll_free'],
  SHARED_COST: ['shared_cost'],
  VOIP: ['voip'],
  PERSONAL_NUMBER: ['personal'],
  UAN: ['uan'],
  PAGER: ['pager'],
  VOICEMAIL: ['voicemail'],
  PREMIUM_RATE: ['premium'],
} as const satisfies Record<string, readonly [DestinationKind, ...DestinationKind[]]>;

/** Emergency numbers known to telephones without a network (3GPP TS 22.101, section 10.1). */
const emergencyNumbers: ReadonlySet<string> = new Set('112 911 000 08 110 118 119 999'.split(' '));

const longestPrefix = (forms: readonly string[], prefixes: readonly string[]): number =>
  Math.max(
    0,
    ...prefixes
      .filter((prefix) => forms.some((form) => form.startsWith(prefix)))
      .map((prefix) => prefix.replace('+', '').length),
  );

/** Checks a number by its kind. Returns undefined if the number is allowed. */
const problemOfKind = (
  plan: NonNullable<ReturnType<typeof planOf>>,
  country: Country,
  allowed: readonly DestinationKind[],
): DestinationProblem | undefined => {
  if (plan.country !== country && !allowed.includes('international')) return 'international';
  // Satellite numbers have no country. Satellite numbers look like mobile numbers but are far more expensive than
  // premium numbers.
  if (plan.country === undefined) return 'no_country';
  const kinds: readonly DestinationKind[] = kindsOfType[plan.type];
  return kinds.some((kind) => allowed.includes(kind)) ? undefined : kinds[0];
};

/**
 * Returns the number in the forms that prefixes match: plain prefixes match the dialled digits, `+…` matches E.164. The
 * forms are computed on demand, because this is the slowest part of the check.
 */
const formsOf = (number: string, country: Country, destinations: readonly Destinations[]): string[] => {
  const isCompared = destinations.some(({ allowedPrefixes, deniedPrefixes }) =>
    [...allowedPrefixes, ...deniedPrefixes].some((prefix) => prefix.startsWith('+')),
  );
  const international = isCompared ? internationalNumber(number, country) : undefined;
  return international === undefined ? [number] : [number, international];
};

/**
 * Returns why a number may not be called under a policy; undefined if it may be called. The rules of both the workspace
 * and the number must allow it. `number` is domestic or `+…`, as returned by `normalizeDestination` and
 * `readPhoneNumber`. Numbers outside the plan and emergency numbers are always refused.
 */
export const destinationProblem = (
  { destinations }: { destinations: readonly Destinations[] },
  number: string,
  country: Country,
): DestinationProblem | undefined => {
  if (emergencyNumbers.has(number)) return 'emergency';
  const plan = planOf(number, country);
  if (plan === undefined) return 'unknown';
  const forms = formsOf(number, country, destinations);
  const problems = destinations.map(({ kinds, allowedPrefixes, deniedPrefixes }) => {
    const allowed = longestPrefix(forms, allowedPrefixes);
    const denied = longestPrefix(forms, deniedPrefixes);
    if (denied > 0 && denied >= allowed) return 'denied_prefix';
    return allowed > 0 ? undefined : problemOfKind(plan, country, kinds);
  });
  return problems.find((problem) => problem !== undefined);
};

/** Whether a number may be called. This check is for dialled numbers that did not come through the API. */
export const mayDial = (...asked: Parameters<typeof destinationProblem>): boolean =>
  destinationProblem(...asked) === undefined;

export const isPrefix = (text: string): boolean => /^\+?\d{1,15}$/.test(text);

export const kindsBut = (denied: readonly DestinationKind[]): DestinationKind[] =>
  destinationKinds.filter((kind) => !denied.includes(kind));

const isKind = (word: string): word is DestinationKind => destinationKinds.some((kind) => kind === word);

/**
 * Parses settings: kinds, prefixes, and prefixes with `!` that are denied. Returns the first invalid word as `wrong`.
 */
export const destinationsIn = (words: readonly string[]): Destinations | { wrong: string } => {
  const kinds: DestinationKind[] = [];
  const allowedPrefixes: string[] = [];
  const deniedPrefixes: string[] = [];
  for (const word of words) {
    if (isKind(word)) kinds.push(word);
    else if (isPrefix(word)) allowedPrefixes.push(word);
    else if (word.startsWith('!') && isPrefix(word.slice(1))) deniedPrefixes.push(word.slice(1));
    else return { wrong: word };
  }
  return { kinds, allowedPrefixes, deniedPrefixes };
};

/** Formats destinations in the syntax of the settings. */
export const wordsOf = ({ kinds, allowedPrefixes, deniedPrefixes }: Destinations): string[] => [
  ...kinds,
  ...allowedPrefixes,
  ...deniedPrefixes.map((prefix) => `!${prefix}`),
];
