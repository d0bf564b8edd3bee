import test from 'ava';
import * as fc from 'fast-check';
import { heardAfter, sayingTime } from '#sip/speaking-time.ts';

const takes = test.macro<[text: string, least: number, most: number]>({
  exec(t, text, least, most) {
    const time = sayingTime(text);
    t.true(time >= least && time <= most, `${time} ms`);
  },
  title: (_, text) => `it takes a natural time to say "${text}"`,
});

test(takes, '네.', 120, 250);
test(takes, '안녕하세요, 전화 주셔서 감사합니다. 무엇을 도와드릴까요?', 3_000, 6_000);
test(takes, 'Hello, thank you for calling. How can I help you?', 2_300, 4_500);
test(takes, 'お電話ありがとうございます。ご用件をお聞かせください。', 2_500, 5_500);
test(takes, '010-1234-5678', 2_000, 4_000);

for (const text of ['', ' ', '…', '?!', '🙂'])
  test(`there is nothing to say in ${JSON.stringify(text)}`, (t) => {
    t.is(sayingTime(text), 0);
    t.is(heardAfter(text, 1_000), '');
  });

test('a pause at the end is not waited for', (t) => {
  t.is(sayingTime('Hello. '), sayingTime('Hello'));
  t.true(sayingTime('Hello. You') > sayingTime('Hello You'));
});

const hears = test.macro<[text: string, prefixes: readonly string[]]>({
  exec(t, text, prefixes) {
    const heard = new Set<string>();
    for (let ms = 0; ms <= sayingTime(text); ms += 1) heard.add(heardAfter(text, ms));
    t.deepEqual([...heard], ['', ...prefixes]);
  },
  title: (_, text) => `"${text}" is cut between its words or syllables`,
});

test(hears, 'Well, thank you.', ['Well', 'Well, thank', 'Well, thank you.']);
test(hears, '네, 알겠어요', ['네', '네, 알', '네, 알겠', '네, 알겠어', '네, 알겠어요']);
test(hears, 'きゃー、東京', ['きゃー', 'きゃー、東', 'きゃー、東京']);
test(hears, '오후 12시 OK네', ['오', '오후', '오후 12', '오후 12시', '오후 12시 OK', '오후 12시 OK네']);

const texts = fc.string({ unit: 'grapheme' });

test('what is heard grows from nothing to the whole text', (t) => {
  fc.assert(
    fc.property(texts, fc.nat(20_000), fc.nat(20_000), (text, a, b) => {
      const earlier = heardAfter(text, Math.min(a, b));
      const later = heardAfter(text, Math.max(a, b));
      return later.startsWith(earlier) && text.startsWith(later);
    }),
  );
  fc.assert(
    fc.property(texts, (text) => {
      const time = sayingTime(text);
      if (time === 0) return heardAfter(text, 1) === '';
      return heardAfter(text, time) === text && heardAfter(text, time - 1).length < text.length;
    }),
  );
  t.pass();
});

test('no half of a character is ever heard', (t) => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme-composite' }), fc.nat(20_000), (text, ms) =>
      heardAfter(text, ms).isWellFormed(),
    ),
  );
  t.pass();
});
