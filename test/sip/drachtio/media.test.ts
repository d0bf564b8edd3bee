/** Audio through FreeSWITCH: the event socket, endpoints, unicast and lost servers. */
import { once } from 'node:events';
import { createServer, type Socket } from 'node:net';
import { setImmediate as turn } from 'node:timers/promises';
import test, { type ExecutionContext } from 'ava';
import * as fc from 'fast-check';
import pino from 'pino';
import { createBackgroundTasks } from '#sip/drachtio/background-tasks.ts';
import { ServerRefusal } from '#sip/drachtio/heartbeat.ts';
import { claimChannel } from '#sip/drachtio/media/adopt-channel.ts';
import { askChannelFigures, readChannelFigures } from '#sip/drachtio/media/channel-figures.ts';
import { openChannelSound } from '#sip/drachtio/media/channel-sound.ts';
import { createEndpointPool, isUsualOffer } from '#sip/drachtio/media/endpoint-pool.ts';
import { commandsOn } from '#sip/drachtio/media/event-socket/commands.ts';
import {
  createFrameReader,
  fieldIn,
  type SocketFrame,
  UnreadableFrame,
} from '#sip/drachtio/media/event-socket/event-socket-frames.ts';
import { NoEventSocket, openEventSocket } from '#sip/drachtio/media/event-socket/event-socket.ts';
import { probeMediaServer } from '#sip/drachtio/media/event-socket/kept-event-socket.ts';
import { openUnicast } from '#sip/drachtio/media/open-unicast.ts';
import type { MediaEndpoint } from '#sip/media/media-endpoint.ts';
import { ringMemory, SampleRing } from '#sip/media/sample-ring.ts';
import type { SampleRate } from '#sip/samples.ts';
import type { TrunkMedia } from '#src/domain/trunk.ts';
import { createOrderedClock } from '#test/contract/ordered-clock.ts';
import type { FreeSwitch } from '#test/doubles/freeswitch.ts';
import { createFarEnd } from '#test/doubles/far-end.ts';
import { describeSound, directionIn, formatsIn } from '#test/doubles/session-description.ts';
import { ownNumber, type SipEdgeOptions, startSipEdge, trunkAddress } from '#test/doubles/sip-edge.ts';
import { headerOf } from '#test/doubles/sip-parser.ts';
import { directoryOf, someTrunk } from '#test/sip/trunks/some-trunk.ts';

// Commands

const setUpCommands = (answer: Promise<string>) => {
  const sent: string[] = [];
  const clock = createOrderedClock();
  const socket = {
    async command(text: string) {
      sent.push(text);
      return answer;
    },
  };
  return { sent, clock, commands: commandsOn(() => socket, { answerMs: 3_000, clock }) };
};

test.serial('a refusal names what was refused and nothing that was in it', async (t) => {
  const { commands, sent } = setUpCommands(Promise.resolve('-ERR no'));
  await t.throwsAsync(commands.run('uuid_send_dtmf a-channel 1234'), {
    message: 'FreeSWITCH did not take uuid_send_dtmf',
  });
  await t.throwsAsync(commands.tell('a-channel', { 'call-command': 'unicast' }), {
    message: 'The channel is gone',
  });
  t.deepEqual(sent, ['api uuid_send_dtmf a-channel 1234', 'sendmsg a-channel\ncall-command: unicast']);
});

test.serial('what is asked cannot begin anything else', async (t) => {
  const { commands, sent } = setUpCommands(Promise.resolve('+OK'));
  await t.throwsAsync(commands.api('uuid_kill x\n\napi shutdown'), { message: /one line/ });
  await t.throwsAsync(commands.tell('x\ncall-command: hangup', {}), { message: /one line/ });
  await t.throwsAsync(commands.tell('x', { transport: 'udp\nflags: native' }), { message: /one line/ });
  t.deepEqual(sent, []);
});

test.serial('an answer that does not come is not waited for', async (t) => {
  const { commands, clock } = setUpCommands(new Promise(() => {}));
  const asked = t.throwsAsync(commands.api('uptime'), { message: /An answer of FreeSWITCH to uptime/ });
  clock.advance(3_000);
  await asked;
});

test.serial('without a connection nothing is said', async (t) => {
  const commands = commandsOn(
    () => {
      throw new Error('not connected');
    },
    { answerMs: 3_000, clock: createOrderedClock() },
  );
  await t.throwsAsync(commands.api('uptime'), { message: 'not connected' });
  await t.throwsAsync(commands.tell('x', {}), { message: 'not connected' });
});

// Event socket frames

const listen = () => {
  const frames: SocketFrame[] = [];
  const read = createFrameReader((frame) => frames.push(frame));
  return { frames, send: (bytes: string | Buffer) => read(Buffer.from(bytes)) };
};

const event = (text: string): string => {
  const body = `${text}\n\n`;
  return `Content-Length: ${Buffer.byteLength(body)}\nContent-Type: text/event-plain\n\n${body}`;
};

test('answers and events are told apart, in their order, however the bytes come', (t) => {
  const bytes = [
    'Content-Type: auth/request\n\n',
    'Content-Type: command/reply\nReply-Text: +OK accepted\n\n',
    'Content-Type: api/response\nContent-Length: 9\n\ntwo\n\nlines'.replace('lines', 'line'),
    event('Event-Name: DTMF\nCaller: 전화'),
  ].join('');
  const whole = listen();
  whole.send(bytes);
  t.deepEqual(
    whole.frames.map(({ type, reply }) => [type, reply]),
    [
      ['auth/request', ''],
      ['command/reply', '+OK accepted'],
      ['api/response', ''],
      ['text/event-plain', ''],
    ],
  );
  t.is(whole.frames[2]?.body, 'two\n\nline');
  const single = listen();
  for (const byte of Buffer.from(bytes)) single.send(Buffer.of(byte));
  t.deepEqual(single.frames, whole.frames);
});

const survived = test.macro<[string]>({
  exec(t, bytes) {
    const { frames, send } = listen();
    t.notThrows(() => send(bytes));
    t.notThrows(() => send(event('Event-Name: next')));
    t.is(fieldIn(frames.at(-1)?.body ?? '', 'Event-Name'), 'next');
  },
  title: (_, bytes) => `the event after ${JSON.stringify(bytes.slice(0, 60))} is read`,
});

test(survived, 'Name: 100%\n\n');
test(survived, 'Name: %E0%A4%A\nOther: %\n\n');
test(survived, event('100%25 %zz'));
test(survived, 'Content-Type: text/event-json\nContent-Length: 1\n\n{');
test(survived, 'Content-Length: -5\n\n');
test(survived, 'Content-Length: many\n\n');
test(survived, 'Content-Length: 9999999999999999999999\n\n');
test(survived, '__proto__: x\nconstructor: y\n\n');
test(survived, `${'\n\n'.repeat(20_000)}Name: many\n\n`);

test('a field is decoded, and what cannot be decoded stays as it was sent', (t) => {
  const body = 'Event-Name: DTMF\nDTMF-Digit: %23\nOdd: 100%\nName: %23\n';
  t.is(fieldIn(body, 'DTMF-Digit'), '#');
  t.is(fieldIn(body, 'Odd'), '100%');
  t.is(fieldIn(body, 'Event-Name'), 'DTMF');
  t.is(fieldIn(body, 'Digit'), '');
});

test('what has no end, or names a body without measure, is not waited for', (t) => {
  t.throws(() => listen().send('x'.repeat(70_000)), { instanceOf: UnreadableFrame });
  t.throws(() => listen().send('Content-Length: 2000000\n\n'), { instanceOf: UnreadableFrame });
});

test('no bytes throw anything else', (t) => {
  const bytes = fc.array(
    fc.oneof(
      fc.constantFrom(
        'Content-Type: text/event-plain\n',
        'Content-Length: 3\n',
        'Content-Length: 3000000\n',
        'Reply-Text: -ERR\n',
        '\n',
        '%',
      ),
      fc.string({ unit: 'binary' }),
    ),
  );
  fc.assert(
    fc.property(bytes, (parts) => {
      const { frames, send } = listen();
      try {
        for (const part of parts) send(part);
      } catch (error) {
        t.true(error instanceof UnreadableFrame);
      }
      for (const { body } of frames) t.notThrows(() => fieldIn(body, 'Event-Name'));
    }),
  );
});

// Event socket

/** Something that is spoken to as if it were FreeSWITCH. */
const setUpEventSocket = async (t: ExecutionContext) => {
  const server = createServer().listen(0, '127.0.0.1');
  t.teardown(() => server.close());
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('No port');
  const connected = once(server, 'connection');
  const events: string[] = [];
  const closed: Error[] = [];
  const opening = openEventSocket(
    { host: '127.0.0.1', port: address.port, secret: 'open sesame' },
    { onEvent: (event) => void events.push(event), onClosed: (why) => void closed.push(why) },
  );
  const [there]: Socket[] = await connected;
  if (there === undefined) throw new Error('Nobody came');
  t.teardown(() => there.destroy());
  let said = '';
  there.setEncoding('utf8').on('data', (text: string) => (said += text));
  const until = async (text: string): Promise<void> => {
    while (!said.includes(text)) await once(there, 'data');
  };
  there.write('Content-Type: auth/request\n\n');
  await until('auth open sesame\n\n');
  there.write('Content-Type: command/reply\nReply-Text: +OK accepted\n\n');
  return { socket: await opening, there, until, events, closed };
};

const answer = (body: string): string =>
  `Content-Type: api/response\nContent-Length: ${body.length}\n\n${body}`;

test.serial(
  'answers come to those who asked, in the order of their commands, with events in between',
  async (t) => {
    const { socket, there, until, events } = await setUpEventSocket(t);
    t.is(socket.remoteAddress, '127.0.0.1');
    const asked = [socket.command('api one'), socket.command('sendmsg x\ncall-command: y')];
    await until('api one\n\nsendmsg x\ncall-command: y\n\n');
    there.write(`${answer('1')}Content-Length: 4\nContent-Type: text/event-plain\n\nA: b`);
    there.write('Content-Type: command/reply\nReply-Text: +OK\n\n');
    t.deepEqual(await Promise.all(asked), ['1', '+OK']);
    t.deepEqual(events, ['A: b']);
    socket.close();
  },
);

test.serial(
  'what waits for an answer learns that the connection is lost, and so does who holds it',
  async (t) => {
    const { socket, there, closed } = await setUpEventSocket(t);
    const asked = socket.command('api one');
    there.destroy();
    await t.throwsAsync(asked, { instanceOf: NoEventSocket });
    t.is(closed.length, 1);
    await t.throwsAsync(socket.command('api two'), { instanceOf: NoEventSocket });
  },
);

test.serial('who closes it is not told', async (t) => {
  const { socket, there, closed } = await setUpEventSocket(t);
  const asked = t.throwsAsync(socket.command('api one'), { instanceOf: NoEventSocket });
  socket.close();
  await asked;
  if (!there.closed) await once(there, 'close');
  t.deepEqual(closed, []);
});

test.serial('what cannot be read ends the connection, and says why', async (t) => {
  const { socket, there, closed } = await setUpEventSocket(t);
  const asked = t.throwsAsync(socket.command('api one'));
  there.write('Content-Length: 999999999\n\n');
  await asked;
  t.regex(closed[0]?.message ?? '', /announces 999999999 bytes/);
});

test.serial('a command is one command', async (t) => {
  const { socket } = await setUpEventSocket(t);
  for (const text of ['api x\n\napi y', 'api x\n', 'api x\r\n'])
    await t.throwsAsync(socket.command(text), { message: /more than one command/ });
  socket.close();
});

test.serial('a server that leaves thousands unanswered is asked no more', async (t) => {
  const { socket } = await setUpEventSocket(t);
  const asked = Array.from({ length: 2_000 }, async () => socket.command('api one'));
  await t.throwsAsync(socket.command('api one more'), { message: /too much to answer/ });
  socket.close();
  t.true((await Promise.allSettled(asked)).every(({ status }) => status === 'rejected'));
});

// Kept event socket

for (const [what, answer, message] of [
  [
    'a wrong secret',
    'Content-Type: auth/request\n\nContent-Type: command/reply\nReply-Text: -ERR invalid\n\n',
    /secret/,
  ],
  ['a stranger', 'Content-Type: text/rude-rejection\n\n', /access list/],
] as const)
  test.serial(`the refusal of ${what} is told from silence`, async (t) => {
    const server = createServer((socket) => socket.end(answer)).listen(0, '127.0.0.1');
    t.teardown(() => server.close());
    await once(server, 'listening');
    const address = server.address();
    if (address === null || typeof address === 'string') throw new Error('No port');
    const probing = probeMediaServer({ host: '127.0.0.1', port: address.port, secret: 'x' });
    await t.throwsAsync(probing, { instanceOf: ServerRefusal, message });
  });

// Endpoint pool

const numbers = { size: 3, atOnce: 2, refillMs: 50, longestAgeMs: 60_000, retryMs: 500 };

/** Endpoints that come about one turn after they are asked for. */
const createEndpointPoolWorld = () => {
  const clock = createOrderedClock();
  const logger = pino({ level: 'silent' });
  const backgroundTasks = createBackgroundTasks(clock, logger);
  const made: (MediaEndpoint & { isDestroyed: boolean })[] = [];
  const world = { fails: false, making: 0, mostAtOnce: 0 };

  const create = async (): Promise<MediaEndpoint> => {
    world.making += 1;
    world.mostAtOnce = Math.max(world.mostAtOnce, world.making);
    await turn();
    world.making -= 1;
    if (world.fails) throw new Error('no place');
    const listeners: Parameters<MediaEndpoint['onLost']>[0][] = [];
    const endpoint = {
      channel: () => ({ server: '127.0.0.1:8021', uuid: '' }),
      bridgeSide: () => null,
      localSdp: `offer ${made.length}`,
      isDestroyed: false,
      sampleRate: () => 8_000 as const,
      modify: async () => '',
      answerEarly: async () => '',
      takeAnswer: async () => {},
      connect: () => Promise.reject(new Error('There is no sound')),
      press: async () => {},
      hasTelephoneEvents: () => true,
      onDigit: () => {},
      figures: async () => null,
      onLost: (listener: (typeof listeners)[number]) => void listeners.push(listener),
      lose: () => listeners.forEach((listener) => listener(null)),
      leave: async () => {},
      async destroy() {
        endpoint.isDestroyed = true;
      },
    };
    made.push(endpoint);
    return endpoint;
  };
  const pool = createEndpointPool({ create, numbers, clock, backgroundTasks, logger });
  const settle = async (): Promise<void> => {
    for (let turns = 0; turns < 10; turns += 1) await turn();
  };
  return {
    clock,
    pool,
    made,
    world,
    settle,
    standing: () => made.filter((each) => !each.isDestroyed),
  };
};

test.serial('it is filled a few at a time, and gives out the oldest first', async (t) => {
  const { pool, world, settle } = createEndpointPoolWorld();
  t.is(pool.take(), null);
  pool.open();
  await settle();
  t.is(pool.size(), 3);
  t.is(world.mostAtOnce, 2);
  t.is(pool.take()?.localSdp, 'offer 0');
  t.is(pool.take()?.localSdp, 'offer 1');
});

test.serial('what is taken is made again a moment later; an empty pool has nothing to give', async (t) => {
  const { clock, pool, made, settle } = createEndpointPoolWorld();
  pool.open();
  await settle();
  for (let times = 1; times <= 3; times += 1) t.truthy(pool.take());
  t.is(pool.take(), null);
  await settle();
  t.is(made.length, 3, 'the calls come first');
  clock.advance(50);
  await settle();
  t.is(pool.size(), 3);
  t.is(made.length, 6);
});

test.serial('one whose channel is lost is thrown out and made again', async (t) => {
  const { clock, pool, made, settle } = createEndpointPoolWorld();
  pool.open();
  await settle();
  made[0]?.lose();
  t.is(pool.size(), 2);
  t.is(pool.take(), made[1] ?? null);
  clock.advance(50);
  await settle();
  t.is(pool.size(), 3);
});

test.serial('what was taken is the call’s: the pool neither counts nor renews it', async (t) => {
  const { clock, pool, made, settle } = createEndpointPoolWorld();
  pool.open();
  await settle();
  const taken = pool.take();
  clock.advance(50);
  await settle();
  taken?.lose();
  t.is(pool.size(), 3);
  clock.advance(numbers.longestAgeMs);
  await settle();
  t.false(made[0]?.isDestroyed);
});

test.serial('one that has grown old is destroyed and made again', async (t) => {
  const { clock, pool, made, standing, settle } = createEndpointPoolWorld();
  pool.open();
  await settle();
  clock.advance(numbers.longestAgeMs);
  await settle();
  t.true(made.slice(0, 3).every(({ isDestroyed }) => isDestroyed));
  t.is(pool.size(), 3);
  t.is(standing().length, 3);
});

test.serial('after a failure it waits before it tries again', async (t) => {
  const { clock, pool, world, settle } = createEndpointPoolWorld();
  world.fails = true;
  pool.open();
  await settle();
  t.is(clock.pending(), 1);
  world.fails = false;
  clock.advance(numbers.retryMs - 1);
  await settle();
  t.is(pool.size(), 0);
  clock.advance(1);
  await settle();
  t.is(pool.size(), 3);
});

test.serial('emptied it leaves no endpoint and no timer, not even of what was on its way', async (t) => {
  const { clock, pool, made, standing, settle } = createEndpointPoolWorld();
  pool.open();
  await settle();
  pool.take();
  clock.advance(50);
  pool.empty();
  await settle();
  t.is(pool.size(), 0);
  t.deepEqual(standing(), made.slice(0, 1), 'but for the one that a call has');
  t.is(clock.pending(), 0);
  pool.open();
  await settle();
  t.is(pool.size(), 3);
});

test.serial(
  'what was begun before it was emptied does not come into it when it is opened again at once',
  async (t) => {
    const { pool, made, standing, settle } = createEndpointPoolWorld();
    pool.open();
    pool.empty();
    pool.open();
    await settle();
    t.is(pool.size(), 3);
    t.is(standing().length, 3);
    t.deepEqual(
      made.slice(0, 2).map(({ isDestroyed }) => isDestroyed),
      [true, true],
    );
  },
);

const offer = (...media: string[]): string =>
  ['v=0', 'o=far 1 1 IN IP4 127.0.0.1', 's=-', 'c=IN IP4 127.0.0.1', 't=0 0', ...media, ''].join('\r\n');

const keys = 'a=rtpmap:101 telephone-event/8000';

for (const usual of [
  offer('m=audio 4000 RTP/AVP 0 8 101', keys),
  offer('m=audio 4000 RTP/AVP 18 8 101 13', keys, 'a=ptime:20', 'a=sendonly'),
  offer('m=audio 4000 RTP/AVP 8 101', 'a=rtpmap:101 TELEPHONE-EVENT/8000').replaceAll('\r\n', '\n'),
  offer('m=audio 4000 RTP/AVP 0 101', keys, 'a=ptime:40', 'a=maxptime:60'),
])
  test.serial(`usual: ${JSON.stringify(usual.slice(66))}`, (t) => {
    t.true(isUsualOffer(usual));
  });

for (const [why, unusual] of [
  ['no keys', offer('m=audio 4000 RTP/AVP 8')],
  ['keys of another number', offer('m=audio 4000 RTP/AVP 0 96', 'a=rtpmap:96 telephone-event/8000')],
  ['101 is something else', offer('m=audio 4000 RTP/AVP 0 101', 'a=rtpmap:101 opus/48000/2')],
  ['keys that are described, not offered', offer('m=audio 4000 RTP/AVP 0', keys)],
  ['shorter packets', offer('m=audio 4000 RTP/AVP 0 101', keys, 'a=ptime:10')],
  ['encrypted', offer('m=audio 4000 RTP/SAVP 0 101', keys)],
  ['more than sound', offer('m=audio 4000 RTP/AVP 0 101', keys, 'm=video 4002 RTP/AVP 99')],
] as const)
  test.serial(`not usual: ${why}`, (t) => {
    t.false(isUsualOffer(unusual));
  });

// Adopt channel
// The order in which a channel of a dead process is taken over: its sound may not be asked for before its new park.

/** A FreeSWITCH that needs so many looks until the channel has come to its new park. */
const setUpAdoptChannel = ({ localSdp = 'v=0', looks = 3, partner = '_undef_' } = {}) => {
  const told: string[] = [];
  const clock = createOrderedClock();
  let park = '';
  let looked = 0;
  const api = async (command: string): Promise<string> => {
    const [name = '', , variable = ''] = command.split(' ');
    told.push(`${name} ${variable.replace(/-.*/, '')}`.trim());
    if (variable === 'rtp_local_sdp_str') return localSdp;
    if (variable === 'bridge_to') return partner;
    if (variable !== 'gw_park') return '+OK';
    looked += 1;
    return looked < looks ? '_undef_' : park;
  };
  const tell = async (_uuid: string, message: Readonly<Record<string, string>>): Promise<void> => {
    const {
      'call-command': command,
      'execute-app-name': application,
      'execute-app-arg': extension,
    } = message;
    told.push(`${command} ${application} ${extension?.replace(/-\S+/, '')}`);
    park = /^again-(\S+)/.exec(extension ?? '')?.[1] ?? '';
  };
  const keeping = {
    async claim() {
      told.push('claim');
      return '+OK';
    },
  };
  const adopt = (keepsBridge = false) =>
    claimChannel('a-channel', keepsBridge, {
      commands: { api, run: api, tell },
      keeping,
      answerMs: 3_000,
      clock,
    });
  /** Lets time go by until it is done. */
  const passing = async <Result>(work: Promise<Result>): Promise<Result> => {
    let isDone = false;
    const end = (): boolean => (isDone = true);
    work.then(end, end);
    while (!isDone) {
      await new Promise((resolve) => setImmediate(resolve));
      clock.advance(5);
    }
    return work;
  };
  return { adopt, passing, told, clock };
};

test.serial(
  'claims a channel, moves it into a new park from its own thread, and waits until it is there',
  async (t) => {
    const { adopt, passing, told, clock } = setUpAdoptChannel();
    t.deepEqual(await passing(adopt()), { localSdp: 'v=0' });
    t.deepEqual(told, [
      'uuid_getvar rtp_local_sdp_str',
      'claim',
      // Run by the channel's own thread: `uuid_transfer` races with it.
      'execute transfer again XML trunkline',
      'uuid_getvar gw_park',
      'uuid_getvar gw_park',
      'uuid_getvar gw_park',
    ]);
    t.is(clock.pending(), 0);
  },
);

test.serial('only names a channel in a bridge that is to go on', async (t) => {
  const { adopt, told } = setUpAdoptChannel({ partner: 'another-channel' });
  t.deepEqual(await adopt(true), { localSdp: 'v=0', isBridged: true });
  t.deepEqual(told, ['uuid_getvar rtp_local_sdp_str', 'claim', 'uuid_getvar bridge_to']);
});

test.serial(
  'moves a channel that is in no bridge into a new park, also where a bridge would go on',
  async (t) => {
    const { adopt, passing, told } = setUpAdoptChannel();
    t.deepEqual(await passing(adopt(true)), { localSdp: 'v=0' });
    t.true(told.includes('execute transfer again XML trunkline'));
  },
);

for (const nothing of ['_undef_', '-ERR No such channel!\n'])
  test.serial(`one that is gone is left alone: ${nothing.trim()}`, async (t) => {
    const { adopt, told } = setUpAdoptChannel({ localSdp: nothing });
    await t.throwsAsync(adopt(), { message: 'The channel is gone' });
    t.deepEqual(told, ['uuid_getvar rtp_local_sdp_str']);
  });

test.serial('one that does not come to its new park is not waited for', async (t) => {
  const { adopt, passing, clock } = setUpAdoptChannel({ looks: Infinity });
  await t.throwsAsync(passing(adopt()), { message: /Parking a channel/ });
  await new Promise((resolve) => setImmediate(resolve));
  clock.advance(5);
  await new Promise((resolve) => setImmediate(resolve));
  t.is(clock.pending(), 0);
});

// Open unicast
// A channel of FreeSWITCH is told where its sound goes, and is given up when none comes.

const setUpOpenUnicast = (isThere = true) => {
  const clock = createOrderedClock();
  const told: unknown[] = [];
  const opened: string[][] = [];
  const begun = Promise.withResolvers<void>();
  const ended = Promise.withResolvers<never>();
  ended.promise.catch(() => {});
  let isClosed = false;
  const sound = new SampleRing(ringMemory(1_024));
  const open = () =>
    openUnicast(
      'a-channel',
      { onAudio: () => {}, onLost: () => {}, onSilence: () => {}, onShortFrames: () => {} },
      {
        soundThread: {
          async openUnicast(address, from, { sampleRate, silenceMs }) {
            opened.push([address, from, String(sampleRate), String(silenceMs)]);
            return {
              port: 30_001,
              sound,
              begun: begun.promise,
              listen: () => {},
              close: () => void (isClosed = true),
            };
          },
        },
        ownAddress: '192.0.2.7',
        silenceMs: 140,
        resample: (samples) => samples,
        callRate: 16_000,
        codecRate: () => 16_000,
        serverAddress: () => '192.0.2.8',
        commands: {
          async tell(uuid, message) {
            told.push(uuid, message);
            if (!isThere) throw new Error('The channel is gone');
          },
        },
        clock,
        ended: ended.promise,
      },
    );
  /** Lets promises go on, then time. */
  const pass = async (milliseconds: number): Promise<void> => {
    await new Promise((resolve) => setImmediate(resolve));
    clock.advance(milliseconds);
  };
  return { open, told, opened, begun, ended, sound, pass, clock, isClosed: () => isClosed };
};

test.serial(
  'FreeSWITCH takes a port at its own address and sends to ours; the way is open when its sound has come',
  async (t) => {
    const { open, told, opened, begun, sound, clock, isClosed } = setUpOpenUnicast();
    begun.resolve();
    const path = await open();
    t.deepEqual(opened, [['192.0.2.7', '192.0.2.8', '16000', '140']]);
    t.deepEqual(told, [
      'a-channel',
      {
        'call-command': 'unicast',
        'local-ip': '192.0.2.8',
        'local-port': '0',
        'remote-ip': '192.0.2.7',
        'remote-port': '30001',
        transport: 'udp',
      },
    ]);
    path.send(new Int16Array(100));
    t.is(sound.waiting, 100);
    path.close();
    t.true(isClosed());
    t.is(clock.pending(), 0);
  },
);

test.serial('+OK is no proof: where no sound comes the way is given up', async (t) => {
  const { open, pass, isClosed } = setUpOpenUnicast();
  const opening = open();
  await pass(7_999);
  t.false(isClosed());
  await pass(1);
  await t.throwsAsync(opening, { message: /Connecting the sound of a call/ });
  t.true(isClosed());
});

test.serial('a refusal, and the end of the call, give it up at once', async (t) => {
  const refused = setUpOpenUnicast(false);
  await t.throwsAsync(refused.open(), { message: 'The channel is gone' });
  t.true(refused.isClosed());
  const over = setUpOpenUnicast();
  const opening = over.open();
  over.ended.reject(new Error('not wanted any more'));
  await t.throwsAsync(opening, { message: 'not wanted any more' });
  t.true(over.isClosed());
});

// Channel sound
// One unicast after another, for the same call.

/** A channel whose unicasts are the test's. */
const setUpChannelSound = async (isThere: () => Promise<string> = async () => 'true') => {
  const clock = createOrderedClock();
  const told: string[] = [];
  const failures: unknown[] = [];
  const unicasts: { ring: SampleRing; silence: (isSilent: boolean) => void; isClosed: boolean }[] = [];
  const ended = Promise.withResolvers<never>();
  ended.promise.catch(() => {});
  let park = '';
  let rate: SampleRate = 8_000;
  const sound = await openChannelSound(
    'a-channel',
    { onAudio: () => {}, onLost: () => {} },
    {
      soundThread: {
        async openUnicast(_address, _from, { sampleRate }) {
          const ring = new SampleRing(ringMemory(1_024));
          const unicast = { ring, silence: (_isSilent: boolean): void => {}, isClosed: false };
          told.push(`unicast at ${sampleRate} Hz`);
          unicasts.push(unicast);
          return {
            port: 30_001,
            sound: ring,
            begun: Promise.resolve(),
            listen: ({ onSilence }) => void (unicast.silence = onSilence ?? unicast.silence),
            close: () => void (unicast.isClosed = true),
          };
        },
      },
      ownAddress: '192.0.2.7',
      serverAddress: () => '192.0.2.8',
      silenceMs: 140,
      resample: (samples) => samples,
      callRate: 8_000,
      codecRate: () => rate,
      change: 'nothing',
      isPaused: false,
      onShortFrames: () => {},
      commands: {
        async api(command) {
          if (command.startsWith('uuid_exists')) return isThere();
          return park;
        },
        async tell(_uuid, message) {
          const [, next] = /^again-(\d+)/.exec(message['execute-app-arg'] ?? '') ?? [];
          if (next === undefined) return;
          park = next;
          told.push('new park');
        },
      },
      answerMs: 3_000,
      onFailed: (error) => failures.push(error),
      logger: pino({ level: 'silent' }),
      ended: ended.promise,
      clock,
    },
  );
  /** Lets promises go on, and time. */
  const pass = async (milliseconds: number): Promise<void> => {
    for (let passed = 0; passed < milliseconds; passed += 20) {
      for (let turns = 0; turns < 5; turns += 1) await turn();
      clock.advance(20);
    }
    for (let turns = 0; turns < 5; turns += 1) await turn();
  };
  const change = (to: SampleRate): void => {
    rate = to;
  };
  const end = (): void => ended.reject(new Error('The sound of the call is not wanted any more'));
  return { sound, told, failures, unicasts, pass, change, end, clock };
};

test.serial('opens a unicast that FreeSWITCH has ended again, with what was not played', async (t) => {
  const { sound, told, failures, unicasts, pass } = await setUpChannelSound();
  sound.path.send(new Int16Array(500));
  unicasts[0]?.ring.read(new Int16Array(160));
  unicasts[0]?.silence(true);
  await pass(60);
  t.deepEqual(told, ['unicast at 8000 Hz', 'new park', 'unicast at 8000 Hz']);
  t.true(unicasts[0]?.isClosed);
  t.is(unicasts[1]?.ring.waiting, 340);
  t.deepEqual(failures, []);
});

test.serial('leaves a FreeSWITCH alone that stood still and sends again', async (t) => {
  const answer = Promise.withResolvers<string>();
  const { told, failures, unicasts, pass } = await setUpChannelSound(() => answer.promise);
  unicasts[0]?.silence(true);
  await pass(1_000);
  answer.resolve('true');
  await pass(20);
  unicasts[0]?.silence(false);
  await pass(1_000);
  t.deepEqual(told, ['unicast at 8000 Hz']);
  t.deepEqual(failures, []);
});

test.serial('asks a FreeSWITCH again that did not answer', async (t) => {
  let asked = 0;
  const { told, failures, unicasts, pass } = await setUpChannelSound(async () => {
    asked += 1;
    if (asked < 3) throw new Error('An answer of FreeSWITCH took longer than 3000 ms');
    return 'true';
  });
  unicasts[0]?.silence(true);
  await pass(3_000);
  t.deepEqual(told, ['unicast at 8000 Hz', 'new park', 'unicast at 8000 Hz']);
  t.deepEqual(failures, []);
});

test.serial('fails where the channel is gone', async (t) => {
  const { told, failures, unicasts, pass } = await setUpChannelSound(async () => 'false');
  unicasts[0]?.silence(true);
  await pass(60);
  t.deepEqual(told, ['unicast at 8000 Hz']);
  t.is(failures.length, 1);
});

test.serial('gives up a unicast that FreeSWITCH ends again and again', async (t) => {
  const { failures, unicasts, pass } = await setUpChannelSound();
  for (let ends = 1; ends <= 6; ends += 1) {
    t.is(failures.length, 0);
    unicasts.at(-1)?.silence(true);
    await pass(100);
  }
  t.is(failures.length, 1);
  t.is(unicasts.length, 6);
});

test.serial('asks a FreeSWITCH that is away no longer than the call lasts', async (t) => {
  const { failures, unicasts, pass, end, clock } = await setUpChannelSound(async () => {
    throw new Error('There is no media server');
  });
  unicasts[0]?.silence(true);
  await pass(5_000);
  t.true(clock.pending() > 0);
  end();
  await pass(1_000);
  t.is(clock.pending(), 0);
  t.deepEqual(failures, []);
});

test.serial('does nothing for a silence after the end of the call', async (t) => {
  const { sound, told, failures, unicasts, pass, clock } = await setUpChannelSound();
  sound.path.close();
  unicasts[0]?.silence(true);
  await pass(100);
  t.deepEqual(told, ['unicast at 8000 Hz']);
  t.deepEqual(failures, []);
  t.is(clock.pending(), 0);
});

test.serial(
  'ends the unicast before the codec changes, and opens one with the new codec after it',
  async (t) => {
    const { sound, told, unicasts, pass, change } = await setUpChannelSound();
    sound.path.send(new Int16Array(500));
    const pausing = sound.pause();
    await pass(20);
    await pausing;
    t.deepEqual(told, ['unicast at 8000 Hz', 'new park']);
    sound.path.send(new Int16Array(100));
    let isPlayed = false;
    sound.path.whenPlayed(() => (isPlayed = true));
    t.is(sound.path.waiting(), 600);
    change(16_000);
    const resuming = sound.resume('codec');
    await pass(80);
    t.is(unicasts.length, 1, 'FreeSWITCH has not read yet');
    await pass(40);
    await resuming;
    t.deepEqual(told.slice(2), ['unicast at 16000 Hz']);
    t.is(unicasts[1]?.ring.waiting, 600);
    t.false(isPlayed);
    unicasts[1]?.ring.read(new Int16Array(600));
    await pass(200);
    t.true(isPlayed);
  },
);

test.serial('a call that ends while its sound is paused opens none', async (t) => {
  const { sound, told, pass, clock } = await setUpChannelSound();
  const pausing = sound.pause();
  await pass(20);
  await pausing;
  const resuming = sound.resume('codec');
  sound.path.close();
  await pass(200);
  await resuming;
  t.deepEqual(told, ['unicast at 8000 Hz', 'new park']);
  t.is(clock.pending(), 0);
});

// Carriers
// The carrier of a call's sound, as its trunk says: seen in what the trunk is answered, and in what FreeSWITCH has to
// do.

const portIn = (sdp: string): string | undefined => /^m=audio (\d+)/m.exec(sdp)?.[1];

const carriersOver = (media: TrunkMedia) => ({ trunk: { address: trunkAddress, media } });

for (const [media, channels] of [
  ['freeswitch', 1],
  ['auto', 0],
  ['direct', 0],
] as const) {
  test.serial(`${media}: a caller is answered with ${channels} channels of FreeSWITCH`, async (t) => {
    const { trunk, inbound, said, freeSwitches } = await startSipEdge(t, carriersOver(media));
    const call = trunk.calls(ownNumber, { sdp: describeSound() });
    const answer = await call.receives(200);
    t.regex(answer.body, /^m=audio \d+ RTP\/AVP 0 101\r$/m);
    call.sends('ACK');
    await said(inbound, 'line.answered');
    t.is(freeSwitches[0]?.channels().length, channels);
    call.sends('BYE');
    await call.receives(200);
    await said(inbound, 'line.ended');
    await freeSwitches[0]?.untilChannels(0);
  });

  test.serial(`${media}: a call goes out with ${channels} channels of FreeSWITCH`, async (t) => {
    const { trunk, call, said, freeSwitches } = await startSipEdge(t, carriersOver(media));
    const line = call();
    const farCall = await trunk.receives('INVITE');
    t.deepEqual(formatsIn(farCall.last('INVITE').body), [0, 8, 101]);
    t.is(freeSwitches[0]?.channels().length, channels);
    farCall.answers(200, { sdp: describeSound() });
    await farCall.receives('ACK');
    await said([line], 'line.answered');
    line.tell({ type: 'hangUp' });
    await farCall.receives('BYE');
    farCall.answers(200);
    await said([line], 'line.ended');
  });
}

test.serial('auto: FreeSWITCH has the calls of a trunk that lists a codec which it alone has', async (t) => {
  const { trunk, inbound, said, freeSwitches } = await startSipEdge(t, {
    trunk: { address: trunkAddress, media: 'auto', codecs: ['G722', 'PCMU'] },
  });
  const call = trunk.calls(ownNumber, { sdp: describeSound() });
  await call.receives(200);
  call.sends('ACK');
  await said(inbound, 'line.answered');
  t.is(freeSwitches[0]?.channels().length, 1);
  call.sends('BYE');
  await call.receives(200);
  await said(inbound, 'line.ended');
});

test.serial('a call with direct sound is held, taken back and refused what it cannot have', async (t) => {
  const { trunk, inbound, said } = await startSipEdge(t, carriersOver('direct'));
  const call = trunk.calls(ownNumber, { sdp: describeSound({ formats: [8, 0, 101] }) });
  const answer = await call.receives(200);
  t.deepEqual(formatsIn(answer.body), [8, 101]);
  call.sends('ACK');
  await said(inbound, 'line.answered');
  call.sends('INVITE', { sdp: describeSound({ formats: [8, 101], direction: 'sendonly' }) });
  t.is(directionIn((await call.receives(200)).body), 'recvonly');
  call.sends('ACK');
  await said(inbound, 'line.held');
  call.sends('INVITE', { sdp: describeSound({ formats: [18] }) });
  await call.receives(488);
  call.sends('INVITE', { sdp: describeSound({ formats: [8, 101] }) });
  const resumed = await call.receives(200);
  t.is(directionIn(resumed.body), 'sendrecv');
  call.sends('ACK');
  await said(inbound, 'line.resumed');
  t.is(portIn(resumed.body), portIn(answer.body), 'it stays where it is');
});

/** Lines about packets in what FreeSWITCH was given of the other party. */
const packetLinesAt = (freeSwitch: FreeSwitch | undefined): string[] =>
  (freeSwitch?.channels() ?? []).flatMap(({ remoteSdp }) => remoteSdp.match(/^a=(?:max)?ptime:.*$/gm) ?? []);

test.serial('FreeSWITCH is given no packets of 30 or 40 ms: a caller, and its re-INVITE', async (t) => {
  const { trunk, inbound, said, freeSwitches } = await startSipEdge(t, carriersOver('freeswitch'));
  const call = trunk.calls(ownNumber, { sdp: describeSound({ packetMs: 40 }) });
  await call.receives(200);
  call.sends('ACK');
  await said(inbound, 'line.answered');
  t.deepEqual(packetLinesAt(freeSwitches[0]), []);
  call.sends('INVITE', { sdp: describeSound({ packetMs: 30 }) });
  await call.receives(200);
  call.sends('ACK');
  t.deepEqual(packetLinesAt(freeSwitches[0]), []);
});

test.serial('FreeSWITCH is given no packets of 30 or 40 ms: a callee', async (t) => {
  const { trunk, call, said, freeSwitches } = await startSipEdge(t, carriersOver('freeswitch'));
  const line = call();
  const farCall = await trunk.receives('INVITE');
  farCall.answers(200, { sdp: describeSound({ packetMs: 30 }) });
  await farCall.receives('ACK');
  await said([line], 'line.answered');
  t.deepEqual(packetLinesAt(freeSwitches[0]), []);
});

test.serial('FreeSWITCH is given packets that are shorter than 20 ms', async (t) => {
  const { trunk, freeSwitches } = await startSipEdge(t, carriersOver('freeswitch'));
  await trunk.calls(ownNumber, { sdp: describeSound({ packetMs: 10 }) }).receives(200);
  t.deepEqual(packetLinesAt(freeSwitches[0]), ['a=ptime:10']);
});

// Channel figures

test.serial('what FreeSWITCH says of a channel is read: who, where, how many, how much was lost', (t) => {
  const figures = readChannelFigures('PCMA|192.0.2.1|54246|198.51.100.7|60451|809|854|0.05\n');
  t.like(figures, {
    codec: 'PCMA',
    localAddress: '192.0.2.1:54246',
    remoteAddress: '198.51.100.7:60451',
    sent: { packets: 854, loss: null, jitterMs: null, mos: null },
  });
  t.is(figures?.received.packets, 809);
  // One of twenty: five in a hundred of what was sent, where FreeSWITCH counts by what arrived.
  t.true(Math.abs((figures?.received.loss ?? 0) - 0.0476) < 0.001);
  t.true((figures?.received.mos ?? 0) > 3 && (figures?.received.mos ?? 5) < 4);
});

test.serial('loss that FreeSWITCH has not worked out yet is not known', (t) => {
  const figures = readChannelFigures('PCMU|127.0.0.1|2|127.0.0.1|4|200|200|0.00');
  t.deepEqual(figures?.received, { packets: 200, loss: null, jitterMs: null, mos: null });
});

test.serial('of a channel without sound, and of one that is gone, nothing is made up', (t) => {
  t.like(readChannelFigures('|||||||'), { codec: null, localAddress: null, remoteAddress: null });
  t.is(readChannelFigures('|||||||')?.received.packets, null);
  t.is(readChannelFigures('-ERR No such channel!\n'), null);
});

test.serial('the figures are written before they are said', async (t) => {
  const asked: string[] = [];
  await askChannelFigures('a-channel', {
    async api(command) {
      asked.push(command.split(' ').slice(0, 2).join(' '));
      return '';
    },
  });
  t.deepEqual(asked, ['uuid_set_media_stats a-channel', 'eval uuid:a-channel']);
});

// Without freeswitch
// A gateway to which no FreeSWITCH belongs, or whose FreeSWITCH is away: what its trunks can still be used for.

const withoutFreeswitchOver = (media: TrunkMedia) => ({
  trunk: { address: trunkAddress, media },
  freeSwitchCount: 0,
});

for (const media of ['direct', 'auto'] as const)
  test.serial(`${media}: calls come in and go out, and the trunk hears that we are there`, async (t) => {
    const { trunk, inbound, call, said, lines } = await startSipEdge(t, withoutFreeswitchOver(media));
    t.deepEqual(lines.health(), { ready: true });
    await trunk.asks('OPTIONS').receives(200);
    const caller = trunk.calls(ownNumber, { sdp: describeSound() });
    await caller.receives(200);
    caller.sends('ACK');
    await said(inbound, 'line.answered');
    const line = call();
    const callee = await trunk.receives('INVITE');
    callee.answers(200, { sdp: describeSound() });
    await callee.receives('ACK');
    await said([line], 'line.answered');
  });

test.serial(
  'freeswitch: callers are refused for good, calls come to nothing, and who looks is told why',
  async (t) => {
    const { trunk, arrivals, call, said, lines } = await startSipEdge(t, withoutFreeswitchOver('freeswitch'));
    t.deepEqual(lines.health(), {
      ready: true,
      warning:
        '1 of 1 trunks ask for FreeSWITCH (media), which this gateway does not have: their calls are refused.',
    });
    await trunk.asks('OPTIONS').receives(503);
    const refusal = await trunk.calls(ownNumber, { sdp: describeSound() }).receives(488);
    t.is(
      headerOf(refusal, 'Warning'),
      '399 trunkline "This gateway has no FreeSWITCH (GW_FREESWITCH=none)."',
    );
    t.deepEqual(arrivals, []);
    const line = call();
    await said([line], 'line.unanswered');
    t.like(line.all('line.unanswered')[0], {
      cause: 'media_error',
      sip: { status: null, reason: 'This gateway has no FreeSWITCH (GW_FREESWITCH=none).' },
    });
  },
);

test.serial('a call that one trunk cannot carry goes out over the next one', async (t) => {
  const needy = someTrunk({ media: 'freeswitch', host: '127.0.0.1', port: 9 });
  const { trunk, call, said } = await startSipEdge(t, {
    ...withoutFreeswitchOver('direct'),
    trunks: directoryOf([needy]),
  });
  const line = call();
  const farCall = await trunk.receives('INVITE');
  farCall.answers(200, { sdp: describeSound() });
  await farCall.receives('ACK');
  await t.notThrowsAsync(said([line], 'line.answered'));
});

test.serial('what a trunk is tried out for says that its calls cannot be carried', async (t) => {
  const { drachtio, lines } = await startSipEdge(t, withoutFreeswitchOver('direct'));
  const end = createFarEnd(drachtio, '127.0.0.1:15081');
  const needy = someTrunk({ media: 'freeswitch', host: '127.0.0.1', port: 15_081 });
  const checking = lines.tryTrunk(needy, { from: ownNumber, to: ownNumber });
  (await end.receives('OPTIONS')).answers(200);
  t.like((await checking).at(-1), {
    step: 'call',
    result: 'failed',
    sentence: 'This gateway has no FreeSWITCH (GW_FREESWITCH=none).',
  });
});

test.serial(
  'while FreeSWITCH is away, trunks that do without it are served, and that is enough to be ready',
  async (t) => {
    const spoil: Pick<SipEdgeOptions, 'spoil'> = {
      spoil: ({ freeSwitches }) => freeSwitches.forEach((freeSwitch) => freeSwitch.changeSecret()),
    };
    const direct = await startSipEdge(t, { trunk: { address: trunkAddress, media: 'auto' }, ...spoil });
    t.like(direct.lines.health(), { ready: true });
    await direct.trunk.calls(ownNumber, { sdp: describeSound() }).receives(200);
    const both = await startSipEdge(t, {
      trunk: { address: trunkAddress, media: 'auto' },
      trunks: directoryOf([someTrunk({ media: 'freeswitch' })]),
      ...spoil,
    });
    t.like(both.lines.health(), { ready: false });
    await both.trunk.asks('OPTIONS').receives(200);
  },
);
