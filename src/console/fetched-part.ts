/**
 * Parts of the console that are fetched by those who need them: the words of a language, a page that few come to. Another
 * build of the gateway has them at another address, and a browser does not ask again for a script that it could not have:
 * so the page is loaded anew, once for each of them.
 */
import { signal } from '@preact/signals';

/** A part could not be had; while the page is being loaded anew, and when that did not help either. */
export const lacksPart = signal(false);

const placeOf = (name: string): string => `trunkline.loaded_for_part.${name}`;

/** Undefined where it is not to be had by a page that was loaded anew. Does not reject. */
export const fetchPart = async <Part>(
  name: string,
  fetch: () => Promise<Part>,
): Promise<Part | undefined> => {
  const place = placeOf(name);
  try {
    const part = await fetch();
    sessionStorage.removeItem(place);
    lacksPart.value = false;
    return part;
  } catch {
    lacksPart.value = true;
    if (sessionStorage.getItem(place) !== null) return undefined;
    sessionStorage.setItem(place, '1');
    location.reload();
    // Nothing is shown in the wrong language meanwhile.
    return new Promise<undefined>(() => undefined);
  }
};
