/** Answers of far ends: with early media, without usable audio, retransmitted, from two telephones. */
import { setTimeout as delay } from 'node:timers/promises';
import { until } from './real-lines.ts';
import { realTimeTest } from './real-time-test.ts';
import { startEar, withScriptedCalls, type ScriptedCalls } from './scripted-calls.ts';
import {
  answer,
  answerKept,
  ask,
  besideLocation,
  expectAnswer,
  leave,
  pause,
  pickUp,
  receive,
  receiveAndKeep,
  ring,
  soundAt,
  tellTheEar,
  type Body,
} from './scripted-end.ts';

const testEarlyMedia = ({ callTo }: ScriptedCalls): void => {
  const early = answer('183 Session Progress', { tag: true, sdp: soundAt() });
  const answers: readonly [string, Body][] = [
    ['the same answer', { sdp: soundAt() }],
    ['another answer', { sdp: soundAt('a=ptime:20') }],
    ['an answer that is one part of a body', besideLocation(soundAt())],
    ['no answer', {}],
  ];
  for (const [what, body] of answers)
    realTimeTest(`rings once for early media, then handles ${what}`, async (t) => {
      const ear = await startEar(t);
      const { line, end, has, count } = await callTo(
        t,
        [receive('INVITE'), early, pause(100), early, pause(100), ...pickUp(body), tellTheEar, ...leave],
        { ear },
      );
      await has('line.answered');
      t.is(count('line.ringing'), 1);
      line.tell({ type: 'say', utterance: 1, text: 'Now you can hear me, and not before.' });
      await ear.untilSpokenTo(600);
      line.tell({ type: 'hangUp' });
      await t.notThrowsAsync(end.finished());
    });

  realTimeTest('acknowledges a reliable provisional response', async (t) => {
    const reliable = answer('183 Session Progress', {
      tag: true,
      headers: ['Require: 100rel', 'RSeq: 1'],
      sdp: soundAt(),
    });
    const { line, end, has } = await callTo(t, [
      receiveAndKeep(),
      reliable,
      receive('PRACK'),
      answer('200 OK'),
      pause(100),
      answerKept('200 OK', { tag: true }),
      receive('ACK'),
      ...leave,
    ]);
    await has('line.answered');
    line.tell({ type: 'hangUp' });
    await t.notThrowsAsync(end.finished());
    t.regex(await end.messages(), /^RAck: 1 \d+ INVITE/m);
  });

  for (const media of ['freeswitch', 'direct'] as const)
    realTimeTest(`${media}: follows audio that moves by UPDATE before the answer`, async (t) => {
      const ear = await startEar(t);
      const ringBack = soundAt('a=rtpmap:8 PCMA/8000').replace('[ear]', '9').replace('0 101', '8 101');
      const { line, end, has } = await callTo(
        t,
        [
          receiveAndKeep(),
          answer('183 Session Progress', {
            tag: true,
            headers: ['Require: 100rel', 'RSeq: 1'],
            sdp: ringBack,
          }),
          receive('PRACK'),
          answer('200 OK'),
          ask('UPDATE', 1, { sdp: soundAt('a=rtpmap:8 PCMA/8000').replace('0 101', '0 8 101') }),
          expectAnswer(200, { body: 'm=audio [1-9][0-9]* RTP/AVP 0 101[^0-9 ]' }),
          answerKept('200 OK', { tag: true }).replace('[last_From:]', 'From:[$from]'),
          receive('ACK'),
          tellTheEar,
          ...leave,
        ],
        { ear, media },
      );
      await has('line.answered');
      line.tell({ type: 'say', utterance: 1, text: 'This is said where the call has moved to.' });
      await ear.untilSpokenTo(600);
      t.deepEqual([...ear.payloadTypes()], [0]);
      line.tell({ type: 'hangUp' });
      await t.notThrowsAsync(end.finished());
    });
};

const secret = (key: string): string =>
  soundAt(`a=crypto:1 AES_CM_128_HMAC_SHA1_80 inline:${key.repeat(40)}`).replace('RTP/AVP', 'RTP/SAVP');

const testEncryptedChange = ({ callTo }: ScriptedCalls): void => {
  for (const media of ['freeswitch', 'direct'] as const)
    realTimeTest(`${media}: uses a key that changes by UPDATE before the answer`, async (t) => {
      const { line, end, has } = await callTo(
        t,
        [
          receiveAndKeep(),
          answer('183 Session Progress', {
            tag: true,
            headers: ['Require: 100rel', 'RSeq: 1'],
            sdp: secret('A'),
          }),
          receive('PRACK'),
          answer('200 OK'),
          ask('UPDATE', 1, { sdp: secret('B') }),
          expectAnswer(200, { body: 'm=audio [1-9][0-9]* RTP/SAVP 0 101.*a=crypto:1 ' }),
          answerKept('200 OK', { tag: true }).replace('[last_From:]', 'From:[$from]'),
          receive('ACK'),
          ...leave,
        ],
        { media, srtp: 'required' },
      );
      await has('line.answered');
      line.tell({ type: 'hangUp' });
      await t.notThrowsAsync(end.finished());
    });
};

const testUselessAnswers = ({ callTo }: ScriptedCalls): void => {
  realTimeTest('hangs up an answer without Contact, which drachtio-server cannot acknowledge', async (t) => {
    const withContact = answer('200 OK', { tag: true, sdp: soundAt() });
    const { end, has, events } = await callTo(t, [
      ...ring,
      withContact.replace(/^Contact:.*\n/m, ''),
      ...leave,
    ]);
    await has('line.unanswered');
    t.like(events.at(-1), { type: 'line.unanswered', cause: 'trunk_error', sip: { status: 200 } });
    await t.notThrowsAsync(end.finished());
  });

  const answersWithoutSound: readonly [string, string][] = [
    [
      'a codec that was not offered',
      soundAt().replace('RTP/AVP 0 101', 'RTP/AVP 18 101').replace('0 PCMU', '18 G729'),
    ],
    ['no audio', soundAt().replace('[ear]', '0')],
  ];
  for (const [what, sdp] of answersWithoutSound)
    realTimeTest(`hangs up at once after an answer with ${what}`, async (t) => {
      const { end, has, events } = await callTo(t, [...ring, ...pickUp({ sdp }), ...leave]);
      await has('line.unanswered');
      t.like(events.at(-1), { type: 'line.unanswered', cause: 'media_error', sip: { status: 200 } });
      await t.notThrowsAsync(end.finished());
    });
};

const testRepeatedAnswers = ({ callTo }: ScriptedCalls): void => {
  realTimeTest('acknowledges a retransmitted answer again and counts one call', async (t) => {
    const again = answerKept('200 OK', { tag: true, sdp: soundAt() });
    const { line, end, has, count } = await callTo(
      t,
      [
        receiveAndKeep(),
        answer('180 Ringing', { tag: true }),
        ...pickUp(),
        again,
        receive('ACK'),
        again,
        receive('ACK'),
        ...leave,
      ],
      { repeats: false },
    );
    await has('line.answered');
    await until(async () => ((await end.messages()).match(/^ACK /gm) ?? []).length === 3);
    line.tell({ type: 'hangUp' });
    await t.notThrowsAsync(end.finished());
    t.is(count('line.answered'), 1);
  });

  // drachtio-server acknowledges the first answer again and does not report the second; its sender gives up by itself
  // (RFC 3261 section 13.3.1.4).
  realTimeTest('connects the call to one of two telephones that answer', async (t) => {
    const { line, end, has, count } = await callTo(
      t,
      [
        receiveAndKeep(),
        answer('180 Ringing', { tag: true }),
        ...pickUp(),
        answerKept('200 OK', { tag: 'other', sdp: soundAt() }),
        receive('ACK'),
        ...leave,
      ],
      { repeats: false },
    );
    await has('line.answered');
    await delay(1_000);
    line.tell({ type: 'hangUp' });
    await has('line.ended');
    await t.notThrowsAsync(end.finished());
    t.is(count('line.answered'), 1);
    t.is(count('line.ended'), 1);
  });
};

const testHastyAnswers = ({ callTo }: ScriptedCalls): void => {
  realTimeTest('ends a call that is hung up while its answer arrives', async (t) => {
    const { end, has, events } = await callTo(t, [
      ...ring,
      answer('200 OK', { tag: true, sdp: soundAt() }),
      receive('ACK'),
      ask('BYE', 1),
      expectAnswer(200),
    ]);
    await has('line.ended');
    t.like(events.at(-1), { type: 'line.ended', by: 'counterparty' });
    await t.notThrowsAsync(end.finished());
  });
};

withScriptedCalls('answers of callees', (calls) => {
  testEarlyMedia(calls);
  testEncryptedChange(calls);
  testUselessAnswers(calls);
  testRepeatedAnswers(calls);
  testHastyAnswers(calls);
});
