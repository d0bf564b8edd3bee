/** Texts of the page of the Stately inspector, which the console itself does not load. */
import { computed } from '@preact/signals';
import { stately as en, type StatelyWords } from './en/stately.ts';
import { stately as ko } from './ko/stately.ts';
import { language } from './language.ts';

/** Texts in the current language. */
export const statelyWords = computed((): StatelyWords => ({ en, ko })[language.value]);
