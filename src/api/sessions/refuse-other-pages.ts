import { Refusal } from '#src/domain/refusal.ts';
import type { Browser } from '../http/browser.ts';

/**
 * Refuses requests with a session cookie that the console did not send, because a browser sends its cookie with
 * requests of any page. Two proofs are checked: a header that a page of another origin cannot send, and the browser's
 * own headers about the page (guides/design/threats.md, "Sessions of the console").
 */
export const refuseOtherPages = ({ isOurPage, isConsole }: Browser): void => {
  if (isOurPage && isConsole) return;
  throw new Refusal(
    'not_from_console',
    'A session is good for the console of this gateway alone. Programs send an admin token in the header "Authorization: Bearer …".',
  );
};
