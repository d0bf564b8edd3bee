/**
 * Where calls may go (guides/design/limits.md, "Destinations"): kinds of numbers, and prefixes that are allowed or denied
 * whatever the kind. Nothing may be called that is not allowed: expensive numbers are what those are after who got hold
 * of a key, or talk an agent into a transfer.
 */
import { internationalNumber, planOf, type Country } from './phone-number.ts';

/** Kinds as the numbering plans tell them apart, and `international`: whatever belongs to another country. */
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
  /** Digits as they are dialled within the country, or behind `+` the country code and more. */
  allowedPrefixes: string[];
  deniedPrefixes: string[];
};

/** Why a number may not be called: of which kind it is, or what else is against it. */
export type DestinationProblem = DestinationKind | 'denied_prefix' | 'emergency' | 'no_country' | 'unknown';

export const destinationProblems = [
  ...destinationKinds,
  'denied_prefix',
  'emergency',
  'no_country',
  'unknown',
] as const satisfies readonly DestinationProblem[];

/** Kinds of domestic numbers, by their names in libphonenumber. One type may be of several: any of them is enough. */
const kindsOfType = {
  MOBILE: ['mobile'],
  FIXED_LINE: ['fixed_line'],
  // Where the plan does not tell them apart, as in North America.
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

/** As telephones know them without asking a network (3GPP TS 22.101, section 10.1). */
const emergencyNumbers: ReadonlySet<string> = new Set('112 911 000 08 110 118 119 999'.split(' '));

const longestPrefix = (forms: readonly string[], prefixes: readonly string[]): number =>
  Math.max(
    0,
    ...prefixes
      .filter((prefix) => forms.some((form) => form.startsWith(prefix)))
      .map((prefix) => prefix.replace('+', '').length),
  );

/** By its kind: undefined where it may be called. */
const problemOfKind = (
  plan: NonNullable<ReturnType<typeof planOf>>,
  country: Country,
  allowed: readonly DestinationKind[],
): DestinationProblem | undefined => {
  if (plan.country !== country && !allowed.includes('international')) return 'international';
  // A satellite's number looks like a mobile one, and costs as much as ten premium ones.
  if (plan.country === undefined) return 'no_country';
  const kinds: readonly DestinationKind[] = kindsOfType[plan.type];
  return kinds.some((kind) => allowed.includes(kind)) ? undefined : kinds[0];
};

/**
 * The number as it may be written before prefixes: a plain one is compared with what is dialled, `+…` with E.164. That is
 * worked out where a prefix wants it, as it takes longer than all else that is asked of a number.
 */
const formsOf = (number: string, country: Country, destinations: readonly Destinations[]): string[] => {
  const isCompared = destinations.some(({ allowedPrefixes, deniedPrefixes }) =>
    [...allowedPrefixes, ...deniedPrefixes].some((prefix) => prefix.startsWith('+')),
  );
  const international = isCompared ? internationalNumber(number, country) : undefined;
  return international === undefined ? [number] : [number, international];
};

/**
 * Why a number may not be called under a policy; undefined where it may. Each of the policy's rules has to allow it: the
 * workspace's, and the number's, which narrows it. `number` is domestic or `+…`, as `normalizeDestination` and
 * `readPhoneNumber` have it. What is no number of a subscriber, an emergency number above all, may never be called.
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

/** The same, for those who only ask whether. Whatever dials a number that the API was not given asks this first. */
export const mayDial = (...asked: Parameters<typeof destinationProblem>): boolean =>
  destinationProblem(...asked) === undefined;

export const isPrefix = (text: string): boolean => /^\+?\d{1,15}$/.test(text);

export const kindsBut = (denied: readonly DestinationKind[]): DestinationKind[] =>
  destinationKinds.filter((kind) => !denied.includes(kind));

const isKind = (word: string): word is DestinationKind => destinationKinds.some((kind) => kind === word);

/**
 * Words as settings and commands have them: kinds, prefixes, and prefixes behind `!` that are denied. Undefined with
 * what is neither.
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

/** The other way round. */
export const wordsOf = ({ kinds, allowedPrefixes, deniedPrefixes }: Destinations): string[] => [
  ...kinds,
  ...allowedPrefixes,
  ...deniedPrefixes.map((prefix) => `!${prefix}`),
];
