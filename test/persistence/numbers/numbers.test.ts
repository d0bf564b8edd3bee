/** Numbers: their settings, their agents, and what is left of one that is deleted. */
import { randomUUID } from 'node:crypto';
import test from 'ava';
import { agentBindingsOf, builtInBinding, putAgentBinding } from '#src/persistence/agent-bindings.ts';
import { findNumberByDigits } from '#src/persistence/callable-numbers.ts';
import { findCall } from '#src/persistence/calls.ts';
import { authenticateNumber, putNumberKey } from '#src/persistence/number-keys.ts';
import {
  createNumber,
  deleteNumber,
  findNumber,
  listNumbers,
  patchNumber,
  putInboundAuth,
} from '#src/persistence/numbers.ts';
import { findNumberOwner } from '#src/persistence/trunks.ts';
import { testDatabase } from '#test/helpers/database.ts';
import { storedCall, storedNumber } from '#test/helpers/stored-number.ts';
import { issuedAt, newKey, sealing } from './sealed.ts';

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
