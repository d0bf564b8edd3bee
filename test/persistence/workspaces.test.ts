/** Workspaces: their settings and their audit log. */
import { randomUUID } from 'node:crypto';
import test from 'ava';
import { appendAudit, listAudit } from '#src/persistence/audit-entries.ts';
import { findNumberByDigits } from '#src/persistence/callable-numbers.ts';
import {
  createWorkspace,
  findWorkspace,
  firstWorkspace,
  patchWorkspace,
} from '#src/persistence/workspaces.ts';
import { ownDatabase, testDatabase } from '#test/helpers/database.ts';
import { storedNumber } from '#test/helpers/stored-number.ts';
import { issuedAt } from './numbers/sealed.ts';

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
