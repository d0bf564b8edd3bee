import { randomUUID } from 'node:crypto';
import test from 'ava';
import {
  deleteSipMessages,
  keepSipMessages,
  sipMessagesOf,
  type StoredSipMessage,
} from '#src/persistence/sip-messages.ts';
import { testDatabase } from '#test/helpers/database.ts';

const message = (callId: string, atMicros: number): StoredSipMessage => ({
  callId,
  atMicros,
  direction: 'in',
  transport: 'tls',
  local: '[2001:db8::7]:5061',
  remote: '[2001:db8::9]:5061',
  text: 'BYE sip:x SIP/2.0\r\nSubject: "옛" \\ \u{1F4DE}\r\n\r\n',
  leftOut: 3,
});

test('messages are kept as they are, once, and read by call and in order', async (t) => {
  const database = await testDatabase(t);
  const [one, other] = [randomUUID(), randomUUID()];
  const late = message(one, 1_795_000_000_999_999);
  const early = message(one, 1_795_000_000_000_001);
  await keepSipMessages(database, [late, early, message(other, early.atMicros)]);
  await keepSipMessages(database, [late]);
  t.deepEqual(await sipMessagesOf(database, one), [early, late]);
});

test('old messages are deleted some at a time, the oldest first, and younger ones are not', async (t) => {
  const database = await testDatabase(t);
  const callId = randomUUID();
  const [first, ...others] = [10, 20, 30, 40].map((atMicros) => message(callId, atMicros));
  await keepSipMessages(database, [...others, ...(first === undefined ? [] : [first])]);
  t.is(await deleteSipMessages(database, { before: 40, most: 2 }), 2);
  t.deepEqual(
    (await sipMessagesOf(database, callId)).map(({ atMicros }) => atMicros),
    [30, 40],
  );
  t.is(await deleteSipMessages(database, { before: 40, most: 2 }), 1);
  t.is(await deleteSipMessages(database, { before: 40, most: 2 }), 0);
});
