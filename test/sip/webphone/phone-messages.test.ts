import test from 'ava';
import { longestText, parseFromPhone } from '#sip/webphone/phone-messages.ts';

test('what a phone may say is read', (t) => {
  t.deepEqual(parseFromPhone('{"type":"say","text":" 네, 안녕하세요. ","more":1}'), {
    type: 'say',
    text: '네, 안녕하세요.',
  });
  t.deepEqual(parseFromPhone('{"type":"digit","digit":"#"}'), { type: 'digit', digit: '#' });
  t.deepEqual(parseFromPhone('{"type":"hang_up"}'), { type: 'hang_up' });
});

for (const [what, text] of [
  ['no JSON', 'hello'],
  ['no object', '[]'],
  ['nothing', 'null'],
  ['an unknown type', '{"type":"explode"}'],
  ['an empty text', '{"type":"say","text":"  "}'],
  ['a text without end', JSON.stringify({ type: 'say', text: 'x'.repeat(longestText + 1) })],
  ['two digits', '{"type":"digit","digit":"12"}'],
  ['a call without an id', '{"type":"answer","call_id":"1"}'],
  ['a negative count', '{"type":"played","utterance":1,"heard_chars":-1}'],
] as const)
  test(`${what} is no message`, (t) => t.is(parseFromPhone(text), undefined));
