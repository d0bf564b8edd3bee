/** Rows that are written with a fact of a call: in the same statement, and where the fact is alone. */
import { randomUUID } from 'node:crypto';
import test from 'ava';
import { recordFact } from '#src/persistence/call-facts.ts';
import type { CallBeginning } from '#src/persistence/call-revivals.ts';
import { callTransitions, keepTransitions } from '#src/persistence/call-transitions.ts';
import { takeFromEarlierProcess } from '#src/persistence/held-calls.ts';
import { testDatabase } from '#test/helpers/database.ts';
import { storedCall, storedNumber } from '#test/helpers/stored-number.ts';
import { answered, ended, said } from './stored-facts.ts';

const beginning: CallBeginning = {
  greeting: null,
  speech: { recognizer: null, synthesizer: null, voice: null },
  voicemail: { policy: 'talk', message: null },
  policy: {
    silenceTimeoutSec: 10,
    ringTimeoutSec: 45,
    recordingEnabled: false,
    bargeIn: { mode: 'pause', onsetMs: 120, speechMs: 600, resumeMs: 300 },
    turnEnd: { mode: 'pause', minSilenceMs: 700, maxSilenceMs: 1_500 },
    consent: { announce: null, require: 'none' },
  },
  binding: {
    direction: 'outbound',
    agent: 'builtin',
    agentType: null,
    chatUrl: null,
    assistantId: null,
    agentId: null,
    controls: 'off',
  },
};

const setUp = async () => {
  const db = await testDatabase();
  const node = randomUUID();
  return { db, node, callId: await storedCall(db, await storedNumber(db), { node }) };
};

test('with the answer is written what another process goes on with, and it goes with the end', async (t) => {
  const { db, node, callId } = await setUp();
  const revival = { beginning, tokenSealed: 'sealed', aheadMs: -3_600_000.5 };
  t.truthy(await recordFact(db, callId, 1, answered, 1, { revival, transitions: [] }));
  t.falsy(await recordFact(db, callId, 1, answered, 1, { revival, transitions: [] }), 'once');
  t.deepEqual((await takeFromEarlierProcess(db, node))[0]?.revival, { ...revival, progress: null });
  t.truthy(await recordFact(db, callId, 2, ended, 2));
  t.deepEqual(await db.execute('select 1 from call_revival where call_id = $1', [callId]), []);
});

test('nobody goes on with a call that was not answered', async (t) => {
  const { db, node, callId } = await setUp();
  t.like((await takeFromEarlierProcess(db, node))[0], { id: callId, revival: null, epoch: 2 });
  const revival = { beginning, tokenSealed: null, aheadMs: 0 };
  await t.throwsAsync(recordFact(db, callId, 1, answered, 1, { revival, transitions: [] }));
  t.deepEqual(await db.execute('select 1 from call_revival where call_id = $1', [callId]), []);
});

test('the last transitions are written with the end, those that are there already stay', async (t) => {
  const { db, callId } = await setUp();
  const transition = {
    callId,
    epoch: 1,
    at: new Date(ended.at),
    machine: 'call',
    chartVersion: 'v',
    stateBefore: null,
    eventType: 'xstate.init',
    factsBefore: 0,
  } as const;
  const first = { ...transition, sequence: 1, stateAfter: 'ringing' };
  const last = { ...transition, sequence: 2, stateAfter: 'completed' };
  await keepTransitions(db, [first]);
  const transitions = [{ ...first, stateAfter: 'another' }, last];
  t.truthy(await recordFact(db, callId, 1, ended, 1, { revival: null, transitions }));
  const late = [{ ...last, sequence: 3 }];
  t.falsy(await recordFact(db, callId, 2, ended, 1, { revival: null, transitions: late }), 'it has ended');
  t.deepEqual(await callTransitions(db, callId), [first, last]);
});

test('of the end the database tells what the summary is made of', async (t) => {
  const { db, callId } = await setUp();
  t.deepEqual(await recordFact(db, callId, 1, answered), { ended: null });
  await recordFact(db, callId, 2, said(2_000, 'Hello.'));
  await recordFact(db, callId, 3, said(3_000, 'Good day.', 'user'));
  t.deepEqual(await recordFact(db, callId, 4, ended), {
    ended: {
      language: 'ko',
      durationSec: 10.25,
      endReason: 'agent_hangup',
      turns: [
        { role: 'assistant', text: 'Hello.' },
        { role: 'user', text: 'Good day.' },
      ],
    },
  });
  t.is(await recordFact(db, callId, 5, ended), null);
});
