/**
 * The beginning of a message whose server has removed the special tokens of the chat template but left the words
 * between them: `analysisThe user asks …assistantfinalHello.` The sentences with which Granite 3.2 marks its thoughts
 * are treated likewise.
 */
import type { Meaning } from './mark-meaning.ts';

export type Opening =
  /** An opening. `isDoubtful`: the opening may be an ordinary word, unless its end follows. */
  | { type: 'mark'; length: number; meaning: Meaning; isDoubtful: boolean }
  | { type: 'begun' }
  /** The message begins with ordinary words. */
  | { type: 'text' };

const analysis = /^\s*(?:assistant)?analysis(?=[\p{Lu}\p{Lo}])/u;

/** A channel name joined to the first word of the message. */
const openings: readonly (readonly [RegExp, Meaning])[] = [
  [analysis, 'thought'],
  [/^\s*(?:assistant)?final(?=[\p{Lu}\p{Lo}])/u, 'nothing'],
  [/^\s*(?:assistant)?commentary to=(?=\w)/u, 'call'],
  [/^\s*(?:assistant|model)[^\S\n]*\n/u, 'nothing'],
  [/^\s*Here(?:'s| is) my thought process:/u, 'thought'],
];

const begun = [
  'analysis',
  'final',
  'commentary to=',
  'assistantanalysis',
  'assistantfinal',
  'assistantcommentary to=',
  'assistant\n',
  'model\n',
  'functools[',
  "Here's my thought process:",
  'Here is my thought process:',
];

/** Prefix that Phi and Firefunction write before a tool call without marks: `functools[{…}]`. */
export const beforeCall = /^\s*functools\s*$/u;

/** Matches the end of a thought that began with an opening. */
export const openingThoughtEnd = /assistantfinal|Here(?:'s| is) my response:/u;
export const longestOpeningThoughtEnd = 'Here is my response:'.length;

/** Maximum number of white-space characters before the first word of a message. */
const longestSpace = 64;

export const readOpening = (text: string): Opening => {
  for (const [pattern, meaning] of openings) {
    const found = pattern.exec(text);
    if (found === null) continue;
    return { type: 'mark', length: found[0].length, meaning, isDoubtful: pattern === analysis };
  }
  const start = text.trimStart();
  const mayBegin = text.length - start.length < longestSpace && begun.some((mark) => mark.startsWith(start));
  return { type: mayBegin ? 'begun' : 'text' };
};
