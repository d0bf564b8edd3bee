/** Words of the pages of rehearsals alone, which are loaded with those pages: the first page must stay small. */
import { computed } from '@preact/signals';
import { rehearsalWords as en, type RehearsalWords } from './en/rehearsal-words.ts';
import { rehearsalWords as ko } from './ko/rehearsal-words.ts';
import { language } from './language.ts';

/** Words in the current language. */
export const rehearsalWords = computed((): RehearsalWords => (language.value === 'ko' ? ko : en));
