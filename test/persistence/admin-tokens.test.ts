import { randomUUID } from 'node:crypto';
import test from 'ava';
import {
  authenticateAdmin,
  createAdminToken,
  listAdminTokens,
  noteAdminTokenUse,
  revokeTokenRow,
  type AdminTokenRecord,
  fingerprintOf,
} from '#src/persistence/admin-tokens.ts';
import type { Database } from '#src/persistence/database.ts';
import { createSealing } from '#src/persistence/sealing.ts';
import { testDatabase } from '#test/helpers/database.ts';
import { storedNumber } from '#test/helpers/stored-number.ts';

const sealing = createSealing(Buffer.alloc(32, 2));
const at = new Date('2026-11-21T03:00:00.000Z');
const later = new Date(at.getTime() + 60_000);

/** Its id is the token, too. */
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
    ...fingerprintOf(sealing, id),
    createdAt: at,
    ...given,
  });
  return id;
};

test('an admin token stands for its workspace and its role until it is revoked', async (t) => {
  const db = await testDatabase();
  const { workspaceId } = await storedNumber(db);
  const id = await storedToken(db, workspaceId, { role: 'viewer' });
  t.deepEqual(await authenticateAdmin(db, sealing, id, at), {
    id,
    name: 'Me',
    role: 'viewer',
    lastUsedAt: null,
    tokenKeyId: sealing.keyId,
    workspace: { id: workspaceId, timeZone: 'Asia/Seoul' },
  });
  t.is(await authenticateAdmin(db, sealing, 'another', at), undefined);
  t.is(await revokeTokenRow(db, { id, workspaceId: randomUUID(), at }), 'unknown');
  t.like(await revokeTokenRow(db, { id, workspaceId, at }), { id, name: 'Me', role: 'viewer' });
  t.is(await revokeTokenRow(db, { id, workspaceId, at }), 'unknown', 'once');
  t.is(await authenticateAdmin(db, sealing, id, at), undefined);
  t.deepEqual(await listAdminTokens(db, workspaceId), []);
});

test('from its end on a token is unknown', async (t) => {
  const db = await testDatabase();
  const { workspaceId } = await storedNumber(db);
  const id = await storedToken(db, workspaceId, { expiresAt: later });
  t.is((await authenticateAdmin(db, sealing, id, new Date(later.getTime() - 1)))?.id, id);
  t.is(await authenticateAdmin(db, sealing, id, later), undefined);
  t.like((await listAdminTokens(db, workspaceId))[0], { id, expiresAt: later, revokedAt: null, node: null });
});

test('the last admin token of a workspace cannot be revoked; viewers, ended and foreign tokens do not count', async (t) => {
  const db = await testDatabase();
  const { workspaceId } = await storedNumber(db);
  const last = await storedToken(db, workspaceId);
  await storedToken(db, workspaceId, { role: 'viewer' });
  await storedToken(db, workspaceId, { expiresAt: at });
  await storedToken(db, (await storedNumber(db)).workspaceId);
  const revoked = await storedToken(db, workspaceId);
  t.like(await revokeTokenRow(db, { id: revoked, workspaceId, at }), { id: revoked });
  t.is(await revokeTokenRow(db, { id: last, workspaceId, at }), 'last');
  t.truthy(await authenticateAdmin(db, sealing, last, at));
});

test('of two admins that revoke each other at the same time one stays', async (t) => {
  const db = await testDatabase();
  for (let round = 0; round < 20; round++) {
    const { workspaceId } = await storedNumber(db);
    const ids = [await storedToken(db, workspaceId), await storedToken(db, workspaceId)];
    const verdicts = await Promise.all(ids.map((id) => revokeTokenRow(db, { id, workspaceId, at })));
    t.is(verdicts.filter((verdict) => verdict === 'last').length, 1);
    t.is((await listAdminTokens(db, workspaceId)).length, 1);
  }
});

test('of two uses the later one is noted', async (t) => {
  const db = await testDatabase();
  const { workspaceId } = await storedNumber(db);
  const id = await storedToken(db, workspaceId);
  await noteAdminTokenUse(db, id, later);
  await noteAdminTokenUse(db, id, at);
  t.deepEqual((await authenticateAdmin(db, sealing, id, at))?.lastUsedAt, later);
});
