/** Written texts, and what is said of each. */
import test from 'ava';
import { createSpeakable } from '#src/agents/speakable.ts';

/** Of each sentence of a reply what is said. */
const say = (...sentences: string[]): (string | undefined)[] => {
  const speakable = createSpeakable();
  return sentences.map((sentence) => speakable.say(sentence));
};

const tables: Record<string, [written: string, said: string | undefined][]> = {
  'what stands at the beginning of a line': [
    ['# 안내', '안내'],
    ['### 3. 끝 ###', '3. 끝 ###'],
    ['- 영업시간', '영업시간'],
    ['* **월요일**: 휴무', '월요일: 휴무'],
    ['• 하나', '하나'],
    ['- [x] 확인', '확인'],
    ['> > 인용', '인용'],
    ['1. 첫째', '1. 첫째'],
    ['2) 둘째', '2) 둘째'],
    ['-5도입니다.', '-5도입니다.'],
    ['#1 is best.', '#1 is best.'],
    ['---', undefined],
    ['***', undefined],
    ['====', undefined],
  ],
  tables: [
    ['| 이름 | 시간 |', '이름, 시간'],
    ['|---|:--:|', undefined],
    ['| 김 |  | 3시 |', '김, 3시'],
    ['a | b', 'a, b'],
    ['| 맑음. | 25도 |', '맑음. 25도'],
  ],
  emphasis: [
    ['**중요**합니다.', '중요합니다.'],
    ['가격은 **5,000원**입니다.', '가격은 5,000원입니다.'],
    ['*이탤릭* _밑줄_ __굵게__ ~~취소~~ ***둘 다***', '이탤릭 밑줄 굵게 취소 둘 다'],
    ['**열렸지만', '열렸지만'],
    ['닫혔습니다.**', '닫혔습니다.'],
    ['*열렸지만', '열렸지만'],
    ['닫혔습니다.*', '닫혔습니다.'],
    ['Run `npm test` now.', 'Run npm test now.'],
    ['3 * 4 = 12', '3 * 4 = 12'],
    ['3*4*5', '3*4*5'],
    ['a*b', 'a*b'],
    ['Press * or #.', 'Press * or #.'],
    ['Dial *67 now.', 'Dial *67 now.'],
    ['별표(*)를 눌러 주세요.', '별표(*)를 눌러 주세요.'],
    ['snake_case_word and __init__', 'snake_case_word and init'],
    ['2~3개, 네~!', '2~3개, 네~!'],
    [String.raw`1\. \*별표\*`, '1. 별표'],
  ],
  links: [
    ['[홈페이지](https://example.com/a_(b)?c=1 "제목")를 보세요.', '홈페이지를 보세요.'],
    ['![약도](https://example.com/map.png)', '약도'],
    ['[![약도](a.png)](b.html)', '약도'],
    ['[글][1] [글][ref]', '글 글'],
    ['[앞에서', '앞에서'],
    ['끊겼습니다.](https://example.com) 네.', '끊겼습니다. 네.'],
    ['https://www.example.com/path?x=1#y.', 'example.com.'],
    ['https://example.com에서 확인하세요.', 'example.com에서 확인하세요.'],
    ['(https://user:secret@example.com:8080/a)', '(example.com)'],
    ['<https://example.com/a>', 'example.com'],
    ['www.example.com/abc!', 'example.com!'],
    ['**https://example.com**', 'example.com'],
    ['john_doe@example.com, <a@example.com>', 'john_doe@example.com, a@example.com'],
    ['mailto:a@example.com', 'a@example.com'],
    ['![x](data:image/png;base64,AAAA+/==) 네', 'x 네'],
    ['[안내] 영업합니다.', '[안내] 영업합니다.'],
    ['[1]: https://example.com', undefined],
  ],
  'notes and citations': [
    ['서울입니다[^1].', '서울입니다.'],
    ['[^1]: 각주', '각주'],
    ['서울입니다[1][2].', '서울입니다.'],
    ['서울입니다 【4:0†source】.', '서울입니다.'],
    ['서울입니다.\u{e200}cite\u{e202}turn0search0\u{e201}', '서울입니다.'],
    ['【안내】 네', '【안내】 네'],
  ],
  'tags and entities': [
    ['<speak>반갑<b>습</b>니다<break time="0.5s"/>네</speak>', '반갑습니다 네'],
    ['하나<br>둘', '하나 둘'],
    ['<a title="Hi.', undefined],
    ['There">네', '네'],
    ['a < b and c > d', 'a < b and c > d'],
    ['I <3 you', 'I <3 you'],
    ['5 &lt; 6 &amp; &#54620;&#x AC00; &quot;네&quot;', '5 < 6 & 한&#x AC00; "네"'],
    ['&lt;b&gt;굵게&lt;/b&gt;', '굵게'],
    ['R&D; AT&T', 'R&D; AT&T'],
  ],
  'emoji and signs': [
    ['좋아요 😀!', '좋아요!'],
    ['😀좋아요👍🏽네', '좋아요 네'],
    ['👨‍👩‍👧‍👦 가족', '가족'],
    ['🇰🇷 한국', '한국'],
    ['❤️사랑', '사랑'],
    ['1️⃣ 예약 #️⃣', '1 예약 #'],
    ['©️2026 ™ ® 25℃ 30㎡', '©2026 ™ ® 25℃ 30㎡'],
    ['★★★ ■ 공지', '공지'],
    ['서울 → 부산 => 대구', '서울, 부산, 대구'],
    ['😀🎉', undefined],
    ['감사합니다^^', '감사합니다'],
  ],
  LaTeX: [
    [String.raw`\(x + 1\) 및 $$y$$ 그리고 \[z\]`, 'x + 1 및 y 그리고 z'],
    ['It costs $5 and $6.', 'It costs $5 and $6.'],
  ],
  'what cannot be seen': [
    ['안\u200b녕\u202e하\ufeff세\u00ad요\ufffd.', '안녕하세요.'],
    ['안녕\u0000하세요\u0007', '안녕 하세요'],
    ['  a \t\u00a0 b  ', 'a b'],
    ['좋아요 \ud83d', '좋아요'],
    [String.raw`안녕하세요,\n반갑습니다.`, '안녕하세요, 반갑습니다.'],
    ['\u3164', undefined],
    ['...', undefined],
    [`키는 ${'aB3'.repeat(30)} 입니다.`, '키는 입니다.'],
    ['', undefined],
  ],
};

for (const [title, table] of Object.entries(tables)) {
  for (const [written, said] of table) {
    test(`${title}: ${JSON.stringify(written)}`, (t) => {
      t.deepEqual(say(written), [said]);
    });
  }
}

const none = undefined;

const replies: Record<string, [written: string, said: string | undefined][]> = {
  'a code block': [
    ['코드:', '코드:'],
    ['```js', none],
    ['say("Hi.', none],
    ['");', none],
    ['```', none],
    ['끝', '끝'],
  ],
  'a code block of tildes': [
    ['~~~', none],
    ['a ~~~ b', none],
    ['~~~', none],
    ['네~~~!', '네!'],
  ],
  'a longer fence around a shorter one': [
    ['````md', none],
    ['```', none],
    ['a', none],
    ['````', none],
    ['끝', '끝'],
  ],
  'a fence in the midst of a line': [
    ['앞 ```a', '앞'],
    ['b``` 뒤', '뒤'],
    ['x ```y``` z', 'x z'],
  ],
  'a code block that never ends': [
    ['```', none],
    ['a', none],
    ['b', none],
  ],
  'what a model thought': [
    ['<think>Hmm.', none],
    ['Or so.', none],
    ['</think>안녕하세요.', '안녕하세요.'],
  ],
  'a comment': [
    ['앞 <!-- a', '앞'],
    ['b', none],
    ['c --> 뒤', '뒤'],
  ],
  'a script': [
    ['<SCRIPT src="a.', none],
    ['b">c()', none],
    ['</script >네', '네'],
  ],
};

for (const [title, sentences] of Object.entries(replies)) {
  test(`${title} is not said`, (t) => {
    t.deepEqual(
      say(...sentences.map(([written]) => written)),
      sentences.map(([, said]) => said),
    );
  });
}

test('a new message is not hidden by what the last one left open', (t) => {
  const speakable = createSpeakable();
  t.is(speakable.say('```'), undefined);
  speakable.reset();
  t.is(speakable.say('네.'), '네.');
});
