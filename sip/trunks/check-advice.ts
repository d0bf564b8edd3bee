/** Advice for a failed trunk check: one sentence for each known failure. */

import type { TrunkCheckStep } from '#src/domain/trunk.ts';

export type CheckedStep = TrunkCheckStep['step'];

const silence =
  'Nothing came back: check host, port and transport, and whether a firewall lets SIP out and its answers in.';
const credentials =
  'The trunk refuses user name or password: compare both with what the provider gave you, and the domain (from_domain) too.';
const trouble = 'The trunk has trouble of its own: try again later, or ask the provider.';

const known: Readonly<Record<CheckedStep, Readonly<Record<number, string>>>> = {
  registration: {
    401: credentials,
    403: credentials,
    407: credentials,
    404: 'The registrar does not know this user: check the user name, and the domain (from_domain).',
    405: 'This host takes no registrations: switch "register" off, or give the host of the registrar.',
    408: silence,
    423: 'The registrar wants a longer registration than it says: ask the provider.',
  },
  options: {
    408: silence,
  },
  call: {
    401: credentials,
    302: 'The trunk sends the call on to another place: set "redirects" where calls may follow, and call by a number.',
    403: 'The trunk forbids this call: it may not know our number (caller_id, number_format, from_domain), or not allow this destination.',
    404: 'The trunk does not know the number that was called: check number_format, and that the number is routed.',
    407: credentials,
    408: silence,
    415: 'The trunk takes none of our codecs: check "codecs".',
    484: 'The number is incomplete for this trunk: check number_format.',
    488: 'The trunk takes none of our codecs, or has another mind about encrypted sound: check "codecs" and "srtp".',
    503: 'The trunk has no channel free, or has not recognised us: check the addresses that the provider has allowed for you.',
    606: 'The trunk takes none of our codecs: check "codecs".',
  },
};

/** Returns the advice. `status` is that of the last response; null without a response. */
export const adviceFor = (step: CheckedStep, status: number | null): string => {
  if (status === null) return silence;
  const sentence = known[step][status];
  if (sentence !== undefined) return sentence;
  return status >= 500 ? trouble : `The trunk answered ${status}, for which there is no advice here.`;
};
