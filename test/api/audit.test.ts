import test, { type ExecutionContext } from 'ava';
import { z } from 'zod';
import { appendAudit } from '#src/persistence/audit-entries.ts';
import { addWorkspace, fakeGateway } from './fake-gateway.ts';

const path = '/api/v1/admin/audit';
const page = z.object({ entries: z.array(z.object({ action: z.string() })) });

const setUp = async (t: ExecutionContext) => {
  const gateway = await fakeGateway(t);
  const { database, workspaceId } = gateway;
  const write = (action: string, actor: string, subject: string, at: string) =>
    appendAudit(database, {
      workspaceId,
      action,
      actor,
      subject,
      at: new Date(at),
      detail: { note: '=1+1' },
    });
  await write('number.created', 'admin:one', 'number:one', '2026-11-20T10:00:00Z');
  await write('number.changed', 'admin:two', 'number:two', '2026-11-21T14:59:59Z');
  await write('trunk.changed', 'operator', 'trunk:one', '2026-11-21T15:00:00Z');
  const found = async (query: string): Promise<string[]> =>
    page.parse((await gateway.admin.get(`${path}?${query}`)).body).entries.map(({ action }) => action);
  return { ...gateway, found };
};

test('entries are found by who, what, of what, and days of the workspace', async (t) => {
  const { found } = await setUp(t);
  t.deepEqual(await found(''), ['trunk.changed', 'number.changed', 'number.created']);
  t.deepEqual(await found('actor=admin:two'), ['number.changed']);
  t.deepEqual(await found('action=trunk.changed'), ['trunk.changed']);
  t.deepEqual(await found('subject=number'), ['number.changed', 'number.created']);
  t.deepEqual(await found('subject=number:one'), ['number.created']);
  t.deepEqual(await found('subject=numb'), []);
  // The day of Seoul begins at 15:00 UTC.
  t.deepEqual(await found('first_day=2026-11-22'), ['trunk.changed']);
  t.deepEqual(await found('first_day=2026-11-21&last_day=2026-11-21'), ['number.changed']);
  t.deepEqual(await found('subject=number&actor=operator'), []);
});

test('the same entries come as CSV, with nothing that a spreadsheet would run', async (t) => {
  const { admin, database } = await setUp(t);
  const { status, headers, bytes } = await admin.get(`${path}.csv?subject=number`);
  t.is(status, 200);
  t.is(headers.get('content-disposition'), 'attachment; filename="audit.csv"');
  const lines = bytes.toString('utf8').split('\r\n');
  t.is(lines[0], '\uFEFFat,actor,action,subject,detail');
  t.deepEqual(lines.slice(1), [
    '2026-11-21T23:59:59.000+09:00,admin:two,number.changed,number:two,"{""note"":""=1+1""}"',
    '2026-11-20T19:00:00.000+09:00,admin:one,number.created,number:one,"{""note"":""=1+1""}"',
    '',
  ]);
  const { adminToken } = await addWorkspace(database);
  t.is((await admin.as(adminToken).get(`${path}.csv`)).bytes.toString('utf8').split('\r\n').length, 2);
});

test('a file of more than a page has every entry once', async (t) => {
  const { admin, database, workspaceId } = await fakeGateway(t);
  for (let number = 1; number <= 501; number += 1)
    await appendAudit(database, {
      workspaceId,
      actor: 'operator',
      action: 'number.changed',
      subject: `number:${number}`,
      at: new Date(0),
    });
  const { bytes } = await admin.get(`${path}.csv`);
  const subjects = bytes.toString('utf8').match(/number:\d+/g) ?? [];
  t.is(subjects.length, 501);
  t.is(new Set(subjects).size, 501);
});
