/**
 * Language of the console: the browser's until the user chooses another one. The choice is stored on this device. Only
 * the catalogue of this language is loaded.
 */
import { computed, effect, signal } from '@preact/signals';
import { fetchPart } from '../fetched-part.ts';
import type { ConsoleLanguage, Texts } from './texts.ts';

/** Native names of the languages. */
export const languageNames: Readonly<Record<ConsoleLanguage, string>> = { en: 'English', ko: '한국어' };

const imports: Readonly<Record<ConsoleLanguage, () => Promise<Texts>>> = {
  en: async () => (await import('./en.ts')).en,
  ko: async () => (await import('./ko.ts')).ko,
};

const catalogues = signal<Readonly<Partial<Record<ConsoleLanguage, Texts>>>>({});

/** Loads a language. Returns whether the language is available. */
const fetchTexts = async (wanted: ConsoleLanguage): Promise<boolean> => {
  if (catalogues.value[wanted] !== undefined) return true;
  const fetched = await fetchPart(wanted, imports[wanted]);
  if (fetched !== undefined) catalogues.value = { ...catalogues.value, [wanted]: fetched };
  return fetched !== undefined;
};

const place = 'trunkline.language';

const isKnown = (name: string | undefined): name is ConsoleLanguage => name === 'en' || name === 'ko';

const ofBrowser = (): ConsoleLanguage =>
  navigator.languages.map((tag) => tag.split('-')[0]).find(isKnown) ?? 'en';

const remembered = localStorage.getItem(place) ?? undefined;

export const language = signal<ConsoleLanguage>(isKnown(remembered) ? remembered : ofBrowser());

effect(() => {
  document.documentElement.lang = language.value;
});

/** Changes the language. If its catalogue cannot be loaded, the current language remains. */
export const speak = async (chosen: ConsoleLanguage): Promise<void> => {
  // The choice is stored first, because loading the catalogue may reload the page.
  localStorage.setItem(place, chosen);
  if (await fetchTexts(chosen)) language.value = chosen;
};

/** The only words outside the catalogues: what a page shows that cannot load any. */
const lacksWords =
  'The texts of this page could not be loaded. Load it again. 이 페이지의 문구를 불러오지 못했습니다. 페이지를 다시 불러오세요.';

/**
 * Loads the catalogue of the language before the first render, or another one if that fails. Returns whether the page can
 * be rendered; otherwise the page shows a plain notice.
 */
export const findWords = async (): Promise<boolean> => {
  const wanted = language.value;
  for (const one of [wanted, wanted === 'en' ? 'ko' : 'en'] as const) {
    if (!(await fetchTexts(one))) continue;
    language.value = one;
    return true;
  }
  document.body.textContent = lacksWords;
  return false;
};

/** Texts in the current language, available after `findWords`. */
export const texts = computed((): Texts => {
  const current = catalogues.value[language.value];
  if (current === undefined) throw new Error(`The texts in ${language.value} are not loaded.`);
  return current;
});
