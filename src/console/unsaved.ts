/** Which forms hold something that was typed and not saved: nobody leaves it behind without being asked. */
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks';

const forms = new Set<object>();

export const hasUnsaved = (): boolean => forms.size > 0;

/** Somebody was asked and leaves it. */
export const forgetUnsaved = (): void => forms.clear();

/** Of one form, as long as it is shown. */
export const useUnsaved = (isUnsaved: boolean): void => {
  const form = useRef({}).current;
  useLayoutEffect(() => {
    if (isUnsaved) forms.add(form);
    else forms.delete(form);
  }, [isUnsaved]);
  useEffect(() => () => void forms.delete(form), []);
};

// The words of this question are the browser's own.
addEventListener('beforeunload', (event) => {
  if (hasUnsaved()) event.preventDefault();
});
