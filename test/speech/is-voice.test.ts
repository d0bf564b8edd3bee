import test from 'ava';
import * as fc from 'fast-check';
import { isVoice } from '#src/speech/is-voice.ts';

const voices = {
  'deepgram-aura': ['aura-2-thalia-en', 'aura-asteria-en', 'aura-2-izanami-ja'],
  'openai-speech': ['alloy', 'af_bella+af_sky', 'af_bella(2)+af_sky(1)', 'ko-KR-SunHi.Neural'],
  elevenlabs: ['JBFqnCBsd6RMkjVDRZzb'],
  'espeak-ng': ['ko', 'en-us+f3', 'cmn-latn-pinyin'],
};

test('names that voices have are names', (t) => {
  for (const [engine, names] of Object.entries(voices))
    for (const name of names) t.true(isVoice(engine, name), `${engine} ${name}`);
});

test('an engine that is not there has no voices', (t) => {
  t.false(isVoice('flite', 'kal16'));
  t.false(isVoice('constructor', 'x'));
});

test('no name holds what has a meaning in a URL or on a command line', (t) => {
  const strange = [
    '',
    '-w',
    '+x',
    '..',
    '../a',
    'a/b',
    'a?b',
    'a&b',
    'a#b',
    'a%2Fb',
    'a b',
    'a\n',
    'a\0',
    '음성',
    'a;b',
    '$a',
    'a'.repeat(101),
  ];
  for (const engine of Object.keys(voices))
    for (const name of strange) t.false(isVoice(engine, name), `${engine} ${JSON.stringify(name)}`);
  fc.assert(
    fc.property(fc.constantFrom(...Object.keys(voices)), fc.string({ unit: 'binary' }), (engine, name) => {
      if (isVoice(engine, name)) t.regex(name, /^[A-Za-z0-9_][A-Za-z0-9_.()+-]*$/);
    }),
  );
});
