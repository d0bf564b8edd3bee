import test from 'ava';
import { languages } from '#src/domain/language.ts';
import { builtInGreeting, phrases } from '#src/domain/phrases.ts';

for (const language of languages)
  test(`the gateway can apologise, ask again and greet in ${language}`, (t) => {
    const { voicemailMessage: _message, ...said } = phrases[language];
    const sentences = [...Object.values(said), builtInGreeting[language]];
    t.is(new Set(sentences).size, 7, 'each moment has words of its own');
    for (const sentence of sentences) t.regex(sentence, /^\S.+[.?。]$/s);
  });
