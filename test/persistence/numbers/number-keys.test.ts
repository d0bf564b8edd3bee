/** Keys: each stands for its number, also when many are looked up at once and some are replaced. */
import test from 'ava';
import { builtInBinding, putAgentBinding } from '#src/persistence/agent-bindings.ts';
import { findNumberByDigits } from '#src/persistence/callable-numbers.ts';
import {
  authenticateNumber,
  createNumberAuthentication,
  findNumberKey,
  putNumberKey,
} from '#src/persistence/number-keys.ts';
import { patchNumber, putInboundAuth } from '#src/persistence/numbers.ts';
import { createSealing } from '#src/persistence/sealing.ts';
import { testDatabase } from '#test/helpers/database.ts';
import { scriptedStatements } from '#test/helpers/scripted-database.ts';
import { storedNumber } from '#test/helpers/stored-number.ts';
import { stopping } from '#test/helpers/usual-barge-in.ts';
import { byPauses } from '#test/helpers/usual-turn-end.ts';
import { issuedAt, newKey, sealing } from './sealed.ts';

/** A policy that leaves all to the next one. */
const nothingSaid = {
  maxDurationSec: null,
  defaultDurationSec: null,
  silenceTimeoutSec: null,
  ringTimeoutSec: null,
  maxConcurrentCalls: null,
  recordingEnabled: null,
  bargeIn: null,
  turnEnd: null,
  retentionDays: null,
  consent: null,
  destinations: null,
};

const oldSealing = createSealing(Buffer.alloc(32, 1));

test('a key stands for its number with everything that its calls need', async (t) => {
  const db = await testDatabase();
  const { numberId, workspaceId, number } = await storedNumber(db);
  const key = newKey();
  await putNumberKey(db, {
    numberId,
    keyHash: sealing.fingerprint(key),
    keySealed: sealing.seal(key, numberId),
    issuedAt,
  });
  const binding = {
    direction: 'outbound' as const,
    agent: 'endpoint' as const,
    agentType: 'webhook' as const,
    chatUrl: 'https://example.com/chat',
    assistantId: null,
    agentId: null,
    controls: 'off' as const,
  };
  await putAgentBinding(db, numberId, binding, 'sealed token');
  const speech = { recognizer: 'vosk', synthesizer: 'elevenlabs', voice: 'v' };
  await patchNumber(
    db,
    { numberId, workspaceId },
    {
      maxDurationSec: 120,
      recordingEnabled: false,
      bargeIn: stopping,
      turnEnd: byPauses,
      voicemail: 'leave_message',
      ...speech,
    },
  );
  await putInboundAuth(
    db,
    { numberId, workspaceId },
    { method: 'handshake', url: 'https://auth', secretSealed: 'sealed' },
  );
  const expected = {
    id: numberId,
    number,
    language: 'ko' as const,
    greeting: null,
    dailyMinutes: null,
    speech,
    voicemail: { policy: 'leave_message' as const, message: null },
    policy: {
      ...nothingSaid,
      maxDurationSec: 120,
      recordingEnabled: false,
      bargeIn: stopping,
      turnEnd: byPauses,
    },
    workspace: {
      id: workspaceId,
      timeZone: 'Asia/Seoul',
      policy: nothingSaid,
      maxCallsInProgress: null,
      dailyMinutes: null,
    },
    bindings: { inbound: builtInBinding('inbound'), outbound: binding },
    outboundTokenSealed: 'sealed token',
    inboundAuth: { method: 'handshake' as const, url: 'https://auth', secretSealed: 'sealed' },
  };
  t.deepEqual(await authenticateNumber(db, sealing, key), expected);
  t.deepEqual(await findNumberByDigits(db, number), expected);
  t.is(await findNumberByDigits(db, '00000000000'), undefined);
});

test('a new key replaces the old one at once', async (t) => {
  const db = await testDatabase();
  const { numberId } = await storedNumber(db);
  const [first, second] = [newKey(), newKey()];
  t.is(await findNumberKey(db, numberId), undefined);
  for (const key of [first, second]) {
    await putNumberKey(db, {
      numberId,
      keyHash: sealing.fingerprint(key),
      keySealed: `sealed ${key}`,
      issuedAt,
    });
  }
  t.is(await authenticateNumber(db, sealing, first), undefined);
  t.is((await authenticateNumber(db, sealing, second))?.id, numberId);
  t.deepEqual(await findNumberKey(db, numberId), { keySealed: `sealed ${second}`, issuedAt });
});

test('keys that are looked up at the same time share a query, and each finds its own number', async (t) => {
  const db = await testDatabase();
  const owners = await Promise.all(
    [sealing, oldSealing, sealing].map(async ({ fingerprint }) => {
      const { numberId } = await storedNumber(db);
      const key = newKey();
      await putNumberKey(db, { numberId, keyHash: fingerprint(key), keySealed: 'sealed', issuedAt });
      return { numberId, key };
    }),
  );
  const statements: string[] = [];
  const counting = scriptedStatements((sql, parameters) => {
    statements.push(sql);
    return db.execute(sql, parameters);
  });
  const authenticate = createNumberAuthentication({ ...db, ...counting }, sealing);
  const keys = [...owners.map(({ key }) => key), newKey(), ...owners.map(({ key }) => key)];
  const found = await Promise.all(keys.map(authenticate));
  const ids = owners.map(({ numberId }) => numberId);
  t.deepEqual(
    found.map((number) => number?.id),
    [...ids, undefined, ...ids],
  );
  t.is(statements.length, 1);
});

test('a key that is replaced amid many look-ups is invalid from then on', async (t) => {
  const db = await testDatabase();
  const { numberId } = await storedNumber(db);
  const [first, second] = [newKey(), newKey()];
  const put = (key: string): Promise<void> =>
    putNumberKey(db, { numberId, keyHash: sealing.fingerprint(key), keySealed: 'sealed', issuedAt });
  await put(first);
  const authenticate = createNumberAuthentication(db, sealing);
  let isReplaced = false;
  const askOn = async (): Promise<void> => {
    for (let asked = 0; asked < 30; asked += 1) {
      const mustFail = isReplaced;
      const number = await authenticate(first);
      if (mustFail) t.is(number, undefined);
    }
  };
  const askers = Array.from({ length: 8 }, askOn);
  t.is((await authenticate(first))?.id, numberId);
  await put(second);
  isReplaced = true;
  t.is(await authenticate(first), undefined);
  t.is((await authenticate(second))?.id, numberId);
  await Promise.all(askers);
});

test('a key that was issued before the master key was rotated is still known', async (t) => {
  const db = await testDatabase();
  const { numberId } = await storedNumber(db);
  const key = newKey();
  await putNumberKey(db, { numberId, keyHash: oldSealing.fingerprint(key), keySealed: 'sealed', issuedAt });
  t.is((await authenticateNumber(db, sealing, key))?.id, numberId);
});
