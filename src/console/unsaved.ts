/** Tracks forms with unsaved input, because leaving them requires confirmation. */
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks';

const forms = new Set<object>();

export const hasUnsaved = (): boolean => forms.size > 0;

/** Forgets unsaved input after the user has confirmed to leave. */
export const forgetUnsaved = (): void => forms.clear();

/** Registers one form while it is mounted. */
export const useUnsaved = (isUnsaved: boolean): void => {
  const form = useRef({}).current;
  useLayoutEffect(() => {
    if (isUnsaved) forms.add(form);
    else forms.delete(form);
  }, [isUnsaved]);
  useEffect(() => () => void forms.delete(form), []);
};

// The browser chooses the text of this confirmation.
addEventListener('beforeunload', (event) => {
  if (hasUnsaved()) event.preventDefault();
});
