/** Whether an answer agrees: nobody agrees by accident, and a no counts wherever it stands. */
import test from 'ava';
import { assentOf, type Assent } from '#machines/assent.ts';

const answers: Readonly<Record<string, Readonly<Record<Assent, readonly string[]>>>> = {
  en: {
    yes: ['Yes.', 'yeah, sure', 'OK', 'I agree', "that's fine", 'Of course!'],
    no: [
      'No.',
      'no thanks',
      'I do not agree',
      "I don't consent",
      'Yes, but please don’t record me',
      'I disagree',
      'I refuse',
    ],
    unclear: ['', 'Who is this?', 'Notes', 'What do you mean', 'yesterday'],
  },
  'ko-KR': {
    yes: ['네', '네, 동의합니다.', '예', '네네', '동의해요', '좋습니다', '그럼요', '알겠습니다'],
    no: [
      '아니요',
      '아뇨 아니에요',
      '동의하지 않습니다',
      '동의 안 합니다',
      '동의안해요',
      '싫어요',
      '거부합니다',
      '네, 하지만 녹음은 하지 마세요',
    ],
    unclear: ['', '여보세요', '누구세요?', '안녕하세요', '네이버요?'],
  },
  ja: {
    yes: ['はい', 'はい、同意します', 'ええ、どうぞ', 'うん'],
    no: ['いいえ', '同意しません', 'いやです', '断ります', 'やめてください'],
    unclear: ['', 'どちら様ですか'],
  },
  fr: { yes: [], no: [], unclear: ['oui', 'non'] },
};

for (const [language, expected] of Object.entries(answers))
  for (const assent of ['yes', 'no', 'unclear'] as const)
    test(`${language}: ${assent}`, (t) => {
      for (const text of expected[assent]) t.is(assentOf(text, language), assent, text);
      t.pass();
    });
