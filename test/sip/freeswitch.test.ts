/** Audio through FreeSWITCH: the event socket, endpoints, unicast and lost servers. */
import { EventEmitter, once } from 'node:events';
import { createServer, Socket } from 'node:net';
import { setImmediate as turn } from 'node:timers/promises';
import test, { type ExecutionContext } from 'ava';
import pino from 'pino';
import { openFence } from '#src/domain/fence.ts';
import { createBackgroundTasks } from '#sip/background-tasks.ts';
import { ServerRefusal } from '#sip/heartbeat.ts';
import { claimChannel, type InTurn } from '#sip/freeswitch/take-over-channel.ts';
import { queryChannelStatistics, parseChannelStatistics } from '#sip/freeswitch/channel-statistics.ts';
import { ChannelGone, ChannelTaken, openChannelAudio } from '#sip/freeswitch/channel-audio.ts';
import type { ChannelHolder } from '#sip/freeswitch/keep-alive.ts';
import { createEndpointPool, isUsualOffer } from '#sip/freeswitch/endpoint-pool.ts';
import {
  commandsOn,
  connectToFreeSwitch,
  NoConnection,
  probeFreeSwitch,
  type ServerLoad,
} from '#sip/freeswitch/connection.ts';
import {
  beginUnicast,
  openUnicast,
  type UnicastOptions,
  type UnicastRates,
} from '#sip/freeswitch/open-unicast.ts';
import { repark } from '#sip/freeswitch/repark.ts';
import type { UnicastChannel } from '#sip/media-thread/media-thread.ts';
import type { MediaEndpoint } from '#sip/audio/media-endpoint.ts';
import { ringMemory, SampleRing } from '#sip/audio/sample-ring.ts';
import type { SampleRate } from '#sip/audio/samples.ts';
import type { TrunkMedia } from '#src/domain/trunk.ts';
import { createOrderedClock } from '#test/contract/ordered-clock.ts';
import type { FreeSwitch } from '#test/doubles/freeswitch.ts';
import { createFarEnd } from '#test/doubles/far-end.ts';
import { describeSound, directionIn, formatsIn } from '#test/doubles/session-description.ts';
import { ownNumber, type SipEdgeOptions, startSipEdge, trunkAddress } from '#test/doubles/sip-edge.ts';
import { headerOf } from '#test/doubles/sip-parser.ts';
import { refusingPort } from '#test/helpers/no-server.ts';
import { directoryOf, someTrunk } from '#test/sip/trunks/some-trunk.ts';

// Commands

const setUpCommands = (reply: Promise<string>) => {
  const sent: string[] = [];
  const clock = createOrderedClock();
  const connection = {
    async api(command: string) {
      sent.push(command);
      return reply;
    },
    async sendMessage(uuid: string, headers: Readonly<Record<string, string>>) {
      sent.push(`sendmsg ${uuid} ${JSON.stringify(headers)}`);
      return reply;
    },
  };
  return {
    sent,
    clock,
    commands: commandsOn(() => connection, { answerMs: 3_000, fence: openFence, clock }),
  };
};

test.serial('an error names the rejected command without its arguments', async (t) => {
  const { commands, sent } = setUpCommands(Promise.resolve('-ERR no'));
  await t.throwsAsync(commands.run('uuid_send_dtmf a-channel 1234'), {
    message: 'FreeSWITCH rejected uuid_send_dtmf',
  });
  await t.throwsAsync(commands.sendMessage('a-channel', { 'call-command': 'unicast' }), {
    message: 'The channel does not exist',
  });
  t.deepEqual(sent, ['uuid_send_dtmf a-channel 1234', 'sendmsg a-channel {"call-command":"unicast"}']);
});

test.serial('rejects line breaks that would inject a second command', async (t) => {
  const { commands, sent } = setUpCommands(Promise.resolve('+OK'));
  await t.throwsAsync(commands.api('uuid_kill x\n\napi shutdown'), { message: /one line/ });
  await t.throwsAsync(commands.sendMessage('x\ncall-command: hangup', {}), { message: /one line/ });
  await t.throwsAsync(commands.sendMessage('x', { transport: 'udp\nflags: native' }), {
    message: /one line/,
  });
  t.deepEqual(sent, []);
});

test.serial('rejects a command without a response after a time-out', async (t) => {
  const { commands, clock } = setUpCommands(new Promise(() => {}));
  const waiting = t.throwsAsync(commands.api('uptime'), { message: /FreeSWITCH's reply to uptime/ });
  clock.advance(3_000);
  await waiting;
});

test.serial('rejects commands without a connection', async (t) => {
  const commands = commandsOn(
    () => {
      throw new Error('not connected');
    },
    { answerMs: 3_000, fence: openFence, clock: createOrderedClock() },
  );
  await t.throwsAsync(commands.api('uptime'), { message: 'not connected' });
  await t.throwsAsync(commands.sendMessage('x', {}), { message: 'not connected' });
});

// Connection

const sofiaStatus = 'trunkline\tprofile\tsip:mod_sofia@127.0.0.1:5080\tRUNNING (0)\n';
const apiReply = (body: string): string =>
  `Content-Type: api/response\nContent-Length: ${Buffer.byteLength(body)}\n\n${body}`;
const commandReply = (text: string): string => `Content-Type: command/reply\nReply-Text: ${text}\n\n`;
const jsonEvent = (body: string): string =>
  `Content-Length: ${Buffer.byteLength(body)}\nContent-Type: text/event-json\n\n${body}`;

/** A server that a test controls as if it were FreeSWITCH. */
const startHandMadeServer = async (t: ExecutionContext, greeting: string) => {
  const accepted = new Set<Socket>();
  let received = '';
  const arrived = new EventEmitter();
  const server = createServer((socket) => {
    accepted.add(socket);
    socket.on('error', () => {});
    socket.setEncoding('utf8').on('data', (text: string) => {
      received += text;
      arrived.emit('data');
    });
    socket.write(greeting);
    arrived.emit('connection');
  }).listen(0, '127.0.0.1');
  t.teardown(() => {
    for (const socket of accepted) socket.destroy();
    server.close();
  });
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('No port');
  return {
    server: { host: '127.0.0.1', port: address.port, secret: 'open sesame' },
    /** Number of connections since the start. */
    accepted,
    /** Resolves when this text has arrived. */
    async until(text: string): Promise<void> {
      while (!received.includes(text)) await once(arrived, 'data');
    },
    write(text: string): void {
      for (const socket of accepted) socket.write(text);
    },
    end(): void {
      for (const socket of accepted) socket.destroy();
    },
  };
};

/** Delay after which drachtio-modesl would reconnect for the first time. */
const reconnectMs = 255;

/** Returns whether drachtio-modesl has begun to reconnect by itself. */
const watchReconnecting = (t: ExecutionContext): (() => boolean) => {
  const schedule = globalThis.setTimeout;
  let isReconnecting = false;
  Object.assign(globalThis, {
    setTimeout: Object.assign((...timer: Parameters<typeof setTimeout>) => {
      isReconnecting ||= timer[1] === reconnectMs;
      return schedule(...timer);
    }, schedule),
  });
  t.teardown(() => Object.assign(globalThis, { setTimeout: schedule }));
  return () => isReconnecting;
};

const setUpConnection = async (t: ExecutionContext) => {
  const isReconnecting = watchReconnecting(t);
  const there = await startHandMadeServer(t, 'Content-Type: auth/request\n\n');
  const digits: string[] = [];
  const loads: ServerLoad[] = [];
  const losses: Error[] = [];
  const lost = new EventEmitter();
  const connecting = connectToFreeSwitch(there.server, {
    onDigit: (uuid, digit) => void digits.push(`${uuid} ${digit}`),
    onHeartbeat: (load) => void loads.push(load),
    onLost(reason) {
      losses.push(reason);
      lost.emit('lost');
    },
  });
  await there.until('auth open sesame\n\n');
  there.write(commandReply('+OK accepted'));
  await there.until('api sofia status\n\n');
  there.write(`${commandReply('+OK event listener enabled json')}${apiReply(sofiaStatus)}`);
  await there.until('event json DTMF\n\n');
  there.write(commandReply('+OK event listener enabled json'));
  const connection = await connecting;
  t.teardown(connection.close);
  const untilLost = async (): Promise<void> => {
    if (losses.length === 0) await once(lost, 'lost');
  };
  return { ...there, connection, digits, loads, losses, untilLost, isReconnecting };
};

test.serial('returns replies in the order of the commands, with events in between', async (t) => {
  const { connection, until, write, digits } = await setUpConnection(t);
  t.like(connection, { address: '127.0.0.1', sipAddress: '127.0.0.1:5080' });
  const replies = [
    connection.api('one'),
    connection.sendMessage('x', { 'call-command': 'y', transport: 'udp' }),
    connection.api('two'),
  ];
  await until('api one\n\nsendmsg x\ncall-command: y\ntransport: udp\n\napi two\n\n');
  write(apiReply('1'));
  write(jsonEvent('{"Event-Name":"DTMF","Unique-ID":"x","DTMF-Digit":"#"}'));
  write(`${commandReply('+OK')}${apiReply('zwei\n\n둘')}`);
  t.deepEqual(await Promise.all(replies), ['1', '+OK', 'zwei\n\n둘']);
  t.deepEqual(digits, ['x #']);
});

test.serial('takes later events after hostile event headers', async (t) => {
  const { connection, until, write, digits, losses } = await setUpConnection(t);
  for (const hostile of ['100%', '%E0%A4%A', '%zz', '\n\nContent-Length: 5\n\n', ''])
    write(
      jsonEvent(
        JSON.stringify({
          'Event-Name': 'DTMF',
          'Unique-ID': 'x',
          'DTMF-Digit': hostile,
          'Caller-Caller-ID-Name': hostile,
          variable_sip_h_X: [hostile],
        }),
      ),
    );
  write(jsonEvent('{"Event-Name":"DTMF","Unique-ID":7,"DTMF-Digit":["1"]}'));
  write(jsonEvent('{"Event-Name":"DTMF","Unique-ID":"x","DTMF-Digit":"7","Caller":"전화 100%"}'));
  const reply = connection.api('uptime');
  await until('api uptime\n\n');
  write(apiReply('9'));
  t.is(await reply, '9');
  t.deepEqual(digits, ['x 7']);
  t.deepEqual(losses, []);
});

for (const [what, bytes] of [
  ['a header that cannot be decoded', 'Content-Type: command/reply\nReply-Text: 100%\n\n'],
  ['an event that is not JSON', jsonEvent('{')],
])
  test.serial(`ends the connection, not the process, on ${what}`, async (t) => {
    const { connection, write, losses, untilLost, accepted, isReconnecting } = await setUpConnection(t);
    const waiting = t.throwsAsync(connection.api('one'), { instanceOf: NoConnection });
    write(bytes ?? '');
    await waiting;
    await untilLost();
    t.is(losses.length, 1);
    await Promise.all([...accepted].map(async (socket) => socket.closed || once(socket, 'close')));
    t.false(isReconnecting(), 'the library does not reconnect');
  });

test.serial(
  'rejects pending and later commands after a lost connection, which is reported once',
  async (t) => {
    const { connection, until, end, losses, untilLost, isReconnecting } = await setUpConnection(t);
    const waiting = [
      t.throwsAsync(connection.api('one'), { instanceOf: NoConnection }),
      t.throwsAsync(connection.sendMessage('x', {}), { instanceOf: NoConnection }),
    ];
    await until('sendmsg x\n\n');
    end();
    await Promise.all(waiting);
    await untilLost();
    await t.throwsAsync(connection.api('two'), { instanceOf: NoConnection });
    t.is(losses.length, 1);
    t.false(isReconnecting(), 'the library does not reconnect');
  },
);

test.serial('rejects pending commands when it is closed, and reports no loss', async (t) => {
  const { connection, accepted, losses } = await setUpConnection(t);
  const waiting = t.throwsAsync(connection.api('one'), { instanceOf: NoConnection });
  connection.close();
  connection.close();
  await waiting;
  await Promise.all([...accepted].map(async (socket) => socket.closed || once(socket, 'close')));
  t.deepEqual(losses, []);
});

test.serial('sends no further command to a server with thousands of pending ones', async (t) => {
  const { connection } = await setUpConnection(t);
  const waiting = Array.from({ length: 2_000 }, async () => connection.api('one'));
  await t.throwsAsync(connection.api('one more'), { message: /too many commands/ });
  connection.close();
  t.true((await Promise.allSettled(waiting)).every(({ status }) => status === 'rejected'));
});

test.serial('reports the load of each complete heartbeat', async (t) => {
  const { connection, until, write, loads } = await setUpConnection(t);
  const heartbeat = (fields: object): string =>
    jsonEvent(JSON.stringify({ 'Event-Name': 'HEARTBEAT', 'Core-UUID': 'core', ...fields }));
  write(heartbeat({ 'Session-Count': 'many' }));
  write(heartbeat({ 'Session-Count': '12', 'Max-Sessions': '1000', 'Idle-CPU': '87.433333' }));
  const reply = connection.api('uptime');
  await until('api uptime\n\n');
  write(apiReply('9'));
  await reply;
  t.deepEqual(loads, [{ sessions: 12, maxSessions: 1_000, idleCpu: 87.433_333 }]);
});

test.serial('sends a command as one packet, without waiting for acknowledgements', async (t) => {
  const sockets = new Set<Socket>();
  const { setNoDelay, uncork } = Socket.prototype;
  /** Bytes that are written together. */
  const packets: number[] = [];
  Object.assign(Socket.prototype, {
    setNoDelay(this: Socket, isSet = true) {
      if (isSet) sockets.add(this);
      return setNoDelay.call(this, isSet);
    },
    uncork(this: Socket) {
      if (sockets.has(this) && this.writableLength > 0) packets.push(this.writableLength);
      return uncork.call(this);
    },
  });
  t.teardown(() => {
    Object.assign(Socket.prototype, { setNoDelay });
    Reflect.deleteProperty(Socket.prototype, 'uncork');
  });
  const { connection } = await setUpConnection(t);
  t.is(sockets.size, 1);
  packets.length = 0;
  connection.sendMessage('x', { 'call-command': 'unicast', transport: 'udp' }).catch(() => {});
  t.deepEqual(packets, ['sendmsg x\ncall-command: unicast\ntransport: udp\n\n'.length]);
});

test.serial(
  'keeps the drachtio-fsmrf library from writing to the console, and closes its listener',
  async (t) => {
    const written: unknown[] = [];
    const { error, info } = console;
    console.error = console.info = (...words: unknown[]) => void written.push(words);
    t.teardown(() => Object.assign(console, { error, info }));
    const { connection, end, untilLost } = await setUpConnection(t);
    end();
    await untilLost();
    connection.close();
    const listening = process.getActiveResourcesInfo().filter((name) => name === 'TCPServerWrap');
    t.is(listening.length, 1, 'only the server of this test listens');
    t.deepEqual(written, []);
  },
);

for (const [what, greeting, message] of [
  [
    'a wrong secret',
    `Content-Type: auth/request\n\n${commandReply('-ERR invalid')}`,
    /refused the secret \(GW_FREESWITCH_SECRET\)/,
  ],
  ['an access list', 'Content-Type: text/rude-rejection\n\n', /access list/],
] as const)
  test.serial(`explains a failure to connect because of ${what}`, async (t) => {
    const isReconnecting = watchReconnecting(t);
    const { server, accepted } = await startHandMadeServer(t, greeting);
    await t.throwsAsync(probeFreeSwitch(server), { instanceOf: ServerRefusal, message });
    await Promise.all([...accepted].map(async (socket) => socket.closed || once(socket, 'close')));
    t.false(isReconnecting(), 'the library does not reconnect');
  });

test.serial('explains a missing SIP profile, which the library throws', async (t) => {
  const isReconnecting = watchReconnecting(t);
  const { server, until, write } = await startHandMadeServer(t, 'Content-Type: auth/request\n\n');
  const probing = t.throwsAsync(probeFreeSwitch(server), {
    instanceOf: ServerRefusal,
    message: /its SIP profile trunkline is not there/,
  });
  await until('auth open sesame\n\n');
  write(commandReply('+OK accepted'));
  await until('api sofia status\n\n');
  write(`${commandReply('+OK')}${apiReply('0 profiles 0 aliases\n')}`);
  await probing;
  t.false(isReconnecting(), 'the library does not reconnect');
});

test.serial('rejects when the connection is closed before FreeSWITCH is ready', async (t) => {
  const isReconnecting = watchReconnecting(t);
  const { server, until, end } = await startHandMadeServer(t, 'Content-Type: auth/request\n\n');
  const probing = t.throwsAsync(probeFreeSwitch(server), { message: /closed the connection/ });
  await until('auth');
  end();
  await probing;
  t.false(isReconnecting(), 'the library does not reconnect');
});

test.serial('reports a closed port with its code', async (t) => {
  const { server } = await startHandMadeServer(t, '');
  const isReconnecting = watchReconnecting(t);
  await t.throwsAsync(probeFreeSwitch({ ...server, port: refusingPort }), { code: 'ECONNREFUSED' });
  t.false(isReconnecting(), 'the library does not reconnect');
});

// Endpoint pool

const numbers = { size: 3, atOnce: 2, refillMs: 50, longestAgeMs: 60_000, retryMs: 500 };

/** Endpoints that are created one turn of the event loop after the request. */
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
      statistics: async () => null,
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

test.serial('creates pooled endpoints a few at a time and hands out the oldest first', async (t) => {
  const { pool, world, settle } = createEndpointPoolWorld();
  t.is(pool.take(), null);
  pool.open();
  await settle();
  t.is(pool.size(), 3);
  t.is(world.mostAtOnce, 2);
  t.is(pool.take()?.localSdp, 'offer 0');
  t.is(pool.take()?.localSdp, 'offer 1');
});

test.serial('replaces a used endpoint after a short delay; an empty pool returns none', async (t) => {
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

test.serial('is not filled again while calls follow each other closely', async (t) => {
  const { clock, pool, made, settle } = createEndpointPoolWorld();
  pool.open();
  await settle();
  for (let times = 1; times <= 10; times += 1) {
    pool.take();
    clock.advance(numbers.refillMs - 1);
    await settle();
  }
  t.is(made.length, 3);
  clock.advance(1);
  await settle();
  t.is(pool.size(), 3);
});

test.serial('replaces an endpoint whose channel is lost', async (t) => {
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

test.serial('does not count or renew an endpoint in use', async (t) => {
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

test.serial('replaces an endpoint that is too old', async (t) => {
  const { clock, pool, made, standing, settle } = createEndpointPoolWorld();
  pool.open();
  await settle();
  clock.advance(numbers.longestAgeMs);
  await settle();
  t.true(made.slice(0, 3).every(({ isDestroyed }) => isDestroyed));
  t.is(pool.size(), 3);
  t.is(standing().length, 3);
});

test.serial('waits after a failure before the next attempt', async (t) => {
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

test.serial(
  'leaves no endpoints and no timers after the pool is emptied, not even of pending endpoints',
  async (t) => {
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
  },
);

test.serial(
  'does not add an endpoint requested before the pool was emptied to the reopened pool',
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
  test.serial(`accepts a usual offer for a pooled endpoint: ${JSON.stringify(usual.slice(66))}`, (t) => {
    t.true(isUsualOffer(usual));
  });

for (const [why, unusual] of [
  ['no telephone events', offer('m=audio 4000 RTP/AVP 8')],
  [
    'telephone events with another payload type',
    offer('m=audio 4000 RTP/AVP 0 96', 'a=rtpmap:96 telephone-event/8000'),
  ],
  ['payload type 101 for another format', offer('m=audio 4000 RTP/AVP 0 101', 'a=rtpmap:101 opus/48000/2')],
  ['telephone events without an rtpmap offer', offer('m=audio 4000 RTP/AVP 0', keys)],
  ['shorter packets', offer('m=audio 4000 RTP/AVP 0 101', keys, 'a=ptime:10')],
  ['encrypted', offer('m=audio 4000 RTP/SAVP 0 101', keys)],
  ['more than audio', offer('m=audio 4000 RTP/AVP 0 101', keys, 'm=video 4002 RTP/AVP 99')],
] as const)
  test.serial(`rejects an unusual offer for a pooled endpoint: ${why}`, (t) => {
    t.false(isUsualOffer(unusual));
  });

// Adopt channel
// The commands by which a channel of another process is claimed and parked again, before its audio may be requested.

/** A FreeSWITCH whose channel is parked again after this many queries. */
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
  const sendMessage = async (_uuid: string, message: Readonly<Record<string, string>>): Promise<void> => {
    const { 'call-command': command, application = '', ...others } = message;
    told.push(`${command} ${application.replace(/-\S+/, '')}`, ...Object.keys(others));
    park = /again-(\S+)/.exec(application)?.[1] ?? '';
  };
  const keepAlive = {
    async claim() {
      told.push('claim');
      return '+OK';
    },
  };
  const adopt = (keepsBridge = false) =>
    claimChannel('a-channel', keepsBridge, { commands: { api, run: api }, keepAlive });
  /** Advances the clock until the work is done. */
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
  const parkAgain = () => repark('a-channel', { commands: { api, sendMessage }, answerMs: 3_000, clock });
  return { adopt, park: parkAgain, passing, told, clock };
};

test.serial('claims a channel without moving it', async (t) => {
  const { adopt, told } = setUpAdoptChannel();
  t.deepEqual(await adopt(), { localSdp: 'v=0' });
  t.deepEqual(told, ['uuid_getvar rtp_local_sdp_str', 'claim']);
});

test.serial('has the own thread of a channel park it again, and waits until it is parked', async (t) => {
  const { park, passing, told, clock } = setUpAdoptChannel();
  await passing(park());
  t.deepEqual(told, [
    // Executed by the channel's own thread, because `uuid_transfer` would race with that thread. The application
    // `transfer` would send a re-INVITE for a channel on hold.
    'xferext execute_extension again XML trunkline',
    'uuid_getvar gw_park',
    'uuid_getvar gw_park',
    'uuid_getvar gw_park',
  ]);
  t.is(clock.pending(), 0);
});

test.serial('claims a channel in a continuing bridge without moving it', async (t) => {
  const { adopt, told } = setUpAdoptChannel({ partner: 'another-channel' });
  t.deepEqual(await adopt(true), { localSdp: 'v=0', isBridged: true });
  t.deepEqual(told, ['uuid_getvar rtp_local_sdp_str', 'claim', 'uuid_getvar bridge_to']);
});

test.serial(
  'claims a channel that is in no bridge, even when channels in bridges are left there',
  async (t) => {
    const { adopt } = setUpAdoptChannel();
    t.deepEqual(await adopt(true), { localSdp: 'v=0' });
  },
);

for (const nothing of ['_undef_', '-ERR No such channel!\n'])
  test.serial(`ignores a channel that no longer exists: ${nothing.trim()}`, async (t) => {
    const { adopt, told } = setUpAdoptChannel({ localSdp: nothing });
    await t.throwsAsync(adopt(), { message: 'The channel no longer exists' });
    t.deepEqual(told, ['uuid_getvar rtp_local_sdp_str']);
  });

test.serial('stops waiting for a channel that is not parked in time', async (t) => {
  const { park, passing, clock } = setUpAdoptChannel({ looks: Infinity });
  await t.throwsAsync(passing(park()), { message: /Parking a channel/ });
  await new Promise((resolve) => setImmediate(resolve));
  clock.advance(5);
  await new Promise((resolve) => setImmediate(resolve));
  t.is(clock.pending(), 0);
});

// Open unicast
// Starts the unicast of a FreeSWITCH channel, and stops waiting when no audio arrives.

const setUpOpenUnicast = (isThere = true) => {
  const clock = createOrderedClock();
  const told: unknown[] = [];
  const opened: string[][] = [];
  const begun = Promise.withResolvers<void>();
  const ended = Promise.withResolvers<never>();
  ended.promise.catch(() => {});
  let isClosed = false;
  let listening: Parameters<UnicastChannel['listen']>[0] | null = null;
  const sound = new SampleRing(ringMemory(1_024));
  const options: UnicastOptions & UnicastRates & { ended: Promise<never> } = {
    mediaThread: {
      async openUnicast(address, from, { sampleRate, silenceMs }) {
        opened.push([address, from, String(sampleRate), String(silenceMs)]);
        return {
          port: 30_001,
          ring: sound,
          begun: begun.promise,
          listen: (events) => void (listening = events),
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
      async sendMessage(uuid, message) {
        told.push(uuid, message);
        if (!isThere) throw new Error('The channel no longer exists');
      },
    },
    clock,
    ended: ended.promise,
  };
  const open = () =>
    openUnicast(
      'a-channel',
      { onAudio: () => {}, onLost: () => {}, onSilence: () => {}, onShortFrames: () => {} },
      options,
    );
  /** Begins a unicast in the park of this function. */
  const beginIn = (park: () => Promise<void>, inTurn?: InTurn) =>
    beginUnicast('a-channel', { ...options, park, ...(inTurn === undefined ? {} : { inTurn }) });
  const events = (): Parameters<UnicastChannel['listen']>[0] => {
    if (listening === null) throw new Error('The media thread has no listener');
    return listening;
  };
  /** Lets promises settle, then advances the clock. */
  const pass = async (milliseconds: number): Promise<void> => {
    await new Promise((resolve) => setImmediate(resolve));
    clock.advance(milliseconds);
  };
  return { open, beginIn, events, told, opened, begun, ended, sound, pass, clock, isClosed: () => isClosed };
};

test.serial(
  'starts a unicast between a port of FreeSWITCH and a port of the gateway, which is open once audio arrives',
  async (t) => {
    const { open, told, opened, begun, sound, clock, isClosed } = setUpOpenUnicast();
    begun.resolve();
    const unicast = await open();
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
    unicast.ring.write(new Int16Array(100));
    t.is(sound.waiting, 100);
    unicast.close();
    t.true(isClosed());
    t.is(clock.pending(), 0);
  },
);

test.serial('opens its local port before the channel is parked, and the unicast afterwards', async (t) => {
  const { beginIn, told, opened, begun } = setUpOpenUnicast();
  const parked = Promise.withResolvers<void>();
  const beginning = beginIn(() => {
    told.push(`parking with ${opened.length} open port`);
    return parked.promise;
  });
  await new Promise((resolve) => setImmediate(resolve));
  t.deepEqual(told, ['parking with 1 open port']);
  parked.resolve();
  begun.resolve();
  await beginning;
  t.is(told.length, 3);
});

test.serial('parks a channel and opens its unicast in one turn, with an open local port', async (t) => {
  const { beginIn, told, opened, begun } = setUpOpenUnicast();
  const turn = Promise.withResolvers<void>();
  const beginning = beginIn(
    async () => void told.push('parking'),
    async (move) => {
      await turn.promise;
      told.push(`a turn with ${opened.length} open port`);
      const moved = await move();
      told.push('end of the turn');
      return moved;
    },
  );
  begun.resolve();
  await new Promise((resolve) => setImmediate(resolve));
  t.deepEqual(told, []);
  turn.resolve();
  await beginning;
  t.deepEqual(told.slice(0, 2), ['a turn with 1 open port', 'parking']);
  t.is(told.at(-1), 'end of the turn');
});

test.serial('closes its local port if the channel cannot be parked', async (t) => {
  const { beginIn, told, isClosed } = setUpOpenUnicast();
  await t.throwsAsync(
    beginIn(() => Promise.reject(new Error('not parked'))),
    { message: 'not parked' },
  );
  t.deepEqual(told, []);
  t.true(isClosed());
});

test.serial('passes on audio, silence and losses of a unicast as soon as it has a listener', async (t) => {
  const { beginIn, begun, events } = setUpOpenUnicast();
  begun.resolve();
  const unicast = await beginIn(async () => {});
  events().onAudio(new Int16Array(320));
  events().onSilence?.(true);
  events().onLost();
  const heard: unknown[] = [];
  unicast.listen(
    {
      onAudio: (samples) => heard.push(samples.length),
      onLost: () => heard.push('lost'),
      onSilence: (isSilent) => heard.push(isSilent),
      onShortFrames: () => heard.push('short'),
    },
    16_000,
  );
  t.deepEqual(heard, [true, 'lost'], 'audio without a listener is dropped');
  events().onAudio(new Int16Array(320));
  t.deepEqual(heard.slice(2), [320]);
});

test.serial('stops waiting for a unicast that is confirmed by +OK but sends no audio', async (t) => {
  const { open, pass, isClosed } = setUpOpenUnicast();
  const opening = open();
  await pass(7_999);
  t.false(isClosed());
  await pass(1);
  await t.throwsAsync(opening, { message: /Connecting the audio of a call/ });
  t.true(isClosed());
});

test.serial('stops waiting for a unicast at an error and at the end of the call', async (t) => {
  const refused = setUpOpenUnicast(false);
  await t.throwsAsync(refused.open(), { message: 'The channel no longer exists' });
  t.true(refused.isClosed());
  const over = setUpOpenUnicast();
  const opening = over.open();
  over.ended.reject(new Error('not wanted any more'));
  await t.throwsAsync(opening, { message: 'not wanted any more' });
  t.true(over.isClosed());
});

// Channel audio
// Consecutive unicasts of the same call.

/** A channel with unicasts that the test controls. */
const setUpChannelSound = async (
  holder: () => Promise<ChannelHolder> = async () => 'here',
  { beginsSilent = false } = {},
) => {
  const clock = createOrderedClock();
  const told: string[] = [];
  const failures: unknown[] = [];
  const unicasts: { ring: SampleRing; silence: (isSilent: boolean) => void; isClosed: boolean }[] = [];
  const ended = Promise.withResolvers<never>();
  ended.promise.catch(() => {});
  let park = '';
  let rate: SampleRate = 8_000;
  const sound = await openChannelAudio(
    'a-channel',
    { onAudio: () => {}, onLost: () => {} },
    {
      mediaThread: {
        async openUnicast(_address, _from, { sampleRate }) {
          const ring = new SampleRing(ringMemory(1_024));
          const unicast = { ring, silence: (_isSilent: boolean): void => {}, isClosed: false };
          told.push(`unicast at ${sampleRate} Hz`);
          unicasts.push(unicast);
          return {
            port: 30_001,
            ring,
            begun: Promise.resolve(),
            listen({ onSilence = () => {} }) {
              unicast.silence = onSilence;
              if (beginsSilent && unicasts.length === 1) onSilence(true);
            },
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
        api: async () => park,
        async sendMessage(_uuid, message) {
          const [, next] = /again-(\d+)/.exec(message['application'] ?? '') ?? [];
          if (next === undefined) return;
          park = next;
          told.push('new park');
        },
      },
      answerMs: 3_000,
      onFailed: (error) => failures.push(error),
      holder,
      logger: pino({ level: 'silent' }),
      ended: ended.promise,
      clock,
    },
  );
  /** Lets promises settle and advances the clock. */
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
  const end = (): void => ended.reject(new Error('The endpoint was destroyed'));
  return { sound, told, failures, unicasts, pass, change, end, clock };
};

test.serial('reopens a unicast that FreeSWITCH ended and sends the unplayed audio', async (t) => {
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

test.serial('reopens a unicast that FreeSWITCH ended while it was opened', async (t) => {
  const { told, failures, pass } = await setUpChannelSound(undefined, { beginsSilent: true });
  await pass(60);
  t.deepEqual(told, ['unicast at 8000 Hz', 'new park', 'unicast at 8000 Hz']);
  t.deepEqual(failures, []);
});

test.serial('keeps a unicast when FreeSWITCH was frozen and sends again', async (t) => {
  const answer = Promise.withResolvers<ChannelHolder>();
  const { told, failures, unicasts, pass } = await setUpChannelSound(() => answer.promise);
  unicasts[0]?.silence(true);
  await pass(1_000);
  answer.resolve('here');
  await pass(20);
  unicasts[0]?.silence(false);
  await pass(1_000);
  t.deepEqual(told, ['unicast at 8000 Hz']);
  t.deepEqual(failures, []);
});

test.serial('retries a unicast when FreeSWITCH did not respond', async (t) => {
  let asked = 0;
  const { told, failures, unicasts, pass } = await setUpChannelSound(async () => {
    asked += 1;
    if (asked < 3) throw new Error('An answer of FreeSWITCH took longer than 3000 ms');
    return 'here';
  });
  unicasts[0]?.silence(true);
  await pass(3_000);
  t.deepEqual(told, ['unicast at 8000 Hz', 'new park', 'unicast at 8000 Hz']);
  t.deepEqual(failures, []);
});

for (const [holder, Failure] of [
  ['gone', ChannelGone],
  ['taken', ChannelTaken],
] as const)
  test.serial(`does not open the audio of a channel that is ${holder}`, async (t) => {
    const { told, failures, unicasts, pass } = await setUpChannelSound(async () => holder);
    unicasts[0]?.silence(true);
    await pass(60);
    t.deepEqual(told, ['unicast at 8000 Hz']);
    t.deepEqual(
      failures.map((failure) => failure instanceof Failure),
      [true],
    );
  });

test.serial('stops reopening a unicast that FreeSWITCH ends repeatedly', async (t) => {
  const { failures, unicasts, pass } = await setUpChannelSound();
  for (let ends = 1; ends <= 6; ends += 1) {
    t.is(failures.length, 0);
    unicasts.at(-1)?.silence(true);
    await pass(100);
  }
  t.is(failures.length, 1);
  t.is(unicasts.length, 6);
});

test.serial('retries an unreachable FreeSWITCH only until the call ends', async (t) => {
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

test.serial('does not reopen the unicast of a call that was left, and reports its end', async (t) => {
  const { sound, told, failures, unicasts, pass, clock } = await setUpChannelSound();
  let isEnded = false;
  const ended = sound.untilEnded().then(() => (isEnded = true));
  await pass(1_000);
  t.false(isEnded);
  unicasts[0]?.silence(true);
  await ended;
  await pass(1_000);
  t.deepEqual(told, ['unicast at 8000 Hz']);
  t.deepEqual(failures, []);
  t.is(clock.pending(), 0);
});

test.serial('ignores silence after the end of the call', async (t) => {
  const { sound, told, failures, unicasts, pass, clock } = await setUpChannelSound();
  sound.path.close();
  unicasts[0]?.silence(true);
  await pass(100);
  t.deepEqual(told, ['unicast at 8000 Hz']);
  t.deepEqual(failures, []);
  t.is(clock.pending(), 0);
});

test.serial(
  'closes the unicast before a codec change and opens one with the new codec afterwards',
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

test.serial('opens no unicast if the call ends while it is closed', async (t) => {
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
// The carrier of a call's audio, as its trunk configures it: checked by the answer to the trunk and the commands to
// FreeSWITCH.

const portIn = (sdp: string): string | undefined => /^m=audio (\d+)/m.exec(sdp)?.[1];

const carriersOver = (media: TrunkMedia) => ({ trunk: { address: trunkAddress, media } });

for (const [media, channels] of [
  ['freeswitch', 1],
  ['auto', 0],
  ['direct', 0],
] as const) {
  test.serial(`${media}: answers a caller with ${channels} channels of FreeSWITCH`, async (t) => {
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

  test.serial(`${media}: places an outbound call with ${channels} channels of FreeSWITCH`, async (t) => {
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

test.serial(
  'auto: carries calls of a trunk by FreeSWITCH if only FreeSWITCH supports its codec',
  async (t) => {
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
  },
);

test.serial('holds and resumes a call with direct media, and rejects unsupported offers', async (t) => {
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

/** Packet attributes in the SDP that FreeSWITCH got from the other party. */
const packetLinesAt = (freeSwitch: FreeSwitch | undefined): string[] =>
  (freeSwitch?.channels() ?? []).flatMap(({ remoteSdp }) => remoteSdp.match(/^a=(?:max)?ptime:.*$/gm) ?? []);

test.serial('offers FreeSWITCH no packets of 30 or 40 ms for a caller and its re-INVITE', async (t) => {
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

test.serial('offers FreeSWITCH no packets of 30 or 40 ms for a callee', async (t) => {
  const { trunk, call, said, freeSwitches } = await startSipEdge(t, carriersOver('freeswitch'));
  const line = call();
  const farCall = await trunk.receives('INVITE');
  farCall.answers(200, { sdp: describeSound({ packetMs: 30 }) });
  await farCall.receives('ACK');
  await said([line], 'line.answered');
  t.deepEqual(packetLinesAt(freeSwitches[0]), []);
});

test.serial('offers FreeSWITCH packets shorter than 20 ms', async (t) => {
  const { trunk, freeSwitches } = await startSipEdge(t, carriersOver('freeswitch'));
  await trunk.calls(ownNumber, { sdp: describeSound({ packetMs: 10 }) }).receives(200);
  t.deepEqual(packetLinesAt(freeSwitches[0]), ['a=ptime:10']);
});

// Channel statistics

test.serial('reads channel statistics of FreeSWITCH: codec, addresses, packets and loss', (t) => {
  const statistics = parseChannelStatistics('PCMA|192.0.2.1|54246|198.51.100.7|60451|809|854|0.05\n');
  t.like(statistics, {
    codec: 'PCMA',
    localAddress: '192.0.2.1:54246',
    remoteAddress: '198.51.100.7:60451',
    sent: { packets: 854, loss: null, jitterMs: null, mos: null },
  });
  t.is(statistics?.received.packets, 809);
  // One of twenty: 5 % of the sent packets, while FreeSWITCH counts by received ones.
  t.true(Math.abs((statistics?.received.loss ?? 0) - 0.0476) < 0.001);
  t.true((statistics?.received.mos ?? 0) > 3 && (statistics?.received.mos ?? 5) < 4);
});

test.serial('returns loss that FreeSWITCH has not computed yet as unknown', (t) => {
  const statistics = parseChannelStatistics('PCMU|127.0.0.1|2|127.0.0.1|4|200|200|0.00');
  t.deepEqual(statistics?.received, { packets: 200, loss: null, jitterMs: null, mos: null });
});

test.serial('returns no statistics for a missing channel or a channel without audio', (t) => {
  t.like(parseChannelStatistics('|||||||'), { codec: null, localAddress: null, remoteAddress: null });
  t.is(parseChannelStatistics('|||||||')?.received.packets, null);
  t.is(parseChannelStatistics('-ERR No such channel!\n'), null);
});

test.serial('requests that FreeSWITCH writes its statistics before reading them', async (t) => {
  const asked: string[] = [];
  await queryChannelStatistics('a-channel', {
    async api(command) {
      asked.push(command.split(' ').slice(0, 2).join(' '));
      return '';
    },
  });
  t.deepEqual(asked, ['uuid_set_media_stats a-channel', 'eval uuid:a-channel']);
});

// Without FreeSWITCH
// A gateway without FreeSWITCH or with an unreachable one: which trunks it can still use.

const withoutFreeswitchOver = (media: TrunkMedia) => ({
  trunk: { address: trunkAddress, media },
  freeSwitchCount: 0,
});

for (const media of ['direct', 'auto'] as const)
  test.serial(`${media}: serves inbound and outbound calls and answers OPTIONS of the trunk`, async (t) => {
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
  'freeswitch: without a FreeSWITCH, rejects callers permanently, fails outbound calls and reports the reason',
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

test.serial('sends a call over the next trunk when the first one needs FreeSWITCH', async (t) => {
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

test.serial('reports in the trunk check that calls of the trunk cannot be carried', async (t) => {
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

test.serial('is ready and serves direct trunks while FreeSWITCH is unreachable', async (t) => {
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
});
