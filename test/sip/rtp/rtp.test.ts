/** RTP: packets, sessions, reordering, loss, reports, SRTP and telephone events. */
import { createSecretKey } from 'node:crypto';
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import test, { type ExecutionContext } from 'ava';
import { pcma, pcmu } from '#sip/audio/g711.ts';
import { createConcealment } from '#sip/rtp/concealment.ts';
import { createRtpPorts } from '#sip/rtp/ports.ts';
import { meanOpinionScore } from '#sip/rtp/quality.ts';
import { createReceiving, type ReceivingFormat } from '#sip/rtp/receiving.ts';
import { createReception } from '#sip/rtp/reception.ts';
import { createRemote } from '#sip/rtp/remote.ts';
import { createReorderBuffer } from '#sip/rtp/reorder-buffer.ts';
import { createReports } from '#sip/rtp/reports.ts';
import { middleNtp, parseRtcp, type Rtcp, writeGoodbye, writeReport } from '#sip/rtp/rtcp.ts';
import {
  parseRtp,
  rtpHeaderBytes,
  type RtpPacket,
  sequenceDistance,
  writeRtpHeader,
} from '#sip/rtp/rtp-packet.ts';
import { createRtpSession } from '#sip/rtp/rtp-session.ts';
import { createSending, frameMs, frameSamples } from '#sip/rtp/sending.ts';
import {
  createDecryption,
  createEncryption,
  type Decryption,
  deriveKeys,
  inCounterMode,
  indexOf,
} from '#sip/rtp/srtp.ts';
import { createDigitReader, telephoneEventBytes, writeTelephoneEvent } from '#sip/rtp/telephone-event.ts';
import { ringMemory, SampleRing } from '#sip/audio/sample-ring.ts';
import type { Address, RtpAgreement } from '#sip/rtp/agreement.ts';
import { levelOf, silenceDb } from '#sip/audio/samples.ts';
import { joinSamples } from '#src/domain/sample-bytes.ts';
import { catchingInto } from '#test/helpers/catching-into.ts';
import { until } from '#test/helpers/until.ts';
import { count, type Counted, countedFrames, countingSound, framesOf } from './counting-audio.ts';

// RTP packet

const head = {
  payloadType: 8,
  marker: true,
  sequence: 65_535,
  timestamp: 4_294_967_295,
  ssrc: 3_000_000_000,
};

const packetOf = (payload: readonly number[]): Buffer => {
  const datagram = Buffer.concat([Buffer.alloc(rtpHeaderBytes), Buffer.from(payload)]);
  writeRtpHeader(datagram, head);
  return datagram;
};

test('reads a packet as it was written', (t) => {
  t.like(parseRtp(packetOf([1, 2, 3])), { ...head, payload: Buffer.from([1, 2, 3]) });
});

test('excludes CSRCs, header extension and padding from the payload', (t) => {
  const datagram = Buffer.concat([
    packetOf([]),
    Buffer.alloc(8, 0xcc),
    Buffer.from([0xbe, 0xde, 0, 1, 9, 9, 9, 9]),
    Buffer.from([1, 2, 0, 2]),
  ]);
  datagram[0] = 0x80 | 0x20 | 0x10 | 2;
  t.deepEqual(parseRtp(datagram)?.payload, Buffer.from([1, 2]));
});

const broken: Record<string, Buffer> = {
  'an empty datagram': Buffer.alloc(0),
  'a truncated header': packetOf([]).subarray(0, 11),
  'another version': Buffer.concat([Buffer.from([0x40]), packetOf([1]).subarray(1)]),
  'more CSRCs than bytes': Buffer.concat([Buffer.from([0x8f]), packetOf([1]).subarray(1)]),
  'a truncated extension': Buffer.concat([Buffer.from([0x90]), packetOf([1, 2]).subarray(1)]),
  'an extension longer than the datagram': Buffer.concat([
    Buffer.from([0x90]),
    packetOf([0, 0, 255, 255]).subarray(1),
  ]),
  'more padding than payload': Buffer.concat([Buffer.from([0xa0]), packetOf([1, 200]).subarray(1)]),
  'zero bytes of padding': Buffer.concat([Buffer.from([0xa0]), packetOf([1, 0]).subarray(1)]),
};

for (const [what, datagram] of Object.entries(broken)) {
  test(`rejects ${what}`, (t) => {
    t.is(parseRtp(datagram), undefined);
  });
}

test('compares sequence numbers across the wraparound', (t) => {
  t.is(sequenceDistance(65_535, 1), 2);
  t.is(sequenceDistance(1, 65_535), -2);
  t.is(sequenceDistance(7, 7), 0);
});

// RTP session

const agreement: RtpAgreement = {
  remote: { address: '127.0.0.1', port: 9 },
  remoteReports: { address: '127.0.0.1', port: 9 },
  codec: 'PCMU',
  payloadType: 0,
  dtmfPayloadType: null,
  keys: null,
  receives: new Map([
    [0, 'PCMU'],
    [8, 'PCMA'],
    [13, 'CN'],
    [96, 'telephone-event'],
    [101, 'telephone-event'],
  ]),
  isSending: true,
  isReceiving: true,
};

const sessionPorts = createRtpPorts({ from: 23_000, to: 23_398 });

/** A session with a real socket, before the agreement on media. */
const openSession = async (t: ExecutionContext, ports = sessionPorts) => {
  const taken = await ports.take('127.0.0.1');
  const heard: Int16Array[] = [];
  const digits: string[] = [];
  const session = createRtpSession(
    taken,
    { read: () => 0 },
    { onAudio: (samples) => heard.push(samples), onDigit: (key) => digits.push(key) },
  );
  let isOpen = true;
  const close = (): void => {
    if (isOpen) session.close();
    isOpen = false;
  };
  t.teardown(close);
  const agreeOn = (changed: Partial<RtpAgreement>): void => session.agree({ ...agreement, ...changed });
  return { ...session, socket: taken.rtp, port: taken.port, close, agreeOn, heard, digits };
};

type Sent = Partial<Omit<RtpPacket, 'payload'>> & { payload?: readonly number[] };

const datagramOf = ({ payload, ...sent }: Sent): Buffer => {
  const datagram = Buffer.concat([
    Buffer.alloc(rtpHeaderBytes),
    payload === undefined ? Buffer.alloc(frameSamples, 0xff) : Buffer.from(payload),
  ]);
  writeRtpHeader(datagram, { payloadType: 0, marker: false, sequence: 0, timestamp: 0, ssrc: 1, ...sent });
  return datagram;
};

/** A socket that sends, and counts what it receives. */
const openSender = async (t: ExecutionContext, address: string, port = 0) => {
  const socket = createSocket('udp4');
  socket.bind(port, address);
  await once(socket, 'listening');
  t.teardown(() => void socket.close());
  let received = 0;
  socket.on('message', () => (received += 1));
  const send = (datagram: Buffer, to: number): Promise<void> =>
    new Promise((resolve, reject) => {
      socket.send(datagram, to, '127.0.0.1', (error) => (error === null ? resolve() : reject(error)));
    });
  return { address: { address, port: socket.address().port }, send, received: () => received };
};

/** Consecutive voice packets of one stream. */
const voiceOf = (ssrc: number, first = 0) => {
  let sequence = first;
  return (changed: Sent = {}): Buffer => {
    sequence += 1;
    return datagramOf({ ssrc, sequence, timestamp: sequence * frameSamples, ...changed });
  };
};

test.serial('watches for missing audio once media is agreed on, except on hold', async (t) => {
  const session = await openSession(t);
  t.is(session.statistics().silentMs, null);
  session.agreeOn({});
  t.is(typeof session.statistics().silentMs, 'number');
  session.agreeOn({ isSending: false, isReceiving: false });
  t.is(session.statistics().silentMs, null);
  session.agreeOn({});
  t.is(typeof session.statistics().silentMs, 'number');
});

test.serial('expects no media of a receive-only far end', async (t) => {
  const session = await openSession(t);
  session.agreeOn({ isReceiving: false });
  t.is(session.statistics().silentMs, null);
  t.false(session.statistics().isSentThere);
});

test.serial('passes errors of packets to its guard', async (t) => {
  const taken = await sessionPorts.take('127.0.0.1');
  const errors: unknown[] = [];
  const error = new Error('on purpose');
  const onDigit = (): void => {};
  const onAudio = (): never => {
    throw error;
  };
  const session = createRtpSession(taken, { read: () => 0 }, { onAudio, onDigit }, catchingInto(errors));
  t.teardown(session.close);
  session.agree(agreement);
  const farEnd = await openSender(t, '127.0.0.1');
  await farEnd.send(voiceOf(1)(), taken.port);
  await until('it is reported', () => errors.length > 0 || undefined);
  t.deepEqual(errors, [error]);
});

test.serial('ignores packets from port 0, to which nothing can be sent', async (t) => {
  const session = await openSession(t);
  session.agreeOn({});
  // No socket sends from port 0, but a forged packet may state it.
  session.socket.emit('message', datagramOf({ sequence: 1 }), { address: '127.0.0.9', port: 0 });
  t.notThrows(() => session.tick());
  t.is(session.statistics().received, 0);
  t.deepEqual(session.statistics().remote, agreement.remote);
});

test.serial('keeps sending to the far end while it is silent and a stranger sends', async (t) => {
  const session = await openSession(t);
  const farEnd = await openSender(t, '127.0.0.1');
  const stranger = await openSender(t, '127.0.0.2');
  session.agreeOn({});
  const [theirs, others] = [voiceOf(1), voiceOf(9)];
  await farEnd.send(theirs(), session.port);
  await until('the far end is heard', () => session.statistics().received === 1 || undefined);
  // Longer than any pause of a speaker: no packet for more than half a second.
  await until('a pause', () => (session.statistics().silentMs ?? 0) > 600 || undefined);
  for (let packet = 0; packet < 20; packet += 1) {
    await stranger.send(others(), session.port);
    session.tick();
  }
  await farEnd.send(theirs(), session.port);
  await until('the far end is heard again', () => session.statistics().received === 2 || undefined);
  t.deepEqual(session.statistics().remote, farEnd.address);
  await until('media arrives', () => farEnd.received() >= 20 || undefined);
  t.is(stranger.received(), 0);
});

test.serial('ignores RTCP of a stranger, and of an SSRC that never sent RTP', async (t) => {
  const session = await openSession(t);
  const farEnd = await openSender(t, '127.0.0.1');
  const stranger = await openSender(t, '127.0.0.3');
  session.agreeOn({});
  session.tick();
  await farEnd.send(voiceOf(7)(), session.port);
  await until('the far end is heard', () => session.statistics().received === 1 || undefined);
  const ourSsrc = await new Promise<number>((resolve) => {
    const ears = createSocket('udp4');
    t.teardown(() => void ears.close());
    ears.once('message', (datagram) => resolve(datagram.readUInt32BE(8)));
    ears.bind(0, '127.0.0.1', () => {
      session.agreeOn({ remote: { address: '127.0.0.1', port: ears.address().port } });
      session.tick();
    });
  });
  const lossy = (ssrc: number): Buffer =>
    writeReport(
      { ssrc, packets: 1, bytes: 160, timestamp: 0 },
      {
        ssrc: ourSsrc,
        fractionLost: 255,
        cumulativeLost: 1,
        highest: 1,
        jitter: 8_000,
        lastReport: 0,
        delaySince: 0,
      },
      Date.now(),
    );
  await stranger.send(lossy(7), session.port + 1);
  await stranger.send(lossy(0xbad), session.port + 1);
  await farEnd.send(lossy(0xbad), session.port + 1);
  const good = lossy(7);
  good.writeUInt32BE(80, 40);
  await farEnd.send(good, session.port + 1);
  await until(
    'the report of the far end is taken',
    () => session.statistics().jitterThereMs !== null || undefined,
  );
  t.is(session.statistics().jitterThereMs, 10);
});

test.serial("ignores the old far end's packets on a port pair that another call reuses", async (t) => {
  const ports = createRtpPorts({ from: 23_400, to: 23_401 });
  const first = await openSession(t, ports);
  const earlier = await openSender(t, '127.0.0.2');
  const later = await openSender(t, '127.0.0.3');
  first.agreeOn({});
  const [old, current] = [voiceOf(1), voiceOf(2)];
  await earlier.send(old(), first.port);
  await until('it is heard', () => first.statistics().received === 1 || undefined);
  first.close();
  const second = await until('the pair is free', () => openSession(t, ports).catch(() => undefined));
  t.is(second.port, first.port);
  second.agreeOn({});
  for (let packet = 0; packet < 20; packet += 1) await earlier.send(old(), second.port);
  await later.send(current(), second.port);
  await until('its own far end is heard', () => second.statistics().received > 0 || undefined);
  t.is(second.statistics().received, 1);
  t.deepEqual(second.statistics().remote, later.address);
});

test.serial(
  'receives every codec and payload type of the agreed descriptions, whatever it sends itself',
  async (t) => {
    const session = await openSession(t);
    const farEnd = await openSender(t, '127.0.0.1');
    session.agreeOn({});
    const next = voiceOf(1);
    for (const payloadType of [8, 0, 8, 18]) await farEnd.send(next({ payloadType }), session.port);
    await farEnd.send(next({ payloadType: 101, marker: true, payload: [5, 10, 0, 160] }), session.port);
    await farEnd.send(next({ payloadType: 96, marker: true, payload: [6, 10, 0, 160] }), session.port);
    await until('both digits are read', () => session.digits.length === 2 || undefined);
    t.deepEqual(session.digits, ['5', '6']);
    t.is(session.heard.length, 3);
  },
);

test.serial('treats comfort noise, telephone events and RTCP as received media', async (t) => {
  const session = await openSession(t);
  const farEnd = await openSender(t, '127.0.0.1');
  session.agreeOn({});
  const next = voiceOf(1);
  const renews = async (what: string, datagram: Buffer, port: number): Promise<void> => {
    await until('a pause', () => ((session.statistics().silentMs ?? 0) > 30 ? true : undefined));
    const sentAt = performance.now();
    await farEnd.send(datagram, port);
    // A packet that is received ends the pause before it, however late this is seen.
    await until(what, () => {
      const { silentMs } = session.statistics();
      return silentMs !== null && silentMs <= performance.now() - sentAt ? true : undefined;
    });
  };
  await renews('voice', next(), session.port);
  await renews('comfort noise', next({ payloadType: 13, payload: [28] }), session.port);
  await renews('a digit', next({ payloadType: 101, payload: [1, 10, 0, 160] }), session.port);
  const sender = { ssrc: 1, packets: 3, bytes: 480, timestamp: 0 };
  await renews('a sender report', writeReport(sender, null, Date.now()), session.port + 1);
  await renews('the next one', writeReport(sender, null, Date.now()), session.port + 1);
  t.is(session.statistics().received, 3);
  t.false(session.statistics().isSentThere, 'it reports that it has sent no more');
});

test.serial('comfort noise counts neither as lost nor as concealed', async (t) => {
  const session = await openSession(t);
  const farEnd = await openSender(t, '127.0.0.1');
  session.agreeOn({});
  const next = voiceOf(1);
  for (let packet = 0; packet < 50; packet += 1) {
    await farEnd.send(next(), session.port);
    await farEnd.send(next({ payloadType: 13, payload: [28] }), session.port);
  }
  await until('all have come', () => session.statistics().received === 100 || undefined);
  t.is(session.statistics().lost, 0);
  t.is(joinSamples(session.heard).length, 50 * frameSamples);
});

test('does not conceal a packet lost after comfort noise or a digit', (t) => {
  for (const [payloadType, payload] of [
    [13, [28]],
    [101, [5, 0x8a, 0, 160]],
  ] as const) {
    const heard: Int16Array[] = [];
    const receiving = createReceiving(
      new Map<number, ReceivingFormat>([
        [0, pcmu],
        [13, 'CN'],
        [101, 'telephone-event'],
      ]),
      { onAudio: (samples) => heard.push(samples), onDigit() {} },
    );
    const next = voiceOf(1);
    const take = (datagram: Buffer, at: number): void => {
      const packet = receiving.read(datagram);
      if (packet !== undefined) receiving.take(packet, at);
    };
    take(next(), 0);
    take(next({ payloadType, payload }), 20);
    next();
    take(next(), 60);
    receiving.expire(200);
    t.is(heard.length, 2);
  }
});

// Ports

test.serial('a released port pair is not reused while others are free', async (t) => {
  let now = 0;
  const ports = createRtpPorts({ from: 23_402, to: 23_407 }, { now: () => now });
  const take = async () => {
    const taken = await ports.take('127.0.0.1');
    const close = async (): Promise<void> => {
      taken.released([]);
      await Promise.all([taken.rtp, taken.rtcp].map((socket) => once(socket.close(), 'close')));
    };
    return { port: taken.port, close };
  };
  const first = await take();
  await first.close();
  const second = await take();
  const third = await take();
  t.false([second.port, third.port].includes(first.port));
  await second.close();
  now = 5_000;
  await third.close();
  const longest = await take();
  t.is(longest.port, first.port, 'all rest: the longest rested is taken');
  now = 10_000;
  const rested = await take();
  t.is(rested.port, second.port);
  await longest.close();
  await rested.close();
});

test.serial('finds a free pair beside many occupied neighbours', async (t) => {
  const range = { from: 23_410, to: 23_609 };
  const other = createRtpPorts(range, { random: () => 0 });
  const places = [0, 0.2, 0.9];
  const own = createRtpPorts(range, { random: () => places.shift() ?? 0.9 });
  const taken = [];
  for (let pair = 0; pair < 40; pair += 1) taken.push(await other.take('127.0.0.1'));
  taken.push(await own.take('127.0.0.1'));
  for (const { rtp, rtcp } of taken) for (const socket of [rtp, rtcp]) socket.close();
  t.true((taken.at(-1)?.port ?? 0) >= 23_590);
});

// Remote

const agreed = { address: '192.0.2.1', port: 4_000 };
const agreedReports = { address: '192.0.2.1', port: 4_001 };
const behindNat = { address: '198.51.100.9', port: 61_000 };
const stranger = { address: '203.0.113.66', port: 5_000 };

const setUpRemote = (former: Parameters<typeof createRemote>[0] = []) => {
  const remote = createRemote(former);
  remote.agreedOn(agreed, agreedReports);
  let sequence = 0;
  /** The packet after the previous one, of this source at this time. */
  const admits = (
    from: Address,
    at: number,
    changed: Partial<RtpPacket> & { isAuthentic?: boolean } = {},
  ): boolean => {
    sequence += 1;
    const { isAuthentic = false, ...packet } = changed;
    return remote.admits({ ssrc: 1, sequence, timestamp: at * 8, ...packet }, { from, at, isAuthentic });
  };
  return { ...remote, admits };
};

test('sends to the agreed address until packets arrive from another one', (t) => {
  const remote = setUpRemote();
  t.deepEqual(remote.address(), agreed);
  t.true(remote.admits(behindNat, 0));
  t.like(remote.address(), behindNat);
});

test('ignores a stranger beside the far end and sends it no media', (t) => {
  const remote = setUpRemote();
  remote.admits(agreed, 0);
  t.false(remote.admits(stranger, 20, { ssrc: 9 }));
  t.like(remote.address(), agreed);
  remote.admits(agreed, 480);
  t.false(remote.admits(stranger, 900, { ssrc: 9 }));
});

test('does not replace a silent source by a stranger, however long it is silent', (t) => {
  for (const source of [agreed, behindNat]) {
    const remote = setUpRemote();
    remote.admits(source, 0);
    for (const at of [501, 5_000, 600_000]) t.false(remote.admits(stranger, at, { ssrc: 9 }), `${at} ms`);
    t.like(remote.address(), source);
    t.true(remote.admits(source, 600_020));
  }
});

test('the agreed address replaces a stranger that sends first', (t) => {
  const remote = setUpRemote();
  t.true(remote.admits(stranger, 0, { ssrc: 9 }));
  t.true(remote.admits(agreed, 20));
  t.like(remote.address(), agreed);
  t.false(remote.admits(stranger, 40, { ssrc: 9 }));
});

test('follows a stream that continues from another address', (t) => {
  const remote = setUpRemote();
  remote.admits(behindNat, 0);
  const moved = { ...behindNat, port: 61_002 };
  t.true(remote.admits(moved, 4_000));
  t.is(remote.address().port, 61_002);
  t.true(remote.admits({ ...moved, port: 61_004 }, 4_020, { timestamp: 4_000 * 8 }), 'within a digit');
});

for (const [how, packet] of [
  ['another SSRC', { ssrc: 2 }],
  ['an old sequence number', { sequence: 0 }],
  ['a sequence number far ahead', { sequence: 9_000 }],
  ['an old timestamp', { timestamp: 0 }],
  ['a timestamp ahead of the time', { timestamp: 8 * 60_000 }],
] as const)
  test(`does not follow a stream with ${how} to another address`, (t) => {
    const remote = setUpRemote();
    remote.admits(behindNat, 1_000);
    t.false(remote.admits(stranger, 1_020, packet));
    t.like(remote.address(), behindNat);
  });

test('accepts packets verified by SRTP from any address', (t) => {
  const remote = setUpRemote();
  remote.admits(behindNat, 0, { isAuthentic: true });
  t.true(remote.admits(stranger, 20, { ssrc: 9, isAuthentic: true }));
  t.like(remote.address(), stranger);
  t.true(remote.admitsReport(77, { from: behindNat, isAuthentic: true }));
});

test('ignores streams of the call that used the port before', (t) => {
  const remote = setUpRemote([{ ...stranger, ssrc: 9 }]);
  t.false(remote.admits(stranger, 0, { ssrc: 9 }));
  t.deepEqual(remote.address(), agreed);
  t.true(remote.admits(behindNat, 20));
  t.like(remote.address(), behindNat);
});

test('a session refresh keeps the send address, and a new description resets it', (t) => {
  const remote = setUpRemote();
  remote.admits(behindNat, 0);
  remote.agreedOn({ ...agreed }, agreedReports);
  t.like(remote.address(), behindNat);
  remote.agreedOn({ ...agreed, port: 4_002 }, agreedReports);
  t.is(remote.address().port, 4_002);
});

test('accepts the new source after a new description despite late packets of the old one', (t) => {
  const remote = setUpRemote();
  remote.admits(behindNat, 0);
  remote.agreedOn({ ...agreed, port: 4_002 }, agreedReports);
  t.true(remote.admits(behindNat, 20), 'still on its way');
  t.is(remote.address().port, 4_002);
  const moved = { ...behindNat, port: 61_002 };
  t.true(remote.admits(moved, 40, { ssrc: 2 }));
  t.like(remote.address(), moved);
  t.false(remote.admits(stranger, 60, { ssrc: 9 }));
});

test('pins a source again that keeps sending after a new description', (t) => {
  const remote = setUpRemote();
  remote.admits(behindNat, 0);
  remote.agreedOn({ ...agreed, port: 4_002 }, agreedReports);
  for (let at = 20; at <= 1_000; at += 20) t.true(remote.admits(behindNat, at));
  t.like(remote.address(), behindNat);
  t.false(remote.admits(stranger, 1_020, { ssrc: 9 }));
});

test("accepts RTCP from the far end's host about SSRCs that the host has sent", (t) => {
  const remote = setUpRemote();
  const from = { ...agreed, port: 4_009 };
  t.true(remote.admitsReport(5, { from, isAuthentic: false }), 'nothing was heard yet');
  t.false(remote.admitsReport(5, { from: stranger, isAuthentic: false }));
  remote.admits(behindNat, 0);
  t.true(remote.admitsReport(1, { from, isAuthentic: false }));
  t.true(remote.admitsReport(1, { from: { ...behindNat, port: 7 }, isAuthentic: false }));
  t.false(remote.admitsReport(5, { from, isAuthentic: false }));
  t.false(remote.admitsReport(1, { from: stranger, isAuthentic: false }));
});

// Sending

const format = { codec: pcmu, payloadType: 0, dtmfPayloadType: 101 };

const setUpSending = (
  given: Partial<Omit<typeof format, 'dtmfPayloadType'>> & { dtmfPayloadType?: number | null } = {},
) => {
  const ring = new SampleRing(ringMemory(1_024));
  const sending = createSending({ ...format, ...given }, ring);
  const next = () => {
    const packet = parseRtp(Buffer.from(sending.next()));
    if (packet === undefined) throw new Error('No RTP was sent');
    return packet;
  };
  return { ring, sending, next };
};

test('increments the sequence number by one and the timestamp by 160 per packet', (t) => {
  const { next } = setUpSending();
  const [first, second, third] = [next(), next(), next()];
  t.is((second.sequence - first.sequence) & 0xffff, 1);
  t.is((third.timestamp - second.timestamp) >>> 0, frameSamples);
  t.is(new Set([first.ssrc, second.ssrc, third.ssrc]).size, 1);
  t.deepEqual([first.marker, second.marker, third.marker], [true, false, false]);
});

test('a resumed call starts ahead of the earlier packets, even after half an hour', (t) => {
  const ring = new SampleRing(ringMemory(1_024));
  for (const begun of [1_795_403_200_000, 1_795_403_200_000 + 16 * 65_530])
    for (const seconds of [1, 60, 1_800]) {
      const before = parseRtp(createSending(format, ring, begun).next());
      const after = parseRtp(createSending(format, ring, begun + 1_000 * seconds).next());
      if (before === undefined || after === undefined) throw new Error('No RTP was sent');
      const last = before.sequence + 50 * seconds;
      const ahead = (after.sequence - last) & 0xffff;
      t.true(ahead > 0 && ahead < 0x8000, `${ahead} ahead after ${seconds} s`);
    }
});

test('sends the queued audio, then silence', (t) => {
  const { ring, next } = setUpSending();
  ring.write(new Int16Array(200).fill(7_932));
  const decoded = [next(), next(), next()].map(({ payload }) => Array.from(pcmu.decode(payload)));
  t.deepEqual(
    decoded[0],
    Array.from({ length: 160 }, () => 7_932),
  );
  t.deepEqual(decoded[1], [
    ...Array.from({ length: 40 }, () => 7_932),
    ...Array.from({ length: 120 }, () => 0),
  ]);
  t.deepEqual(new Set(decoded[2]), new Set([0]));
});

test('sends a digit for 160 ms with its start timestamp and repeats its end three times', (t) => {
  const { ring, sending, next } = setUpSending();
  ring.write(new Int16Array(160).fill(3_900));
  t.true(sending.press('5'));
  const packets = Array.from({ length: 10 }, next);
  t.deepEqual(new Set(packets.map(({ payloadType }) => payloadType)), new Set([101]));
  t.is(new Set(packets.map(({ timestamp }) => timestamp)).size, 1);
  t.deepEqual(
    packets.map(({ marker }) => marker),
    [true, ...Array.from({ length: 9 }, () => false)],
  );
  const durations = packets.map(({ payload }) => ((payload[2] ?? 0) << 8) | (payload[3] ?? 0));
  t.deepEqual(durations, [160, 320, 480, 640, 800, 960, 1_120, 1_280, 1_280, 1_280]);
  t.deepEqual(packets.map(({ payload }) => ((payload[1] ?? 0) & 0x80) !== 0).filter(Boolean).length, 3);
  const after = Array.from({ length: 4 }, next);
  t.deepEqual(
    after.map(({ payloadType }) => payloadType),
    [0, 0, 0, 0],
  );
  // Audio waits until all digits are sent.
  t.is(pcmu.decode(after[3]?.payload ?? new Uint8Array())[0], 3_900);
  t.is(((after[0]?.timestamp ?? 0) - (packets[0]?.timestamp ?? 0)) >>> 0, 10 * frameSamples);
});

test('sends several digits in order, with the requested pauses', (t) => {
  const { sending, next } = setUpSending();
  sending.press('1w1');
  const read = createDigitReader();
  const told = Array.from({ length: 60 }, next).map((packet) =>
    packet.payloadType === 101 ? read(packet) : undefined,
  );
  t.deepEqual(
    told.filter((key) => key !== undefined),
    ['1', '1'],
  );
  t.is(told.lastIndexOf('1') - told.indexOf('1'), 10 + 3 + 25);
});

test('sends no digits to a far end without telephone events', (t) => {
  const { sending, next } = setUpSending({ dtmfPayloadType: null });
  t.false(sending.press('1'));
  t.is(next().payloadType, 0);
});

test('switches the format with the next packet of the same stream', (t) => {
  const { ring, sending, next } = setUpSending();
  const before = next();
  sending.setFormat({ codec: pcma, payloadType: 8, dtmfPayloadType: null });
  ring.write(new Int16Array(160).fill(1_008));
  const after = next();
  t.is(after.payloadType, 8);
  t.is(after.ssrc, before.ssrc);
  t.is(pcma.decode(after.payload)[0], 1_008);
});

test('counts sent packets and bytes', (t) => {
  const { sending, next } = setUpSending();
  const packet = next();
  next();
  t.like(sending.soFar(), { packets: 2, bytes: 320, ssrc: packet.ssrc });
});

// Reception

const receptionPacket = (sequence: number, ssrc = 1) => ({ sequence, timestamp: sequence * 160, ssrc });

test('counts no loss for restarted or reordered sequence numbers', (t) => {
  const reception = createReception();
  const ssrc = 7;
  let at = 0;
  const receive = (sequence: number): void => {
    at += 20;
    reception.received({ sequence, timestamp: at * 8, ssrc }, at);
  };
  for (let sequence = 100; sequence < 110; sequence += 1) receive(sequence);
  receive(30_000);
  receive(110);
  t.like(reception.statistics(), { packets: 11, lost: 0 });
  for (let sequence = 20_000; sequence < 20_010; sequence += 1) receive(sequence);
  t.like(reception.statistics(), { packets: 21, lost: 0 });
  receive(20_012);
  t.like(reception.statistics(), { packets: 22, lost: 2 });
});

test('counts missing packets as lost, but not late ones', (t) => {
  const reception = createReception();
  for (const sequence of [65_534, 65_535, 2, 0, 3]) reception.received(receptionPacket(sequence), 0);
  t.like(reception.statistics(), { packets: 5, lost: 1 });
});

test('reports the loss since the previous report and in total', (t) => {
  const reception = createReception();
  for (const sequence of [1, 2, 4]) reception.received(receptionPacket(sequence), 0);
  t.like(reception.report(), { ssrc: 1, fractionLost: 64, cumulativeLost: 1, highest: 4 });
  for (const sequence of [5, 6]) reception.received(receptionPacket(sequence), 0);
  t.like(reception.report(), { fractionLost: 0, cumulativeLost: 1, highest: 6 });
});

test('restarts the sequence and keeps the totals for a new stream', (t) => {
  const reception = createReception();
  for (const sequence of [1, 3]) reception.received(receptionPacket(sequence), 0);
  for (const sequence of [900, 901]) reception.received(receptionPacket(sequence, 2), 0);
  t.like(reception.statistics(), { packets: 4, lost: 1 });
  t.like(reception.report(), { ssrc: 2, cumulativeLost: 0 });
});

test('computes a jitter of zero for even intervals, and the mean deviation of uneven ones', (t) => {
  const even = createReception();
  const uneven = createReception();
  for (let index = 0; index < 500; index += 1) {
    even.received(receptionPacket(index), index * 20);
    uneven.received(receptionPacket(index), index * 20 + (index % 2) * 10);
  }
  t.is(even.statistics().jitterMs, 0);
  t.true(Math.abs(uneven.statistics().jitterMs - 10) < 0.5);
});

test("does not raise the jitter for a digit, or for a pause in which the sender's clock stops", (t) => {
  const reception = createReception();
  let at = 0;
  const packets = (count: number, of: (index: number) => Parameters<typeof reception.received>): void => {
    for (let index = 0; index < count; index += 1, at += 20) reception.received(...of(index));
  };
  packets(50, (index) => [receptionPacket(index), at]);
  packets(50, (index) => [{ ...receptionPacket(50), sequence: 50 + index }, at, 'event']);
  packets(50, (index) => [receptionPacket(100 + index), at]);
  at += 3_000;
  packets(50, (index) => [{ ...receptionPacket(150 + index), marker: index === 0 }, at]);
  t.is(reception.statistics().jitterMs, 0);
  t.is(reception.statistics().lost, 0);
});

test('sends no report block before media has arrived', (t) => {
  t.is(createReception().report(), null);
});

// Reorder buffer

const setUpReorderBuffer = () => {
  const out: (number | string)[] = [];
  const buffer = createReorderBuffer<{ sequence: number }>(
    { onPacket: ({ sequence }) => out.push(sequence), onGap: (packets) => out.push(`gap ${packets}`) },
    { waitMs: 60, most: 5 },
  );
  const add = (sequence: number, at = 0): void => buffer.add({ sequence }, at);
  return { out, add, expire: buffer.expire };
};

test('returns packets in order at once', (t) => {
  const { out, add } = setUpReorderBuffer();
  for (const sequence of [65_534, 65_535, 0, 1]) add(sequence);
  t.deepEqual(out, [65_534, 65_535, 0, 1]);
});

test('waits for an overtaken packet and returns it in its place', (t) => {
  const { out, add } = setUpReorderBuffer();
  for (const sequence of [1, 3, 4, 2]) add(sequence);
  t.deepEqual(out, [1, 2, 3, 4]);
});

test('treats a packet missing too long as a gap, and drops it when it arrives', (t) => {
  const { out, add, expire } = setUpReorderBuffer();
  add(1, 0);
  add(4, 20);
  expire(79);
  t.deepEqual(out, [1]);
  expire(80);
  add(2, 81);
  add(3, 82);
  add(5, 83);
  t.deepEqual(out, [1, 'gap 2', 4, 5]);
});

test('returns a duplicated packet once', (t) => {
  const { out, add } = setUpReorderBuffer();
  for (const sequence of [1, 1, 3, 3, 2, 2]) add(sequence);
  t.deepEqual(out, [1, 2, 3]);
});

test('buffers only a few packets while one is missing', (t) => {
  const { out, add } = setUpReorderBuffer();
  for (const sequence of [1, 3, 4, 5, 6, 7]) add(sequence);
  t.deepEqual(out, [1, 'gap 1', 3, 4, 5, 6, 7]);
});

test('continues a stream that restarts elsewhere after the buffered packets', (t) => {
  const { out, add } = setUpReorderBuffer();
  for (const sequence of [1, 3, 20_000, 20_001]) add(sequence);
  t.deepEqual(out, [1, 'gap 1', 3, 20_000, 20_001]);
});

test('restarts a stream at a packet far in the past', (t) => {
  const { out, add } = setUpReorderBuffer();
  for (const sequence of [5_000, 5_001, 4_000, 4_001]) add(sequence);
  t.deepEqual(out, [5_000, 5_001, 4_000, 4_001]);
});

// Concealment

const tone = (hertz: number, from: number, count: number): Int16Array =>
  Int16Array.from(
    { length: count },
    (_, index) => 8_000 * Math.sin((2 * Math.PI * hertz * (from + index)) / 8_000),
  );

test('conceals a gap in a tone at its pitch without a step', (t) => {
  const concealment = createConcealment();
  concealment.heard(tone(200, 0, 800));
  const filled = concealment.fill(160);
  const meant = tone(200, 800, 160);
  const wrong = filled.reduce((most, sample, index) => {
    const fading = 1 - index / 480;
    return Math.max(most, Math.abs(sample - (meant[index] ?? 0) * fading));
  }, 0);
  t.true(wrong < 400, String(wrong));
});

test('fades out a long loss and fades in the next audio', (t) => {
  const concealment = createConcealment();
  concealment.heard(tone(150, 0, 400));
  const levels = Array.from({ length: 4 }, () => levelOf(concealment.fill(160)));
  t.true((levels[0] ?? 0) > (levels[1] ?? 0) && (levels[1] ?? 0) > (levels[2] ?? 0));
  t.is(levels[3], silenceDb);
  concealment.heard(tone(150, 1_040, 160));
  t.true(levelOf(concealment.fill(160)) > -20);
});

test('plays silence before any audio has arrived', (t) => {
  t.is(levelOf(createConcealment().fill(160)), silenceDb);
});

// Lossy path
// From the sender to the receiver of a call over a path that loses, delays, reorders and duplicates packets by a plan.

/** Arrival times of each packet after it was sent, in milliseconds: none, one or several. */
type Plan = (packet: number) => readonly number[];

const frames = 100;

/** The audio at the other end. */
const heardOver = (plan: Plan): Int16Array => {
  const sound = countingSound(frames);
  let said = 0;
  const sending = createSending(
    { codec: pcmu, payloadType: 0, dtmfPayloadType: null },
    {
      read(frame) {
        frame.set(sound.subarray(said, (said += frameSamples)));
        return frameSamples;
      },
    },
  );
  const pieces: Int16Array[] = [];
  const receiving = createReceiving(new Map([[0, pcmu]]), {
    onAudio: (samples) => pieces.push(samples),
    onDigit() {},
  });
  const events: { at: number; happen: () => void }[] = [];
  for (let packet = 0; packet < frames; packet += 1) {
    const datagram = Buffer.from(sending.next());
    for (const delay of plan(packet)) {
      const at = packet * frameMs + delay;
      const happen = (): void => {
        const parsed = receiving.read(datagram);
        if (parsed !== undefined) receiving.take(parsed, at);
      };
      events.push({ at, happen });
    }
  }
  for (let at = 0; at < frames * frameMs + 1_000; at += frameMs)
    events.push({ at, happen: () => receiving.expire(at) });
  for (const { happen } of events.toSorted((one, other) => one.at - other.at)) happen();
  return joinSamples(pieces);
};

const all = Array.from({ length: frames }, (_, frame) => frame);

for (const [how, plan] of [
  ['without changes', () => [0]],
  ['half a second later', () => [500]],
  [
    'occasionally overtaken by two, or duplicated',
    (packet) => (packet % 9 === 4 ? [45] : packet % 11 === 0 ? [0, 30] : [0]),
  ],
  ['with 60 ms of jitter', (packet) => [[0, 60, 20, 40, 10, 50, 30, 60][packet % 8] ?? 0]],
  ['in bursts of three', (packet) => [2 * frameMs - (packet % 3) * frameMs]],
] as const satisfies readonly (readonly [string, Plan])[])
  test(`plays packets that arrive ${how} completely and in order`, (t) => {
    t.true(frames <= countedFrames);
    t.deepEqual(count(heardOver(plan)), all);
  });

test('at 5 % loss, conceals each gap of 20 ms and plays all other audio', (t) => {
  const isLost = (packet: number): boolean => packet % 20 === 13;
  const heard = heardOver((packet) => (isLost(packet) ? [] : [0]));
  t.deepEqual(
    count(heard),
    all.map((frame): Counted => (isLost(frame) ? 'filled' : frame)),
  );
  const parts = framesOf(heard);
  for (const frame of all.filter(isLost)) {
    const [before, filled] = [parts[frame - 1], parts[frame]];
    if (before === undefined || filled === undefined) return t.fail();
    const change = levelOf(filled) - levelOf(before);
    t.true(change < 0 && change > -4, `frame ${frame}: ${change} dB`);
  }
  return t.pass();
});

test('fades out consecutive losses, and plays silence in a long gap', (t) => {
  const heard = heardOver((packet) => (packet >= 50 && packet < 55 ? [] : [0]));
  const levels = framesOf(heard).slice(49, 55).map(levelOf);
  for (const [index, level] of levels.slice(1, 4).entries())
    t.true(level < (levels[index] ?? 0), levels.join());
  t.deepEqual(count(heard).slice(53, 56), ['silent', 'silent', 55]);
  const gap = heardOver((packet) => (packet >= 50 && packet < 70 ? [] : [0]));
  t.deepEqual(count(gap), [...all.slice(0, 50), ...all.slice(70)]);
});

test('does not play a late packet after its successors', (t) => {
  const heard = heardOver((packet) => (packet === 40 ? [150] : [0]));
  t.deepEqual(
    count(heard),
    all.map((frame): Counted => (frame === 40 ? 'filled' : frame)),
  );
});

// Quality

const score = (stream: Partial<Parameters<typeof meanOpinionScore>[0]>): number =>
  meanOpinionScore({ lost: 0, jitterMs: 0, roundTripMs: 0, ...stream });

test('gives a perfect G.711 call a MOS of 4.4, and one that loses everything 1', (t) => {
  t.true(Math.abs(score({}) - 4.4) < 0.03);
  t.true(score({ lost: 1 }) < 1.5);
});

test('lowers the MOS for loss, for jitter and for delay', (t) => {
  t.true(score({ lost: 0.05 }) < score({ lost: 0.01 }));
  t.true(score({ jitterMs: 60 }) < score({ jitterMs: 5 }));
  t.true(score({ roundTripMs: 800 }) < score({ roundTripMs: 100 }));
});

test('gives a loss of 5 % an audible but still usable MOS', (t) => {
  const lossy = score({ lost: 0.05 });
  t.true(lossy > 3 && lossy < 4, String(lossy));
});

// Reports

const ours = { ssrc: 7, bytes: 0, timestamp: 0 };
const theirs = { ssrc: 9, packets: 1, bytes: 160, timestamp: 0 };

const about = (highest: number, cumulativeLost = 0) => ({
  ssrc: ours.ssrc,
  fractionLost: 0,
  cumulativeLost,
  highest,
  jitter: 24,
  lastReport: 0,
  delaySince: 0,
});

const reportOf = (report: Buffer): Rtcp => {
  const parsed = parseRtcp(report, ours.ssrc);
  if (parsed === undefined) throw new Error('That is no RTCP');
  return parsed;
};

test('computes loss and jitter of the far end over the whole call', (t) => {
  const reports = createReports();
  t.deepEqual(reports.ofRemote(), {
    lossThere: null,
    jitterThereMs: null,
    isHeardThere: null,
    isSentThere: null,
    roundTripMs: null,
  });
  reports.take(reportOf(writeReport(theirs, about(1_500, 50), 0)), { packets: 500 });
  t.like(reports.ofRemote(), { lossThere: 0.1, jitterThereMs: 3, isHeardThere: true });
});

test('treats a far end that sends no report blocks while the gateway sends as receiving no media', (t) => {
  const reports = createReports();
  reports.take(reportOf(writeReport(theirs, null, 0)), { packets: 100 });
  t.is(reports.ofRemote().isHeardThere, null, 'what is sent may still be on its way');
  reports.take(reportOf(writeReport(theirs, null, 0)), { packets: 260 });
  t.false(reports.ofRemote().isHeardThere);
});

test('treats a far end whose received count stops as receiving no media, until the count grows again', (t) => {
  const reports = createReports();
  reports.take(reportOf(writeReport(theirs, about(1_250), 0)), { packets: 250 });
  reports.take(reportOf(writeReport(theirs, about(1_250), 0)), { packets: 300 });
  t.true(reports.ofRemote().isHeardThere, 'soon after');
  reports.take(reportOf(writeReport(theirs, about(1_250), 0)), { packets: 500 });
  t.false(reports.ofRemote().isHeardThere);
  reports.take(reportOf(writeReport(theirs, about(1_700), 0)), { packets: 700 });
  t.true(reports.ofRemote().isHeardThere);
});

test('treats a far end as sending while its sender reports count more packets', (t) => {
  const reports = createReports();
  const isSent = (packets: number): boolean | null => {
    reports.take(reportOf(writeReport({ ...theirs, packets }, null, 0)), { packets: 100 });
    return reports.ofRemote().isSentThere;
  };
  t.deepEqual([100, 200, 200, 201].map(isSent), [null, true, false, true]);
});

// RTCP

const sent = { ssrc: 7, packets: 100, bytes: 16_000, timestamp: 16_000 };
const heard = {
  ssrc: 9,
  fractionLost: 64,
  cumulativeLost: 12,
  highest: 65_540,
  jitter: 80,
  lastReport: 123_456,
  delaySince: 65_536,
};

test('a sender reads the reports about its stream', (t) => {
  const wallMs = Date.UTC(2026, 0, 1, 0, 0, 0, 500);
  const report = writeReport(sent, heard, wallMs);
  t.is(report.length % 4, 0);
  t.deepEqual(parseRtcp(report, 9), {
    ssrc: 7,
    senderReport: { time: middleNtp(wallMs), packets: 100 },
    about: [
      {
        fractionLost: 64,
        cumulativeLost: 12,
        highest: 65_540,
        jitter: 80,
        lastReport: 123_456,
        delaySince: 65_536,
      },
    ],
    isReport: true,
    isGoodbye: false,
  });
  t.deepEqual(parseRtcp(report, 10)?.about, []);
});

test('a receiver without media reports the packets it has sent', (t) => {
  t.like(parseRtcp(writeReport(sent, null, 1_000), 9), { about: [], isGoodbye: false });
});

test('reads a BYE, also after a report', (t) => {
  t.like(parseRtcp(writeGoodbye(7), 1), { isGoodbye: true, isReport: false });
  t.true(parseRtcp(Buffer.concat([writeReport(sent, null, 1_000), writeGoodbye(7)]), 1)?.isGoodbye);
});

test('a second has 65,536 units of a short NTP timestamp', (t) => {
  t.is((middleNtp(5_250) - middleNtp(4_000)) >>> 0, 65_536 + 16_384);
});

test('rejects truncated RTCP, other versions and excess lengths', (t) => {
  const report = writeReport(sent, heard, 1_000);
  for (let length = 0; length < report.length; length += 1)
    t.true(
      [undefined, 52].includes(parseRtcp(report.subarray(0, length), 9) === undefined ? undefined : length),
    );
  const other = Buffer.from(report);
  other[0] = 0x41;
  t.is(parseRtcp(other, 9), undefined);
  const countsTooMany = Buffer.from(report);
  countsTooMany[0] = 0x80 | 31;
  t.is(parseRtcp(countsTooMany, 9), undefined);
});

// SRTP

const hex = (text: string): Buffer => Buffer.from(text.replaceAll(/\s/g, ''), 'hex');

/** RFC 3711, appendix B.3. */
const master = hex('E1F97A0D3E018BE0D64FA32C06DE4139 0EC675AD498AFEEBB6960B3AABE6');

test('derives the session keys of RFC 3711, appendix B.3', (t) => {
  const { key, salt, authKey } = deriveKeys(master, 'rtp');
  t.is(key.export().toString('hex'), 'c61e7a93744f39ee10734afe3ff7a087');
  t.is(salt.toString('hex'), '30cbbc08863d8c85d49db34a9ae1');
  t.is(authKey.export().toString('hex'), 'cebe321f6ff7716b6fd4ab49af256a156d38baa4');
});

/** The packets of libsrtp's self-test (test/srtp_driver.c), made with that key. */
const sound = hex('800f1234decafbadcafebabe abababababababababababababababab');
const secretSound = hex('800f1234decafbadcafebabe 4e55dc4ce79978d88ca4d215949d2402 b78d6acc99ea179b8dbb');
const report = hex('81c8000bcafebabe abababababababababababababababab');
const secretReport = hex('81c8000bcafebabe 7128035be487b9bdbef89041f977a5a8 80000001 993e08cd54d6c1230798');

test('generates the key stream of RFC 3711, appendix B.2', (t) => {
  const key = createSecretKey(hex('2B7E151628AED2A6ABF7158809CF4F3C'));
  const stream = inCounterMode(key, hex('F0F1F2F3F4F5F6F7F8F9FAFBFCFD0000'), Buffer.alloc(0xff02 * 16));
  const block = (number: number): string => stream.subarray(16 * number, 16 * number + 16).toString('hex');
  t.is(block(0), 'e03ead0935c95e80e166b16dd92b4eb4');
  t.is(block(1), 'd23513162b02d0f72a43a2fe4a5f97ab');
  t.is(block(0xff00), '362b7c3c6773516318a077d7fc5073ae');
  t.is(block(0xff01), '6a2cc3787889374fbeb4c81b17ba6c44');
});

test('encrypts and decrypts an RTP packet like libsrtp', (t) => {
  t.deepEqual(createEncryption(master).rtp(sound), secretSound);
  t.deepEqual(createDecryption(master).rtp(secretSound), sound);
});

test('encrypts and decrypts an RTCP packet like libsrtp, beginning with index 1', (t) => {
  const encryption = createEncryption(master);
  encryption.rtcp(report);
  t.deepEqual(encryption.rtcp(report), secretReport);
  t.deepEqual(createDecryption(master).rtcp(secretReport), report);
});

const srtpPacket = (sequence: number, ssrc = 7): Buffer => {
  const datagram = Buffer.alloc(32, 5);
  writeRtpHeader(datagram, { payloadType: 0, marker: false, sequence, timestamp: 160 * sequence, ssrc });
  return datagram;
};

const isTaken = (decryption: Decryption, datagram: Buffer): boolean => decryption.rtp(datagram) !== undefined;

test('rejects replayed and old packets, and accepts reordered ones', (t) => {
  const encryption = createEncryption(master);
  const decryption = createDecryption(master);
  const packets = Array.from({ length: 400 }, (_, sequence) => encryption.rtp(srtpPacket(sequence)));
  const at = (index: number): Buffer => packets[index] ?? Buffer.alloc(0);
  t.true(isTaken(decryption, at(200)));
  t.false(isTaken(decryption, at(200)));
  t.true(isTaken(decryption, at(190)));
  t.false(isTaken(decryption, at(190)));
  t.true(isTaken(decryption, at(73)));
  t.false(isTaken(decryption, at(72)), 'the window is 128 packets');
  t.true(isTaken(decryption, at(399)));
  t.false(isTaken(decryption, at(201)));
});

test('rejects a changed byte, another key and a truncated packet without changing its state', (t) => {
  const decryption = createDecryption(master);
  for (let at = 0; at < secretSound.length; at += 1) {
    const changed = Buffer.from(secretSound);
    changed.writeUInt8(changed.readUInt8(at) ^ 0x10, at);
    t.is(decryption.rtp(changed), undefined, `byte ${at}`);
    t.is(decryption.rtp(secretSound.subarray(0, at)), undefined, `${at} bytes`);
  }
  for (let at = 0; at < secretReport.length; at += 1) {
    const changed = Buffer.from(secretReport);
    changed.writeUInt8(changed.readUInt8(at) ^ 0x10, at);
    t.is(decryption.rtcp(changed), undefined, `byte ${at}`);
    t.is(decryption.rtcp(secretReport.subarray(0, at)), undefined, `${at} bytes`);
  }
  t.is(createDecryption(Buffer.alloc(30, 1)).rtp(secretSound), undefined);
  t.deepEqual(decryption.rtp(secretSound), sound);
  t.is(decryption.rtp(secretSound), undefined);
  t.deepEqual(decryption.rtcp(secretReport), report);
  t.is(decryption.rtcp(secretReport), undefined);
});

test('handles sequence wraparound even if packets around it are lost or reordered', (t) => {
  const encryption = createEncryption(master);
  const decryption = createDecryption(master);
  const isSent = (number: number): boolean => number % 10_000 < 3 || Math.abs(number - 5_536) < 3;
  const numbers = Array.from({ length: 140_000 }, (_, number) => number).filter(isSent);
  const sent = numbers.map((number) => ({
    number,
    secret: encryption.rtp(srtpPacket((number + 60_000) & 0xffff)),
  }));
  const arriving = (from: number, to: number): Buffer[] =>
    sent.filter(({ number }) => number >= from && number < to).map(({ secret }) => secret);
  t.true(isTaken(decryption, arriving(0, 1)[0] ?? Buffer.alloc(0)));
  // The first packet after the wraparound overtakes the last one before it.
  for (const secret of arriving(5_000, 6_000).toReversed()) t.true(isTaken(decryption, secret));
  for (const secret of arriving(10_000, 140_000)) t.true(isTaken(decryption, secret));
});

test('decrypts a stream joined after a wraparound, using the index of its first source', (t) => {
  const encryption = createEncryption(master);
  const packet = (ssrc: number, sequence: number): Buffer => {
    const bytes = Buffer.from(sound);
    bytes.writeUInt16BE(sequence, 2);
    bytes.writeUInt32BE(ssrc, 8);
    return bytes;
  };
  for (const sequence of [0xfffe, 0x4000, 0x8000, 0xc000, 0xffff, 0x3fff, 0x7fff])
    encryption.rtp(packet(1, sequence));
  const [next, after] = [packet(1, 0x8000), packet(1, 0x8001)];
  const secret = encryption.rtp(next);
  const decryption = createDecryption(master);
  t.deepEqual(decryption.rtp(secret), next);
  t.is(decryption.rtp(secret), undefined);
  t.deepEqual(decryption.rtp(encryption.rtp(after)), after);
  // A source that starts later is counted from its beginning.
  t.is(decryption.rtp(encryption.rtp(packet(2, 0x8002))), undefined);
});

test('computes the packet indices of RFC 3711 section 3.3.1', (t) => {
  t.is(indexOf(5, undefined), 5);
  t.is(indexOf(65_535, 3), -1);
  t.is(indexOf(2, 65_535), 65_538);
  t.is(indexOf(65_534, 65_536), 65_534);
  t.is(indexOf(10, 3 * 65_536 + 5), 3 * 65_536 + 10);
});

test('counts the packets of each source separately and limits the number of sources', (t) => {
  const encryption = createEncryption(master);
  const decryption = createDecryption(master);
  for (let source = 1; source <= 32; source += 1)
    t.true(isTaken(decryption, createEncryption(master).rtp(srtpPacket(9, source))));
  t.false(isTaken(decryption, encryption.rtp(srtpPacket(9, 33))));
  t.true(isTaken(decryption, createEncryption(master).rtp(srtpPacket(10, 32))));
});

test('leaves a header with CSRCs and an extension unencrypted', (t) => {
  const long = Buffer.alloc(60, 3);
  writeRtpHeader(long, { payloadType: 8, marker: true, sequence: 1, timestamp: 1, ssrc: 1 });
  long.writeUInt8(0x91, 0);
  long.writeUInt16BE(2, 18);
  const secret = createEncryption(master).rtp(long);
  const clear = 12 + 4 + 4 + 8;
  t.deepEqual(secret.subarray(0, clear), long.subarray(0, clear));
  t.notDeepEqual(secret.subarray(clear, 60), long.subarray(clear));
  t.deepEqual(createDecryption(master).rtp(secret), long);
});

// Telephone event

const eventPacket = (
  key: string,
  timestamp: number,
  isOver = false,
  { duration = 160, ...changed }: { duration?: number; marker?: boolean; ssrc?: number } = {},
): RtpPacket => {
  const payload = Buffer.alloc(telephoneEventBytes);
  writeTelephoneEvent(payload, { key, isOver, duration });
  return { payloadType: 101, marker: false, sequence: 0, timestamp, ssrc: 1, payload, ...changed };
};

/** The digits in these packets. */
const readAll = (packets: readonly RtpPacket[], read = createDigitReader()): string =>
  packets.map((packet) => read(packet) ?? '').join('');

const tenPackets = (packetOf: (index: number) => RtpPacket): RtpPacket[] =>
  Array.from({ length: 10 }, (_, index) => packetOf(index));

/** A digit whose sender advances the timestamp with each packet. */
const advancing = (key: string, from: number, marker = true): RtpPacket[] =>
  tenPackets((index) =>
    eventPacket(key, from + 160 * index, index >= 7, {
      duration: 160 * (index + 1),
      marker: marker && index === 0,
    }),
  );

test('reports a digit once although its timestamp advances with each packet', (t) => {
  t.is(readAll(advancing('9', 1_000)), '9');
  t.is(readAll([...advancing('9', 1_000), ...advancing('9', 3_400), ...advancing('8', 6_000)]), '998');
  t.is(readAll([...advancing('9', 1_000, false), ...advancing('9', 3_400, false)]), '99', 'without a marker');
});

test('reports a digit held longer than 65,535 samples once', (t) => {
  const begun = 4_294_900_000;
  const segment = (timestamp: number, durations: readonly number[], isOver: boolean): RtpPacket[] =>
    durations.map((duration) => eventPacket('1', timestamp >>> 0, isOver, { duration }));
  const held = [
    ...segment(begun, [160, 320, 65_440, 65_535], false),
    ...segment(begun + 65_535, [160, 320, 65_280], false),
    // Drops the last packets of a segment.
    ...segment(begun + 2 * 65_535, [160, 800], false),
    ...segment(begun + 2 * 65_535, [800, 800, 800], true),
  ];
  t.is(readAll(held), '1');
  t.is(readAll([...held, ...segment(begun + 2 * 65_535 + 1_600, [160], false)]), '11');
});

test('reports a repeated digit twice, even if all end packets of the first were lost', (t) => {
  const pressed = (from: number): RtpPacket[] =>
    [160, 320, 480, 640].map((duration) => eventPacket('4', from, false, { duration }));
  t.is(readAll([...pressed(1_000), ...pressed(2_000)]), '44');
});

test('reports each digit from another SSRC than the voice once, even if SSRCs alternate', (t) => {
  const read = createDigitReader();
  const alternating = tenPackets((index) =>
    eventPacket(index % 2 === 0 ? '1' : '2', 1_000, false, {
      ssrc: 1 + (index % 2),
      duration: 160 * (index + 1),
    }),
  );
  t.is(readAll(alternating, read), '12');
});

test('handles a sender whose timestamp clock restarts', (t) => {
  t.is(readAll([eventPacket('1', 900_000, true), eventPacket('2', 1_000), eventPacket('3', 9_000)]), '123');
});

test('plays voice beside digits of another SSRC, which does not count as a voice stream', (t) => {
  const heard: Int16Array[] = [];
  const digits: string[] = [];
  const receiving = createReceiving(
    new Map<number, ReceivingFormat>([
      [0, pcmu],
      [101, 'telephone-event'],
    ]),
    { onAudio: (samples) => heard.push(samples), onDigit: (key) => digits.push(key) },
  );
  const next = voiceOf(1);
  for (let index = 0; index < 20; index += 1) {
    const voice = receiving.read(next());
    if (voice !== undefined) receiving.take(voice, index * 20);
    const duration = 160 * (index + 1);
    receiving.take(eventPacket('7', 5_000, index > 17, { ssrc: 2, duration }), index * 20);
  }
  t.deepEqual(digits, ['7']);
  t.is(heard.length, 20);
  t.like(receiving.reception.statistics(), { packets: 20, lost: 0, jitterMs: 0 });
});

test('reports a digit sent in many packets once, at its first packet', (t) => {
  const read = createDigitReader();
  const told = [false, false, true, true, true].map((isOver) => read(eventPacket('7', 1_000, isOver)));
  t.deepEqual(told, ['7', undefined, undefined, undefined, undefined]);
});

test('reports a digit whose beginning was lost at its end', (t) => {
  t.is(createDigitReader()(eventPacket('#', 1_000, true)), '#');
});

test('reports a repeated digit twice and ignores late packets of an earlier one', (t) => {
  const read = createDigitReader();
  const told = [
    eventPacket('1', 4_294_967_000),
    eventPacket('1', 1_200),
    eventPacket('1', 4_294_967_000, true),
    eventPacket('D', 2_400),
  ].map(read);
  t.deepEqual(told, ['1', '1', undefined, 'D']);
});

test('ignores unknown events and truncated ones', (t) => {
  const read = createDigitReader();
  t.is(read({ ...eventPacket('1', 10), payload: Buffer.from([16, 0, 0, 160]) }), undefined);
  t.is(read({ ...eventPacket('1', 20), payload: Buffer.from([1, 0]) }), undefined);
});

test('writes an event with its digit, its end flag and a maximum duration', (t) => {
  const payload = Buffer.alloc(telephoneEventBytes);
  writeTelephoneEvent(payload, { key: '*', isOver: true, duration: 100_000 });
  t.deepEqual(Array.from(payload), [10, 0x80 | 10, 0xff, 0xff]);
});

// G.711

const everyByte = Uint8Array.from({ length: 256 }, (_, byte) => byte);

for (const [name, codec] of Object.entries({ PCMU: pcmu, PCMA: pcma })) {
  test(`${name}: each code decodes to a sample that encodes to the same code`, (t) => {
    const samples = codec.decode(everyByte);
    const codes = new Uint8Array(256);
    codec.encode(samples, codes, 0);
    // Two codes of PCMU stand for zero.
    const again = codec.decode(codes);
    t.deepEqual(again, samples);
  });

  test(`${name}: decoding differs from the sample by at most half a step`, (t) => {
    const samples = Int16Array.from({ length: 64_001 }, (_, index) => index - 32_000);
    const codes = new Uint8Array(samples.length);
    codec.encode(samples, codes, 0);
    const worst = codec
      .decode(codes)
      .reduce(
        (most, decoded, index) =>
          Math.max(
            most,
            Math.abs(decoded - (samples[index] ?? 0)) / Math.max(Math.abs(samples[index] ?? 0), 256),
          ),
        0,
      );
    t.true(worst < 0.044, String(worst));
  });
}

/** ITU-T G.711 tables 1 and 2: some of their values, on 16 bits. */
test('encodes like the tables of G.711', (t) => {
  t.deepEqual(
    Array.from(pcmu.decode(Uint8Array.of(0xff, 0x80, 0x00, 0xf0, 0x7f))),
    [0, 32_124, -32_124, 120, 0],
  );
  t.deepEqual(Array.from(pcma.decode(Uint8Array.of(0xd5, 0xaa, 0x2a, 0x55))), [8, 32_256, -32_256, -8]);
});

test('encodes audio after existing bytes of a buffer', (t) => {
  const bytes = new Uint8Array(4);
  pcmu.encode(Int16Array.of(0, 32_124), bytes, 2);
  t.deepEqual(Array.from(bytes), [0, 0, 0xff, 0x80]);
});
