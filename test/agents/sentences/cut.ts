/** Replies, whole and in chunks, and the sentences cut from them. */
import * as fc from 'fast-check';

export const examples: string[][] = [
  ['안녕하세요.', '내일 오후 3시 예약을 확인해 주세요.', '가능하신가요?'],
  ['We open at 9 a.m. every day.', 'Mr. Kim will see you at 3.5 on the scale.', 'Is that all right?'],
  ['It costs 3.50 dollars, e.g. for two.', 'Thank you!'],
  ['No.', 'I cannot come.'],
  ['Please see No. 5 on page 12.', 'Thank you.'],
  ['음... 잠시만요.', '네… 확인했습니다.'],
  ['Well... let me see.', 'Yes.'],
  ['2026. 11. 21. 오후에 뵙겠습니다.', '감사합니다.'],
  ['1. 예약을 확인합니다.', '2. 이름을 말씀해 주세요.'],
  ['It costs 5.', 'Thank you.'],
  ['Really?!', 'Yes.'],
  ['He said "come in."', 'Then he left.'],
  ['See https://example.com/a?b=c.d for more.', 'Goodbye.'],
  ['J. R. Kim called from the U.S. office.', 'He will call again.'],
  ['Come on Dec. 25 at 9 p.m. sharp.', 'Ask for no. of guests, i.e. how many.', 'OK?'],
  ['Pi is 3.14.', 'Thank you.'],
  ['It costs $5.', '6 of them cost more.'],
  ['2026.12.25. 금요일 오후 3시.', '3.5점입니다.', '맞으시죠?'],
  ['행사는 12.25. 오후에 열립니다.', '네.', '알겠습니다.'],
  ['안녕하세요~!', '네~ 반갑습니다.', '좋아요!!'],
  ['"네."라고 하셨습니다.', "'정말요?'라고 물었어요.", '“알겠습니다.” 라고요.'],
  ['"Really?" he asked.', '"Yes."', 'He left.', "That's “it.”", 'Bye.'],
  ['**안녕하세요.**', '*반갑습니다!*', '감사합니다.^^', '또 오세요!😊', '네.'],
  ['**1. 예약** 확인입니다.', '- 2. 이름을 말씀해 주세요.', '### 3. 끝'],
  ['그분이 "안녕하세요. 반갑습니다. 네?"라고 하셨어요.', '끝.'],
  ['손님이 “없어요! 다음에요.” 하고 가셨습니다.', '네.'],
  ['She said "Come in. Sit down." and left.', 'Then he went.', 'A 5" screen.', 'Yes.'],
  ['彼は「はい。そうです。」と言いました。', 'では。'],
  ['هل أنت هناك؟', 'نعم.', 'شكرا.'],
  ['आप कैसे हैं।', 'मैं ठीक हूँ॥', 'धन्यवाद।'],
  ['میں ٹھیک ہوں۔', 'شکریہ۔'],
  ['እንዴት ነህ።', 'ደህና ነኝ።'],
  ['https://example.com/?q=한글?다음.다 를 보세요.', '끝.'],
];

/** Random text with many characters that affect cuts. */
const text = fc
  .array(
    fc.oneof(
      fc.constantFrom('.', '..', '…', '!', '?', '。', '？', '\n', ' ', '  ', '"', ')', '」', '**', ','),
      fc.constantFrom(
        'Mr',
        'e.g',
        'No',
        'a',
        '3',
        '3.5',
        '2026',
        '네',
        '감사합니다',
        'はい',
        'word',
        'U.S',
        '😀',
        '라고',
        'と',
        'https://a.b/?c',
        '가'.repeat(120),
        'a'.repeat(249),
        'が'.repeat(125),
        ' '.repeat(60),
        'x'.repeat(900),
      ),
      fc.string({ maxLength: 3 }),
    ),
    { maxLength: 40 },
  )
  .map((parts) => parts.join(''));

/** The text, and the positions where it is split into chunks. */
export const pieces = fc.tuple(text, fc.array(fc.nat(2_000), { maxLength: 30 })).map(([whole, places]) => {
  const cuts = [0, ...places.map((place) => place % (whole.length + 1)).sort((a, b) => a - b), whole.length];
  return { whole, parts: cuts.slice(1).map((end, index) => whole.slice(cuts[index], end)) };
});
