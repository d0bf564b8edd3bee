import test from 'ava';
import { createRepeats } from '#sip/drachtio/signalling/repeats.ts';

const request = (callId: string, tag = 'a', cseq = '1 INVITE') => ({
  get: (name: string) => ({ 'Call-ID': callId, From: `<sip:1@h>;tag=${tag}`, CSeq: cseq })[name] ?? '',
});

test('the same INVITE by another way is a repeat, for as long as a transaction may last', (t) => {
  let now = 0;
  const { isRepeat } = createRepeats(() => now);
  t.false(isRepeat(request('one')));
  t.true(isRepeat(request('one')));
  t.false(isRepeat(request('one', 'b')));
  t.false(isRepeat(request('one', 'a', '2 INVITE')), 'with credentials it is another one');
  t.false(isRepeat(request('two')));
  now = 32_000;
  t.false(isRepeat(request('one')));
});
