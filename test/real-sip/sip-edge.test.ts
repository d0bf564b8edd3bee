/** What trunks do at the edges of SIP, by sipp: timers, hold, keys by INFO, early media, forks, late offers. */
import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import test, { type ExecutionContext } from 'ava';
import { mediaServers } from '#config/policy.ts';
import type { Line, LineEvent } from '#machines/line.ts';
import type { DrachtioLinesOptions } from '#sip/drachtio/drachtio-lines.ts';
import type { TrunkDirectory } from '#sip/trunks/directory.ts';
import type { Trunk } from '#src/domain/trunk.ts';
import { usualSpeech } from '#test/helpers/usual-speech.ts';
import { someTrunk, workspaceId } from '#test/sip/trunks/some-trunk.ts';
import { startEarAndMouth, type EarAndMouth } from './ear-and-mouth.ts';
import { pooled, realLines, until } from './real-lines.ts';
import { realTimeTest } from './real-time-test.ts';
import {
  answer,
  answerKept,
  ask,
  acknowledge,
  expectAnswer,
  invite,
  label,
  leave,
  pause,
  pickUp,
  receive,
  receiveAndKeep,
  receiveOrGo,
  ring,
  soundAt,
  startScripted,
  tellTheEar,
  type ScriptedEnd,
} from './scripted-end.ts';
import { missingPrograms, startServers, type SipServers } from './servers.ts';

type Steps = readonly (string | readonly string[])[];

const own = '07012345678';

const missing = missingPrograms();
if (missing.length > 0) {
  test.skip(`the edge of SIP on real servers: NOT RUN, ${missing.join(', ')} not installed`, (t) => t.pass());
} else {
  let servers: SipServers;
  test.before(async () => {
    servers = await startServers();
  });
  test.after.always('no channel is left', async (t) => {
    try {
      await until(async () => /^0 total/m.test(await servers.console('show channels count')), 5_000);
    } finally {
      await servers.close();
    }
    t.pass();
  });

  type Call = {
    line: Line;
    events: LineEvent[];
    end: ScriptedEnd;
    has(type: LineEvent['type'], atMostMs?: number): Promise<void>;
    count(type: LineEvent['type']): number;
  };

  const following = (events: LineEvent[]) => {
    const count = (type: LineEvent['type']): number => events.filter((event) => event.type === type).length;
    const has = (type: LineEvent['type'], atMostMs = 10_000): Promise<void> =>
      until(() => count(type) > 0, atMostMs).catch((error: unknown) => {
        throw new Error(`${type} is missing: ${JSON.stringify(events)}`, { cause: error });
      });
    return { events, count, has };
  };

  /** Calls a far end that does this. */
  const callTo = async (
    t: ExecutionContext,
    steps: Steps,
    {
      ear,
      calls = 1,
      repeats = true,
      ...options
    }: Partial<DrachtioLinesOptions> & { ear?: EarAndMouth; calls?: number; repeats?: boolean } = {},
  ): Promise<Call> => {
    const end = await startScripted(servers.folder, steps, {
      calls,
      repeats,
      ...(ear === undefined ? {} : { ear: ear.port }),
    });
    t.teardown(end.close);
    const lines = await realLines(servers, end.port, options);
    await lines.start(async () => ({ accepted: false, because: 'unknown_number' }));
    t.teardown(() => lines.close());
    const events: LineEvent[] = [];
    const line = lines.open(
      {
        callId: randomUUID(),
        direction: 'outbound',
        from: own,
        to: '01099998888',
        language: 'en',
        speech: usualSpeech,
        recording: false,
      },
      (event) => events.push(event),
    );
    return { line, end, ...following(events) };
  };

  const startEar = async (t: ExecutionContext): Promise<EarAndMouth> => {
    const ear = await startEarAndMouth();
    t.teardown(ear.close);
    return ear;
  };

  const timer = (value: string): string => `Session-Expires: ${value}`;

  realTimeTest('an INVITE asks for a session timer, and asks again when it is too short', async (t) => {
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
    t.regex(messages, /^Session-Expires: 1800\r?$/m);
    t.regex(messages, /^Min-SE: 90\r?$/m);
    t.regex(messages, /^Session-Expires: 3600\r?$/m);
    t.regex(messages, /^Min-SE: 3600\r?$/m);
  });

  realTimeTest('a call whose far end was to refresh and did not is hung up', async (t) => {
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

  realTimeTest('refreshes are ours where the far end wants it so', async (t) => {
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
    // It is sent after half of the time, more or less five seconds.
    await until(async () => ((await end.messages()).match(/^INVITE sip:/gm) ?? []).length === 2, 15_000);
    await delay(500);
    t.is(count('line.ended') + count('line.failed'), 0);
    line.tell({ type: 'hangUp' });
    await t.notThrowsAsync(end.finished());
  });

  realTimeTest('refreshes of the far end are answered and disturb nothing', async (t) => {
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
    await until(async () => /^CSeq: 3 UPDATE/m.test(await end.messages()), 10_000);
    line.tell({ type: 'say', utterance: 1, text: 'After all of this you can still hear me.' });
    await ear.untilSpokenTo(600);
    line.tell({ type: 'hangUp' });
    await t.notThrowsAsync(end.finished());
    t.is(count('line.failed'), 0);
  });

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
      await until(async () => /^CSeq: 2 ACK/m.test(await end.messages()), 10_000);
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
    await until(async () => /^CSeq: 2 UPDATE/m.test(await end.messages()), 10_000);
    line.tell({ type: 'say', utterance: 1, text: 'You can hear me as before.' });
    await ear.untilSpokenTo(600);
    line.tell({ type: 'hangUp' });
    await t.notThrowsAsync(end.finished());
    t.is(count('line.failed'), 0);
  });

  const answersWithoutSound: readonly [string, string][] = [
    [
      'a codec that was not offered',
      soundAt().replace('RTP/AVP 0 101', 'RTP/AVP 18 101').replace('0 PCMU', '18 G729'),
    ],
    ['no audio', soundAt().replace('[ear]', '0')],
  ];
  for (const [what, sdp] of answersWithoutSound)
    realTimeTest(`an answer with ${what} is no call: it is hung up at once`, async (t) => {
      const { end, has, events } = await callTo(t, [...ring, ...pickUp({ sdp }), ...leave]);
      await has('line.unanswered');
      t.like(events.at(-1), { type: 'line.unanswered', cause: 'media_error', sip: { status: 200 } });
      await t.notThrowsAsync(end.finished());
    });

  const soundWithin = (rtpTimeoutMs: number) => ({
    mediaServers: { ...mediaServers, rtpTimeoutMs, pool: { ...mediaServers.pool, size: pooled } },
  });

  realTimeTest('a call that was dialled and to which no sound comes ends', async (t) => {
    const { line, end, has, count } = await callTo(t, [...ring, ...pickUp(), ...leave], soundWithin(1_500));
    await has('line.failed', 20_000);
    t.is(count('line.answered'), 1);
    line.tell({ type: 'hangUp' });
    await t.notThrowsAsync(end.finished());
  });

  const offersOfTheDumb: readonly [string, string][] = [
    ['an endpoint that was ready', soundAt()],
    [
      'an endpoint of its own',
      soundAt('a=rtpmap:8 PCMA/8000').replace('AVP 0 101', 'AVP 8 96').replaceAll(':101', ':96'),
    ],
  ];
  for (const [which, sdp] of offersOfTheDumb)
    realTimeTest(`a call that came in to ${which}, and to which no sound comes, ends`, async (t) => {
      const steps = [invite({ sdp }), expectAnswer(200), acknowledge(), ...leave];
      const { line, end, has } = await callFrom(t, steps, soundWithin(1_500));
      await has('line.failed', 20_000);
      line.tell({ type: 'hangUp' });
      await t.notThrowsAsync(end.finished());
    });

  realTimeTest('a call whose sound stops ends, and not while it is on hold', async (t) => {
    const ear = await startEar(t);
    const { line, end, has, count } = await callTo(
      t,
      [
        ...ring,
        ...pickUp(),
        tellTheEar,
        pause(2_500),
        ask('INVITE', 1, { sdp: soundAt('a=sendonly') }),
        expectAnswer(200),
        ask('ACK', 1),
        // Its sound goes nowhere from here on.
        tellTheEar.replace('[$port]', '9'),
        pause(4_000),
        ask('INVITE', 2, { sdp: soundAt('a=sendrecv') }),
        expectAnswer(200),
        ask('ACK', 2),
        ...leave,
      ],
      { ear, ...soundWithin(1_500) },
    );
    await has('line.answered');
    await until(async () => /^CSeq: 2 INVITE/m.test(await end.messages()), 20_000);
    t.is(count('line.failed'), 0, 'neither while sound came nor on hold');
    await has('line.failed', 20_000);
    line.tell({ type: 'hangUp' });
    await t.notThrowsAsync(end.finished());
  });

  realTimeTest('what is not done in a call is refused', async (t) => {
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
    await until(async () => /^CSeq: 5 OPTIONS/m.test(await end.messages()), 10_000);
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
    await until(async () => /^CSeq: 1 ACK/m.test(await end.messages()), 10_000);
    await delay(300);
    line.tell({ type: 'say', utterance: 1, text: 'You can hear me in the other place.' });
    await ear.untilSpokenTo(600);
    line.tell({ type: 'hangUp' });
    await t.notThrowsAsync(end.finished());
  });

  realTimeTest('keys come by INFO, and other INFOs do no harm', async (t) => {
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

  const early = answer('183 Session Progress', { tag: true, sdp: soundAt() });
  const answers: readonly [string, { sdp?: string }][] = [
    ['the same answer', { sdp: soundAt() }],
    ['another answer', { sdp: soundAt('a=ptime:20') }],
    ['no answer', {}],
  ];
  for (const [what, body] of answers)
    realTimeTest(`early media rings once; then comes ${what}`, async (t) => {
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

  realTimeTest('a provisional answer that is to be confirmed is confirmed', async (t) => {
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

  /** Takes the caller that comes. */
  const awaitCaller = async (
    t: ExecutionContext,
    options: Partial<DrachtioLinesOptions> = {},
  ): Promise<Omit<Call, 'end'> & { callers: () => number }> => {
    const lines = await realLines(servers, 9, options);
    const events: LineEvent[] = [];
    let callers = 0;
    const opened = Promise.withResolvers<Line>();
    await lines.start(async ({ callId, from, to }) => {
      callers += 1;
      const input = { direction: 'inbound', language: 'en', speech: usualSpeech, recording: false } as const;
      setImmediate(() =>
        opened.resolve(lines.open({ ...input, callId, from, to }, (event) => events.push(event))),
      );
      return { accepted: true };
    });
    t.teardown(() => lines.close());
    const line: Line = {
      tell: (command) => void opened.promise.then((one) => one.tell(command)),
      close: () => void opened.promise.then((one) => one.close()),
    };
    return { line, callers: () => callers, ...following(events) };
  };

  /** A caller that does this. */
  const callFrom = async (
    t: ExecutionContext,
    steps: Steps,
    { ear, ...options }: Partial<DrachtioLinesOptions> & { ear?: EarAndMouth } = {},
  ) => {
    const call = await awaitCaller(t, options);
    const end = await startScripted(servers.folder, steps, {
      dial: servers.sipPort,
      ...(ear === undefined ? {} : { ear: ear.port }),
    });
    t.teardown(end.close);
    return { ...call, end };
  };

  realTimeTest('a caller that knows session timers gets one, and is to refresh it', async (t) => {
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
  });

  const directoryOf = (trunk: Trunk): TrunkDirectory => ({
    start: async () => {},
    all: () => [trunk],
    isUsable: () => true,
    ownerOf: async () => ({ workspaceId, trunkId: null }),
  });
  const allowing = (codecs: Trunk['codecs']) => ({
    trunk: null,
    trunks: directoryOf(someTrunk({ host: '127.0.0.1', inboundAddresses: ['127.0.0.1'], codecs })),
  });
  const voices: readonly [string, Trunk['codecs'], number][] = [
    ['8 0', null, 8],
    ['0 8', null, 0],
    ['0 8', ['PCMA'], 8],
    ['18 8 0', ['PCMU', 'PCMA'], 8],
  ];
  for (const [formats, codecs, voice] of voices)
    realTimeTest(
      `an offer of ${formats} to a trunk with ${codecs?.join() ?? 'all codecs'} is answered with ${voice}, which is what is sent`,
      async (t) => {
        const ear = await startEar(t);
        const sdp = soundAt('a=rtpmap:8 PCMA/8000', 'a=rtpmap:18 G729/8000').replace(
          'RTP/AVP 0 101',
          `RTP/AVP ${formats} 101`,
        );
        const { line, end, has } = await callFrom(
          t,
          [
            invite({ sdp }),
            '<recv response="100" optional="true"/>',
            `<recv response="200"><action>
              <ereg regexp="m=audio ([0-9]+) RTP/AVP ${voice} 101[^0-9 ]" search_in="body" check_it="true" assign_to="media,port"/>
            </action></recv>`,
            acknowledge(),
            tellTheEar,
            ...leave,
          ],
          { ear, ...allowing(codecs) },
        );
        await has('line.answered');
        line.tell({ type: 'say', utterance: 1, text: 'Which codec is this said in?' });
        await until(() => ear.payloadTypes().size > 0, 10_000);
        await delay(500);
        t.deepEqual([...ear.payloadTypes()], [voice]);
        line.tell({ type: 'hangUp' });
        await t.notThrowsAsync(end.finished());
      },
    );

  const problems: readonly [string, string[], number, string?][] = [
    ['requires what is not known', ['Require: timer, foo'], 420, 'Unsupported: foo'],
    ['has no hop left', ['Max-Forwards: 0'], 483],
  ];
  for (const [what, headers, status, header] of problems)
    realTimeTest(`a call that ${what} is refused with ${status}`, async (t) => {
      const asked = invite({ headers, sdp: soundAt() });
      const { end, callers } = await callFrom(t, [
        status === 483 ? asked.replace('Max-Forwards: 70\n', '') : asked,
        expectAnswer(status, header === undefined ? {} : { header }),
        acknowledge('kept'),
      ]);
      await t.notThrowsAsync(end.finished());
      t.is(callers(), 0);
    });

  for (const method of ['MESSAGE', 'NOTIFY', 'PUBLISH', 'SUBSCRIBE', 'INFO'])
    realTimeTest(`${method} outside of a call is answered: that is not done here`, async (t) => {
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

  realTimeTest('a caller that wants us to refresh is refreshed', async (t) => {
    const wants = { headers: ['Supported: timer', timer('90;refresher=uas')], sdp: soundAt() };
    const { line, end, has } = await callFrom(t, [
      invite(wants),
      expectAnswer(200, { header: 'Session-Expires: 90;refresher=uas' }),
      acknowledge(),
      ...leave,
    ]);
    await has('line.answered');
    line.tell({ type: 'hangUp' });
    await t.notThrowsAsync(end.finished());
  });

  realTimeTest('a caller whose session timer is too short is told so', async (t) => {
    const { end, callers } = await callFrom(t, [
      invite({ headers: ['Supported: timer', timer('60')], sdp: soundAt() }),
      expectAnswer(422, { header: 'Min-SE: 90' }),
      acknowledge('kept'),
    ]);
    await t.notThrowsAsync(end.finished());
    t.is(callers(), 0);
  });

  realTimeTest('an INVITE that is sent again and again is one call', async (t) => {
    const same = invite({ sdp: soundAt() }).replace('branch=[branch]', 'branch=z9hG4bKsame[pid]');
    const { line, end, has, count, callers } = await callFrom(t, [
      same,
      '<recv response="100"/>',
      same,
      expectAnswer(200),
      pause(1_200),
      acknowledge(),
      ...leave,
    ]);
    await has('line.answered');
    await delay(2_000);
    line.tell({ type: 'hangUp' });
    await t.notThrowsAsync(end.finished());
    t.is(callers(), 1);
    t.is(count('line.answered'), 1);
    t.true(
      ((await end.messages()).match(/^SIP\/2.0 200 OK/gm) ?? []).length >= 2,
      'the answer is sent again',
    );
  });

  realTimeTest('an answer that is sent again is one call, and acknowledged again', async (t) => {
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

  // drachtio-server acknowledges the first answer once more and tells nobody of the second; its side gives up by itself
  // (RFC 3261 section 13.3.1.4).
  realTimeTest('of two telephones that answer one has the call', async (t) => {
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

  realTimeTest('a call that is hung up in the moment of its answer is over', async (t) => {
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
}
