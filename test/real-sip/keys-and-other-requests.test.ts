/** DTMF digits by INFO and as tones, and unsupported requests, in a call and outside of one. */
import { until } from './real-lines.ts';
import { realTimeTest } from './real-time-test.ts';
import { startEar, withScriptedCalls } from './scripted-calls.ts';
import {
  answer,
  ask,
  expectAnswer,
  invite,
  leave,
  pause,
  pickUp,
  receive,
  ring,
  soundAt,
  tellTheEar,
} from './scripted-end.ts';

/** SDP without telephone events. */
const voiceAlone = soundAt()
  .replace('AVP 0 101', 'AVP 0')
  .replaceAll(/\n.*:101 .*/g, '');

/** The tones of 5, with silence before and after them. */
const toneOfFive = Int16Array.from({ length: 4_800 }, (_, index) => {
  const wave = (hertz: number): number => Math.sin((2 * Math.PI * hertz * index) / 8_000);
  return index < 1_600 || index >= 3_200 ? 0 : 6_000 * (wave(770) + wave(1_336));
});

withScriptedCalls('keys and other requests', ({ callTo, callFrom }) => {
  realTimeTest('rejects unsupported requests within a call', async (t) => {
    const asked: readonly [string, readonly string[], number, string?][] = [
      ['REFER', ['Refer-To: <sip:01000000000@127.0.0.1>'], 603],
      ['MESSAGE', ['Content-Type: text/plain'], 405, 'Allow: INVITE'],
      ['PUBLISH', ['Event: presence'], 405, 'Allow: INVITE'],
      ['NOTIFY', ['Event: refer', 'Subscription-State: active'], 481],
      ['OPTIONS', [], 200, 'Allow: INVITE'],
    ];
    const { line, end, has, count } = await callTo(t, [
      ...ring,
      ...pickUp(),
      pause(300),
      ...asked.flatMap(([method, headers, status, header], index) => [
        ask(method, index + 1, { headers }),
        expectAnswer(status, header === undefined ? {} : { header }),
      ]),
      ...leave,
    ]);
    await has('line.answered');
    await until(async () => /^CSeq: 5 OPTIONS/m.test(await end.messages()));
    line.tell({ type: 'hangUp' });
    await t.notThrowsAsync(end.finished());
    t.is(count('line.failed'), 0);
  });

  realTimeTest('receives DTMF digits by INFO and ignores other INFO requests', async (t) => {
    const relay = (signal: string): string =>
      ask('INFO', 1, {
        headers: ['Content-Type: application/dtmf-relay'],
        sdp: `Signal= ${signal}\nDuration= 160`,
      });
    const plain = (signal: string): string =>
      ask('INFO', 1, { headers: ['Content-Type: application/dtmf'], sdp: signal });
    const { line, end, has, events } = await callTo(
      t,
      [
        ...ring,
        ...pickUp(),
        ...[relay('4'), relay('4'), relay('11'), plain('*'), plain('d')].flatMap((sent) => [
          sent,
          expectAnswer(200),
        ]),
        ask('INFO', 1),
        expectAnswer(200),
        ask('INFO', 1, { headers: ['Content-Type: application/media_control+xml'], sdp: '<media_control/>' }),
        expectAnswer(415, { header: 'Accept: application/dtmf-relay' }),
        ...leave,
      ].map((step, index) => step.replace('CSeq: 1 INFO', `CSeq: ${index} INFO`)),
    );
    await has('line.answered');
    await until(async () => /^SIP\/2.0 415/m.test(await end.messages()));
    line.tell({ type: 'hangUp' });
    await t.notThrowsAsync(end.finished());
    await has('line.ended');
    t.deepEqual(
      events.flatMap((event) => (event.type === 'line.digit' ? [event.digit] : [])),
      ['4', '4', '#', '*', 'D'],
    );
  });

  for (const media of ['freeswitch', 'direct'] as const) {
    realTimeTest(
      `${media}: without telephone events, detects tones as digits and rejects the agent's digits`,
      async (t) => {
        const ear = await startEar(t);
        ear.onCall(() => ear.play(toneOfFive));
        const steps = [...ring, ...pickUp({ sdp: voiceAlone }), tellTheEar, ...leave];
        const { line, end, has, events, count } = await callTo(t, steps, { ear, media });
        await has('line.answered');
        await has('line.digit');
        t.deepEqual(
          events.flatMap((event) => (event.type === 'line.digit' ? [event.digit] : [])),
          ['5'],
        );
        line.tell({ type: 'press', keys: '1' });
        await has('line.press_failed');
        t.is(count('line.pressed'), 0);
        line.tell({ type: 'hangUp' });
        await t.notThrowsAsync(end.finished());
        await has('line.ended');
        const ended = events.find((event) => event.type === 'line.ended');
        t.deepEqual(ended?.sound?.dtmf, { sent: 'none', received: 'inband' });
      },
    );

    realTimeTest(`${media}: sends digits by INFO to a far end that supports only INFO`, async (t) => {
      const steps = [
        ...ring,
        ...pickUp({ sdp: voiceAlone, headers: ['Allow: INVITE, ACK, BYE, INFO'] }),
        receive('INFO'),
        answer('200 OK'),
        receive('INFO'),
        answer('200 OK'),
        ...leave,
      ];
      const { line, end, has, count } = await callTo(t, steps, { media });
      await has('line.answered');
      line.tell({ type: 'press', keys: '1#' });
      await has('line.pressed');
      t.is(count('line.press_failed'), 0);
      const sent = await end.messages();
      t.regex(sent, /^Signal=1\r?$/m);
      t.regex(sent, /^Signal=#\r?$/m);
      line.tell({ type: 'hangUp' });
      await t.notThrowsAsync(end.finished());
    });
  }

  for (const method of ['MESSAGE', 'NOTIFY', 'PUBLISH', 'SUBSCRIBE', 'INFO'])
    realTimeTest(`rejects ${method} outside a call`, async (t) => {
      const headers = {
        NOTIFY: ['Event: refer', 'Subscription-State: active'],
        PUBLISH: ['Event: presence'],
        SUBSCRIBE: ['Event: presence', 'Expires: 60'],
      }[method];
      const { end, callers } = await callFrom(t, [
        invite({ headers: headers ?? [] }).replaceAll('INVITE', method),
        expectAnswer(405, { header: 'Allow: INVITE' }),
      ]);
      await t.notThrowsAsync(end.finished());
      t.is(callers(), 0);
    });
});
