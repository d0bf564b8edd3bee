/** Workspaces in the database: numbers, keys, tokens, trunks and stored answers. */
import { randomUUID } from 'node:crypto';
import test, { type ExecutionContext } from 'ava';
import type { TrunkChannel, TrunkLeg } from '#src/domain/trunk.ts';
import {
  type AdminTokenRecord,
  authenticateAdmin,
  createAdminToken,
  fingerprintOf,
  listAdminTokens,
  noteAdminTokenUse,
  revokeTokenRow,
} from '#src/persistence/workspaces/admin-tokens.ts';
import { agentBindingsOf, builtInBinding, putAgentBinding } from '#src/persistence/numbers/agent-bindings.ts';
import { appendAudit, listAudit } from '#src/persistence/workspaces/audit-entries.ts';
import { findNumberByDigits } from '#src/persistence/numbers/callable-numbers.ts';
import { createCallInsertion, findCall } from '#src/persistence/calls/calls.ts';
import type { Database } from '#src/persistence/database/database.ts';
import {
  deleteExpiredAnswers,
  findKeyedAnswer,
  type KeyedAnswer,
} from '#src/persistence/workspaces/idempotency-records.ts';
import {
  authenticateNumber,
  createNumberAuthentication,
  findNumberKey,
  putNumberKey,
} from '#src/persistence/numbers/number-keys.ts';
import {
  createNumber,
  deleteNumber,
  findNumber,
  listNumbers,
  patchNumber,
  putInboundAuth,
} from '#src/persistence/numbers/numbers.ts';
import { createRequestCounting, deleteOldCounts } from '#src/persistence/workspaces/request-counts.ts';
import {
  createSimulatedCalleeSearch,
  deleteSimulatedCallee,
  findSimulatedCallee,
  listSimulatedCallees,
  putSimulatedCallee,
} from '#src/persistence/workspaces/simulated-callees.ts';
import { createSealing } from '#src/persistence/database/sealing.ts';
import { createTrunkLoad } from '#src/persistence/trunks/trunk-channels.ts';
import {
  createTrunk,
  deleteTrunk,
  findNumberOwner,
  findTrunk,
  listAllTrunks,
  listTrunks,
  patchTrunk,
  type TrunkRecord,
  trunksChannel,
} from '#src/persistence/trunks/trunks.ts';
import {
  createWorkspace,
  findWorkspace,
  firstWorkspace,
  patchWorkspace,
} from '#src/persistence/workspaces/workspaces.ts';
import { openTestDatabase, ownDatabase, testDatabase, testDatabaseUrl } from '#test/helpers/database.ts';
import { scriptedStatements } from '#test/helpers/scripted-database.ts';
import { newCallRow, storedCall, storedNumber, type StoredNumber } from '#test/helpers/stored-number.ts';
import { until } from '#test/helpers/until.ts';
import { stopping } from '#test/helpers/usual-barge-in.ts';
import { byPauses } from '#test/helpers/usual-turn-end.ts';
import { issuedAt, newKey, sealing } from './numbers/sealed.ts';

// Workspaces: their settings and their audit log.

test.serial('changes and clears settings of a workspace, which apply to its numbers at once', async (t) => {
  const db = await testDatabase('workspaces');
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

test.serial('stores simulated callees for each workspace, and finds many at once', async (t) => {
  const db = await testDatabase('workspaces');
  const [owner, stranger] = [await storedNumber(db), await storedNumber(db)];
  const { workspaceId } = owner;
  const callee = { script: [{ say: 'Hello.' }, { hang_up: true }], rehearsal: null };
  const watched = { stepTimeoutSec: 30, people: { '0212345678': 'declines' as const } };
  await putSimulatedCallee(db, { workspaceId, number: '0211112222', ...callee });
  const other = { script: [{ busy: true }], rehearsal: watched };
  await putSimulatedCallee(db, { workspaceId, number: '0233334444', ...callee });
  await putSimulatedCallee(db, { workspaceId, number: '0233334444', ...other });
  const find = createSimulatedCalleeSearch(db);
  const found = await Promise.all([
    find({ workspaceId, number: '0211112222' }),
    find({ workspaceId, number: '0233334444' }),
    find({ workspaceId, number: '0255556666' }),
    find({ workspaceId: stranger.workspaceId, number: '0211112222' }),
  ]);
  t.like(found, [callee, other, undefined, undefined]);
  t.like(await findSimulatedCallee(db, { workspaceId, number: '0233334444' }), other);
});

test.serial('lists the simulated callees of its own workspace only, by number', async (t) => {
  const db = await testDatabase('workspaces');
  const [{ workspaceId }, stranger] = [await storedNumber(db), await storedNumber(db)];
  const script = [{ busy: true }];
  for (const number of ['0233334444', '0211112222', '0255556666'])
    await putSimulatedCallee(db, { workspaceId, number, script, rehearsal: null });
  await putSimulatedCallee(db, {
    workspaceId: stranger.workspaceId,
    number: '0200001111',
    script,
    rehearsal: null,
  });
  t.deepEqual(await listSimulatedCallees(db, { workspaceId, limit: 2 }), [
    { number: '0211112222', script },
    { number: '0233334444', script },
  ]);
});

test.serial('deletes a simulated callee of its own workspace only', async (t) => {
  const db = await testDatabase('workspaces');
  const [{ workspaceId }, stranger] = [await storedNumber(db), await storedNumber(db)];
  const callee = { script: [{ busy: true }], rehearsal: null };
  for (const number of ['0211112222', '0233334444'])
    await putSimulatedCallee(db, { workspaceId, number, ...callee });
  t.false(await deleteSimulatedCallee(db, { workspaceId: stranger.workspaceId, number: '0211112222' }));
  t.true(await deleteSimulatedCallee(db, { workspaceId, number: '0211112222' }));
  t.false(await deleteSimulatedCallee(db, { workspaceId, number: '0211112222' }));
  t.is(await findSimulatedCallee(db, { workspaceId, number: '0211112222' }), undefined);
  t.like(await findSimulatedCallee(db, { workspaceId, number: '0233334444' }), callee);
});

test.serial('reads the audit log newest first, page by page, only for its own workspace', async (t) => {
  const db = await testDatabase('workspaces');
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

test.serial('numbers audit log entries per workspace, including simultaneous ones', async (t) => {
  const db = await testDatabase('workspaces');
  const [owner, stranger] = [await storedNumber(db), await storedNumber(db)];
  const append = ({ workspaceId }: { workspaceId: string }) =>
    appendAudit(db, { workspaceId, actor: 'admin', action: 'a', subject: 's', at: issuedAt });
  await Promise.all(Array.from({ length: 20 }, (_, index) => append(index % 4 === 0 ? stranger : owner)));
  const idsOf = async ({ workspaceId }: { workspaceId: string }) =>
    (await listAudit(db, { workspaceId, limit: 50 })).map(({ id }) => id);
  t.deepEqual(await idsOf(stranger), [5, 4, 3, 2, 1]);
  t.deepEqual(await idsOf(owner), [15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1]);
});

test.serial('returns the oldest workspace as the first one', async (t) => {
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

// Numbers: their settings, their agents, and data of a deleted number.

test.serial('creates a number without settings, and changes and clears each', async (t) => {
  const db = await testDatabase('numbers');
  const { numberId, workspaceId } = await storedNumber(db);
  const wanted = { numberId, workspaceId };
  t.like(await findNumber(db, wanted), {
    language: 'ko',
    maxDurationSec: null,
    recordingEnabled: null,
    greeting: null,
    voicemail: 'talk',
    voicemailMessage: null,
    screening: 'answer',
    callerName: null,
    menu: 'talk',
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

test.serial('does not find or change a number of another workspace', async (t) => {
  const db = await testDatabase('numbers');
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

test.serial('does not create a number twice', async (t) => {
  const db = await testDatabase('numbers');
  const owner = await storedNumber(db);
  const { workspaceId, number } = owner;
  const again = { id: randomUUID(), workspaceId, number, language: 'ko' as const, createdAt: issuedAt };
  t.is(await createNumber(db, again), undefined);
  t.is((await listNumbers(db, workspaceId)).length, 1);
});

test.serial(
  'keeps, replaces or removes the token of a binding and returns only whether one exists',
  async (t) => {
    const db = await testDatabase('numbers');
    const { numberId, number } = await storedNumber(db);
    const binding = { ...builtInBinding('outbound'), agent: 'endpoint' as const };
    const sealed = async (): Promise<string | null | undefined> =>
      (await findNumberByDigits(db, number))?.outboundTokenSealed;
    const configured = async (changed: Partial<typeof binding>) =>
      (await putAgentBinding(db, numberId, { ...binding, ...changed }))?.tokenConfigured;
    t.false(await configured({}));
    t.deepEqual(await putAgentBinding(db, numberId, binding, { tokenSealed: 'one' }), {
      ...binding,
      tokenConfigured: true,
      headers: {},
    });
    t.true(await configured({ chatUrl: 'https://b' }));
    t.is(await sealed(), 'one');
    await putAgentBinding(db, numberId, binding, { tokenSealed: 'two' });
    t.is(await sealed(), 'two');
    await putAgentBinding(db, numberId, binding, { tokenSealed: null });
    t.is(await sealed(), null);
    t.deepEqual(await agentBindingsOf(db, numberId), {
      inbound: { ...builtInBinding('inbound'), tokenConfigured: false, headers: {} },
      outbound: { ...binding, tokenConfigured: false, headers: {} },
    });
  },
);

test.serial('stores the settings of the built-in agent by direction, for calls too', async (t) => {
  const db = await testDatabase('numbers');
  const { numberId, number } = await storedNumber(db);
  const own = { model: 'large', prompt: 'Be brief.\n“Quote”', tools: ['hang_up' as const] };
  const binding = { ...builtInBinding('inbound'), ...own };
  t.like(await putAgentBinding(db, numberId, binding), own);
  t.like((await agentBindingsOf(db, numberId)).inbound, own);
  t.deepEqual((await findNumberByDigits(db, number))?.bindings, {
    inbound: binding,
    outbound: builtInBinding('outbound'),
  });
  await putAgentBinding(db, numberId, { ...binding, tools: [] });
  t.deepEqual((await findNumberByDigits(db, number))?.bindings.inbound.tools, []);
  await putAgentBinding(db, numberId, builtInBinding('inbound'));
  t.deepEqual((await findNumberByDigits(db, number))?.bindings.inbound, builtInBinding('inbound'));
});

test.serial('keeps, replaces and removes headers of a binding one by one, up to ten', async (t) => {
  const db = await testDatabase('numbers');
  const { numberId, number } = await storedNumber(db);
  const binding = { ...builtInBinding('inbound'), agent: 'endpoint' as const };
  const put = async (headersSealed?: Record<string, string | null> | null) =>
    Object.keys((await putAgentBinding(db, numberId, binding, { headersSealed }))?.headers ?? {});
  const sealed = async () => (await findNumberByDigits(db, number))?.headersSealed.inbound;
  t.deepEqual(await put({ a: 'one', b: 'two', never: null }), ['a', 'b']);
  t.deepEqual(await put(), ['a', 'b']);
  t.deepEqual(await put({ a: null, b: 'three', c: 'four' }), ['b', 'c']);
  t.deepEqual(await sealed(), { b: 'three', c: 'four' });

  const eight = Object.fromEntries(Array.from({ length: 8 }, (_, index) => [`x-${index}`, 'value']));
  t.is((await put(eight)).length, 10);
  t.is(
    await putAgentBinding(
      db,
      numberId,
      { ...binding, agent: 'builtin' },
      { headersSealed: { more: 'value' } },
    ),
    undefined,
  );
  t.is((await agentBindingsOf(db, numberId)).inbound.agent, 'endpoint', 'nothing is changed');
  t.is((await put({ more: 'value', b: null })).length, 10);
  t.deepEqual(await put(null), []);
  t.deepEqual(await sealed(), {});
});

test.serial(
  'keeps the secret of inbound authentication until it is replaced or the method is none',
  async (t) => {
    const db = await testDatabase('numbers');
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
  },
);

test.serial(
  'a deleted number keeps its calls, its key becomes invalid, and its digits can be used again',
  async (t) => {
    const db = await testDatabase('numbers');
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
  },
);

// Number keys
// Each key finds its number, even in simultaneous look-ups while some are replaced.

/** A policy without any value of its own. */
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

test.serial('finds a number by its key, with everything that its calls need', async (t) => {
  const db = await testDatabase('number keys');
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
    model: null,
    prompt: null,
    tools: null,
  };
  await putAgentBinding(db, numberId, binding, {
    tokenSealed: 'sealed token',
    headersSealed: { 'x-api-key': 'sealed key' },
  });
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
    screening: { policy: 'answer' as const, callerName: null },
    menu: 'talk' as const,
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
    transferTo: [],
    headersSealed: { inbound: {}, outbound: { 'x-api-key': 'sealed key' } },
    inboundAuth: { method: 'handshake' as const, url: 'https://auth', secretSealed: 'sealed' },
  };
  t.deepEqual(await authenticateNumber(db, sealing, key), expected);
  t.deepEqual(await findNumberByDigits(db, number), expected);
  t.is(await findNumberByDigits(db, '00000000000'), undefined);
});

test.serial('invalidates the old key at once when a new one is issued', async (t) => {
  const db = await testDatabase('number keys');
  const { numberId } = await storedNumber(db);
  const [first, second] = [newKey(), newKey()];
  t.is(await findNumberKey(db, numberId), undefined);
  for (const key of [first, second]) {
    await putNumberKey(db, {
      numberId,
      keyHash: sealing.fingerprint(key),
      keySealed: `sealed ${key}`,
      ...(key === first ? { keyTail: 'tail' } : {}),
      issuedAt,
    });
  }
  t.is(await authenticateNumber(db, sealing, first), undefined);
  t.is((await authenticateNumber(db, sealing, second))?.id, numberId);
  const keyTail = null;
  t.deepEqual(await findNumberKey(db, numberId), { keySealed: `sealed ${second}`, keyTail, issuedAt });
});

test.serial('simultaneous key look-ups share a query and each returns its own number', async (t) => {
  const db = await testDatabase('number keys');
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

test.serial('invalidates a key at once that is replaced during many look-ups', async (t) => {
  const db = await testDatabase('number keys');
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

test.serial('recognizes a key issued before the rotation of the master key', async (t) => {
  const db = await testDatabase('number keys');
  const { numberId } = await storedNumber(db);
  const key = newKey();
  await putNumberKey(db, { numberId, keyHash: oldSealing.fingerprint(key), keySealed: 'sealed', issuedAt });
  t.is((await authenticateNumber(db, sealing, key))?.id, numberId);
});

// Admin tokens

const adminTokensSealing = createSealing(Buffer.alloc(32, 2));
const at = new Date('2026-11-21T03:00:00.000Z');
const later = new Date(at.getTime() + 60_000);

/** The id of a stored token is the token, too. */
const storedToken = async (
  db: Database,
  workspaceId: string,
  given: Partial<Pick<AdminTokenRecord, 'role' | 'expiresAt'>> = {},
): Promise<string> => {
  const id = randomUUID();
  await createAdminToken(db, {
    id,
    workspaceId,
    name: 'Me',
    ...fingerprintOf(adminTokensSealing, id),
    createdAt: at,
    ...given,
  });
  return id;
};

test.serial('accepts an admin token for its workspace and role until it is revoked', async (t) => {
  const db = await testDatabase('admin tokens');
  const { workspaceId } = await storedNumber(db);
  const id = await storedToken(db, workspaceId, { role: 'viewer' });
  t.deepEqual(await authenticateAdmin(db, adminTokensSealing, id, at), {
    id,
    name: 'Me',
    role: 'viewer',
    lastUsedAt: null,
    tokenKeyId: adminTokensSealing.keyId,
    workspace: { id: workspaceId, timeZone: 'Asia/Seoul' },
  });
  t.is(await authenticateAdmin(db, adminTokensSealing, 'another', at), undefined);
  t.is(await revokeTokenRow(db, { id, workspaceId: randomUUID(), at }), 'unknown');
  t.like(await revokeTokenRow(db, { id, workspaceId, at }), { id, name: 'Me', role: 'viewer' });
  t.is(await revokeTokenRow(db, { id, workspaceId, at }), 'unknown', 'once');
  t.is(await authenticateAdmin(db, adminTokensSealing, id, at), undefined);
  t.deepEqual(await listAdminTokens(db, workspaceId), []);
});

test.serial('does not find a token after its expiry', async (t) => {
  const db = await testDatabase('admin tokens');
  const { workspaceId } = await storedNumber(db);
  const id = await storedToken(db, workspaceId, { expiresAt: later });
  t.is((await authenticateAdmin(db, adminTokensSealing, id, new Date(later.getTime() - 1)))?.id, id);
  t.is(await authenticateAdmin(db, adminTokensSealing, id, later), undefined);
  t.like((await listAdminTokens(db, workspaceId))[0], { id, expiresAt: later, revokedAt: null, node: null });
});

test.serial(
  'rejects the revocation of the last admin token; viewer, expired and foreign tokens do not count',
  async (t) => {
    const db = await testDatabase('admin tokens');
    const { workspaceId } = await storedNumber(db);
    const last = await storedToken(db, workspaceId);
    await storedToken(db, workspaceId, { role: 'viewer' });
    await storedToken(db, workspaceId, { expiresAt: at });
    await storedToken(db, (await storedNumber(db)).workspaceId);
    const revoked = await storedToken(db, workspaceId);
    t.like(await revokeTokenRow(db, { id: revoked, workspaceId, at }), { id: revoked });
    t.is(await revokeTokenRow(db, { id: last, workspaceId, at }), 'last');
    t.truthy(await authenticateAdmin(db, adminTokensSealing, last, at));
  },
);

test.serial("keeps one admin token when two admins revoke each other's at the same time", async (t) => {
  const db = await testDatabase('admin tokens');
  for (let round = 0; round < 20; round++) {
    const { workspaceId } = await storedNumber(db);
    const ids = [await storedToken(db, workspaceId), await storedToken(db, workspaceId)];
    const verdicts = await Promise.all(ids.map((id) => revokeTokenRow(db, { id, workspaceId, at })));
    t.is(verdicts.filter((verdict) => verdict === 'last').length, 1);
    t.is((await listAdminTokens(db, workspaceId)).length, 1);
  }
});

test.serial('stores the later of two token uses', async (t) => {
  const db = await testDatabase('admin tokens');
  const { workspaceId } = await storedNumber(db);
  const id = await storedToken(db, workspaceId);
  await noteAdminTokenUse(db, id, later);
  await noteAdminTokenUse(db, id, at);
  t.deepEqual((await authenticateAdmin(db, adminTokensSealing, id, at))?.lastUsedAt, later);
});

// Keyed answers

const keyedAnswer: KeyedAnswer = {
  key: 'same key',
  fingerprint: Buffer.from('one body'),
  responseStatus: 201,
  responseBody: '{ "call_id":\t"…" }\n',
};

const newNumber = async (): Promise<{ db: Database; owner: StoredNumber }> => {
  const db = await testDatabase('keyed answers');
  return { db, owner: await storedNumber(db) };
};

const callsOf = async (db: Database, { numberId }: StoredNumber): Promise<string[]> =>
  (await db.execute<{ id: string }>('select id from call where number_id = $1', [numberId])).map(
    ({ id }) => id,
  );

const makeOlder = async (db: Database, { numberId }: StoredNumber, interval: string): Promise<void> => {
  await db.execute(
    'update idempotency_record set created_at = created_at - $2::interval where number_id = $1',
    [numberId, interval],
  );
};

test.serial('stores the response with its call, byte for byte', async (t) => {
  const { db, owner } = await newNumber();
  const { numberId } = owner;
  t.is(await findKeyedAnswer(db, { numberId, key: keyedAnswer.key }), undefined);
  const newCall = newCallRow(owner, { keyedAnswer });
  t.true(await createCallInsertion(db)(newCall));
  t.deepEqual(await findKeyedAnswer(db, { numberId, key: keyedAnswer.key }), keyedAnswer);
  t.is((await findCall(db, { callId: newCall.id, numberId }))?.status, 'ringing');
});

test.serial(
  'places no call for a used idempotency key, without affecting other calls of the statement',
  async (t) => {
    const { db, owner } = await newNumber();
    const insert = createCallInsertion(db);
    const first = newCallRow(owner, { keyedAnswer });
    t.true(await insert(first));
    const [again, other, keyless] = [
      newCallRow(owner, { keyedAnswer: { ...keyedAnswer, responseBody: 'another' } }),
      newCallRow(owner, { keyedAnswer: { ...keyedAnswer, key: 'same kez' } }),
      newCallRow(owner),
    ];
    t.deepEqual(await Promise.all([again, other, keyless].map((newCall) => insert(newCall))), [
      false,
      true,
      true,
    ]);
    t.deepEqual((await callsOf(db, owner)).toSorted(), [first.id, other.id, keyless.id].toSorted());
    t.deepEqual(await findKeyedAnswer(db, { numberId: owner.numberId, key: keyedAnswer.key }), keyedAnswer);
    const events = await db.execute('select 1 from event where number_id = $1', [owner.numberId]);
    t.is(events.length, 3);
  },
);

test.serial('inserts one of two calls with the same idempotency key in one statement', async (t) => {
  const { db, owner } = await newNumber();
  const insert = createCallInsertion(db);
  const newCalls = [1, 2].map(() => newCallRow(owner, { keyedAnswer }));
  const born = await Promise.all(newCalls.map((newCall) => insert(newCall)));
  t.is(born.filter(Boolean).length, 1);
  t.is((await callsOf(db, owner)).length, 1);
});

test.serial('places one call when many gateways get the same idempotency key at the same time', async (t) => {
  const { db, owner } = await newNumber();
  const born = await Promise.all(
    Array.from({ length: 8 }, () => createCallInsertion(db)(newCallRow(owner, { keyedAnswer }))),
  );
  t.is(born.filter(Boolean).length, 1);
  t.is((await callsOf(db, owner)).length, 1);
});

test.serial('scopes idempotency keys to a number', async (t) => {
  const { db, owner } = await newNumber();
  const stranger = await storedNumber(db);
  const insert = createCallInsertion(db);
  t.true(await insert(newCallRow(owner, { keyedAnswer })));
  t.is(await findKeyedAnswer(db, { numberId: stranger.numberId, key: keyedAnswer.key }), undefined);
  t.true(await insert(newCallRow(stranger, { keyedAnswer })));
});

test.serial('does not store the idempotency key of a call that cannot be stored', async (t) => {
  const { db, owner } = await newNumber();
  const impossible = newCallRow(owner, { keyedAnswer, workspaceId: owner.numberId });
  await t.throwsAsync(createCallInsertion(db)(impossible));
  t.is(await findKeyedAnswer(db, { numberId: owner.numberId, key: keyedAnswer.key }), undefined);
  t.true(await createCallInsertion(db)(newCallRow(owner, { keyedAnswer })));
});

const never = Promise.withResolvers<never>().promise;

test.serial('stores neither call nor idempotency key if the process dies before the statement', async (t) => {
  const { db, owner } = await newNumber();
  const dying: Database = { ...db, execute: () => never };
  void createCallInsertion(dying)(newCallRow(owner, { keyedAnswer }));
  await new Promise(setImmediate);
  t.is(await findKeyedAnswer(db, { numberId: owner.numberId, key: keyedAnswer.key }), undefined);
  t.deepEqual(await callsOf(db, owner), []);
});

test.serial(
  'stores neither call nor idempotency key if the process dies within the transaction',
  async (t) => {
    const db = await ownDatabase(t);
    const owner = await storedNumber(db);
    // The server rolls back a transaction when the process dies, as after any error.
    await db.execute('alter table event add constraint no_more check (false) not valid');
    const error = await t.throwsAsync(createCallInsertion(db)(newCallRow(owner, { keyedAnswer })));
    t.regex(error.message, /no_more/);
    t.is(await findKeyedAnswer(db, { numberId: owner.numberId, key: keyedAnswer.key }), undefined);
    t.deepEqual(await callsOf(db, owner), []);
  },
);

test.serial('stores both call and idempotency key if the process dies right after the commit', async (t) => {
  const { db, owner } = await newNumber();
  const committed = Promise.withResolvers<void>();
  const dying: Database = {
    ...db,
    async execute(...asked) {
      await db.execute(...asked);
      committed.resolve();
      return never;
    },
  };
  const newCall = newCallRow(owner, { keyedAnswer });
  void createCallInsertion(dying)(newCall);
  await committed.promise;
  t.deepEqual(await findKeyedAnswer(db, { numberId: owner.numberId, key: keyedAnswer.key }), keyedAnswer);
  t.deepEqual(await callsOf(db, owner), [newCall.id]);
});

test.serial('stores an idempotency key for 24 hours', async (t) => {
  const { db, owner } = await newNumber();
  const { numberId } = owner;
  const find = () => findKeyedAnswer(db, { numberId, key: keyedAnswer.key });
  const insert = createCallInsertion(db);
  await insert(newCallRow(owner, { keyedAnswer }));
  await makeOlder(db, owner, '23 hours 59 minutes');
  await deleteExpiredAnswers(db);
  t.deepEqual(await find(), keyedAnswer);
  await makeOlder(db, owner, '2 minutes');
  t.is(await find(), undefined);
  t.true(await insert(newCallRow(owner, { keyedAnswer })));
  await makeOlder(db, owner, '25 hours');
  await deleteExpiredAnswers(db);
  t.deepEqual(await db.execute('select key from idempotency_record where number_id = $1', [numberId]), []);
});

// Request counts

test.serial(
  'counts simultaneous requests to two gateways together and returns its own count to each',
  async (t) => {
    const url = await testDatabaseUrl(t);
    const databases = [await openTestDatabase(t, url, 'one'), await openTestDatabase(t, url, 'two')];
    const counts = databases.map((database) => createRequestCounting(database, 60));
    const keys = ['a', 'b', 'c'];
    const asked = Array.from({ length: 40 }, () => counts.flatMap((count) => keys.map((key) => count(key))));
    const answers = await Promise.all(asked.flat());
    for (const [index] of keys.entries()) {
      const places = answers.filter((_, at) => at % keys.length === index).map(({ requests }) => requests);
      t.deepEqual(
        places.toSorted((one, other) => one - other),
        Array.from({ length: 80 }, (_, place) => place + 1),
      );
    }
    for (const { seconds } of answers) t.true(seconds > 0 && seconds <= 60);
  },
);

test.serial('request counts expire and are deleted some time later', async (t) => {
  const database = await openTestDatabase(t, await testDatabaseUrl(t), 'one');
  const count = createRequestCounting(database, 60);
  const ended = (seconds: number) =>
    database.execute(`update request_count set ends_at = now() - make_interval(secs => $1)`, [seconds]);
  await count('a');
  t.is((await count('a')).requests, 2);
  // Includes a margin, because clocks of machines may go back a little.
  await ended(1);
  const { requests, seconds } = await count('a');
  t.is(requests, 1);
  t.true(seconds > 0);
  await deleteOldCounts(database);
  t.is((await count('a')).requests, 2);
  await ended(61);
  await deleteOldCounts(database);
  t.deepEqual(await database.execute('select 1 from request_count'), []);
});

// Trunks

const record = (workspaceId: string, changes: Partial<TrunkRecord> = {}): TrunkRecord => ({
  id: randomUUID(),
  workspaceId,
  name: 'carrier',
  host: 'sip.example.com',
  port: null,
  transport: 'tls',
  username: 'gw',
  passwordSealed: 'sealed',
  register: true,
  realm: 'example.com',
  fromDomain: 'example.org',
  numberFormat: 'e164',
  callerId: 'p-asserted-identity',
  privacy: true,
  codecs: ['PCMA'],
  srtp: 'required',
  media: 'direct',
  priority: 1,
  weight: 2,
  maxChannels: 3,
  callsPerSecond: 4,
  failoverStatuses: ['403', '6xx'],
  redirects: 'any',
  refer: true,
  acceptRefer: true,
  addresses: [{ host: '10.0.0.1', port: 5070, priority: 1, weight: 2, drained: true }],
  drained: true,
  prefixes: ['+8210'],
  headersIn: ['X-Ticket'],
  headersOut: [],
  inboundAddresses: ['10.0.0.0/8', '2001:db8::1'],
  inboundAuth: 'digest',
  healthCheck: false,
  enabled: true,
  createdAt: new Date('2026-11-21T03:00:00.000Z'),
  ...changes,
});

test.serial('returns a trunk as stored, only to its workspace', async (t) => {
  const db = await testDatabase('trunks');
  const { workspaceId } = await storedNumber(db);
  const stored = record(workspaceId);
  t.deepEqual(await createTrunk(db, stored), stored);
  t.deepEqual(await findTrunk(db, { trunkId: stored.id, workspaceId }), stored);
  t.deepEqual(await listTrunks(db, workspaceId), [stored]);
  t.is(await findTrunk(db, { trunkId: stored.id, workspaceId: randomUUID() }), undefined);
  t.true((await listAllTrunks(db)).some(({ id }) => id === stored.id));
  t.is(await createTrunk(db, record(workspaceId)), undefined, 'the name is taken');
});

test.serial('keeps a setting for undefined and clears it for null', async (t) => {
  const db = await testDatabase('trunks');
  const { workspaceId } = await storedNumber(db);
  const stored = record(workspaceId);
  const one = { trunkId: stored.id, workspaceId };
  await createTrunk(db, stored);
  const changes = { host: '10.1.1.1', codecs: null, inboundAddresses: [], passwordSealed: undefined };
  const after = { ...stored, ...changes, passwordSealed: 'sealed' };
  t.deepEqual(await patchTrunk(db, one, changes), after);
  t.deepEqual(await findTrunk(db, one), after);
  await createTrunk(db, record(workspaceId, { name: 'other' }));
  t.is(await patchTrunk(db, one, { name: 'other' }), 'name_taken');
  t.is(await patchTrunk(db, { ...one, workspaceId: randomUUID() }, { weight: 1 }), undefined);
});

test.serial('returns the workspace and the bound trunk of a number until the trunk is removed', async (t) => {
  const db = await testDatabase('trunks');
  const { workspaceId, numberId, number } = await storedNumber(db);
  t.deepEqual(await findNumberOwner(db, number), { workspaceId, trunkId: null });
  t.is(await findNumberOwner(db, '0999'), undefined);
  const stored = record(workspaceId);
  await createTrunk(db, stored);
  await patchNumber(db, { numberId, workspaceId }, { trunkId: stored.id });
  t.deepEqual(await findNumberOwner(db, number), { workspaceId, trunkId: stored.id });
  t.false(await deleteTrunk(db, { trunkId: stored.id, workspaceId: randomUUID() }));
  t.true(await deleteTrunk(db, { trunkId: stored.id, workspaceId }));
  t.false(await deleteTrunk(db, { trunkId: stored.id, workspaceId }));
  t.is((await findNumber(db, { numberId, workspaceId }))?.trunkId, null);
});

test.serial("deletes the gateways' channel reservations with their trunk, and no others", async (t) => {
  const db = await testDatabase('trunks');
  const { workspaceId } = await storedNumber(db);
  const stored = record(workspaceId);
  const another = randomUUID();
  await createTrunk(db, stored);
  const load = createTrunkLoad(db, 'one');
  for (const trunkId of [stored.id, another]) {
    await load.take({ trunkId, callId: randomUUID(), leg: 'first', maxChannels: 1 });
    await load.turn({ trunkId, callsPerSecond: 1, patienceMs: 1_000 });
  }
  t.true(await deleteTrunk(db, { trunkId: stored.id, workspaceId }));
  for (const table of ['trunk_channel', 'trunk_load'])
    t.deepEqual(
      await db.execute(`select trunk_id from ${table} where trunk_id = any($1)`, [[stored.id, another]]),
      [{ trunk_id: another }],
      table,
    );
});

test.serial('notifies listeners of each change of a trunk', async (t) => {
  const db = await ownDatabase(t);
  const { workspaceId } = await storedNumber(db);
  let told = 0;
  const end = await db.listen(trunksChannel, () => (told += 1));
  const stored = record(workspaceId);
  const one = { trunkId: stored.id, workspaceId };
  const toldTimes = (times: number) => until(`it is told ${times} times`, () => told === times || undefined);
  await createTrunk(db, stored);
  await toldTimes(1);
  await patchTrunk(db, one, { weight: 5 });
  await toldTimes(2);
  await deleteTrunk(db, one);
  await toldTimes(3);
  await end();
  t.pass();
});

// Trunk load

/** Two gateways with separate connections. */
const twoGateways = async (t: ExecutionContext) => {
  const url = await testDatabaseUrl(t);
  const database = await openTestDatabase(t, url, 'one');
  const other = await openTestDatabase(t, url, 'two');
  return { database, one: createTrunkLoad(database, 'one'), two: createTrunkLoad(other, 'two') };
};

const trunkId = 'carrier';

/** The first leg of some call. */
const firstLeg = (ofTrunk = trunkId): TrunkChannel => ({
  trunkId: ofTrunk,
  callId: randomUUID(),
  leg: 'first',
});

test.serial('two gateways together never use more channels than a trunk has', async (t) => {
  const { one, two } = await twoGateways(t);
  const take = (load: typeof one) => load.take({ ...firstLeg(), maxChannels: 7 });
  const taken = await Promise.all(Array.from({ length: 30 }, () => [take(one), take(two)]).flat());
  t.is(taken.filter(Boolean).length, 7);
  t.true(await one.take({ ...firstLeg('another'), maxChannels: 1 }));
});

test.serial('frees a channel after its release and after the end of its call', async (t) => {
  const { database, one, two } = await twoGateways(t);
  const callId = await storedCall(database, await storedNumber(database), { node: 'one' });
  const maxChannels = 1;
  t.true(await one.take({ ...firstLeg(), callId, maxChannels }));
  const next = firstLeg();
  t.false(await two.take({ ...next, maxChannels }));
  await database.execute(`update call set ended_at = now() where id = '${callId}'`);
  t.true(await two.take({ ...next, maxChannels }), 'the gateway of the first one may be dead');
  await two.giveBack(next);
  t.true(await one.take({ ...firstLeg(), maxChannels }));
});

test.serial('a call keeps its channel on the gateway that takes it over', async (t) => {
  const { database, one, two } = await twoGateways(t);
  const callId = await storedCall(database, await storedNumber(database), { node: 'one' });
  const leg = { ...firstLeg(), callId };
  t.true(await one.take({ ...leg, maxChannels: 1 }));
  await two.keep(leg);
  await one.giveBack(leg);
  t.false(await one.take({ ...firstLeg(), maxChannels: 1 }));
  await two.giveBack(leg);
  t.true(await one.take({ ...firstLeg(), maxChannels: 1 }));
});

/** Both legs of a stored call of the gateway `one`. */
const twoLegs = async (database: Database): Promise<Record<TrunkLeg, TrunkChannel>> => {
  const callId = await storedCall(database, await storedNumber(database), { node: 'one' });
  return { first: { trunkId, callId, leg: 'first' }, second: { trunkId, callId, leg: 'second' } };
};

test.serial('two legs of a call on one trunk use two channels, each until its own end', async (t) => {
  const { database, one, two } = await twoGateways(t);
  const { first, second } = await twoLegs(database);
  t.true(await one.take({ ...first, maxChannels: 1 }));
  t.false(
    await one.take({ ...second, maxChannels: 1 }),
    'a trunk with one channel has none for the second leg',
  );
  t.true(await one.take({ ...second, maxChannels: 2 }));
  t.false(await two.take({ ...firstLeg(), maxChannels: 2 }));
  await one.giveBack(second);
  t.false(await two.take({ ...firstLeg(), maxChannels: 1 }), 'the first leg still has its channel');
  await one.giveBack(first);
  t.true(await two.take({ ...firstLeg(), maxChannels: 1 }));
});

test.serial('frees both channels of a call whose legs end at the same time', async (t) => {
  const { database, one } = await twoGateways(t);
  const { first, second } = await twoLegs(database);
  for (const leg of [first, second]) await one.take({ ...leg, maxChannels: 2 });
  await Promise.all([one.giveBack(first), one.giveBack(second)]);
  t.deepEqual(await database.execute('select * from trunk_channel'), []);
});

test.serial('both legs of a call keep their channels on the gateway that takes it over', async (t) => {
  const { database, one, two } = await twoGateways(t);
  const { first, second } = await twoLegs(database);
  for (const leg of [first, second]) await one.take({ ...leg, maxChannels: 2 });
  for (const leg of [first, second]) await two.keep(leg);
  for (const leg of [first, second]) await one.giveBack(leg);
  t.false(await one.take({ ...firstLeg(), maxChannels: 2 }));
  await two.giveBack(second);
  t.false(await one.take({ ...firstLeg(), maxChannels: 1 }));
  await database.execute(`update call set ended_at = now() where id = '${first.callId}'`);
  t.true(await one.take({ ...firstLeg(), maxChannels: 1 }), 'the end of the call frees what is left');
});

test.serial('a gateway from before channels had legs shares a trunk during an update', async (t) => {
  const { database, one } = await twoGateways(t);
  // The statements of the older version.
  const older = {
    take: (callId: string) =>
      database.execute(
        `insert into trunk_channel (trunk_id, call_id, node, taken_at) values ($1, $2, 'older', now())
         on conflict (trunk_id, call_id) do update set node = excluded.node`,
        [trunkId, callId],
      ),
    giveBack: (callId: string) =>
      database.execute(`delete from trunk_channel where trunk_id = $1 and call_id = $2 and node = 'older'`, [
        trunkId,
        callId,
      ]),
  };
  const isFree = async (maxChannels: number): Promise<boolean> => {
    const probe = firstLeg();
    const isTaken = await one.take({ ...probe, maxChannels });
    if (isTaken) await one.giveBack(probe);
    return isTaken;
  };
  const { callId } = firstLeg();
  await older.take(callId);
  t.deepEqual([await isFree(1), await isFree(2)], [false, true]);
  await older.giveBack(callId);
  t.true(await isFree(1));

  const { first, second } = await twoLegs(database);
  await older.take(first.callId);
  await one.keep(first);
  t.deepEqual([await isFree(1), await isFree(2)], [false, true], 'one channel after the take-over');
  await one.take({ ...second, maxChannels: 2 });
  t.deepEqual([await isFree(2), await isFree(3)], [false, true]);
  await older.take(first.callId);
  t.deepEqual([await isFree(2), await isFree(3)], [false, true], 'the older version takes over both legs');
  await older.giveBack(first.callId);
  t.true(await isFree(1));
});

test.serial('counts a caller that was never stored for half a minute', async (t) => {
  const { database, one, two } = await twoGateways(t);
  t.true(await one.take({ ...firstLeg(), maxChannels: 1 }));
  t.false(await two.take({ ...firstLeg(), maxChannels: 1 }));
  await database.execute(`update trunk_channel set taken_at = now() - interval '31 seconds'`);
  t.true(await two.take({ ...firstLeg(), maxChannels: 1 }));
});

test.serial('starts calls of two gateways one after the other, and none after the time-out', async (t) => {
  const { one, two } = await twoGateways(t);
  // Refills so slowly that the duration of the test is negligible.
  const call = { trunkId, callsPerSecond: 1 / 600, patienceMs: 1_900_000 };
  const turns: (number | null)[] = [];
  for (const load of [one, two, one, two, one]) turns.push(await load.turn(call));
  t.deepEqual(
    turns.map((turn) => turn && Math.ceil(turn / 600_000)),
    [0, 1, 2, 3, null],
  );
});
