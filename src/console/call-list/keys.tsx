/** Keyboard shortcuts of the list of calls, and the help for them. */
import { texts } from '../language/language.ts';
import { Dialog } from '../parts/dialog.tsx';
import type { RefObject } from 'preact';
import { useEffect } from 'preact/hooks';
import { onKeys } from '../parts/on-keys.ts';

const links = (): HTMLAnchorElement[] => [
  ...document.querySelectorAll<HTMLAnchorElement>('.call-table .of-party a'),
];

/** Moves the focus to the next or previous call. The browser follows the focused link on Enter. */
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
    return onKeys(acts);
  }, []);
};

/** Returns the focus to this call, which had the focus before its page was opened. */
export const returnTo = (callId: string): void => {
  const link = document.getElementById(`party-${callId}`);
  link?.scrollIntoView({ block: 'center' });
  link?.focus({ preventScroll: true });
};

/** Help for the list's keyboard shortcuts. */
export const KeyHelp = ({ onClose }: { onClose: () => void }) => {
  const t = texts.value.callList.keys;
  const keys = [
    [['/'], t.search],
    [['j'], t.next],
    [['k'], t.previous],
    [['Enter'], t.open],
    [['?'], t.help],
  ] as const;
  return (
    <Dialog title={t.title} onClose={onClose}>
      <dl class="keys">
        {keys.map(([[key], does]) => (
          <div key={key}>
            <dt>
              <kbd>{key}</kbd>
            </dt>
            <dd>{does}</dd>
          </div>
        ))}
      </dl>
      <div class="submit">
        <button type="button" class="primary" onClick={onClose}>
          {t.close}
        </button>
      </div>
    </Dialog>
  );
};
