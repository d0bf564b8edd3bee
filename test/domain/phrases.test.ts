import test from 'ava';
import { languages } from '#src/domain/language.ts';
import { builtInGreeting, phrases } from '#src/domain/phrases.ts';

for (const language of languages)
  test(`the gateway can apologise, ask again and greet in ${language}`, (t) => {
    const { apology, reprompt } = phrases[language];
    for (const sentence of [apology, reprompt, builtInGreeting[language]]) t.regex(sentence, /^\S.+[.?。]$/s);
  });
