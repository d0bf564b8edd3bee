import test from 'ava';
import { createMergedRequests, requestProblem } from '#sip/drachtio/signalling/header-inspection.ts';

const request = (headers: Record<string, string>) => ({
  has: (name: string) => name in headers,
  get: (name: string) => headers[name] ?? '',
});

const usable: readonly Record<string, string>[] = [
  {},
  { 'Max-Forwards': '70' },
  { 'Max-Forwards': '10', Require: 'timer' },
  { Require: ' 100REL , Timer,' },
];
for (const headers of usable)
  test(`it may be looked at: ${JSON.stringify(headers)}`, (t) => {
    t.is(requestProblem(request(headers)), undefined);
  });

test('what a call requires and is not known here is named', (t) => {
  t.like(requestProblem(request({ Require: 'timer, foo,Replaces' })), {
    status: 420,
    headers: { Unsupported: 'foo, Replaces' },
  });
});

test('a call without a hop left has run in a circle', (t) => {
  t.like(requestProblem(request({ 'Max-Forwards': ' 0' })), { status: 483 });
});

const invite = (callId: string, tag = 'a', cseq = '1 INVITE') => ({
  get: (name: string) => ({ 'Call-ID': callId, From: `<sip:1@h>;tag=${tag}`, CSeq: cseq })[name] ?? '',
});

test('the same INVITE by another way is merged with the first, for as long as a transaction may last', (t) => {
  let now = 0;
  const { isMerged } = createMergedRequests(() => now);
  t.false(isMerged(invite('one')));
  t.true(isMerged(invite('one')));
  t.false(isMerged(invite('one', 'b')));
  t.false(isMerged(invite('one', 'a', '2 INVITE')), 'with credentials it is another one');
  t.false(isMerged(invite('two')));
  now = 32_000;
  t.false(isMerged(invite('one')));
});
