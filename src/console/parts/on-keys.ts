/** Keyboard shortcuts of a page. The shortcuts are inactive while the user types or a dialog is open. */

const isTyping = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement &&
  (target.isContentEditable || target.matches('input, textarea, select, dialog *'));

/** Adds handlers by key name. The returned function removes them. */
export const onKeys = (acts: Readonly<Record<string, () => void>>): (() => void) => {
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
};
