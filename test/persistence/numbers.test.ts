import { randomBytes, randomUUID } from 'node:crypto';
import test from 'ava';
import { agentBindingsOf, builtInBinding, putAgentBinding } from '#src/persistence/agent-bindings.ts';
import { appendAudit, listAudit } from '#src/persistence/audit.ts';
import { findNumberByDigits } from '#src/persistence/callable-numbers.ts';
import { findCall } from '#src/persistence/calls.ts';
import {
  authenticateNumber,
  createNumberAuthentication,
  findNumberKey,
  putNumberKey,
} from '#src/persistence/number-keys.ts';
import {
  createNumber,
  deleteNumber,
  findNumber,
  listNumbers,
  patchNumber,
  putInboundAuth,
} from '#src/persistence/numbers.ts';
import { createSealing } from '#src/persistence/sealing.ts';
import { findNumberOwner } from '#src/persistence/trunks.ts';
import {
  createWorkspace,
  findWorkspace,
  firstWorkspace,
  patchWorkspace,
} from '#src/persistence/workspaces.ts';
import { ownDatabase, testDatabase } from '#test/helpers/database.ts';
import { scriptedStatements } from '#test/helpers/scripted-database.ts';
import { storedCall, storedNumber } from '#test/helpers/stored-number.ts';

const oldSealing = createSealing(Buffer.alloc(32, 1));
const sealing = createSealing(Buffer.alloc(32, 2), [Buffer.alloc(32, 1)]);
const newKey = (): string => `gw_live_${randomBytes(8).toString('hex')}`;
const issuedAt = new Date('2026-11-21T03:00:00.000Z');

test('a number begins with nothing set, and each setting can be changed and given up', async (t) => {
  const db = await testDatabase();
  const { numberId, workspaceId } = await storedNumber(db);
  const wanted = { numberId, workspaceId };
  t.like(await findNumber(db, wanted), {
    language: 'ko',
    maxDurationSec: null,
    recordingEnabled: null,
    greeting: null,
    voicemail: 'talk',
    voicemailMessage: null,
    recognizer: null,
    synthesizer: null,
    voice: null,
    inboundAuthMethod: 'none',
    inboundAuthUrl: null,
  });
  await patchNumber(db, wanted, {
    maxDurationSec: 300,
    recordingEnabled: false,
    greeting: 'Hello',
    voicemail: 'hang_up',
    voicemailMessage: 'Goodbye',
    language: 'en',
  });
  const changed = await patchNumber(db, wanted, { maxDurationSec: undefined, greeting: null });
  t.like(changed, {
    maxDurationSec: 300,
    recordingEnabled: false,
    greeting: null,
    voicemail: 'hang_up',
    voicemailMessage: 'Goodbye',
    language: 'en',
  });
  t.deepEqual(await patchNumber(db, wanted, {}), changed);
});

test('a number of another workspace is neither found nor changed', async (t) => {
  const db = await testDatabase();
  const owner = await storedNumber(db);
  const stranger = await storedNumber(db);
  const wanted = { numberId: owner.numberId, workspaceId: stranger.workspaceId };
  t.is(await findNumber(db, wanted), undefined);
  t.is(await patchNumber(db, wanted, { maxDurationSec: 60 }), undefined);
  t.is(
    await putInboundAuth(db, wanted, { method: 'handshake', url: 'https://a', secretSealed: 's' }),
    undefined,
  );
  t.like(await findNumber(db, owner), { maxDurationSec: null, inboundAuthMethod: 'none' });
  t.deepEqual(
    (await listNumbers(db, stranger.workspaceId)).map(({ id }) => id),
    [stranger.numberId],
  );
});

test('a number that exists already is not created again', async (t) => {
  const db = await testDatabase();
  const owner = await storedNumber(db);
  const { workspaceId, number } = owner;
  const again = { id: randomUUID(), workspaceId, number, language: 'ko' as const, createdAt: issuedAt };
  t.is(await createNumber(db, again), undefined);
  t.is((await listNumbers(db, workspaceId)).length, 1);
});

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
  };
  await putAgentBinding(db, numberId, binding, 'sealed token');
  const speech = { recognizer: 'vosk', synthesizer: 'elevenlabs', voice: 'v' };
  await patchNumber(
    db,
    { numberId, workspaceId },
    { maxDurationSec: 120, recordingEnabled: false, voicemail: 'leave_message', ...speech },
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
    speech,
    voicemail: { policy: 'leave_message' as const, message: null },
    policy: {
      maxDurationSec: 120,
      defaultDurationSec: null,
      silenceTimeoutSec: null,
      ringTimeoutSec: null,
      maxConcurrentCalls: null,
      recordingEnabled: false,
    },
    workspace: {
      id: workspaceId,
      timeZone: 'Asia/Seoul',
      policy: {
        maxDurationSec: null,
        defaultDurationSec: null,
        silenceTimeoutSec: null,
        ringTimeoutSec: null,
        maxConcurrentCalls: null,
        recordingEnabled: null,
      },
      maxCallsInProgress: null,
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

test('a token of a binding is kept, replaced or removed, and only its existence is told', async (t) => {
  const db = await testDatabase();
  const { numberId, number } = await storedNumber(db);
  const binding = { ...builtInBinding('outbound'), agent: 'endpoint' as const };
  const sealed = async (): Promise<string | null | undefined> =>
    (await findNumberByDigits(db, number))?.outboundTokenSealed;
  t.false((await putAgentBinding(db, numberId, binding)).tokenConfigured);
  t.deepEqual(await putAgentBinding(db, numberId, binding, 'one'), { ...binding, tokenConfigured: true });
  t.true((await putAgentBinding(db, numberId, { ...binding, chatUrl: 'https://b' })).tokenConfigured);
  t.is(await sealed(), 'one');
  await putAgentBinding(db, numberId, binding, 'two');
  t.is(await sealed(), 'two');
  await putAgentBinding(db, numberId, binding, null);
  t.is(await sealed(), null);
  t.deepEqual(await agentBindingsOf(db, numberId), {
    inbound: { ...builtInBinding('inbound'), tokenConfigured: false },
    outbound: { ...binding, tokenConfigured: false },
  });
});

test('inbound authentication keeps its secret until it is replaced or the method is none', async (t) => {
  const db = await testDatabase();
  const { numberId, workspaceId, number } = await storedNumber(db);
  const wanted = { numberId, workspaceId };
  await putInboundAuth(db, wanted, { method: 'handshake', url: 'https://one', secretSealed: 'sealed' });
  t.like(await putInboundAuth(db, wanted, { method: 'handshake', url: 'https://two' }), {
    inboundAuthUrl: 'https://two',
  });
  t.deepEqual((await findNumberByDigits(db, number))?.inboundAuth, {
    method: 'handshake',
    url: 'https://two',
    secretSealed: 'sealed',
  });
  t.like(await putInboundAuth(db, wanted, { method: 'none' }), {
    inboundAuthMethod: 'none',
    inboundAuthUrl: null,
  });
  t.deepEqual((await findNumberByDigits(db, number))?.inboundAuth, { method: 'none' });
});

test('a deleted number is nobody’s: its key is unknown, its digits are free, its calls stay', async (t) => {
  const db = await testDatabase();
  const owner = await storedNumber(db);
  const { numberId, workspaceId, number } = owner;
  const key = newKey();
  const stored = {
    numberId,
    keyHash: sealing.fingerprint(key),
    keySealed: sealing.seal(key, numberId),
    issuedAt,
  };
  await putNumberKey(db, stored);
  await putAgentBinding(db, numberId, builtInBinding('inbound'));
  const callId = await storedCall(db, owner);
  t.is(await deleteNumber(db, owner, issuedAt), 'in_use', 'while it rings');
  await db.execute(`update call set status = 'active' where id = $1`, [callId]);
  t.is(await deleteNumber(db, owner, issuedAt), 'in_use', 'while they talk');
  t.is((await authenticateNumber(db, sealing, key))?.id, numberId);

  await db.execute(`update call set status = 'completed' where id = $1`, [callId]);
  t.is(await deleteNumber(db, { numberId, workspaceId: randomUUID() }, issuedAt), 'unknown');
  t.is(await deleteNumber(db, owner, issuedAt), 'deleted');
  t.is(await deleteNumber(db, owner, issuedAt), 'unknown');
  t.is(await authenticateNumber(db, sealing, key), undefined);
  t.is(await findNumberByDigits(db, number), undefined);
  t.is(await findNumberOwner(db, number), undefined);
  t.is(await findNumber(db, owner), undefined);
  t.is(await patchNumber(db, owner, { greeting: 'Hello' }), undefined);
  t.deepEqual(await listNumbers(db, workspaceId), []);
  t.deepEqual(await db.execute('select 1 from agent_binding where number_id = $1', [numberId]), []);
  t.is((await findCall(db, { callId, workspaceId }))?.ownNumber, number);

  const again = { id: randomUUID(), workspaceId, number, language: 'ko' as const, createdAt: issuedAt };
  t.is((await createNumber(db, again))?.id, again.id);
  t.is(await createNumber(db, { ...again, id: randomUUID() }), undefined, 'once');
  t.is((await findNumberByDigits(db, number))?.id, again.id);
});

test('each setting of a workspace can be changed and given up, and holds for its numbers at once', async (t) => {
  const db = await testDatabase();
  const { workspaceId, number } = await storedNumber(db);
  const changes = {
    timeZone: 'Europe/Berlin',
    maxDurationSec: 300,
    maxCallsInProgress: 7,
    recordingEnabled: false,
  };
  t.like(await patchWorkspace(db, workspaceId, { ...changes, name: undefined }), {
    ...changes,
    name: 'Test',
  });
  t.like((await findNumberByDigits(db, number))?.workspace, {
    timeZone: 'Europe/Berlin',
    maxCallsInProgress: 7,
    policy: { maxDurationSec: 300, recordingEnabled: false },
  });
  t.like(await patchWorkspace(db, workspaceId, { maxDurationSec: null, name: 'Berlin' }), {
    ...changes,
    maxDurationSec: null,
    name: 'Berlin',
  });
  t.is(await patchWorkspace(db, randomUUID(), changes), undefined);
});

test('the audit log is read newest first, page by page, by its own workspace alone', async (t) => {
  const db = await testDatabase();
  const [owner, stranger] = [await storedNumber(db), await storedNumber(db)];
  for (const subject of ['a', 'b', 'c', 'd', 'e']) {
    for (const { workspaceId } of [owner, stranger]) {
      await appendAudit(db, {
        workspaceId,
        actor: 'admin',
        action: 'number_key.revealed',
        subject,
        at: issuedAt,
      });
    }
  }
  const { workspaceId } = owner;
  const first = await listAudit(db, { workspaceId, limit: 3 });
  const second = await listAudit(db, { workspaceId, limit: 3, before: first.at(-1)?.id });
  t.deepEqual(
    [...first, ...second].map(({ subject }) => subject),
    ['e', 'd', 'c', 'b', 'a'],
  );
  t.deepEqual(first[0]?.detail, {});
});

test('entries of the audit log are counted in their workspace, also those that come at the same time', async (t) => {
  const db = await testDatabase();
  const [owner, stranger] = [await storedNumber(db), await storedNumber(db)];
  const append = ({ workspaceId }: { workspaceId: string }) =>
    appendAudit(db, { workspaceId, actor: 'admin', action: 'a', subject: 's', at: issuedAt });
  await Promise.all(Array.from({ length: 20 }, (_, index) => append(index % 4 === 0 ? stranger : owner)));
  const idsOf = async ({ workspaceId }: { workspaceId: string }) =>
    (await listAudit(db, { workspaceId, limit: 50 })).map(({ id }) => id);
  t.deepEqual(await idsOf(stranger), [5, 4, 3, 2, 1]);
  t.deepEqual(await idsOf(owner), [15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1]);
});

test('the first workspace is the oldest one', async (t) => {
  const db = await ownDatabase(t);
  t.is(await firstWorkspace(db), undefined);
  const [young, old] = [randomUUID(), randomUUID()];
  await createWorkspace(db, { id: young, name: 'Young', createdAt: new Date('2026-02-01') });
  await createWorkspace(db, {
    id: old,
    name: 'Old',
    createdAt: new Date('2026-01-01'),
    timeZone: 'UTC',
    maxCallsInProgress: 5,
  });
  t.like(await firstWorkspace(db), { id: old, timeZone: 'UTC', maxCallsInProgress: 5, ringTimeoutSec: null });
  t.is((await findWorkspace(db, young))?.timeZone, 'Asia/Seoul');
  t.is(await findWorkspace(db, randomUUID()), undefined);
});
