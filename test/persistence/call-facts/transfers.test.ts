/** The row of a call tells of its last transfer, from request to end. */
import test from 'ava';
import { recordFact, type RecordedFact } from '#src/persistence/call-facts.ts';
import { findCall } from '#src/persistence/calls.ts';
import { testDatabase } from '#test/helpers/database.ts';
import { storedCall, storedNumber } from '#test/helpers/stored-number.ts';
import { answered, ended, startedAt, typesOf } from './stored-facts.ts';

const transferId = '3f1f6f0e-98a2-4f0f-8a9e-5d5b8e4f7a11';
const to = '0212345678';
const requested = {
  type: 'call.transfer_requested',
  at: startedAt + 3_000,
  transferId,
  to,
  mode: 'cold',
} as const;

const rung = {
  id: transferId,
  to,
  mode: 'cold',
  status: 'ringing',
  reason: null,
  startedAt: new Date(requested.at).toISOString(),
  connectedAt: null,
  sip: null,
};

/** The transfer of the call after these facts, and the types of its events. */
const after = async (...story: RecordedFact[]) => {
  const db = await testDatabase();
  const owner = await storedNumber(db);
  const callId = await storedCall(db, owner);
  for (const [index, fact] of story.entries()) await recordFact(db, callId, index + 1, fact);
  const call = await findCall(db, { callId, numberId: owner.numberId });
  return { transfer: call?.transfer, told: (await typesOf(db, callId)).slice(2) };
};

test('a call of which none was asked for has none', async (t) => {
  t.is((await after(answered, ended)).transfer, null);
});

test('whom it is rung for, and since when', async (t) => {
  t.deepEqual(await after(answered, requested), { transfer: rung, told: ['call.transfer_requested'] });
});

test('who is connected stays so when the call ends', async (t) => {
  const at = startedAt + 5_000;
  const { transfer, told } = await after(
    answered,
    requested,
    { type: 'call.transfer_connected', at, transferId },
    ended,
  );
  t.deepEqual(transfer, { ...rung, status: 'connected', connectedAt: new Date(at).toISOString() });
  t.deepEqual(told, ['call.transfer_requested', 'call.transfer_connected', 'call.ended']);
});

test('why nobody was connected, and what SIP said of it', async (t) => {
  const sip = { status: 486, reason: 'Busy Here', callId: 'abc' };
  const failed = {
    type: 'call.transfer_failed',
    at: startedAt + 5_000,
    transferId,
    reason: 'busy',
    sip,
  } as const;
  const { transfer, told } = await after(answered, requested, failed, ended);
  t.deepEqual(transfer, { ...rung, status: 'failed', reason: 'busy', sip });
  t.deepEqual(told, ['call.transfer_requested', 'call.transfer_failed', 'call.ended']);
});

test('one that was taken back has not failed, and the next one takes its place', async (t) => {
  const returned = { type: 'call.transfer_returned', at: startedAt + 5_000, transferId } as const;
  t.deepEqual((await after(answered, requested, returned)).transfer, { ...rung, status: 'returned' });
  const again = { ...requested, to: '0298765432', at: startedAt + 6_000 } as const;
  const { transfer } = await after(answered, requested, returned, again);
  t.deepEqual(transfer, { ...rung, to: again.to, startedAt: new Date(again.at).toISOString() });
});

test('a call that ends while somebody is rung has none under way any more', async (t) => {
  const { transfer, told } = await after(answered, requested, ended);
  t.deepEqual(transfer, { ...rung, status: 'failed', reason: 'call_ended' });
  t.deepEqual(told, ['call.transfer_requested', 'call.ended']);
});
