/** English wording of messages of the API that are terse. */
import type { Saying } from '../explain.ts';

export const sayings: readonly Saying[] = [
  { pattern: /^Too small: expected number to be >=(\d+)$/, text: 'This must be at least $1.' },
  { pattern: /^Too big: expected number to be <=(\d+)$/, text: 'This must be at most $1.' },
  { pattern: /^Too small: expected string .*$/, text: 'This is required.' },
  {
    pattern: /^Too big: expected string to have <=(\d+) characters$/,
    text: 'This must have at most $1 characters.',
  },
  { pattern: /^Invalid input: .*$/, text: 'This is not valid.' },
  { pattern: /^Too big: expected array to have <=(\d+) items$/, text: 'There may be up to $1 entries.' },
  { pattern: /^the agent has hung up$/, text: 'Hangs up' },
  { pattern: /^the agent has pressed (\S+)$/, text: 'Presses $1' },
  {
    pattern: /^Invalid string: must match pattern \/\^\[0-9\*#A-D\]\$\/$/,
    text: 'This must be one key of the telephone: 0 to 9, *, # or A to D.',
  },
  {
    pattern: /^Invalid string: must match pattern \/\^\[0-9\*#A-Dw\].*$/,
    text: 'There may be 1 to 64 of 0 to 9, *, #, A to D, and w.',
  },
  {
    pattern: /^Calls of this number may not be transferred there; .*$/,
    text: 'Calls of this number may not be transferred there. Its settings say where they may be.',
  },
];
