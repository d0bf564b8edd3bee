/** The language of the console: the browser's, until somebody chooses. Remembered on this device. */
import { computed, effect, signal } from '@preact/signals';
import { fetchPart } from '../fetched-part.ts';
import { en, type ConsoleLanguage, type Texts } from './texts.ts';

/** What each language calls itself. */
export const languageNames: Readonly<Record<ConsoleLanguage, string>> = { en: 'English', ko: '한국어' };

const korean = signal<Texts | null>(null);

/** Everybody has English; another language is fetched for those who read it. Whether it is there. */
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

/** Where the words of the language cannot be fetched, the page speaks on as before. */
export const speak = async (chosen: ConsoleLanguage): Promise<void> => {
  // First, as the page may be loaded anew for its words.
  localStorage.setItem(place, chosen);
  if (await fetchTexts(chosen)) language.value = chosen;
};

/** Before the first words are shown. Where they cannot be fetched, they are English. */
export const findWords = async (): Promise<void> => {
  if (!(await fetchTexts(language.value))) language.value = 'en';
};

/** Every text, in the language that is spoken now. */
export const texts = computed((): Texts => (language.value === 'ko' ? korean.value : null) ?? en);
