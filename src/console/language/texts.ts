/** Types of the catalogues. The catalogues themselves are loaded on demand (language.ts). */
import type { en } from './en.ts';

/**
 * Type of a catalogue in any language. The English catalogue defines it: other catalogues must have the same keys to
 * compile.
 */
export type Texts = typeof en;

export type ConsoleLanguage = 'en' | 'ko';
