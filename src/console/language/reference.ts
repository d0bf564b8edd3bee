/** Texts of the API reference, which the console itself does not load. */
import { computed } from '@preact/signals';
import { reference as en, type ReferenceTexts } from './en/reference.ts';
import { reference as ko } from './ko/reference.ts';
import { language } from './language.ts';

export const referenceTexts = computed((): ReferenceTexts => ({ en, ko })[language.value]);
