/** What the API's document says in English, in the language of the page. */
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

/** `undefined` where there is no other text. */
export const inOurLanguage = (text: string): string | undefined =>
  language.value === 'en' ? text : korean.value[text];
