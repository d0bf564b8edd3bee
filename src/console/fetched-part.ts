/**
 * Parts of the console that are loaded on demand, such as translations and rarely used pages. Another build of the
 * gateway serves these parts at other addresses, and browsers do not retry a failed module import. Therefore the page
 * is reloaded, once for each part.
 */
import { computed, signal } from '@preact/signals';

const missing = signal<ReadonlySet<string>>(new Set());

/** Whether a part failed to load. True during the reload of the page, and after a reload that did not help. */
export const lacksPart = computed(() => missing.value.size > 0);

const note = (name: string, isMissing: boolean): void => {
  const others = [...missing.value].filter((one) => one !== name);
  missing.value = new Set(isMissing ? [...others, name] : others);
};

const placeOf = (name: string): string => `trunkline.loaded_for_part.${name}`;

/** Loads a part. Resolves to undefined if the part is still unavailable after a reload. Never rejects. */
export const fetchPart = async <Part>(
  name: string,
  fetch: () => Promise<Part>,
): Promise<Part | undefined> => {
  const place = placeOf(name);
  try {
    const part = await fetch();
    sessionStorage.removeItem(place);
    note(name, false);
    return part;
  } catch {
    note(name, true);
    if (sessionStorage.getItem(place) !== null) return undefined;
    sessionStorage.setItem(place, '1');
    location.reload();
    // The promise stays pending until the reload, so that the page is not shown in the wrong language.
    return new Promise<undefined>(() => undefined);
  }
};
