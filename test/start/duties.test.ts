/** First start, clean-up of stored data, and shutdown of a gateway. */
import { randomUUID } from 'node:crypto';
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { mock } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import test, { type ExecutionContext } from 'ava';
import pino from 'pino';
import { newNumberKey } from '#src/administration/new-key.ts';
import { systemClock } from '#src/clocks.ts';
import type { Retention } from '#src/domain/retention.ts';
import { StartError } from '#src/domain/start-error.ts';
import {
  authenticateAdmin,
  createAdminToken,
  fingerprintOf,
} from '#src/persistence/workspaces/admin-tokens.ts';
import { type RecordedFact, recordFact } from '#src/persistence/calls/call-facts.ts';
import { findCall } from '#src/persistence/calls/calls.ts';
import { type Database, openDatabase } from '#src/persistence/database/database.ts';
import { authenticateNumber, putNumberKey } from '#src/persistence/numbers/number-keys.ts';
import { createNumber, deleteNumber, patchNumber } from '#src/persistence/numbers/numbers.ts';
import { createSealing } from '#src/persistence/database/sealing.ts';
import { transcriptOf } from '#src/persistence/calls/transcripts.ts';
import { createWorkspace, patchWorkspace } from '#src/persistence/workspaces/workspaces.ts';
import { clearOutlivedRows } from '#src/housekeeping/expired-rows.ts';
import { writeCredentials } from '#src/start/credentials.ts';
import { endCalls, nodeDuties } from '#src/parts/continuity.ts';
import { createJournalClosing } from '#src/calls/journal/journal-closing.ts';
import { keepToRetention } from '#src/housekeeping/retention.ts';
import { seed } from '#src/start/seed.ts';
import { sweepSipMessages } from '#src/housekeeping/old-sip-messages.ts';
import { createOrderedClock } from '#test/contract/ordered-clock.ts';
import { testDatabase, testDatabaseUrl } from '#test/helpers/database.ts';
import { patientLimits } from '#test/helpers/patient-limits.ts';
import { scriptedDatabase } from '#test/helpers/scripted-database.ts';
import { type StoredNumber, storedCall, storedNumber } from '#test/helpers/stored-number.ts';
import { until } from '#test/helpers/until.ts';
import { emptyFolder } from './gateway-process.ts';

// First start

const logger = pino({ level: 'silent' });

const urls = { base_url: 'http://127.0.0.1:8080', console_url: 'http://127.0.0.1:8080/' };

const openAs = async (t: ExecutionContext, url: string, node: string) => {
  const opened = await openDatabase({
    connection: { url },
    poolSize: 2,
    journalPoolSize: 1,
    limits: patientLimits,
    node,
    logger,
  });
  t.teardown(opened.close);
  return opened;
};

/** The first start of a gateway with stored credentials, and a second start after changes. */
const seeded = async (t: ExecutionContext) => {
  const url = await testDatabaseUrl(t);
  const open = (node: string) => openAs(t, url, node);
  const database = await open('one');
  const dataFolder = await emptyFolder(t);
  const sealing = createSealing(Buffer.alloc(32, 7));
  const again = () => seed({ database, sealing, dataFolder, node: 'one', logger });
  const first = await again();
  await writeCredentials(dataFolder, { ...urls, ...first });
  const adminOf = (token: string) => authenticateAdmin(database, sealing, token, new Date());
  const audit = () =>
    database.execute<{ action: string; subject: string; detail: unknown }>(
      'select action, subject, detail from audit_entry order by id',
    );
  return { database, open, dataFolder, sealing, first, again, adminOf, audit };
};

test.serial(
  'creates a workspace with a number, a valid key and a valid admin token at the first start',
  async (t) => {
    const { database, sealing, first, adminOf, audit } = await seeded(t);
    t.is(first.number, '07000000000');
    const number = await authenticateNumber(database, sealing, first.number_key);
    t.is(number?.id, first.number_id);
    const admin = await adminOf(first.admin_token);
    t.is(admin?.workspace.id, first.workspace_id);
    t.deepEqual(await audit(), [
      {
        action: 'credentials.written',
        subject: `number:${first.number_id}`,
        detail: { admin_token: admin?.id },
      },
    ]);
  },
);

test.serial(
  'gateways that start at the same time on an empty database create one workspace, number and key',
  async (t) => {
    const url = await testDatabaseUrl(t);
    const sealing = createSealing(Buffer.alloc(32, 7));
    const nodes = ['one', 'two', 'three', 'four', 'five'];
    const opened = await Promise.all(nodes.map((node) => openAs(t, url, node)));
    const [database] = opened;
    const all = await Promise.all(
      opened.map(async (own, index) =>
        seed({
          database: own,
          sealing,
          dataFolder: await emptyFolder(t),
          node: nodes[index] ?? '',
          logger,
        }),
      ),
    );
    for (const { admin_token: token, ...shared } of all) {
      t.like(all[0], shared);
      t.truthy(database && (await authenticateAdmin(database, sealing, token, new Date())));
    }
    t.is(new Set(all.map(({ admin_token: token }) => token)).size, nodes.length);
    t.deepEqual(
      await database?.execute(
        'select (select count(*) from workspace) as workspaces, count(*) as numbers from phone_number',
      ),
      [{ workspaces: 1, numbers: 1 }],
    );
  },
);

test.serial('does not wait for the first start of another gateway when all data exists', async (t) => {
  const { open, first, again } = await seeded(t);
  const starting = await open('starting');
  t.deepEqual(await starting.withAdvisoryLock('first start', again), first);
});

test.serial('creates nothing at a later start that finds the existing data', async (t) => {
  const { database, first, again, audit } = await seeded(t);
  t.deepEqual(await again(), first);
  const [counted] = await database.execute(
    `select (select count(*) from workspace) as workspaces, (select count(*) from phone_number) as numbers,
       (select count(*) from admin_token) as tokens`,
  );
  t.deepEqual(counted, { workspaces: 1, numbers: 1, tokens: 1 });
  t.is((await audit()).length, 1);
});

test.serial(
  'recreates a lost credentials file with the same number and key, and a new token that invalidates the old one',
  async (t) => {
    const { dataFolder, first, again, adminOf, audit } = await seeded(t);
    const lost = await adminOf(first.admin_token);
    await rm(join(dataFolder, 'dev-credentials.json'));
    const { admin_token: fresh, ...others } = await again();
    const { admin_token: before, ...same } = first;
    t.deepEqual(others, same);
    t.not(fresh, before);
    t.is((await adminOf(fresh))?.workspace.id, first.workspace_id);
    t.is(await adminOf(before), undefined);
    t.deepEqual((await audit()).map(({ action, subject }) => [action, subject]).slice(1), [
      ['admin_token.revoked', `admin_token:${lost?.id}`],
      ['credentials.written', `number:${first.number_id}`],
    ]);
    // A gateway that dies before writing the file.
    await again();
    t.is(await adminOf(fresh), undefined);
  },
);

test.serial('keeps tokens created by people and by other running gateways', async (t) => {
  const { database, open, dataFolder, sealing, first, again, adminOf } = await seeded(t);
  const made = { workspaceId: first.workspace_id, createdAt: new Date() };
  await createAdminToken(database, {
    ...made,
    id: randomUUID(),
    name: 'Me',
    ...fingerprintOf(sealing, 'mine'),
  });
  for (const node of ['running', 'gone']) {
    await database.execute(
      `insert into admin_token (id, workspace_id, name, token_hash, created_at, node) values ($1, $2, $3, $4, $5, $3)`,
      [randomUUID(), first.workspace_id, node, sealing.fingerprint(node), new Date()],
    );
  }
  await open('running');
  await rm(join(dataFolder, 'dev-credentials.json'));
  await again();
  t.truthy(await adminOf('mine'));
  t.truthy(await adminOf('running'));
  t.is(await adminOf('gone'), undefined);
});

test.serial('keeps the token of a gateway when another gateway loses its own', async (t) => {
  const { database, open, sealing, dataFolder, first, adminOf } = await seeded(t);
  const renamed = await open('renamed');
  await seed({ database: renamed, sealing, dataFolder, node: 'renamed', logger });
  await seed({ database, sealing, dataFolder: await emptyFolder(t), node: 'one', logger });
  t.truthy(await adminOf(first.admin_token));
});

test.serial(
  'writes a reissued number key to the credentials file without creating another admin token',
  async (t) => {
    const { database, sealing, first, again } = await seeded(t);
    const key = newNumberKey();
    const numberId = first.number_id;
    await putNumberKey(database, {
      numberId,
      keyHash: sealing.fingerprint(key),
      keySealed: sealing.seal(key, numberId),
      issuedAt: new Date(),
    });
    t.deepEqual(await again(), { ...first, number_key: key });
  },
);

test.serial('does not replace a token that was revoked', async (t) => {
  const { database, first, again, adminOf } = await seeded(t);
  await database.execute('update admin_token set revoked_at = now()');
  t.deepEqual(await again(), first);
  t.is(await adminOf(first.admin_token), undefined);
});

test.serial(
  'uses the next number of the workspace if the first one was deleted, or creates one',
  async (t) => {
    const { database, first, again } = await seeded(t);
    const workspaceId = first.workspace_id;
    const second = { id: randomUUID(), workspaceId, number: '07012345678', language: 'ko' as const };
    await createNumber(database, { ...second, createdAt: new Date() });
    await deleteNumber(database, { numberId: first.number_id, workspaceId }, new Date());
    t.like(await again(), { number_id: second.id, number: second.number, admin_token: first.admin_token });

    await deleteNumber(database, { numberId: second.id, workspaceId }, new Date());
    const other = randomUUID();
    await createWorkspace(database, { id: other, name: 'Other', createdAt: new Date() });
    await createNumber(database, {
      id: randomUUID(),
      workspaceId: other,
      number: '07000000000',
      language: 'ko',
      createdAt: new Date(),
    });
    t.like(await again(), { number: '07000000001', workspace_id: workspaceId });
  },
);

test.serial('ignores a credentials file of another database', async (t) => {
  const other = await seeded(t);
  const { database, dataFolder, sealing } = await seeded(t);
  await writeCredentials(dataFolder, { ...urls, ...other.first });
  const found = await seed({ database, sealing, dataFolder, node: 'one', logger });
  t.not(found.workspace_id, other.first.workspace_id);
  t.is((await authenticateNumber(database, sealing, found.number_key))?.id, found.number_id);
});

test.serial('replaces a key without a recovery copy if the credentials file is lost', async (t) => {
  const { database, dataFolder, sealing, first, again } = await seeded(t);
  await database.execute('update number_key set key_sealed = null');
  t.is((await again()).number_key, first.number_key, 'the file still has it');
  await writeFile(join(dataFolder, 'dev-credentials.json'), '{}');
  const { number_key: fresh } = await again();
  t.not(fresh, first.number_key);
  t.is((await authenticateNumber(database, sealing, fresh))?.id, first.number_id);
  t.is(await authenticateNumber(database, sealing, first.number_key), undefined);
});

test.serial('rejects the start with a master key of another database and changes nothing', async (t) => {
  const { database, dataFolder, first, again } = await seeded(t);
  const error = await t.throwsAsync(
    seed({ database, dataFolder, sealing: createSealing(Buffer.alloc(32, 8)), node: 'one', logger }),
    {
      instanceOf: StartError,
    },
  );
  t.regex(error.message, /^GW_MASTER_KEY .*GW_OLD_MASTER_KEYS$/);
  t.deepEqual(await again(), first);
});

test.serial('accepts a new master key if the earlier one is among the old keys', async (t) => {
  const { database, dataFolder, first } = await seeded(t);
  const sealing = createSealing(Buffer.alloc(32, 8), [Buffer.alloc(32, 7)]);
  t.deepEqual(await seed({ database, dataFolder, sealing, node: 'one', logger }), first);
});

// Obsolete rows

test.serial('deletes obsolete rows every hour until the shutdown, even after a failure', async (t) => {
  mock.timers.enable({ apis: ['setInterval'] });
  t.teardown(() => mock.timers.reset());
  const logged: string[] = [];
  const logger = pino({ base: null }, { write: (line: string) => void logged.push(line) });
  let asked = 0;
  const end = clearOutlivedRows(
    scriptedDatabase(() => {
      asked += 1;
      return asked === 1 ? Promise.reject(new Error('The database is away')) : Promise.resolve([]);
    }),
    logger,
  );

  mock.timers.tick(3_599_999);
  t.is(asked, 0);
  mock.timers.tick(1);
  await setImmediate();
  t.is(asked, 4);
  t.is(logged.length, 1);
  t.regex(logged[0] ?? '', /retrying in an hour/);

  mock.timers.tick(3_600_000);
  await setImmediate();
  t.is(asked, 8);
  t.is(logged.length, 1, 'a success is not worth a line');

  end();
  mock.timers.tick(36_000_000);
  await setImmediate();
  t.is(asked, 8);
});

// Retention

const dayMs = 86_400_000;

/** A call that ended this many days ago, with words and a recording. */
const callOf = async (
  db: Database,
  owner: StoredNumber,
  daysAgo: number,
  lastingMs = 60_000,
): Promise<string> => {
  const startedAt = Date.now() - daysAgo * dayMs - lastingMs;
  const callId = await storedCall(db, owner, { startedAt: new Date(startedAt), node: randomUUID() });
  const at = startedAt + 1_000;
  const story: RecordedFact[] = [
    { type: 'call.answered', at },
    { type: 'turn.spoken', at, endedAt: at + 500, role: 'user', text: 'A quokka.', whole: true },
    { type: 'call.ended', at: startedAt + lastingMs, reason: 'counterparty_hangup', status: 'completed' },
    { type: 'call.summarized', at: startedAt + lastingMs, summary: 'About a quokka.' },
  ];
  for (const [index, fact] of story.entries()) await recordFact(db, callId, index + 1, fact);
  return callId;
};

const world = async (t: ExecutionContext) => {
  const db = await testDatabase(t);
  const owner = await storedNumber(db);
  return {
    db,
    owner,
    setNumber: (retentionDays: Retention | null) => patchNumber(db, owner, { retentionDays }),
    setWorkspace: (retentionDays: Retention | null) =>
      patchWorkspace(db, owner.workspaceId, { retentionDays }),
    start: ({ database = db, everyMs = 50 } = {}) => {
      const keeping = keepToRetention({
        database,
        numbers: { everyMs, batch: 2 },
        clock: systemClock,
        logger: pino({ level: 'silent' }),
      });
      t.teardown(keeping.close);
      return keeping;
    },
    /** Returns for each given call whether its words and its recording are still stored, in the given order. */
    left: (callIds: readonly string[]) =>
      Promise.all(
        callIds.map(async (callId) => {
          const call = await findCall(db, { callId, workspaceId: owner.workspaceId });
          const turns = await transcriptOf(db, callId);
          return {
            words: turns.length > 0 && call?.summary !== null && call?.instruction !== null,
            recording: call?.recording?.erasedAt === null,
          };
        }),
      ),
  };
};

const all = { words: true, recording: true };

const untilErased = (
  { db, owner }: Pick<Awaited<ReturnType<typeof world>>, 'db' | 'owner'>,
  callId: string,
  kept: 'words' | 'recording',
) =>
  until('it is erased', async () => {
    const call = await findCall(db, { callId, workspaceId: owner.workspaceId });
    const at = kept === 'words' ? call?.wordsErasedAt : call?.recording?.erasedAt;
    return at ?? undefined;
  });

test.serial('deletes words and recordings independently when their retention ends', async (t) => {
  const { db, owner, setNumber, left, start } = await world(t);
  const stranger = await storedNumber(db);
  const calls = await Promise.all([40, 39, 38, 37, 12, 5].map((days) => callOf(db, owner, days)));
  const foreign = await callOf(db, stranger, 100);
  await setNumber({ recordings: 10, words: 30 });
  start();
  await untilErased({ db, owner }, calls[3] ?? '', 'words');
  await untilErased({ db, owner }, calls[4] ?? '', 'recording');
  const none = { words: false, recording: false };
  t.deepEqual(await left(calls), [none, none, none, none, { words: true, recording: false }, all]);
  t.is((await transcriptOf(db, foreign)).length, 1);

  // A retention that is shortened later also applies to rows checked before.
  await setNumber({ recordings: 3, words: 4 });
  await untilErased({ db, owner }, calls[5] ?? '', 'recording');
  await untilErased({ db, owner }, calls[5] ?? '', 'words');
  t.deepEqual((await left(calls)).at(-1), none);
});

test.serial('counts the days of retention from the end of a call', async (t) => {
  const { db, owner, setNumber, left, start } = await world(t);
  await setNumber({ recordings: null, words: 2 });
  const lasting = await callOf(db, owner, 1, 3 * dayMs);
  const ended = await callOf(db, owner, 3);
  start();
  await untilErased({ db, owner }, ended, 'words');
  t.deepEqual(await left([lasting]), [all]);
});

test.serial(
  "uses the workspace's retention for a number without one, and keeps data forever without either",
  async (t) => {
    const { db, owner, setNumber, setWorkspace, left, start } = await world(t);
    const own = await storedNumber(db);
    const calls = [await callOf(db, owner, 40)];
    await setWorkspace({ recordings: null, words: 30 });
    const keeping = start();
    await untilErased({ db, owner }, calls[0] ?? '', 'words');
    t.deepEqual(await left(calls), [{ words: false, recording: true }]);

    await setNumber({ recordings: null, words: null });
    calls.push(await callOf(db, owner, 50));
    const seen = await callOf(db, own, 2);
    await patchWorkspace(db, own.workspaceId, { retentionDays: { recordings: null, words: 1 } });
    await untilErased({ db, owner: own }, seen, 'words');
    await keeping.close();
    t.deepEqual((await left(calls))[1], all, 'the number says for ever');
  },
);

/** A database that passes each search for outlived calls to `onSearch` first. */
const searched = (db: Database, onSearch: (numberId: string, since: Date) => void): Database => ({
  ...db,
  execute(sql, parameters = []) {
    const [numberId, since] = parameters;
    if (sql.includes('"ended_at" <=') && typeof numberId === 'string' && since instanceof Date)
      onSearch(numberId, since);
    return db.execute(sql, parameters);
  },
});

test.serial('erases calls of a number although those of another one cannot be read', async (t) => {
  const { db, owner, start } = await world(t);
  const other = await storedNumber(db);
  const calls = new Map<string, string>();
  for (const each of [owner, other]) {
    await patchNumber(db, each, { retentionDays: { recordings: null, words: 3 } });
    calls.set(each.numberId, await callOf(db, each, 5));
  }
  let broken: string | undefined;
  start({
    database: searched(db, (numberId) => {
      if (calls.has(numberId)) broken ??= numberId;
      if (numberId === broken) throw new Error('canceled');
    }),
  });
  await until('a search', () => broken);
  const whole = broken === owner.numberId ? other : owner;
  await untilErased({ db, owner: whole }, calls.get(whole.numberId) ?? '', 'words');
  t.is((await transcriptOf(db, calls.get(broken ?? '') ?? '')).length, 1);
});

test.serial('erases a call whose end was found days after its start', async (t) => {
  const { db, owner, setNumber, start } = await world(t);
  const late = await callOf(db, owner, 4, 3 * dayMs);
  const seen = await callOf(db, owner, 6);
  await setNumber({ recordings: 5, words: 5 });
  start();
  await untilErased({ db, owner }, seen, 'words');
  await untilErased({ db, owner }, seen, 'recording');
  // A second look, after the start of the late call was checked.
  const next = await callOf(db, owner, 5);
  await untilErased({ db, owner }, next, 'recording');

  await setNumber({ recordings: 3, words: 3 });
  await untilErased({ db, owner }, late, 'words');
  await untilErased({ db, owner }, late, 'recording');
  t.is((await transcriptOf(db, late)).length, 0);
});

test.serial('continues each batch of erased calls at the end of the previous one', async (t) => {
  const { db, owner, setNumber, start } = await world(t);
  const calls: string[] = [];
  for (const days of [9, 8, 7, 6, 5]) calls.push(await callOf(db, owner, days));
  await setNumber({ recordings: null, words: 3 });
  const starts: number[] = [];
  const database = searched(db, (numberId, since) => {
    if (numberId === owner.numberId) starts.push(since.getTime());
  });
  start({ database, everyMs: 3_600_000 });
  await untilErased({ db, owner }, calls[4] ?? '', 'words');
  const daysAgo = starts.slice(1, 3).map((at) => Math.round((Date.now() - at) / dayMs));
  t.deepEqual(daysAgo, [8, 6]);
});

test.serial('erases calls of a deleted number like those of any other', async (t) => {
  const { db, owner, setNumber, start } = await world(t);
  const callId = await callOf(db, owner, 5);
  await setNumber({ recordings: null, words: 3 });
  await deleteNumber(db, owner, new Date());
  start();
  await untilErased({ db, owner }, callId, 'words');
  t.pass();
});

test.serial(
  'with a retention of zero days, stores no words and deletes other data at the end of the call',
  async (t) => {
    const { db, owner, setNumber, start, left } = await world(t);
    await setNumber({ recordings: null, words: 0 });
    const ringing = await storedCall(db, owner, { startedAt: new Date() });
    const callId = await callOf(db, owner, 0);
    t.deepEqual(await transcriptOf(db, callId), []);
    const before = await findCall(db, { callId, workspaceId: owner.workspaceId });
    t.is(before?.summary, null);
    t.is(before?.instruction, 'Book a table');
    const events = await db.execute(`select 1 from event where call_id = $1 and type = 'call.summarized'`, [
      callId,
    ]);
    t.deepEqual(events, [], 'nobody is told of a summary that is not there');
    start();
    await untilErased({ db, owner }, callId, 'words');
    t.deepEqual(await left([callId]), [{ words: false, recording: true }]);
    const going = await findCall(db, { callId: ringing, workspaceId: owner.workspaceId });
    t.is(going?.instruction, 'Book a table', 'a call in progress needs it');
  },
);

// SIP messages

const sweeping = (found: (Error | number)[]) => {
  const clock = createOrderedClock();
  const asked: { before: number; most: number }[] = [];
  const { close } = sweepSipMessages({
    async remove(range) {
      asked.push(range);
      const next = found.shift() ?? 0;
      if (typeof next !== 'number') throw next;
      return next;
    },
    days: 7,
    everyMs: 1_000,
    batch: 10,
    clock,
    logger: pino({ level: 'silent' }),
  });
  const sweep = async (): Promise<void> => {
    clock.advance(1_000);
    for (let turns = 0; turns < 10; turns += 1) await setImmediate();
  };
  return { clock, asked, sweep, close };
};

test.serial('deletes old SIP messages in batches until none is left', async (t) => {
  const { clock, asked, sweep } = sweeping([10, 10, 3]);
  await sweep();
  t.is(asked.length, 3);
  t.deepEqual(asked[0], { before: (clock.now() - 1_000 - 7 * 86_400_000) * 1_000 + 0, most: 10 });
  await sweep();
  t.is(asked.length, 4, 'and then again and again');
});

test.serial('retries an unreachable database at the next run', async (t) => {
  const { asked, sweep, close } = sweeping([new Error('away')]);
  await sweep();
  await sweep();
  t.is(asked.length, 2);
  await close();
  await sweep();
  t.is(asked.length, 2, 'until it is closed');
});

// Duties towards other gateways

test('checks the files of recordings when this gateway is registered again', async (t) => {
  const done: string[] = [];
  const noted = (what: string) => async () => void done.push(what);
  const { onLost, atEachLook } = nodeDuties(
    { database: scriptedDatabase(() => Promise.resolve([])) },
    {
      telephony: { disown: noted('disown'), endLegsOf: noted('end legs') },
      recordings: { checkErased: () => void done.push('check files') },
    },
    {
      takeFrom: noted('take'),
      leaveAll: () => void done.push('leave all'),
      settle: noted('settle'),
    },
  );
  const look = () => atEachLook({ hasPendingHangups: false });
  await look();
  onLost();
  t.deepEqual(done, ['settle', 'leave all']);
  await look();
  await look();
  t.deepEqual(done, ['settle', 'leave all', 'check files', 'settle', 'settle']);
});

// Calls at shutdown

/** A journal at shutdown; the test controls which facts it writes and drops. */
const closingJournal = (facts: number) => {
  const clock = createOrderedClock();
  const settled = Promise.withResolvers<void>();
  let backlog = facts;
  let lost = 0;
  const end = createJournalClosing({
    journal: {
      backlog: () => backlog,
      lost: () => lost,
      settled: () => settled.promise,
      giveUp() {
        lost = backlog;
        backlog = 0;
        settled.resolve();
      },
    },
    summaries: { hurry: () => {}, settled: () => Promise.resolve() },
    transitions: { close: () => Promise.resolve() },
    times: { journalMs: 5_000, hurriedJournalMs: 1_000 },
    clock,
    logger,
  });
  return {
    ...end,
    clock,
    write(written: number) {
      backlog -= written;
      if (backlog === 0) settled.resolve();
    },
  };
};

test('waits for facts as long as the database accepts some, and reports no loss', async (t) => {
  const journal = closingJournal(10_911);
  const closed = journal.close();
  for (let written = 0; written < 10; written += 1) {
    journal.write(1_091);
    journal.clock.advance(5_000);
  }
  journal.write(1);
  await t.notThrowsAsync(closed);
  t.is(journal.clock.pending(), 0);
});

test('stops waiting for facts if the database accepts none, and reports their number as lost', async (t) => {
  const journal = closingJournal(100);
  const closed = journal.close();
  journal.write(40);
  journal.clock.advance(5_000);
  journal.clock.advance(5_000);
  await t.throwsAsync(closed, { message: /^60 facts of calls are lost/ });
});

test('after a second shutdown request, waits only one second without a stored fact', async (t) => {
  const journal = closingJournal(2);
  const closed = journal.close();
  journal.hurry();
  journal.clock.advance(1_000);
  await t.throwsAsync(closed, { message: /^2 facts/ });
});

/** Actions of the shutdown, in order. */
const ending = async (drainSec: number): Promise<string[]> => {
  const done: string[] = [];
  await endCalls(
    {
      admission: { drain: () => void done.push('no new calls') },
      streams: { close: async (withinMs) => void done.push(`no streams after ${withinMs}`) },
      switchboard: {
        empty: async (withinMs) => void done.push(`wait ${withinMs}`),
        hangUpAll: () => void done.push('hang up'),
        closeAll: () => void done.push('cut off'),
      },
      lines: { takeNoMore: async () => void done.push('no new callers') },
      handOver: {
        begin: async () => void done.push('hand over'),
        finish: async () => void done.push('hand over the rest'),
      },
      logger: pino({ level: 'silent' }),
    },
    drainSec,
    { farewellMs: 10_000, lastEndsMs: 6_000, lastFactsMs: 2_000 },
  );
  return done;
};

test.serial("waits for calls, then hangs up after the agent's words, then disconnects", async (t) => {
  t.deepEqual(await ending(60), [
    'no new callers',
    'no new calls',
    'hand over',
    'wait 50000',
    'hand over the rest',
    'hang up',
    'wait 10000',
    'cut off',
    'wait 6000',
    'no streams after 2000',
  ]);
});

test.serial('reserves a third of a short drain time for farewells', async (t) => {
  t.deepEqual((await ending(15)).slice(3), [
    'wait 10000',
    'hand over the rest',
    'hang up',
    'wait 5000',
    'cut off',
    'wait 6000',
    'no streams after 2000',
  ]);
});

test.serial('disconnects at once with a drain time of zero', async (t) => {
  t.deepEqual((await ending(0)).slice(3), [
    'wait 0',
    'hand over the rest',
    'cut off',
    'wait 6000',
    'no streams after 2000',
  ]);
});
