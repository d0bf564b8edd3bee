/** Words of the pages of numbers alone, which are loaded with those pages: the first page must stay small. */
import { computed } from '@preact/signals';
import { numberWords as en, type NumberWords } from './en/number-words.ts';
import { numberWords as ko } from './ko/number-words.ts';
import { language } from './language.ts';

/** Words in the current language. */
export const numberWords = computed((): NumberWords => (language.value === 'ko' ? ko : en));
