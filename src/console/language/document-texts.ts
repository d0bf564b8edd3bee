/** Translates the English texts of the API document into the page's language. */
import { effect, signal } from '@preact/signals';
import { fetchPart } from '../fetched-part.ts';
import { language } from './language.ts';

const korean = signal<Readonly<Record<string, string>>>({});

const fetchKorean = async (): Promise<void> => {
  const fetched = await fetchPart('document', () => import('./ko/document-texts.ts'));
  if (fetched !== undefined) korean.value = fetched.documentTexts;
};

effect(() => {
  if (language.value === 'ko' && Object.keys(korean.peek()).length === 0) void fetchKorean();
});

/** Returns the translation of a text; `undefined` if there is none. */
export const inOurLanguage = (text: string): string | undefined =>
  language.value === 'en' ? text : korean.value[text];
