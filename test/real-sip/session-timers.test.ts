/** Session timers: which side refreshes a call, and the end of a call that is not refreshed. */
import { setTimeout as delay } from 'node:timers/promises';
import { until } from './real-lines.ts';
import { realTimeTest } from './real-time-test.ts';
import { startEar, withScriptedCalls, type ScriptedCalls } from './scripted-calls.ts';
import {
  answer,
  ask,
  acknowledge,
  expectAnswer,
  invite,
  label,
  leave,
  pause,
  pickUp,
  receive,
  receiveOrGo,
  ring,
  soundAt,
  tellTheEar,
} from './scripted-end.ts';

const timer = (value: string): string => `Session-Expires: ${value}`;

const testIntervals = ({ callTo }: ScriptedCalls): void => {
  realTimeTest('requests a session timer with the INVITE and repeats it with a longer one', async (t) => {
    const { line, end, has } = await callTo(
      t,
      [
        receiveOrGo('Min-SE: 3600', 'longer'),
        answer('422 Session Interval Too Small', { tag: true, headers: ['Min-SE: 3600'] }),
        '<recv request="ACK" next="end"/>',
        label('longer'),
        answer('180 Ringing', { tag: true }),
        ...pickUp({ headers: ['Require: timer', timer('3600;refresher=uas')], sdp: soundAt() }),
        ...leave,
        label('end'),
      ],
      { calls: 2 },
    );
    await has('line.answered');
    line.tell({ type: 'hangUp' });
    await t.notThrowsAsync(end.finished());
    const messages = await end.messages();
    t.regex(messages, /^Supported: timer, 100rel\r?$/m);
    t.regex(messages, /^Session-Expires: 1800;refresher=uas\r?$/m);
    t.regex(messages, /^Min-SE: 90\r?$/m);
    t.regex(messages, /^Session-Expires: 3600;refresher=uas\r?$/m);
    t.regex(messages, /^Min-SE: 3600\r?$/m);
  });

  realTimeTest('hangs up a call whose far end fails to refresh', async (t) => {
    const { end, has, events } = await callTo(t, [
      ...ring,
      ...pickUp({ headers: ['Require: timer', timer('3;refresher=uas')], sdp: soundAt() }),
      ...leave,
    ]);
    await has('line.ended');
    t.like(events.at(-1), { type: 'line.ended', by: 'counterparty' });
    await t.notThrowsAsync(end.finished());
    t.regex(await end.messages(), /^Reason: SIP ?;cause=200 ?;text="Session timer expired"/m);
  });
};

const testRefreshes = ({ callTo }: ScriptedCalls): void => {
  realTimeTest('refreshes the session when the far end requests it', async (t) => {
    const { line, end, has, count } = await callTo(t, [
      ...ring,
      ...pickUp({ headers: ['Require: timer', timer('12;refresher=uac')], sdp: soundAt() }),
      receive('INVITE'),
      answer('200 OK', { headers: ['Require: timer', timer('90;refresher=uac')], sdp: soundAt() }),
      receive('ACK'),
      pause(300),
      ...leave,
    ]);
    await has('line.answered');
    // The refresh is sent after half of the interval, give or take five seconds.
    await until(async () => ((await end.messages()).match(/^INVITE sip:/gm) ?? []).length === 2);
    await delay(500);
    t.is(count('line.ended') + count('line.failed'), 0);
    line.tell({ type: 'hangUp' });
    await t.notThrowsAsync(end.finished());
  });

  realTimeTest('answers refreshes of the far end without interrupting the call', async (t) => {
    const ear = await startEar(t);
    const refreshed = { header: 'Session-Expires: 90;refresher=uac' };
    const { line, end, has, count } = await callTo(
      t,
      [
        ...ring,
        ...pickUp({ headers: ['Require: timer', timer('90;refresher=uas')], sdp: soundAt() }),
        tellTheEar,
        pause(500),
        ask('INVITE', 1, { headers: [timer('90;refresher=uac')], sdp: soundAt() }),
        expectAnswer(200, refreshed),
        ask('ACK', 1),
        ask('UPDATE', 2, { headers: [timer('90;refresher=uac')] }),
        expectAnswer(200, refreshed),
        ask('UPDATE', 3, { headers: [timer('90;refresher=uac')], sdp: soundAt() }),
        expectAnswer(200, { ...refreshed, body: 'm=audio' }),
        pause(300),
        ...leave,
      ],
      { ear },
    );
    await has('line.answered');
    await until(async () => /^CSeq: 3 UPDATE/m.test(await end.messages()));
    line.tell({ type: 'say', utterance: 1, text: 'After all of this you can still hear me.' });
    await ear.untilSpokenTo(600);
    line.tell({ type: 'hangUp' });
    await t.notThrowsAsync(end.finished());
    t.is(count('line.failed'), 0);
  });
};

const testCallers = ({ callFrom }: ScriptedCalls): void => {
  realTimeTest(
    'grants a session timer to a caller that supports it, who becomes the refresher',
    async (t) => {
      const supports = { headers: ['Supported: timer'], sdp: soundAt() };
      const { line, end, has } = await callFrom(t, [
        invite(supports),
        expectAnswer(200, { header: 'Session-Expires: 1800;refresher=uac' }),
        acknowledge(),
        ...leave,
      ]);
      await has('line.answered');
      line.tell({ type: 'hangUp' });
      await t.notThrowsAsync(end.finished());
      t.regex(await end.messages(), /^Require: timer\r?$/m);
    },
  );

  for (const [caller, headers] of [
    ['that requests it', ['Supported: timer', timer('90;refresher=uas')]],
    ['without support, for which a proxy requests it', [timer('90')]],
  ] as const)
    realTimeTest(`refreshes the session for a caller ${caller}`, async (t) => {
      const { line, end, has } = await callFrom(t, [
        invite({ headers: [...headers], sdp: soundAt() }),
        expectAnswer(200, { header: 'Session-Expires: 90;refresher=uas' }),
        acknowledge(),
        ...leave,
      ]);
      await has('line.answered');
      line.tell({ type: 'hangUp' });
      await t.notThrowsAsync(end.finished());
    });

  realTimeTest('rejects a caller with a too short session timer with 422', async (t) => {
    const { end, callers } = await callFrom(t, [
      invite({ headers: ['Supported: timer', timer('60')], sdp: soundAt() }),
      expectAnswer(422, { header: 'Min-SE: 90' }),
      acknowledge('kept'),
    ]);
    await t.notThrowsAsync(end.finished());
    t.is(callers(), 0);
  });
};

withScriptedCalls('session timers', (calls) => {
  testIntervals(calls);
  testRefreshes(calls);
  testCallers(calls);
});
