/** What is erased of a call that is over, also where something of it comes later. */
import { randomUUID } from 'node:crypto';
import test from 'ava';
import { recordFact, type RecordedFact } from '#src/persistence/call-facts.ts';
import { listCalls, type CallListQuery } from '#src/persistence/call-list.ts';
import { findCall } from '#src/persistence/calls.ts';
import type { Database } from '#src/persistence/database.ts';
import { eraseCall, eraseWords } from '#src/persistence/erasing.ts';
import { erasedFiles } from '#src/persistence/recordings.ts';
import { keepSipMessages, type StoredSipMessage } from '#src/persistence/sip-messages.ts';
import { transcriptOf } from '#src/persistence/transcripts.ts';
import { testDatabase } from '#test/helpers/database.ts';
import { storedCall, storedNumber, type StoredNumber } from '#test/helpers/stored-number.ts';
import { answered, ended, said, startedAt, typesOf } from './call-facts/stored-facts.ts';

const completed: RecordedFact = {
  type: 'recording.completed',
  at: ended.at + 1,
  contentType: 'audio/ogg',
  durationSec: 10.2,
  bytes: 5_000,
  file: '2026-11/a.ogg',
  truncated: false,
};

const summarized: RecordedFact = { type: 'call.summarized', at: ended.at + 2, summary: 'A wombat was sold.' };

const entry = ({ workspaceId }: StoredNumber) => ({
  workspaceId,
  actor: 'operator',
  action: 'call.erased',
  subject: 'call:1',
  at: new Date(startedAt),
});

/** A call that is over; what comes after the end is not written yet. */
const endedCall = async (
  db: Database,
  owner: StoredNumber,
  counterparty = '01000000001',
): Promise<string> => {
  const callId = await storedCall(db, owner, { counterparty, callerName: 'Numbat', node: randomUUID() });
  const story: RecordedFact[] = [
    answered,
    said(2_000, 'A quokka.'),
    {
      type: 'call.transfer_requested',
      at: startedAt + 2_500,
      transferId: randomUUID(),
      to: '0212345678',
      mode: 'cold',
    },
    ended,
  ];
  for (const [index, fact] of story.entries()) await recordFact(db, callId, index + 1, fact);
  return callId;
};

const everything = async (db: Database, callId: string): Promise<string> => {
  const rows = await db.execute<{ row: string }>(
    `select to_jsonb(c)::text as row from call c where id = $1
     union all select to_jsonb(f)::text from call_fact f where call_id = $1
     union all select to_jsonb(t)::text from call_turn t where call_id = $1
     union all select to_jsonb(e)::text from event e where call_id = $1
     union all select to_jsonb(s)::text from call_search s where call_id = $1
     union all select to_jsonb(m)::text from sip_message m where call_id = $1`,
    [callId],
  );
  return rows.map(({ row }) => row).join('\n');
};

const foundBy = async (
  db: Database,
  { workspaceId }: StoredNumber,
  search: CallListQuery['search'],
): Promise<number> => (await listCalls(db, { scope: { workspaceId }, limit: 10, search })).length;

const message = (callId: string, atMicros: number): StoredSipMessage => ({
  callId,
  atMicros,
  direction: 'in',
  transport: 'udp',
  local: '127.0.0.1:5060',
  remote: '127.0.0.1:5070',
  text: 'BYE sip:quokka@127.0.0.1 SIP/2.0',
  leftOut: 0,
});

/** Those that this gateway is asked to remove. */
const first = { node: 'test', after: '00000000-0000-0000-0000-000000000000', atMost: 10 };

const traces = /quokka|wombat|numbat|Book a table|01000000001|0212345678/i;

test('nothing of the other party is left, nor comes back with what is written later', async (t) => {
  const db = await testDatabase(t);
  const owner = await storedNumber(db);
  const callId = await endedCall(db, owner);
  await keepSipMessages(db, [message(callId, 1)]);
  t.regex(await everything(db, callId), traces);

  t.is(await eraseCall(db, { callId, workspaceId: owner.workspaceId }, entry(owner)), 'erased');
  t.notRegex(await everything(db, callId), traces);
  t.deepEqual(await erasedFiles(db, first), [], 'its recording is not complete yet');

  await recordFact(db, callId, 5, completed);
  await recordFact(db, callId, 6, summarized);
  await keepSipMessages(db, [message(callId, 2)]);
  t.notRegex(await everything(db, callId), traces);
  t.deepEqual(await erasedFiles(db, first), [{ callId, file: '2026-11/a.ogg' }]);
  t.like(await findCall(db, { callId, ...owner }), {
    counterparty: '01',
    callerName: null,
    summary: null,
    endReason: 'agent_hangup',
    durationSec: 10.25,
    transfer: { to: '78', status: 'failed', reason: 'call_ended' },
  });
  t.deepEqual((await typesOf(db, callId)).toSorted(), [
    'call.answered',
    'call.ended',
    'call.erased',
    'call.ringing',
    'call.transfer_requested',
    'recording.completed',
  ]);
  t.is(await foundBy(db, owner, { kind: 'words', words: ['quokka'] }), 0);
  t.is(await foundBy(db, owner, { kind: 'number', digits: '0000001' }), 0);
});

test('who withheld the number still has', async (t) => {
  const db = await testDatabase(t);
  const owner = await storedNumber(db);
  const callId = await endedCall(db, owner, 'anonymous');
  await eraseCall(db, { callId, workspaceId: owner.workspaceId }, entry(owner));
  t.like(await findCall(db, { callId, ...owner }), { counterparty: 'anonymous' });
});

test('a call in progress, a foreign one and an unknown one are left as they are', async (t) => {
  const db = await testDatabase(t);
  const owner = await storedNumber(db);
  const stranger = await storedNumber(db);
  const over = await endedCall(db, owner);
  const ringing = await storedCall(db, owner);
  const talking = await storedCall(db, owner);
  await recordFact(db, talking, 1, answered);
  const before = await everything(db, over);
  const outcome = (callId: string, { workspaceId }: StoredNumber) =>
    eraseCall(db, { callId, workspaceId }, entry(owner));
  t.is(await outcome(ringing, owner), 'in_progress');
  t.is(await outcome(talking, owner), 'in_progress');
  t.is(await outcome(over, stranger), 'unknown');
  t.is(await outcome(randomUUID(), owner), 'unknown');
  t.is(await everything(db, over), before);
  t.is(await outcome(over, owner), 'erased');
  t.is(await outcome(over, owner), 'erased_before');
});

test('of calls whose words alone are erased the number stays, by which they are found', async (t) => {
  const db = await testDatabase(t);
  const owner = await storedNumber(db);
  const callId = await endedCall(db, owner);
  const other = await endedCall(db, owner, '01000000002');
  await eraseWords(db, [callId]);
  await recordFact(db, callId, 5, summarized);
  t.notRegex(await everything(db, callId), /quokka|wombat|Book a table/);
  t.deepEqual(await transcriptOf(db, callId), []);
  t.like(await findCall(db, { callId, ...owner }), { counterparty: '01000000001', callerName: 'Numbat' });
  t.is(await foundBy(db, owner, { kind: 'number', digits: '0000001' }), 1);
  t.is(await foundBy(db, owner, { kind: 'words', words: ['quokka'] }), 1, 'that of the other call');
  t.regex(await everything(db, other), /quokka/);
});
