/**
 * Introduction for call screening: the name of the caller and the reason for the call (guides/answering-machines.md).
 */
import type { Language } from './language.ts';

const words: Readonly<
  Record<Language, { named: (name: string) => string; unnamed: string; about: (reason: string) => string }>
> = {
  ko: {
    named: (name) => `안녕하세요, ${name}입니다.`,
    unnamed: '안녕하세요, 인공지능이 대신 드리는 전화입니다.',
    about: (reason) => `용건을 말씀드리겠습니다. ${reason}`,
  },
  en: {
    named: (name) => `Hello, this is ${name}.`,
    unnamed: 'Hello, this is an automated call.',
    about: (reason) => `I am calling about this: ${reason}`,
  },
  ja: {
    named: (name) => `お電話しております、${name}です。`,
    unnamed: 'お電話しております。人工知能が代わりにお話ししています。',
    about: (reason) => `ご用件を申し上げます。${reason}`,
  },
};

/** Maximum length of the reason in characters. */
const longestReason = 200;

const sentenceEnd = /[.!?](?=\s|$)|[。！？]|[\r\n\u2028\u2029]/u;

const withEnd = (sentence: string): string => (/[.!?。！？…]$/u.test(sentence) ? sentence : `${sentence}.`);

/** Returns the first sentence of the instruction; `null` if it contains no words. */
const reasonIn = (instruction: string | null): string | null => {
  const text = (instruction ?? '').trim();
  const end = sentenceEnd.exec(text);
  const sentence = (end === null ? text : text.slice(0, end.index + end[0].length)).trim();
  if (!/[\p{L}\p{N}]/u.test(sentence)) return null;
  return withEnd(Array.from(sentence).slice(0, longestReason).join('').trim());
};

export const introductionFor = (
  language: Language,
  { callerName, instruction }: { callerName: string | null; instruction: string | null },
): string => {
  const { named, unnamed, about } = words[language];
  const reason = reasonIn(instruction);
  const who = callerName === null ? unnamed : named(callerName);
  const space = language === 'ja' ? '' : ' ';
  return reason === null ? who : `${who}${space}${about(reason)}`;
};
