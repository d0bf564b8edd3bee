import test from 'ava';
import { callRecords } from '#src/persistence/call-records.ts';
import type { CallRecord } from '#src/persistence/calls.ts';
import { readCsv } from '#test/helpers/read-csv.ts';
import { scriptedStatements } from '#test/helpers/scripted-database.ts';
import { addWorkspace, fakeGateway } from './fake-gateway.ts';
import { storeCall, storeRecording } from './stored-calls.ts';

const path = '/api/v1/admin/call-records';

const at = (minute: number): Date => new Date(Date.UTC(2026, 10, 21, 3, minute));

const recordsIn = (csv: string): Record<string, string>[] => {
  const [names = [], ...lines] = readCsv(csv);
  return lines.map((cells) => Object.fromEntries(cells.map((cell, index) => [names[index] ?? '', cell])));
};

test('a record has everything that is known of a call', async (t) => {
  const gateway = await fakeGateway(t);
  const call = await storeCall(gateway, {
    sipStatus: 200,
    sipReason: 'OK',
    sipCallId: 'abc@example.com',
    summary: '=cmd, "quoted"\nand more',
    answeredBy: 'human',
  });
  await storeRecording(gateway.database, call.id, {
    status: 'completed',
    file: 'f',
    contentType: 'audio/ogg',
  });
  const { status, headers, bytes } = await gateway.admin.get(path);
  t.is(status, 200);
  t.is(headers.get('content-type'), 'text/csv; charset=utf-8; header=present');
  t.is(headers.get('content-disposition'), 'attachment; filename="call-records.csv"');
  const [record, ...others] = recordsIn(bytes.toString());
  t.deepEqual(others, []);
  t.like(record, {
    call_id: call.id,
    number_id: call.numberId,
    direction: 'outbound',
    from: gateway.number.number,
    to: '01000000001',
    language: 'ko',
    status: 'completed',
    end_reason: 'agent_hangup',
    answered_by: 'human',
    started_at: '2026-11-21T12:00:00.000+09:00',
    answered_at: '2026-11-21T12:00:05.000+09:00',
    ended_at: '2026-11-21T12:01:05.500+09:00',
    duration_sec: '60.5',
    sip_status: '200',
    sip_reason: 'OK',
    sip_call_id: 'abc@example.com',
    recording_status: 'completed',
    recording_content_type: 'audio/ogg',
    recording_duration_sec: '60.5',
    instruction: 'Ask about the delivery.',
    summary: '\'=cmd, "quoted"\nand more',
    from_name: '',
    diverted_from: '',
  });
});

test('as JSON lines each record is the same as a read of the call', async (t) => {
  const gateway = await fakeGateway(t);
  const first = await storeCall(gateway, { startedAt: at(0), summary: 'Two\nlines.' });
  const second = await storeCall(gateway, {
    startedAt: at(1),
    status: 'ringing',
    endReason: null,
    answeredAt: null,
    endedAt: null,
    durationSec: null,
  });
  const { headers, bytes } = await gateway.admin.get(`${path}?format=jsonl`);
  t.is(headers.get('content-type'), 'application/jsonl');
  const lines = bytes.toString().trimEnd().split('\n');
  const read = await Promise.all(
    [first, second].map(async ({ id }) => (await gateway.admin.get(`/api/v1/admin/calls/${id}`)).body),
  );
  t.deepEqual(
    lines.map((line): unknown => JSON.parse(line)),
    read,
  );
});

test('a time is from its beginning to before its end, in order', async (t) => {
  const gateway = await fakeGateway(t);
  const ids: string[] = [];
  for (const minute of [2, 0, 3, 1]) ids[minute] = (await storeCall(gateway, { startedAt: at(minute) })).id;
  const idsOf = async (query: string): Promise<(string | undefined)[]> => {
    const { bytes } = await gateway.admin.get(`${path}${query}`);
    return recordsIn(bytes.toString()).map((record) => record['call_id']);
  };
  t.deepEqual(await idsOf(''), ids);
  t.deepEqual(await idsOf('?since=2026-11-21T03:01:00Z&until=2026-11-21T12:03:00%2B09:00'), ids.slice(1, 3));
  t.deepEqual(await idsOf('?since=2026-11-21T04:00:00Z'), []);
});

test('nobody sees records of another workspace, and a number key sees none', async (t) => {
  const gateway = await fakeGateway(t);
  await storeCall(gateway);
  const other = gateway.admin.as((await addWorkspace(gateway.database)).adminToken);
  t.is(recordsIn((await other.get(path)).bytes.toString()).length, 0);
  t.is((await gateway.client.get(path)).status, 401);
});

test('what cannot be asked for is named', async (t) => {
  const { admin } = await fakeGateway(t);
  t.like((await admin.get(`${path}?format=xls&since=yesterday`)).body, {
    code: 'invalid_request',
    errors: [{ path: 'format' }, { path: 'since' }],
  });
  const head = await admin.send('HEAD', path);
  t.is(head.status, 200);
});

test('pages join without gap or double, also where calls started at the same moment', async (t) => {
  const gateway = await fakeGateway(t);
  const stored: string[] = [];
  for (let count = 0; count < 7; count += 1) {
    stored.push((await storeCall(gateway, { startedAt: at(count < 4 ? 0 : 1) })).id);
  }
  const { database, workspaceId } = gateway;
  for (const size of [1, 2, 3, 7, 8]) {
    const pages: CallRecord[][] = [];
    const wanted = { workspaceId, since: null, until: at(9) };
    for await (const page of callRecords(database, wanted, size)) pages.push(page);
    t.true(pages.every((page) => page.length > 0 && page.length <= size));
    t.deepEqual(pages.flatMap((page) => page.map(({ id }) => id)).sort(), [...stored].sort());
  }
});

test('a file is made while it is read: nobody waits for the whole of it', async (t) => {
  const gateway = await fakeGateway(t);
  await storeCall(gateway);
  const statements: string[] = [];
  const { database } = gateway;
  const watched: typeof database = {
    ...database,
    ...scriptedStatements((sql, parameters) => {
      statements.push(sql);
      return database.execute(sql, parameters);
    }),
  };
  const pages = callRecords(
    watched,
    { workspaceId: gateway.workspaceId, since: null, until: new Date('2100-01-01') },
    1,
  );
  t.is(statements.length, 0);
  await pages.next();
  t.is(statements.length, 1);
  await pages.return(undefined);
  t.is(statements.length, 1);
});
