/**
 * Calls whose other party is transferred to a person, on real servers: SIP of both far ends, and the audio between
 * them.
 */
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { ExecutionContext } from 'ava';
import type { TransferMode } from '#machines/line.ts';
import type { ServerAddress } from '#sip/reconnect.ts';
import type { TrunkMedia } from '#src/domain/trunk.ts';
import { openWatched } from '#test/contract/watched-line.ts';
import { createFarEnd, type FarCall, type FarEnd } from '#test/doubles/far-end.ts';
import { describeSound, directionIn } from '#test/doubles/session-description.ts';
import { lineInput } from '#test/helpers/line-input.ts';
import { directoryOf, someTrunk } from '#test/sip/trunks/some-trunk.ts';
import { beep, startEarAndMouth, type EarAndMouth } from './ear-and-mouth.ts';
import { startTelephone } from './far-end.ts';
import { finalStatuses } from '#test/helpers/gateway.ts';
import { noChannelIsLeft, realGateway } from './real-gateway.ts';
import { onRealServers } from './on-real-servers.ts';
import { ownPort } from './ports.ts';
import { pooled, realLines, until } from './real-lines.ts';
import { realTimeTest } from './real-time-test.ts';
import type { SipServers } from './sip-servers.ts';
import { createToneDecoder } from './tone-speech.ts';
import { createUdpNetwork } from './udp-network.ts';

const audible = 1_000;

type Person = { call: FarCall; sound: EarAndMouth };

const answer = async (t: ExecutionContext, call: FarCall): Promise<Person> => {
  const sound = await startEarAndMouth();
  t.teardown(sound.close);
  const [, port] = /^m=audio (\d+)/m.exec(call.last('INVITE').body) ?? [];
  const telling = createSocket('udp4');
  telling.send(`call ${port}`, sound.port, '127.0.0.1', () => telling.close());
  call.answers(200, { sdp: describeSound({ port: sound.port }) });
  await call.receives('ACK');
  return { call, sound };
};

/** Audible samples on both sides of the recording. */
const createRecording = () => {
  const loud = { counterparty: 0, agent: 0 };
  const count = (samples: Int16Array): number => samples.filter((one) => Math.abs(one) > audible).length;
  const open = () => ({
    write(counterparty: Int16Array, agent: Int16Array): void {
      loud.counterparty += count(counterparty);
      loud.agent += count(agent);
    },
    drained: async () => {},
    finish() {},
    leave() {},
    fail() {},
  });
  return { loud, open };
};

type Servers = Pick<SipServers, 'sipPort' | 'drachtio' | 'freeSwitch' | 'mediaServers'>;

const startCall = async (t: ExecutionContext, servers: Servers, media: TrunkMedia) => {
  const network = createUdpNetwork(servers.sipPort);
  t.teardown(network.close);
  const trunk = createFarEnd(network, `127.0.0.1:${await ownPort()}`);
  const recording = createRecording();
  const trunkPort = Number(trunk.address.split(':')[1]);
  const lines = await realLines(servers, trunkPort, { openRecording: recording.open }, media);
  t.teardown(() => lines.close());
  await lines.start(async () => ({ accepted: false, because: 'unknown_number' }));
  await until(() => lines.health().ready);
  const line = openWatched(
    lines.open,
    lineInput({ callId: randomUUID(), direction: 'outbound', to: '01099998888', recording: true }),
  );
  const first = await answer(t, await trunk.receives('INVITE'));
  await until(() => line.saw('line.answered'));
  return { trunk, lines, line, first, recording };
};

type Call = Awaited<ReturnType<typeof startCall>>;

/** The words on both sides of a recording. */
const createWordRecording = () => {
  const words = { counterparty: [] as string[], agent: [] as string[] };
  const decoderOf = (side: keyof typeof words) =>
    createToneDecoder({ words() {}, whole: (text) => words[side].push(text) });
  const [counterpartyWords, agentWords] = [decoderOf('counterparty'), decoderOf('agent')];
  /** The rate of recordings is twice that of tones. */
  const halved = (samples: Int16Array): Int16Array => samples.filter((_, index) => index % 2 === 1);
  return {
    counterparty: () => words.counterparty,
    agent: () => words.agent,
    open: () => ({
      write(counterparty: Int16Array, agent: Int16Array): void {
        counterpartyWords.write(halved(counterparty));
        agentWords.write(halved(agent));
      },
      drained: async () => {},
      finish() {},
      leave() {},
      fail() {},
    }),
  };
};

const rung = async ({ line, trunk }: Pick<Call, 'line'> & { trunk: FarEnd }, mode: TransferMode) => {
  line.tell({ type: 'transfer', to: '01000000011', mode });
  return trunk.receives('INVITE');
};

const connected = async (t: ExecutionContext, servers: Servers, media: TrunkMedia) => {
  const call = await startCall(t, servers, media);
  const second = await answer(t, await rung(call, 'cold'));
  await until(() => call.line.saw('line.transferred'));
  return { ...call, second };
};

/** Sends a beep from that side; resolves with the delay until the other side hears it. */
const isHeard = async (speaker: EarAndMouth, listener: EarAndMouth): Promise<number> => {
  // Waits until the previous beep is over.
  await until(() => Date.now() - (listener.lastHeardAt() ?? 0) > 500);
  const saidAt = Date.now();
  const { from } = await speaker.play(beep);
  await until(() => (listener.lastHeardAt() ?? 0) > saidAt);
  const firstHeard = listener.heard().find(({ at, loudness }) => at >= saidAt && loudness > audible);
  return Math.round((firstHeard?.at ?? Infinity) - from);
};

/** Waits until only pooled channels are left. */
const untilNoneIsLeft = ({ mediaServers }: Servers): Promise<void> =>
  until(async () => (await mediaServers[0]?.channels()) === pooled);

/** Number of channels in a bridge. */
const bridged = async ({ console }: Pick<SipServers, 'console'>): Promise<number> => {
  const channels = (await console('show channels')).matchAll(/^[0-9a-f-]{36}/gm);
  const partners = await Promise.all(
    [...channels].map(async ([uuid]) => (await console(`uuid_getvar ${uuid} bridge_to`)).trim()),
  );
  return partners.filter((partner) => /^[0-9a-f-]{36}$/.test(partner)).length;
};

/** The name of the channel that receives audio at this port. */
const channelAt = async ({ console }: Pick<SipServers, 'console'>, port: number): Promise<string> => {
  for (const [uuid] of (await console('show channels')).matchAll(/^[0-9a-f-]{36}/gm))
    if (Number(await console(`uuid_getvar ${uuid} local_media_port`)) === port) return uuid;
  throw new Error(`No channel takes audio at ${port}`);
};

const hangUpBoth = async ({
  line,
  first,
  second,
}: Pick<Call, 'line' | 'first'> & { second: Person }): Promise<void> => {
  first.call.sends('BYE');
  await first.call.receives(200);
  await second.call.receives('BYE');
  second.call.answers(200);
  await until(() => line.isOver());
};

/** Sends the SDP of that person again, and resolves with the response. */
const describes = async (
  { call, sound }: Person,
  changes: Parameters<typeof describeSound>[0],
): Promise<string> => {
  call.sends('INVITE', { sdp: describeSound({ port: sound.port, ...changes }) });
  const { body } = await call.receives(200);
  call.sends('ACK');
  return body;
};

/** The event socket of a FreeSWITCH behind a proxy. */
const startProxy = async (t: ExecutionContext, { host, port, secret }: ServerAddress) => {
  const connections = new Set<Socket>();
  let isOpen = true;
  const proxy = createServer((client) => {
    if (!isOpen) {
      client.destroy();
      return;
    }
    const server = connect({ host, port });
    for (const [from, to] of [
      [client, server],
      [server, client],
    ] as const) {
      connections.add(from);
      from.pipe(to);
      from.on('error', () => {});
      from.on('close', () => {
        connections.delete(from);
        to.destroy();
      });
    }
  });
  const own = await ownPort();
  proxy.listen(own, '127.0.0.1');
  await once(proxy, 'listening');
  const cut = (): void => {
    isOpen = false;
    for (const connection of connections) connection.destroy();
  };
  t.teardown(() => {
    cut();
    proxy.close();
  });
  return {
    address: { host: '127.0.0.1', port: own, secret },
    cut,
    mend(): void {
      isOpen = true;
    },
  };
};

onRealServers('transfers', (servers) => {
  for (const media of ['freeswitch', 'direct'] as const) {
    for (const [who, other] of [
      ['first', 'second'],
      ['second', 'first'],
    ] as const)
      realTimeTest(
        `connects and records two persons and ends both legs together: ${media}, ${who}`,
        async (t) => {
          const call = await connected(t, servers(), media);
          const { line, first, second, recording } = call;
          const before = { ...recording.loud };
          const toSecond = await isHeard(first.sound, second.sound);
          const toFirst = await isHeard(second.sound, first.sound);
          t.log({ media, toSecond, toFirst });
          t.is(await bridged(servers()), media === 'freeswitch' ? 2 : 0);
          t.true(toSecond < 500 && toFirst < 500, `${toSecond} and ${toFirst} ms from mouth to ear`);
          t.true(recording.loud.counterparty - before.counterparty > 2_000, 'the other party is recorded');
          t.true(recording.loud.agent - before.agent > 2_000, 'and the person');
          call[who].call.sends('BYE');
          await call[who].call.receives(200);
          await call[other].call.receives('BYE');
          call[other].call.answers(200);
          await until(() => line.isOver());
          t.deepEqual(line.finish(), []);
          await untilNoneIsLeft(servers());
        },
      );

    realTimeTest(`connects a person who accepts with a digit after the briefing: ${media}`, async (t) => {
      const call = await startCall(t, servers(), media);
      const second = await answer(t, await rung(call, 'warm'));
      await until(() => call.line.saw('line.transfer_answered'));
      call.line.tell({ type: 'brief', text: 'It is about an order.', acceptKey: '1' });
      await until(() => second.sound.lastHeardAt() !== null && call.line.saw('line.briefed'));
      second.call.sends('INFO', {
        headers: { 'Content-Type': 'application/dtmf-relay' },
        body: 'Signal=1\r\nDuration=160\r\n',
      });
      await second.call.receives(200);
      await until(() => call.line.saw('line.accepted'));
      t.false(call.line.saw('line.transferred'));
      call.line.tell({ type: 'connect' });
      await until(() => call.line.saw('line.transferred'));
      t.true((await isHeard(second.sound, call.first.sound)) < 500);
      call.line.tell({ type: 'hangUp' });
      for (const leg of [call.first.call, second.call]) {
        await leg.receives('BYE');
        leg.answers(200);
      }
      await until(() => call.line.isOver());
      await untilNoneIsLeft(servers());
    });
  }

  realTimeTest('reports a busy person as not reached, and sends CANCEL to a cancelled one', async (t) => {
    const call = await startCall(t, servers(), 'freeswitch');
    (await rung(call, 'cold')).answers(486);
    await until(() => call.line.all('line.transfer_failed').length === 1);
    t.like(call.line.all('line.transfer_failed')[0], { cause: 'busy', sip: { status: 486 } });
    const second = await rung(call, 'cold');
    second.answers(180);
    call.line.tell({ type: 'cancelTransfer' });
    await second.receives('CANCEL');
    second.answers(200, { to: 'CANCEL' });
    second.answers(487, { to: 'INVITE' });
    await until(() => call.line.all('line.transfer_failed').length === 2);
    t.like(call.line.all('line.transfer_failed')[1], { cause: 'cancelled' });
    call.first.call.sends('BYE');
    await call.first.call.receives(200);
    await until(() => call.line.isOver());
    await untilNoneIsLeft(servers());
  });

  for (const [who, other] of [
    ['first', 'second'],
    ['second', 'first'],
  ] as const) {
    realTimeTest(`keeps a bridge during a hold by either side and a codec change: ${who}`, async (t) => {
      const call = await connected(t, servers(), 'freeswitch');
      await isHeard(call[who].sound, call[other].sound);
      t.is(directionIn(await describes(call[who], { direction: 'sendonly' })), 'recvonly');
      t.is(await bridged(servers()), 2);
      const heldAt = Date.now();
      await call[other].sound.play(beep);
      await delay(500);
      t.true((call[who].sound.lastHeardAt() ?? 0) < heldAt, 'who holds the call hears nothing');
      t.is(directionIn(await describes(call[who], {})), 'sendrecv');
      const back = await isHeard(call[other].sound, call[who].sound);
      const forth = await isHeard(call[who].sound, call[other].sound);
      await describes(call[who], { formats: [8, 101] });
      await describes(call[who], { formats: [0, 101] });
      const again = await isHeard(call[other].sound, call[who].sound);
      t.log({ back, forth, again });
      t.true(Math.max(back, forth, again) < 500);
      t.is(await bridged(servers()), 2);
      await hangUpBoth(call);
      await untilNoneIsLeft(servers());
    });

    realTimeTest(`forwards a digit once, by telephone event and by INFO: ${who}`, async (t) => {
      const call = await connected(t, servers(), 'freeswitch');
      call[who].sound.press('42');
      await until(() => call[other].sound.keys() === '42');
      call[who].call.sends('INFO', {
        headers: { 'Content-Type': 'application/dtmf-relay' },
        body: 'Signal=7\r\nDuration=160\r\n',
      });
      await call[who].call.receives(200);
      await until(() => call[other].sound.keys() === '427');
      await isHeard(call[who].sound, call[other].sound);
      t.deepEqual([call[other].sound.keys(), call[who].sound.keys()], ['427', '']);
      t.false(call.line.saw('line.digit'));
      await hangUpBoth(call);
      await untilNoneIsLeft(servers());
    });
  }

  realTimeTest('keeps a bridge while the event socket is lost, and ends it with the call', async (t) => {
    const proxy = await startProxy(t, servers().freeSwitch);
    const call = await connected(t, { ...servers(), freeSwitch: proxy.address }, 'freeswitch');
    proxy.cut();
    await until(() => !call.lines.health().ready);
    t.true((await isHeard(call.first.sound, call.second.sound)) < 500);
    proxy.mend();
    await until(() => call.lines.health().ready);
    t.true((await isHeard(call.second.sound, call.first.sound)) < 500);
    t.false(call.line.isOver());
    t.is(await bridged(servers()), 2);
    proxy.cut();
    await until(() => !call.lines.health().ready);
    await hangUpBoth(call);
    proxy.mend();
    await untilNoneIsLeft(servers());
  });

  realTimeTest('hangs up both legs of a bridge when FreeSWITCH dies', async (t) => {
    const call = await connected(t, servers(), 'freeswitch');
    await servers().killFreeSwitch();
    // Later tests need FreeSWITCH even after a failure.
    await servers().restartFreeSwitch();
    for (const { call: leg } of [call.first, call.second]) {
      await leg.receives('BYE');
      leg.answers(200);
    }
    if (call.line.saw('line.failed')) call.line.tell({ type: 'hangUp' });
    await until(() => call.line.isOver());
    t.pass();
    await untilNoneIsLeft(servers());
  });

  for (const who of ['first', 'second'] as const)
    realTimeTest(`hangs up both legs of a bridge when FreeSWITCH ends one channel: ${who}`, async (t) => {
      const call = await connected(t, servers(), 'freeswitch');
      // The port that receives this person's audio.
      const [, port] = /^m=audio (\d+)/m.exec(call[who].call.last('INVITE').body) ?? [];
      await servers().console(`uuid_kill ${await channelAt(servers(), Number(port))} MEDIA_TIMEOUT`);
      if (who === 'first') {
        await until(() => call.line.saw('line.failed'));
        call.line.tell({ type: 'hangUp' });
      }
      for (const { call: leg } of [call.first, call.second]) {
        await leg.receives('BYE');
        leg.answers(200);
      }
      await until(() => call.line.isOver());
      t.is(call.line.saw('line.failed'), who === 'first');
      await untilNoneIsLeft(servers());
    });

  for (const [codec, srtp] of [
    ['PCMA', false],
    ['PCMU', true],
  ] as const)
    realTimeTest(
      `bridges a telephone with a person of another trunk: ${codec}, encrypted: ${srtp}`,
      async (t) => {
        const network = createUdpNetwork(servers().sipPort);
        t.teardown(network.close);
        const trunk = createFarEnd(network, `127.0.0.1:${await ownPort()}`);
        const recorded = createWordRecording();
        const lines = await realLines(servers(), 9, {
          trunk: null,
          trunks: directoryOf([
            someTrunk({
              name: 'telephones',
              host: '127.0.0.1',
              port: 9,
              inboundAddresses: ['127.0.0.1'],
              srtp: srtp ? 'required' : 'off',
              codecs: [codec],
              priority: 20,
            }),
            someTrunk({ name: 'people', host: '127.0.0.1', port: Number(trunk.address.split(':')[1]) }),
          ]),
          openRecording: recorded.open,
        });
        t.teardown(() => lines.close());
        const arrived: { callId: string; from: string; to: string }[] = [];
        await lines.start(async (arrival) => {
          arrived.push(arrival);
          return { accepted: true };
        });
        await until(() => lines.health().ready);
        const telephone = await startTelephone(servers().folder, {
          seconds: 50,
          codecs: [codec],
          srtp,
          dial: `sip:07012345678@127.0.0.1:${servers().sipPort}`,
          // Also long after the person has usually answered.
          says: [8_000, 14_000, 20_000, 26_000].map((afterMs) => ({ afterMs, text: 'Hello?' })),
        });
        t.teardown(telephone.close);
        await until(() => arrived.length === 1);
        const line = openWatched(
          lines.open,
          lineInput({ direction: 'inbound', ...arrived[0], recording: true }),
        );
        await until(() => line.saw('line.answered'));
        const second = await answer(t, await rung({ line, trunk }, 'cold'));
        await until(() => line.saw('line.transferred'));
        t.is(await bridged(servers()), 2);
        await until(
          () => (second.sound.lastHeardAt() ?? 0) > 0 && recorded.counterparty().includes('Hello?'),
        );
        await second.sound.say('Good day.');
        await until(() => recorded.agent().includes('Good day.'));
        second.call.sends('BYE');
        await second.call.receives(200);
        await until(() => line.isOver());
        const decoded: string[] = [];
        createToneDecoder({ words() {}, whole: (text) => decoded.push(text) }).write(
          (await telephone.heard()).channels[0] ?? new Int16Array(),
        );
        t.deepEqual(decoded, ['Good day.']);
        await untilNoneIsLeft(servers());
      },
    );

  for (const who of ['the other party', 'the person'] as const)
    realTimeTest(
      `bridges two persons in a complete gateway and stores the end: ${who} hangs up`,
      async (t) => {
        const network = createUdpNetwork(servers().sipPort);
        t.teardown(network.close);
        const trunk = createFarEnd(network, `127.0.0.1:${await ownPort()}`);
        const gateway = await realGateway(t, servers(), Number(trunk.address.split(':')[1]));
        const { admin, client, numberPath } = gateway;
        await admin.patch(numberPath, { transfer_to: ['01000000011'], recording_enabled: true });
        const callId = await gateway.call('01099998888', 'Say hello');
        const first = await answer(t, await trunk.receives('INVITE'));
        await gateway.untilStatus(callId, 'active');
        const asked = await client.post(`/api/v1/calls/${callId}/transfer`, { to: '01000000011' });
        t.is(asked.status, 202);
        const second = await answer(t, await trunk.receives('INVITE'));
        const transfer = async () => (await client.get(`/api/v1/calls/${callId}`)).body['transfer'];
        await until(async () => JSON.stringify(await transfer()).includes('"connected"'));
        t.is(await bridged(servers()), 2);
        await isHeard(first.sound, second.sound);
        await isHeard(second.sound, first.sound);
        const [leaver, other] = who === 'the person' ? [second, first] : [first, second];
        leaver.call.sends('BYE');
        await leaver.call.receives(200);
        await other.call.receives('BYE');
        other.call.answers(200);
        t.like(await gateway.untilStatus(callId, ...finalStatuses), {
          status: 'completed',
          end_reason: 'transfer_completed',
        });
        await noChannelIsLeft(servers());
      },
    );
});
