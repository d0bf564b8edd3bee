import test from 'ava';
import { createLiveCalls, type LiveCall } from '#src/calls/live/live-calls.ts';

const call = (changes: Partial<LiveCall> = {}): LiveCall => ({
  callId: 'a-call',
  numberId: 'a-number',
  workspaceId: 'a-workspace',
  direction: 'outbound',
  status: 'ringing',
  ...changes,
});

test('calls are counted in all, by number and by workspace', (t) => {
  const calls = createLiveCalls();
  calls.add(call());
  calls.add(call({ callId: 'second' }));
  calls.add(call({ callId: 'third', numberId: 'another-number' }));
  t.is(calls.count(), 3);
  t.is(calls.countOfNumber('a-number'), 2);
  t.is(calls.countOfNumber('another-number'), 1);
  t.is(calls.countOfNumber('unknown'), 0);
  t.is(calls.countOfWorkspace('a-workspace'), 3);
  calls.remove('a-call');
  calls.remove('a-call');
  t.is(calls.count(), 2);
  t.is(calls.countOfNumber('a-number'), 1);
  t.is(calls.countOfWorkspace('a-workspace'), 2);
  t.deepEqual(
    [...calls.all()].map(({ callId }) => callId),
    ['second', 'third'],
  );
});

test('the status of a call is kept, and that of a call which is gone is nobody’s', (t) => {
  const calls = createLiveCalls();
  calls.add(call());
  calls.setStatus('a-call', 'active');
  t.is(calls.get('a-call')?.status, 'active');
  calls.remove('a-call');
  calls.setStatus('a-call', 'active');
  t.is(calls.get('a-call'), undefined);
});

test('who watches hears of each change, until it has had enough', (t) => {
  const calls = createLiveCalls();
  let changes = 0;
  const end = calls.subscribe(() => (changes += 1));
  calls.add(call());
  calls.setStatus('a-call', 'active');
  calls.setStatus('a-call', 'active');
  calls.setStatus('unknown', 'active');
  calls.remove('a-call');
  calls.remove('a-call');
  t.is(changes, 3);
  end();
  calls.add(call());
  t.is(changes, 3);
});
