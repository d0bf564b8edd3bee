/** Language of the console: the browser's until the user chooses another one. The choice is stored on this device. */
import { computed, effect, signal } from '@preact/signals';
import { fetchPart } from '../fetched-part.ts';
import { en, type ConsoleLanguage, type Texts } from './texts.ts';

/** Native names of the languages. */
export const languageNames: Readonly<Record<ConsoleLanguage, string>> = { en: 'English', ko: '한국어' };

const korean = signal<Texts | null>(null);

/** Loads a language. English is built in and needs no loading. Returns whether the language is available. */
const fetchTexts = async (wanted: ConsoleLanguage): Promise<boolean> => {
  if (wanted === 'en' || korean.value !== null) return true;
  const fetched = await fetchPart(wanted, () => import('./ko.ts'));
  korean.value = fetched?.ko ?? null;
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

/** Changes the language. If the translations cannot be loaded, the current language remains. */
export const speak = async (chosen: ConsoleLanguage): Promise<void> => {
  // The choice is stored first, because loading the translations may reload the page.
  localStorage.setItem(place, chosen);
  if (await fetchTexts(chosen)) language.value = chosen;
};

/** Finds the language before the first render. Uses English if the translations cannot be loaded. */
export const findWords = async (): Promise<void> => {
  if (!(await fetchTexts(language.value))) language.value = 'en';
};

/** Texts in the current language. */
export const texts = computed((): Texts => (language.value === 'ko' ? korean.value : null) ?? en);
