/** Audio without a media server: negotiation, RTP endpoints, encryption and loss. */
import { createSocket, type Socket } from 'node:dgram';
import { once } from 'node:events';
import test, { type ExecutionContext } from 'ava';
import pino from 'pino';
import { agreementFrom, formatsOf, offeredFormats, writeDescription } from '#sip/rtp/description.ts';
import { createDirectEndpoint } from '#sip/rtp/direct-endpoint.ts';
import { createNegotiation } from '#sip/rtp/negotiation.ts';
import { pcmu } from '#sip/audio/g711.ts';
import { UnsupportedDescription, type MediaEndpoint } from '#sip/audio/media-endpoint.ts';
import { parseRtp, writeRtpHeader } from '#sip/rtp/rtp-packet.ts';
import { createDecryption } from '#sip/rtp/srtp.ts';
import { createMediaThread } from '#sip/media-thread/media-thread.ts';
import { levelOf } from '#sip/audio/samples.ts';
import { directionToward, isHold, offerProblem } from '#sip/sdp/media-offer.ts';
import { offeredKeyIn } from '#sip/sdp/sdes.ts';
import { steadyClock } from '#src/clocks.ts';
import { joinSamples } from '#src/domain/sample-bytes.ts';
import type { TrunkSrtp } from '#src/domain/trunk.ts';
import { describeSound } from '#test/doubles/session-description.ts';
import { until } from '#test/helpers/until.ts';
import { count, type Counted, countingSound } from './counting-audio.ts';

// Negotiation

test('agrees on no media for an offer with the wrong address family', (t) => {
  const negotiation = createNegotiation({ address: '::1', port: 30_000 }, { srtp: 'off' }, () => t.fail());
  t.throws(() => negotiation.answer(describeSound()), { instanceOf: UnsupportedDescription });
  t.is(negotiation.agreed(), null);
});

for (const [what, answer, receives] of [
  [
    'the second codec of an answer',
    { formats: [0, 8, 101] },
    { 0: 'PCMU', 8: 'PCMA', 13: 'CN', 101: 'telephone-event' },
  ],
  [
    'telephone events that the answer does not list',
    { formats: [0] },
    { 0: 'PCMU', 8: 'PCMA', 13: 'CN', 101: 'telephone-event' },
  ],
] as const)
  test(`receives ${what} if the offer listed them`, (t) => {
    const negotiation = createNegotiation({ address: '127.0.0.1', port: 30_000 }, { srtp: 'off' }, () => {});
    negotiation.offer(['PCMU', 'PCMA']);
    negotiation.takeAnswer(describeSound(answer));
    t.deepEqual(Object.fromEntries(negotiation.agreed()?.receives ?? []), receives);
    t.is(negotiation.agreed()?.codec, 'PCMU');
  });

test('accepts telephone events with the payload types of its own offer and of the answer', (t) => {
  const negotiation = createNegotiation({ address: '127.0.0.1', port: 30_000 }, { srtp: 'off' }, () => {});
  negotiation.offer(['PCMU']);
  const answer = describeSound({ formats: [0, 101] }).replaceAll('101', '96');
  negotiation.takeAnswer(answer);
  t.like(Object.fromEntries(negotiation.agreed()?.receives ?? []), {
    96: 'telephone-event',
    101: 'telephone-event',
  });
  t.is(negotiation.agreed()?.dtmfPayloadType, 96);
  negotiation.answer(describeSound({ formats: [8] }));
  t.is(negotiation.agreed()?.receives.get(0), 'PCMU', 'what was sent before may still arrive');
});

// Description

const inClear = { srtp: 'off', master: Buffer.alloc(30, 1) } as const;
const own = { address: '192.0.2.7', port: 30_000, sessionId: 5, version: 1 };

const offer = (lines: readonly string[], address = 'IN IP4 198.51.100.2'): string =>
  ['v=0', 'o=- 1 1 IN IP4 198.51.100.2', 's=-', `c=${address}`, 't=0 0', ...lines, ''].join('\r\n');

test('selects media from an offer, in the order of the codecs', (t) => {
  const sdp = writeDescription(own, offeredFormats(['PCMA', 'PCMU'], inClear), 'sendrecv');
  t.is(offerProblem(sdp, { codecs: ['PCMU'], srtp: 'off' }), undefined);
  t.regex(sdp, /^m=audio 30000 RTP\/AVP 8 0 101\r$/m);
  t.false(isHold(sdp));
});

test('agrees on the first known codec of an offer, with its payload types', (t) => {
  const sdp = offer([
    'm=audio 4000 RTP/AVP 9 96 0 97',
    'a=rtpmap:96 PCMA/8000',
    'a=rtpmap:97 telephone-event/8000',
  ]);
  t.deepEqual(agreementFrom(sdp, inClear), {
    remote: { address: '198.51.100.2', port: 4_000 },
    remoteReports: { address: '198.51.100.2', port: 4_001 },
    codec: 'PCMA',
    payloadType: 96,
    dtmfPayloadType: 97,
    keys: null,
    receives: new Map([
      [13, 'CN'],
      [96, 'PCMA'],
      [0, 'PCMU'],
      [97, 'telephone-event'],
    ]),
    isSending: true,
    isReceiving: true,
  });
});

test('lists only the agreed formats in an answer', (t) => {
  const theirs = offer(['m=audio 4000 RTP/AVP 0 8']);
  const agreement = agreementFrom(theirs, inClear);
  if (agreement === undefined) return t.fail();
  const answer = writeDescription(own, formatsOf(theirs, agreement), 'sendrecv');
  t.regex(answer, /^m=audio 30000 RTP\/AVP 0\r$/m);
  return t.notRegex(answer, /telephone-event/);
});

test('uses audio-level addresses and ports if present', (t) => {
  const sdp = offer(['m=audio 4000 RTP/AVP 0', 'c=IN IP6 2001:db8::1', 'a=rtcp:4500 IN IP6 2001:db8::2']);
  t.like(agreementFrom(sdp, inClear), {
    remote: { address: '2001:db8::1', port: 4_000 },
    remoteReports: { address: '2001:db8::2', port: 4_500 },
  });
});

test('agrees on no media without a known codec, audio or address', (t) => {
  t.is(agreementFrom(offer(['m=audio 4000 RTP/AVP 9 18']), inClear), undefined);
  t.is(agreementFrom(offer(['m=video 4000 RTP/AVP 31']), inClear), undefined);
  t.is(agreementFrom(offer(['m=audio 4000 RTP/AVP 0'], 'IN ATM x'), inClear), undefined);
});

test('rejects invalid addresses and ports of audio', (t) => {
  t.is(agreementFrom(offer(['m=audio 4000 RTP/AVP 0'], 'IN IP4 sound.example'), inClear), undefined);
  t.is(agreementFrom(offer(['m=audio 0 RTP/AVP 0']), inClear), undefined);
  const remote = { address: '198.51.100.2', port: 65_535 };
  t.deepEqual(agreementFrom(offer(['m=audio 65535 RTP/AVP 0']), inClear)?.remoteReports, remote);
  t.deepEqual(
    agreementFrom(offer(['m=audio 65535 RTP/AVP 0', 'a=rtcp:99999']), inClear)?.remoteReports,
    remote,
  );
  t.deepEqual(
    agreementFrom(offer(['m=audio 65535 RTP/AVP 0', 'a=rtcp:9 IN IP4 sound.example']), inClear)
      ?.remoteReports,
    remote,
  );
});

for (const [theirs, ours, isSending] of [
  ['sendrecv', 'sendrecv', true],
  ['sendonly', 'recvonly', false],
  ['recvonly', 'sendonly', true],
  ['inactive', 'inactive', false],
] as const) {
  test(`answers the direction ${theirs} with ${ours}`, (t) => {
    const sdp = offer(['m=audio 4000 RTP/AVP 0', `a=${theirs}`]);
    t.is(directionToward(sdp), ours);
    t.is(agreementFrom(sdp, inClear)?.isSending, isSending);
  });
}

const key = (tag: number): string =>
  `a=crypto:${tag} AES_CM_128_HMAC_SHA1_80 inline:${Buffer.alloc(30, tag).toString('base64')}`;

/** The endpoint's answer to this offer; undefined if the offer is rejected. */
const answerTo = (theirs: string, srtp: TrunkSrtp): string | undefined => {
  const agreement = agreementFrom(theirs, { ...inClear, srtp });
  return agreement && writeDescription(own, formatsOf(theirs, agreement), 'sendrecv');
};

const master = Buffer.alloc(30, 1).toString('base64');

for (const [srtp, protocol, line] of [
  ['off', 'RTP/AVP', null],
  ['optional', 'RTP/AVP', `a=crypto:1 AES_CM_128_HMAC_SHA1_80 inline:${master}`],
  ['required', 'RTP/SAVP', `a=crypto:1 AES_CM_128_HMAC_SHA1_80 inline:${master}`],
] as const)
  test(`with srtp ${srtp}, the offer is ${protocol}, ${line === null ? 'without' : 'with'} a key`, (t) => {
    const sdp = writeDescription(own, offeredFormats(['PCMU'], { ...inClear, srtp }), 'sendrecv');
    t.true(sdp.includes(`m=audio 30000 ${protocol} 0 101\r\n`));
    t.is(/^a=crypto.*$/m.exec(sdp)?.[0] ?? null, line);
    t.is(offerProblem(sdp, { codecs: ['PCMU'], srtp }), undefined);
  });

test('answers an encrypted offer with its own key, the same tag and the same protocol', (t) => {
  for (const srtp of ['optional', 'required'] as const) {
    const theirs = offer([
      'm=audio 4000 RTP/SAVP 0',
      'a=crypto:1 AES_CM_128_HMAC_SHA1_32 inline:x',
      key(3),
      key(4),
    ]);
    t.deepEqual(agreementFrom(theirs, { ...inClear, srtp })?.keys, {
      ours: inClear.master,
      theirs: Buffer.alloc(30, 3),
    });
    const answer = answerTo(theirs, srtp) ?? '';
    t.regex(answer, /^m=audio 30000 RTP\/SAVP 0\r$/m);
    t.true(answer.includes(`a=crypto:3 AES_CM_128_HMAC_SHA1_80 inline:${master}\r\n`));
  }
});

test('with optional encryption, encrypts if RTP/AVP has a key, and does not without one', (t) => {
  const both = answerTo(offer(['m=audio 4000 RTP/AVP 0', key(7)]), 'optional') ?? '';
  t.regex(both, /^m=audio 30000 RTP\/AVP 0\r$/m);
  t.regex(both, /^a=crypto:7 /m);
  t.notRegex(answerTo(offer(['m=audio 4000 RTP/AVP 0']), 'optional') ?? '', /a=crypto/);
  t.notRegex(answerTo(offer(['m=audio 4000 RTP/AVP 0', key(7)]), 'off') ?? '', /a=crypto/);
});

test('rejects media that requires a key but has none', (t) => {
  for (const srtp of ['off', 'optional', 'required'] as const)
    t.is(answerTo(offer(['m=audio 4000 RTP/SAVP 0']), srtp), undefined);
  t.is(answerTo(offer(['m=audio 4000 RTP/SAVP 0', key(1)]), 'off'), undefined);
  t.is(answerTo(offer(['m=audio 4000 RTP/AVP 0']), 'required'), undefined);
});

// Direct endpoint

const directEndpointThread = createMediaThread({
  ports: { from: 21_000, to: 21_398 },
  logger: pino({ level: 'silent' }),
});
test.after.always(() => directEndpointThread.close());

const openDirectEndpoint = (
  offer?: string,
  rtpTimeoutMs = 0,
  srtp: TrunkSrtp = 'off',
): Promise<MediaEndpoint> =>
  createDirectEndpoint(
    offer,
    { codecs: null, srtp },
    { thread: directEndpointThread, address: '127.0.0.1', clock: steadyClock, rtpTimeoutMs },
  );

const directEndpointTone = Int16Array.from({ length: 8_000 }, (_, index) => 8_000 * Math.sin(index / 3));

const hearing = async (endpoint: MediaEndpoint) => {
  const pieces: Int16Array[] = [];
  const marks: string[] = [];
  const path = await endpoint.connect(
    {
      onLost: () => {},
      onAudio: (samples) => pieces.push(samples),
    },
    8_000,
  );
  const loud = (): Int16Array => {
    const all = joinSamples(pieces);
    const from = all.findIndex((sample) => Math.abs(sample) > 500);
    return from === -1 ? new Int16Array() : all.subarray(from);
  };
  return { path, marks, loud, samples: () => joinSamples(pieces) };
};

const connected = async (
  t: { teardown: (end: () => Promise<void>) => void },
  asAnswer = (sdp: string): string => sdp,
) => {
  const caller = await openDirectEndpoint();
  const callee = await openDirectEndpoint(caller.localSdp);
  await caller.takeAnswer(asAnswer(callee.localSdp));
  t.teardown(async () => {
    await caller.destroy();
    await callee.destroy();
  });
  return { caller, callee };
};

test.serial("offerer and answerer receive each other's complete audio", async (t) => {
  const { caller, callee } = await connected(t);
  t.regex(callee.localSdp, /m=audio \d+ RTP\/AVP 0 101\r\n/);
  const ear = await hearing(callee);
  const mouth = await hearing(caller);
  mouth.path.send(directEndpointTone);
  mouth.path.whenPlayed(() => mouth.marks.push('said'));
  await until(
    'all that was said is heard',
    () => (mouth.marks.length === 1 && ear.loud().length >= 8_000) || undefined,
  );
  const heard = ear.loud().subarray(0, 7_900);
  t.true(Math.abs(levelOf(heard) - levelOf(directEndpointTone)) < 0.2);
});

test.serial('counts withdrawn audio and does not play it', async (t) => {
  const { caller, callee } = await connected(t);
  const ear = await hearing(callee);
  const { path } = await hearing(caller);
  for (let second = 0; second < 30; second += 1) path.send(directEndpointTone);
  await until('it is heard', () => ear.loud().length > 1_600 || undefined);
  t.true(path.takeBack() > 15 * directEndpointTone.length);
  // Audio that was sent before may still arrive.
  await until('silence is heard', () => levelOf(ear.samples().subarray(-800)) < -60 || undefined);
  t.true(ear.loud().length < 15 * directEndpointTone.length);
});

test.serial('sends silence after it was left, until the next process has the audio', async (t) => {
  const { caller, callee } = await connected(t);
  const ear = await hearing(callee);
  await hearing(caller);
  const moved = Promise.withResolvers<void>();
  const left = caller.leave(moved.promise);
  const before = ear.samples().length;
  await until('silence is heard', () => ear.samples().length > before + 1_600 || undefined);
  moved.resolve();
  await left;
  const port = Number(/m=audio (\d+)/.exec(caller.localSdp)?.[1]);
  await until('its port is closed', async () => {
    const socket = createSocket('udp4');
    const opened = once(socket, 'listening').then(() => true);
    socket.bind(port, '127.0.0.1');
    try {
      return await opened;
    } catch {
      return undefined;
    } finally {
      socket.close();
    }
  });
  t.pass();
});

test.serial('sends each DTMF digit once, and none to an endpoint without telephone events', async (t) => {
  const { caller, callee } = await connected(t);
  const digits: string[] = [];
  callee.onDigit((digit) => digits.push(digit));
  await caller.press('1#');
  await until('both keys are told', () => digits.length === 2 || undefined);
  t.deepEqual(digits, ['1', '#']);
  const deaf = await openDirectEndpoint(
    caller.localSdp.replace(/a=(?:rtpmap|fmtp):101.*\r\n/g, '').replace(' 101\r\n', '\r\n'),
  );
  t.teardown(() => deaf.destroy());
  await t.throwsAsync(deaf.press('1'));
});

test.serial(
  'answers an offer of its second codec with that codec, and rejects an unknown codec',
  async (t) => {
    const { caller } = await connected(t);
    const pcma = await openDirectEndpoint(caller.localSdp.replace('RTP/AVP 0 8 101', 'RTP/AVP 8 0 101'));
    t.teardown(() => pcma.destroy());
    t.regex(pcma.localSdp, /RTP\/AVP 8 101\r\n/);
    await t.throwsAsync(openDirectEndpoint(caller.localSdp.replace('RTP/AVP 0 8 101', 'RTP/AVP 9 18')), {
      instanceOf: UnsupportedDescription,
    });
  },
);

test.serial('sends no audio to a party on hold and resumes afterwards', async (t) => {
  const { caller, callee } = await connected(t);
  const ear = await hearing(caller);
  await hearing(callee);
  await until('something is heard', () => ear.samples().length > 0 || undefined);
  const held = await callee.modify(caller.localSdp.replace('a=sendrecv', 'a=sendonly'));
  t.regex(held, /a=recvonly\r\n/);
  t.regex(held, /^o=- \d+ 2 /m);
  // Packets in flight may still arrive.
  const quiet = async (): Promise<boolean> => {
    const before = ear.samples().length;
    await new Promise((resolve) => setTimeout(resolve, 500));
    return ear.samples().length === before;
  };
  while (!(await quiet()));
  const resumed = await callee.modify(caller.localSdp);
  t.regex(resumed, /a=sendrecv\r\n/);
  const before = ear.samples().length;
  await until('something is heard again', () => ear.samples().length > before || undefined);
  t.pass();
});

test.serial('keeps the version of a repeated session description', async (t) => {
  const { caller, callee } = await connected(t);
  t.is(await callee.modify(caller.localSdp), callee.localSdp);
});

test.serial('reports a loss when audio stops for the media time-out', async (t) => {
  const socket = createSocket('udp4');
  t.teardown(() => void socket.close());
  const endpoint = await openDirectEndpoint(undefined, 2_000);
  t.teardown(() => endpoint.destroy());
  const [, port = '0'] = /m=audio (\d+)/.exec(endpoint.localSdp) ?? [];
  let lost: string | null | undefined;
  endpoint.onLost((reason) => (lost = reason));
  await endpoint.takeAnswer(endpoint.localSdp.replace(/m=audio \d+/, 'm=audio 9'));
  socket.send(
    Buffer.concat([Buffer.from([0x80, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1]), Buffer.alloc(160)]),
    Number(port),
    '127.0.0.1',
  );
  await until('the loss is told', () => lost !== undefined || undefined);
  t.is(lost, 'MEDIA_TIMEOUT');
});

test.serial('reports a loss when no audio ever arrives', async (t) => {
  const endpoint = await openDirectEndpoint(undefined, 2_000);
  t.teardown(() => endpoint.destroy());
  let lost: string | null | undefined;
  endpoint.onLost((reason) => (lost = reason));
  await endpoint.takeAnswer(endpoint.localSdp.replace(/m=audio \d+/, 'm=audio 9'));
  await until('the loss is told', () => lost !== undefined || undefined);
  t.is(lost, 'MEDIA_TIMEOUT');
});

test.serial('returns current statistics: addresses, received and sent packets', async (t) => {
  // The callee gets no report, however long the test takes: nobody reads this port.
  const { caller, callee } = await connected(t, (sdp) => `${sdp}a=rtcp:9\r\n`);
  const ear = await hearing(callee);
  await hearing(caller);
  await until('something is heard', () => ear.samples().length > 1_600 || undefined);
  const statistics = await callee.statistics();
  t.like(statistics, { codec: 'PCMU', isHeardThere: null });
  t.is(statistics?.remoteAddress, (await caller.statistics())?.localAddress);
  t.true((statistics?.received.packets ?? 0) >= 10);
  t.is(statistics?.received.loss, 0);
  t.true((statistics?.received.mos ?? 0) > 4);
  t.true((statistics?.sent.packets ?? 0) > 0);
  t.is(statistics?.sent.mos, null, 'nobody has said how it arrives');
});

// Encrypted endpoint
// Audio that this process carries itself, encrypted.

const encryptedEndpointThread = createMediaThread({
  ports: { from: 21_400, to: 21_798 },
  logger: pino({ level: 'silent' }),
});
test.after.always(() => encryptedEndpointThread.close());

const openEncryptedEndpoint = async (
  t: ExecutionContext,
  srtp: TrunkSrtp,
  offer?: string,
): Promise<MediaEndpoint> => {
  const terms = { codecs: null, srtp };
  const options = {
    thread: encryptedEndpointThread,
    address: '127.0.0.1',
    clock: steadyClock,
    rtpTimeoutMs: 0,
  };
  const endpoint = await createDirectEndpoint(offer, terms, options);
  t.teardown(() => endpoint.destroy());
  return endpoint;
};

const encryptedEndpointTone = Int16Array.from({ length: 8_000 }, (_, index) => 8_000 * Math.sin(index / 3));

/** Received audio without the silence; `say` sends one second of a tone into the call. */
const listen = async (endpoint: MediaEndpoint) => {
  const pieces: Int16Array[] = [];
  const path = await endpoint.connect(
    {
      onLost() {},
      onAudio: (samples) => pieces.push(samples),
    },
    8_000,
  );
  const loud = (): number => joinSamples(pieces).filter((sample) => Math.abs(sample) > 500).length;
  const hears = async (): Promise<void> => {
    const before = loud();
    await until('a second is heard', () => loud() > before + 7_000 || undefined);
  };
  return { say: () => path.send(encryptedEndpointTone), hears, loud };
};

const both = async (t: ExecutionContext, one: TrunkSrtp, other: TrunkSrtp) => {
  const caller = await openEncryptedEndpoint(t, one);
  const callee = await openEncryptedEndpoint(t, other, caller.localSdp);
  await caller.takeAnswer(callee.localSdp);
  return { caller, callee, mouth: await listen(caller), ear: await listen(callee) };
};

for (const [one, other, isSecret] of [
  ['required', 'required', true],
  ['required', 'optional', true],
  ['optional', 'optional', true],
  ['optional', 'off', false],
  ['off', 'optional', false],
] as const)
  test.serial(
    `SRTP ${one} in the offer, ${other} in the answer: audio is ${isSecret ? 'encrypted' : 'unencrypted'} in both directions`,
    async (t) => {
      const { callee, mouth, ear } = await both(t, one, other);
      t.is(/^a=crypto:1 /m.test(callee.localSdp), isSecret);
      mouth.say();
      ear.say();
      await Promise.all([ear.hears(), mouth.hears()]);
    },
  );

for (const [one, other] of [
  ['required', 'off'],
  ['off', 'required'],
] as const)
  test.serial(`SRTP ${one} in the offer, ${other} in the answer: no media is agreed on`, async (t) => {
    const caller = await openEncryptedEndpoint(t, one);
    await t.throwsAsync(openEncryptedEndpoint(t, other, caller.localSdp), {
      instanceOf: UnsupportedDescription,
    });
  });

test.serial('sends only encrypted packets and ignores unencrypted ones', async (t) => {
  const socket = createSocket('udp4').bind(0, '127.0.0.1');
  await once(socket, 'listening');
  t.teardown(() => void socket.close());
  const endpoint = await openEncryptedEndpoint(t, 'required');
  const { say, loud } = await listen(endpoint);
  const theirs = endpoint.localSdp
    .replace(/m=audio \d+/, `m=audio ${socket.address().port}`)
    .replace(/inline:\S+/, `inline:${Buffer.alloc(30, 9).toString('base64')}`);
  await endpoint.takeAnswer(theirs);
  say();
  const decryption = createDecryption(offeredKeyIn(endpoint.localSdp)?.master ?? Buffer.alloc(30));
  let secret: Buffer = Buffer.alloc(0);
  let heard = 0;
  while (heard < 500) {
    const [datagram]: Buffer[] = await once(socket, 'message');
    secret = datagram ?? secret;
    t.is(secret.length, 12 + 160 + 10);
    const opened = decryption.rtp(secret);
    if (opened === undefined) return t.fail('it cannot be opened');
    t.notDeepEqual(opened.subarray(12), secret.subarray(12, 172));
    heard += pcmu
      .decode(parseRtp(opened)?.payload ?? Buffer.alloc(0))
      .filter((it) => Math.abs(it) > 500).length;
  }
  const [, port = '0'] = /m=audio (\d+)/.exec(endpoint.localSdp) ?? [];
  // An unencrypted packet, and one encrypted with the key of the other direction.
  for (const wrong of [Buffer.concat([secret.subarray(0, 12), Buffer.alloc(160, 7)]), secret])
    for (let times = 0; times < 5; times += 1) socket.send(wrong, Number(port), '127.0.0.1');
  const statistics = await endpoint.statistics();
  await until(
    'the next statistics',
    async () => (await endpoint.statistics())?.sent.packets !== statistics?.sent.packets || undefined,
  );
  t.is(loud(), 0);
  return t.is((await endpoint.statistics())?.received.packets, 0);
});

test.serial('keeps its SRTP keys across a repeated description and accepts new keys', async (t) => {
  const { caller, callee, mouth, ear } = await both(t, 'required', 'required');
  mouth.say();
  await ear.hears();
  t.is(await callee.modify(caller.localSdp), callee.localSdp);
  mouth.say();
  await ear.hears();
  const other = await openEncryptedEndpoint(t, 'required', callee.localSdp);
  await callee.takeAnswer(other.localSdp);
  const { say } = await listen(other);
  say();
  await ear.hears();
  t.not(offeredKeyIn(other.localSdp)?.master, offeredKeyIn(caller.localSdp)?.master);
});

// Lossy relay
// Audio over real sockets, through a relay that loses, reorders and duplicates packets by number, with a stranger
// beside it.

const frames = 110;

const lossyRelayThread = createMediaThread({
  ports: { from: 24_000, to: 24_398 },
  logger: pino({ level: 'silent' }),
});
test.after.always(() => lossyRelayThread.close());

const openLossyRelay = async (
  t: ExecutionContext,
  srtp: TrunkSrtp,
  offer?: string,
): Promise<MediaEndpoint> => {
  const options = { thread: lossyRelayThread, address: '127.0.0.1', clock: steadyClock, rtpTimeoutMs: 0 };
  const endpoint = await createDirectEndpoint(offer, { codecs: null, srtp }, options);
  t.teardown(() => endpoint.destroy());
  return endpoint;
};

const portIn = (sdp: string): number => Number(/^m=audio (\d+)/m.exec(sdp)?.[1]);

const bound = async (t: ExecutionContext): Promise<Socket> => {
  const socket = createSocket('udp4').bind(0, '127.0.0.1');
  await once(socket, 'listening');
  t.teardown(() => void socket.close());
  return socket;
};

/** Action of the relay for a packet, by the number of its frame if it has one. */
type Fate = 'lost' | 'swapped' | 'twice' | 'passed';

/** Starts a relay between two endpoints; only packets to the second one are treated. */
const startRelay = async (t: ExecutionContext, fateOf: (packet: number) => Fate) => {
  const socket = await bound(t);
  let ports: { first: number; second: number } | null = null;
  let packets = 0;
  let held: Buffer | null = null;
  socket.on('message', (datagram, { port: from }) => {
    if (ports === null) return;
    const { first, second } = ports;
    if (from !== first) return socket.send(datagram, first, '127.0.0.1');
    const fate = fateOf((packets += 1));
    const waiting = held;
    held = fate === 'swapped' ? datagram : null;
    const passing = fate === 'passed' ? [datagram] : fate === 'twice' ? [datagram, datagram] : [];
    for (const one of waiting === null ? passing : [...passing, waiting])
      socket.send(one, second, '127.0.0.1');
    return undefined;
  });
  return {
    port: socket.address().port,
    between(first: number, second: number): void {
      ports = { first, second };
    },
  };
};

/** Frames after the counted ones, which show whether the last one was heard or lost. */
const framesBehind = 5;

const numbers = (heard: readonly Counted[]): number[] => heard.filter((it) => typeof it === 'number');

/** Removes concealment frames that replace no lost frame: a busy machine sends frames late. */
const withoutDelays = (heard: readonly Counted[]): Counted[] =>
  heard.filter((it, index) => {
    if (it !== 'filled') return true;
    const before = numbers(heard.slice(0, index)).at(-1) ?? -1;
    const [after = frames] = numbers(heard.slice(index));
    return after - before > 1 && heard[index - 1] !== 'filled';
  });

const callOver = async (t: ExecutionContext, srtp: TrunkSrtp, fateOf: (packet: number) => Fate) => {
  const relay = await startRelay(t, fateOf);
  const throughRelay = (sdp: string): string => sdp.replace(/^m=audio \d+/m, `m=audio ${relay.port}`);
  const caller = await openLossyRelay(t, srtp);
  const callee = await openLossyRelay(t, srtp, throughRelay(caller.localSdp));
  relay.between(portIn(caller.localSdp), portIn(callee.localSdp));
  await caller.takeAnswer(throughRelay(callee.localSdp));
  const pieces: Int16Array[] = [];
  await callee.connect({ onLost() {}, onAudio: (samples) => pieces.push(samples) }, 8_000);
  const mouth = await caller.connect({ onLost() {}, onAudio() {} }, 8_000);
  await until('it is heard', () => pieces.length > 5 || undefined);
  return {
    callee,
    async heard(): Promise<Counted[]> {
      mouth.send(countingSound(frames + framesBehind));
      const sound = (): Counted[] => count(joinSamples(pieces)).filter((it) => it !== 'silent');
      const end = (): number => sound().findIndex((it) => typeof it === 'number' && it >= frames);
      await until('a frame behind the last is heard', () => end() !== -1 || undefined);
      return withoutDelays(sound().slice(0, end()));
    },
  };
};
const all = Array.from({ length: frames }, (_, frame) => frame);

for (const srtp of ['off', 'required'] as const)
  test.serial(`srtp ${srtp}: plays reordered and duplicated packets completely and once`, async (t) => {
    const { heard } = await callOver(t, srtp, (packet) =>
      packet % 7 === 3 ? 'swapped' : packet % 11 === 0 ? 'twice' : 'passed',
    );
    t.deepEqual(await heard(), all);
  });

test.serial('plays audio in order at 5 % loss, with concealment for each lost packet', async (t) => {
  const { heard, callee } = await callOver(t, 'off', (packet) =>
    packet % 20 === 0 ? 'lost' : packet % 7 === 3 ? 'swapped' : 'passed',
  );
  const sound = await heard();
  const missing = all.filter((frame) => !sound.includes(frame));
  t.true(missing.length >= 4 && missing.length <= 6, missing.join());
  for (const [index, frame] of missing.slice(1).entries()) t.is(frame - (missing[index] ?? 0), 20);
  t.deepEqual(
    sound,
    all.map((frame): Counted => (missing.includes(frame) ? 'filled' : frame)),
  );
  t.true(((await callee.statistics())?.received.loss ?? 0) > 0.03);
});

test.serial('ignores packets from a stranger to the port of a call, and sends it no audio', async (t) => {
  const { heard, callee } = await callOver(t, 'off', () => 'passed');
  const stranger = await bound(t);
  const got: Buffer[] = [];
  stranger.on('message', (datagram) => got.push(datagram));
  let sequence = 0;
  const begun = performance.now();
  const shoutOnce = (): void => {
    const packet = Buffer.alloc(172, 0x80);
    sequence += 1;
    writeRtpHeader(packet, {
      payloadType: 0,
      marker: false,
      sequence,
      timestamp: 160 * sequence,
      ssrc: 666,
    });
    stranger.send(packet, portIn(callee.localSdp), '127.0.0.1');
    stranger.send(Buffer.from('no RTP at all'), portIn(callee.localSdp), '127.0.0.1');
    stranger.send(packet, portIn(callee.localSdp) + 1, '127.0.0.1');
  };
  // Makes up for late timers, but not by more packets at once than a socket holds.
  const shout = setInterval(() => {
    const due = Math.min((performance.now() - begun) / 5, sequence + 20);
    while (sequence < due) shoutOnce();
  }, 5);
  t.teardown(() => clearInterval(shout));
  t.deepEqual(numbers(await heard()), all);
  t.true(sequence > 100);
  t.deepEqual(got, []);
});
