import { Refusal } from '#src/domain/refusal.ts';
import type { Browser } from '../browser.ts';

/**
 * A browser sends its cookie whoever asks it to. Two things show that the console asked: the header that a page of
 * another origin may not send, and what the browser itself says of the page (guides/design/threats.md, "Sessions of the
 * console").
 */
export const refuseOtherPages = ({ isOurPage, isConsole }: Browser): void => {
  if (isOurPage && isConsole) return;
  throw new Refusal(
    'not_from_console',
    'A session is good for the console of this gateway alone. Programs send an admin token in the header "Authorization: Bearer …".',
  );
};
