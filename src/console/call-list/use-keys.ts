/** Keys of the list. They are the page's own only while nobody types, and while no dialog is open. */
import type { RefObject } from 'preact';
import { useEffect } from 'preact/hooks';

const isTyping = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement &&
  (target.isContentEditable || target.matches('input, textarea, select, dialog *'));

const links = (): HTMLAnchorElement[] => [
  ...document.querySelectorAll<HTMLAnchorElement>('.call-table .of-party a'),
];

/** The focus is the place: Enter follows the link that has it, as everywhere. */
const move = (by: 1 | -1): void => {
  const all = links();
  const now = all.findIndex((link) => link === document.activeElement);
  const next = all[now === -1 ? 0 : Math.min(Math.max(now + by, 0), all.length - 1)];
  next?.focus();
  next?.scrollIntoView({ block: 'nearest' });
};

export const useKeys = (search: RefObject<HTMLInputElement | null>, help: () => void): void => {
  useEffect(() => {
    const acts: Readonly<Record<string, () => void>> = {
      '/': () => search.current?.focus(),
      j: () => move(1),
      k: () => move(-1),
      '?': help,
    };
    const over = new AbortController();
    document.addEventListener(
      'keydown',
      (event) => {
        const act = acts[event.key];
        const isOther = event.ctrlKey || event.metaKey || event.altKey || event.isComposing;
        if (act === undefined || isOther || isTyping(event.target) || document.querySelector('dialog[open]'))
          return;
        event.preventDefault();
        act();
      },
      { signal: over.signal },
    );
    return () => over.abort();
  }, []);
};

/** To the call that somebody was at. */
export const returnTo = (callId: string): void => {
  const link = document.getElementById(`party-${callId}`);
  link?.scrollIntoView({ block: 'center' });
  link?.focus({ preventScroll: true });
};
