/** Texts of the API document: paragraphs with formatted `code` and **words**. */
import type { ComponentChildren } from 'preact';
import { language } from '../language/language.ts';
import { inOurLanguage } from '../language/document-texts.ts';

const marked = (text: string): ComponentChildren[] =>
  text.split(/(`[^`]+`|\*\*[^*]+\*\*)/).map((part, index) => {
    if (part.startsWith('`')) return <code key={index}>{part.slice(1, -1)}</code>;
    return part.startsWith('**') ? <b key={index}>{part.slice(2, -2)}</b> : part;
  });

/** Translates a text. A text without a translation is shown in English and marked as English. */
const spoken = (text: string) => {
  const own = inOurLanguage(text);
  return { words: own ?? text, lang: own === undefined ? 'en' : language.value };
};

export const Words = ({ text }: { text: string }) => {
  const { words, lang } = spoken(text);
  return <span lang={lang}>{marked(words)}</span>;
};

export const Prose = ({ text, look }: { text: string; look?: string }) => {
  const { words, lang } = spoken(text);
  return words.split('\n\n').map((paragraph) => (
    <p key={paragraph} lang={lang} class={look ?? 'prose'}>
      {marked(paragraph)}
    </p>
  ));
};
