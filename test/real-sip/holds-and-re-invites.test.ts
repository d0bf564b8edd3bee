/** Calls that are put on hold and taken back, and other re-INVITEs. */
import { setTimeout as delay } from 'node:timers/promises';
import { until } from './real-lines.ts';
import { realTimeTest } from './real-time-test.ts';
import { startEar, withScriptedCalls, type ScriptedCalls } from './scripted-calls.ts';
import { ask, expectAnswer, leave, pause, pickUp, ring, soundAt, tellTheEar } from './scripted-end.ts';

const testHolds = ({ callTo }: ScriptedCalls): void => {
  const holds: readonly [string, string][] = [
    ['sendonly', soundAt('a=sendonly')],
    ['inactive', soundAt('a=inactive')],
    ['to 0.0.0.0', soundAt().replace('[media_ip]', '0.0.0.0')],
  ];
  for (const [how, held] of holds)
    realTimeTest(`a call is held and taken back, and is heard again: ${how}`, async (t) => {
      const ear = await startEar(t);
      const { line, end, has, count } = await callTo(
        t,
        [
          ...ring,
          ...pickUp(),
          tellTheEar,
          pause(500),
          ask('INVITE', 1, { sdp: held }),
          expectAnswer(200, { body: how === 'sendonly' ? 'a=recvonly' : 'm=audio' }),
          ask('ACK', 1),
          pause(1_000),
          ask('INVITE', 2, { sdp: soundAt('a=sendrecv') }),
          expectAnswer(200, { body: 'm=audio' }),
          ask('ACK', 2),
          ...leave,
        ],
        { ear },
      );
      await has('line.answered');
      await until(async () => /^CSeq: 2 ACK/m.test(await end.messages()));
      line.tell({ type: 'say', utterance: 1, text: 'After the hold you can hear me again.' });
      await ear.untilSpokenTo(600);
      await ear.untilSilentFor(500);
      await ear.say('Hello, who is there?');
      await has('line.heard');
      line.tell({ type: 'hangUp' });
      await t.notThrowsAsync(end.finished());
      t.is(count('line.failed'), 0);
      t.deepEqual([count('line.held'), count('line.resumed')], [1, 1]);
    });
};

const testReInvites = ({ callTo }: ScriptedCalls): void => {
  realTimeTest('a re-INVITE that cannot be taken is refused, and the call goes on as it was', async (t) => {
    const ear = await startEar(t);
    const unknown = soundAt().replace('RTP/AVP 0 101', 'RTP/AVP 18 101').replace('0 PCMU', '18 G729');
    const { line, end, has, count } = await callTo(
      t,
      [
        ...ring,
        ...pickUp(),
        tellTheEar,
        pause(500),
        ask('INVITE', 1, { sdp: unknown }),
        expectAnswer(488, { header: 'Warning: 399 trunkline' }),
        ask('ACK', 1),
        ask('UPDATE', 2, { sdp: soundAt().replace('[ear]', '0') }),
        expectAnswer(488),
        pause(300),
        ...leave,
      ],
      { ear },
    );
    await has('line.answered');
    await until(async () => /^CSeq: 2 UPDATE/m.test(await end.messages()));
    line.tell({ type: 'say', utterance: 1, text: 'You can hear me as before.' });
    await ear.untilSpokenTo(600);
    line.tell({ type: 'hangUp' });
    await t.notThrowsAsync(end.finished());
    t.is(count('line.failed'), 0);
  });

  realTimeTest('a re-INVITE without an offer gets ours, and the answer of its ACK is taken', async (t) => {
    const first = await startEar(t);
    const ear = await startEar(t);
    const there = soundAt().replace('[ear]', String(ear.port));
    const { line, end, has } = await callTo(
      t,
      [
        ...ring,
        ...pickUp(),
        pause(500),
        ask('INVITE', 1),
        expectAnswer(200, { body: 'm=audio [0-9]+ RTP/AVP' }),
        ask('ACK', 1, { sdp: there }),
        ...leave,
      ],
      { ear: first },
    );
    await has('line.answered');
    await until(async () => /^CSeq: 1 ACK/m.test(await end.messages()));
    await delay(300);
    line.tell({ type: 'say', utterance: 1, text: 'You can hear me in the other place.' });
    await ear.untilSpokenTo(600);
    line.tell({ type: 'hangUp' });
    await t.notThrowsAsync(end.finished());
  });
};

withScriptedCalls('holds and re-INVITEs', (calls) => {
  testHolds(calls);
  testReInvites(calls);
});
