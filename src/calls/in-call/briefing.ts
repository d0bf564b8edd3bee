/**
 * The briefing of a warm transfer: the text that the transfer target hears before the connection (guides/transfer.md).
 */
import { baseLanguage, isLanguage, type Language } from '#src/domain/language.ts';

type Words = {
  /** Default text for a transfer request without a briefing. */
  introduction: string;
  lastWords: (text: string) => string;
  acceptKey: (key: string) => string;
  space: string;
};

const wordsIn: Readonly<Record<Language, Words>> = {
  ko: {
    introduction: '인공지능이 응대하던 통화를 연결해 드립니다.',
    lastWords: (text) => `상대방이 마지막으로 한 말입니다. ${text}`,
    acceptKey: (key) => `통화를 받으시려면 ${key} 버튼을 눌러 주세요.`,
    space: ' ',
  },
  en: {
    introduction: 'A call that an automated agent has answered so far is for you.',
    lastWords: (text) => `These were the last words of the other party: ${text}`,
    acceptKey: (key) => `To take the call, press ${key}.`,
    space: ' ',
  },
  ja: {
    introduction: '人工知能が応対していたお電話をおつなぎします。',
    lastWords: (text) => `相手の最後の言葉です。${text}`,
    acceptKey: (key) => `お受けになる場合は${key}を押してください。`,
    space: '',
  },
};

/** Spoken names of the keys of a telephone. `0` to `9` are spoken as digits. */
const spokenKey: Readonly<Record<Language, Readonly<Record<string, string>>>> = {
  ko: { '*': '별표', '#': '우물정자' },
  en: { '*': 'star', '#': 'hash' },
  ja: { '*': '米印', '#': 'シャープ' },
};

const longestLastWords = 300;
/** Maximum length of a summary in characters: half a minute of speech. */
const longestSummary = 600;

const shortened = (text: string, longest: number): string => Array.from(text).slice(0, longest).join('');

export const briefingOf = (call: {
  /** Language of the briefing (BCP 47). */
  language: string;
  /** Description of the call from the request; null if the request contains none. */
  given: string | null;
  /** Summary of the call so far by a language model; absent without one. */
  summary?: string;
  acceptKey: string | null;
  turns: readonly { role: 'assistant' | 'user'; text: string }[];
}): string => {
  const base = baseLanguage(call.language);
  const language = isLanguage(base) ? base : 'en';
  const words = wordsIn[language];
  const { summary, acceptKey } = call;
  const lastWords = call.turns.findLast(({ role, text }) => role === 'user' && text !== '')?.text;
  const said = lastWords === undefined ? [] : [words.lastWords(shortened(lastWords, longestLastWords))];
  const known = [
    words.introduction,
    ...(summary === undefined ? said : [shortened(summary, longestSummary)]),
  ];
  return [
    ...(call.given === null ? known : [call.given]),
    ...(acceptKey === null ? [] : [words.acceptKey(spokenKey[language][acceptKey] ?? acceptKey)]),
  ].join(words.space);
};
