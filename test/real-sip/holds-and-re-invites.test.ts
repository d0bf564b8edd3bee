/** Calls that are put on hold and resumed, and other re-INVITEs. */
import { setTimeout as delay } from 'node:timers/promises';
import { pino } from 'pino';
import type { LineEvent } from '#machines/line.ts';
import { sameSpeech } from '#test/helpers/same-speech.ts';
import { until } from './real-lines.ts';
import { realTimeTest } from './real-time-test.ts';
import { startEar, withScriptedCalls, type ScriptedCalls } from './scripted-calls.ts';
import {
  ask,
  encryptedSoundAt,
  expectAnswer,
  leave,
  pause,
  pickUp,
  ring,
  soundAt,
  tellTheEar,
} from './scripted-end.ts';

const testHolds = ({ callTo }: ScriptedCalls): void => {
  const holds: readonly [string, string][] = [
    ['sendonly', soundAt('a=sendonly')],
    ['inactive', soundAt('a=inactive')],
    ['to 0.0.0.0', soundAt().replace('[media_ip]', '0.0.0.0')],
  ];
  for (const [how, held] of holds)
    realTimeTest(`puts a call on hold, resumes it and hears it again: ${how}`, async (t) => {
      const ear = await startEar(t);
      const { line, end, has, count, events } = await callTo(
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
      const atOf = (type: LineEvent['type']): number =>
        events.find((event) => event.type === type)?.at ?? NaN;
      t.deepEqual(
        ear.heard().filter(({ at }) => at > atOf('line.held') + 200 && at < atOf('line.resumed') - 200),
        [],
        'audio during the hold',
      );
    });
};

/** A hold that ends with a re-INVITE without an offer, whose answer is in the ACK. */
const testHoldsWithoutOffers = ({ callTo }: ScriptedCalls): void => {
  for (const [media, srtp] of [
    ['direct', 'off'],
    ['freeswitch', 'off'],
    ['freeswitch', 'required'],
  ] as const)
    realTimeTest(`${media}, srtp ${srtp}: resumes a call by a re-INVITE without an offer`, async (t) => {
      const ear = await startEar(t);
      const sound = srtp === 'off' ? soundAt : encryptedSoundAt;
      const { line, end, has, count, events } = await callTo(
        t,
        [
          ...ring,
          ...pickUp({ sdp: sound() }),
          tellTheEar,
          pause(500),
          ask('INVITE', 1, { sdp: sound('a=inactive') }),
          expectAnswer(200, { body: 'a=inactive' }),
          ask('ACK', 1),
          pause(1_000),
          ask('INVITE', 2),
          expectAnswer(200, { body: 'a=sendrecv' }),
          ask('ACK', 2, { sdp: sound('a=inactive') }),
          pause(1_000),
          ask('INVITE', 3),
          expectAnswer(200, { body: 'a=sendrecv' }),
          ask('ACK', 3, { sdp: sound('a=sendrecv') }),
          ...leave,
        ],
        { ear, media, srtp },
      );
      await has('line.resumed');
      line.tell({ type: 'say', utterance: 1, text: 'After the hold you can hear me again.' });
      const atOf = (type: LineEvent['type']): number =>
        events.find((event) => event.type === type)?.at ?? NaN;
      await until(() => ear.heard().filter(({ at }) => at > atOf('line.resumed')).length >= 50);
      if (srtp === 'off') await ear.untilSpokenTo(600);
      line.tell({ type: 'hangUp' });
      await t.notThrowsAsync(end.finished());
      t.deepEqual([count('line.held'), count('line.resumed'), count('line.failed')], [1, 1, 0]);
      t.deepEqual(
        ear.heard().filter(({ at }) => at > atOf('line.held') + 200 && at < atOf('line.resumed') - 200),
        [],
        'audio during the hold',
      );
    });
};

const inPcma = (sdp: string): string =>
  sdp.replace('RTP/AVP 0 101', 'RTP/AVP 8 101').replace('0 PCMU', '8 PCMA');

/** Holds and resumes in quick succession; `resumed` changes the description of every other resume. */
const quickHolds = (times: number, resumed: (sdp: string) => string): string[] =>
  Array.from({ length: times }, (_, time) => {
    const back = soundAt('a=sendrecv');
    return [soundAt('a=sendonly'), time % 2 === 0 ? resumed(back) : back].flatMap((sdp, index) => {
      const cseq = 2 * time + index + 1;
      return [pause(40), ask('INVITE', cseq, { sdp }), expectAnswer(200), ask('ACK', cseq)];
    });
  }).flat();

// Without `disable-hold` in config/freeswitch, FreeSWITCH would sleep at each hold, and the gateway would open the audio
// again each time. With `transfer` in repark.ts, FreeSWITCH would send its own re-INVITE when the codec changes.
const testQuickHolds = ({ callTo }: ScriptedCalls): void => {
  const times = 6;
  for (const [how, resumed] of [
    ['with one codec', (sdp: string) => sdp],
    ['with changes of the codec', inPcma],
  ] as const)
    realTimeTest(
      `keeps a call that is held and resumed several times in quick succession: ${how}`,
      async (t) => {
        const ear = await startEar(t);
        const warnings: string[] = [];
        const logger = pino({ level: 'warn' }, { write: (entry: string) => void warnings.push(entry) });
        const { line, end, has, count } = await callTo(
          t,
          [...ring, ...pickUp(), tellTheEar, pause(500), ...quickHolds(times, resumed), ...leave],
          { ear, logger },
        );
        await has('line.answered');
        await until(async () => new RegExp(`^CSeq: ${2 * times} ACK`, 'm').test(await end.messages()));
        line.tell({ type: 'say', utterance: 1, text: 'After all these holds you can hear me again.' });
        await ear.untilSpokenTo(600);
        line.tell({ type: 'hangUp' });
        await t.notThrowsAsync(end.finished());
        t.deepEqual([count('line.held'), count('line.resumed'), count('line.failed')], [times, times, 0]);
        const reopened = warnings.filter((entry) => entry.includes('it was reopened')).length;
        t.true(reopened < times, `the audio was opened again ${reopened} times`);
      },
    );
};

const testReInvites = ({ callTo }: ScriptedCalls): void => {
  realTimeTest('rejects an unacceptable re-INVITE and continues the call unchanged', async (t) => {
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

  realTimeTest(
    'answers a re-INVITE without an offer with an offer and accepts the answer in the ACK',
    async (t) => {
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
    },
  );
};

const toneMs = 4_000;
/** A synthesizer whose every sentence is one steady tone. */
const steadyTone = {
  name: 'tone',
  synthesize: async () => ({
    sampleRate: 8_000,
    samples: Int16Array.from({ length: toneMs * 8 }, (_, index) =>
      Math.round(8_000 * Math.sin((2 * Math.PI * 400 * index) / 8_000)),
    ),
  }),
};

const testUnsupportedMedia = ({ callTo }: ScriptedCalls): void => {
  const atHostName = soundAt().replace('[media_ip]', 'localhost');
  const onIpv6 = soundAt().replace('IP4 [media_ip]', 'IP6 2001:db8::1');
  for (const [media, unsupported] of [
    ['direct', atHostName],
    ['auto', atHostName],
    ['freeswitch', onIpv6],
  ] as const)
    realTimeTest(
      `${media}: rejects with 488 a re-INVITE that the carrier cannot serve, and continues the audio without a gap`,
      async (t) => {
        const ear = await startEar(t);
        const { line, end, has, count } = await callTo(
          t,
          [
            ...ring,
            ...pickUp(),
            tellTheEar,
            pause(2_500),
            ask('INVITE', 1, { sdp: unsupported }),
            expectAnswer(488, { header: 'Warning: (399|300) trunkline' }),
            ask('ACK', 1),
            ...leave,
          ],
          { ear, media, speech: sameSpeech(steadyTone) },
        );
        await has('line.answered');
        line.tell({ type: 'say', utterance: 1, text: 'A tone.' });
        await has('line.played');
        t.regex(await end.messages(), /^SIP\/2\.0 488 /m, 'refused while the tone was heard');
        const heard = ear.heard();
        const audible = ({ loudness }: { loudness: number }): boolean => loudness > 1_000;
        const tone = heard.slice(heard.findIndex(audible), heard.findLastIndex(audible) + 1);
        t.deepEqual(
          tone.filter((packet) => !audible(packet)),
          [],
        );
        const lastsMs = tone.reduce((sum, packet) => sum + packet.lastsMs, 0);
        t.true(Math.abs(lastsMs - toneMs) <= 40, `${lastsMs} ms`);
        t.deepEqual([count('line.held'), count('line.failed')], [0, 0]);
        line.tell({ type: 'hangUp' });
        await t.notThrowsAsync(end.finished());
      },
    );
};

withScriptedCalls('holds and re-INVITEs', (calls) => {
  testHolds(calls);
  testHoldsWithoutOffers(calls);
  testQuickHolds(calls);
  testUnsupportedMedia(calls);
  testReInvites(calls);
});
