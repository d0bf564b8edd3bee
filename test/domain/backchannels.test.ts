import test from 'ava';
import { isBackchannel } from '#src/domain/backchannels.ts';

const murmurs = test.macro<[language: string, text: string]>({
  exec(t, language, text) {
    t.true(isBackchannel(text, language));
  },
  title: (_, language, text) => `"${text}" is a backchannel (${language})`,
});

const speaks = test.macro<[language: string, text: string]>({
  exec(t, language, text) {
    t.false(isBackchannel(text, language));
  },
  title: (_, language, text) => `"${text}" is more than a backchannel (${language})`,
});

for (const text of [
  '네',
  '네.',
  '네, 네.',
  '네네네',
  '음...',
  '음~',
  '아, 예',
  '그렇죠',
  '응',
  '어어',
  '네에',
  '네네에넵예예',
  '으음음음응응',
  '아하아아하',
  '맞아요그렇죠그래요',
])
  test(murmurs, 'ko', text);
for (const text of [
  'uh-huh',
  'Uh-huh.',
  'Mm-hmm',
  'mhm',
  'mmm',
  'Right.',
  'okay',
  'OK, OK',
  'Yeah, right',
  'hmm',
])
  test(murmurs, 'en', text);
for (const text of ['はい', 'はい、はい。', 'うん', 'うーん', 'ええ', 'はいはい', 'なるほど'])
  test(murmurs, 'ja', text);
test(murmurs, 'ko-KR', '네');
test(murmurs, 'EN-us', 'Uh-huh');

for (const text of [
  `${'아'.repeat(40)}악`,
  `${'네'.repeat(40)}에에`,
  '으으음',
  '아니요',
  '네, 잠깐만요',
  '여보세요',
  '어디세요?',
  '',
  '...',
  'uh-huh',
])
  test(speaks, 'ko', text);
for (const text of ['No', 'Okay, but wait', 'right now', 'hum', 'mum', '', '?', '네'])
  test(speaks, 'en', text);
for (const text of ['いいえ', 'はい、でも', 'ちょっと', 'うんめい']) test(speaks, 'ja', text);
test(speaks, 'fr', 'oui');
test(speaks, '', 'okay');
