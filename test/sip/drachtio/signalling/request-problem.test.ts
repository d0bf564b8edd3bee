import test from 'ava';
import { requestProblem } from '#sip/drachtio/signalling/request-problem.ts';

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
