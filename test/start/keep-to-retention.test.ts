/** What has been kept for as long as a number says is erased, and nothing else. */
import { randomUUID } from 'node:crypto';
import test, { type ExecutionContext } from 'ava';
import pino from 'pino';
import { systemClock } from '#src/clocks.ts';
import type { Retention } from '#src/domain/retention.ts';
import { recordFact, type RecordedFact } from '#src/persistence/call-facts.ts';
import { findCall } from '#src/persistence/calls.ts';
import type { Database } from '#src/persistence/database.ts';
import { deleteNumber, patchNumber } from '#src/persistence/numbers.ts';
import { transcriptOf } from '#src/persistence/transcripts.ts';
import { patchWorkspace } from '#src/persistence/workspaces.ts';
import { keepToRetention } from '#src/start/keep-to-retention.ts';
import { testDatabase } from '#test/helpers/database.ts';
import { storedCall, storedNumber, type StoredNumber } from '#test/helpers/stored-number.ts';
import { until } from '#test/helpers/until.ts';

const dayMs = 86_400_000;

/** A call that ended so many days ago, with words and a recording. */
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
    start: () => {
      const keeping = keepToRetention({
        database: db,
        numbers: { everyMs: 50, batch: 2 },
        clock: systemClock,
        logger: pino({ level: 'silent' }),
      });
      t.teardown(keeping.close);
      return keeping;
    },
    /** What is left of these calls, in order. */
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

test.serial('words and recordings go when their time is over, each by itself', async (t) => {
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

  // What is told shorter afterwards holds for what was looked at before.
  await setNumber({ recordings: 3, words: 4 });
  await untilErased({ db, owner }, calls[5] ?? '', 'recording');
  await untilErased({ db, owner }, calls[5] ?? '', 'words');
  t.deepEqual((await left(calls)).at(-1), none);
});

test.serial('the days are counted from the end of a call', async (t) => {
  const { db, owner, setNumber, left, start } = await world(t);
  await setNumber({ recordings: null, words: 2 });
  const lasting = await callOf(db, owner, 1, 3 * dayMs);
  const ended = await callOf(db, owner, 3);
  start();
  await untilErased({ db, owner }, ended, 'words');
  t.deepEqual(await left([lasting]), [all]);
});

test.serial(
  'a number that says nothing does as its workspace says, and nothing of it for ever',
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

test.serial('the calls of a deleted number are erased as those of any', async (t) => {
  const { db, owner, setNumber, start } = await world(t);
  const callId = await callOf(db, owner, 5);
  await setNumber({ recordings: null, words: 3 });
  await deleteNumber(db, owner, new Date());
  start();
  await untilErased({ db, owner }, callId, 'words');
  t.pass();
});

test.serial(
  'of a number that keeps words for no day none is written, and the rest goes with the end',
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
