/** Calls whose other party is handed to a person, on real servers: SIP of both far ends, and what each hears of the other. */
import { createSocket } from 'node:dgram';
import { randomUUID } from 'node:crypto';
import type { ExecutionContext } from 'ava';
import type { TransferMode } from '#machines/line.ts';
import type { TrunkMedia } from '#src/domain/trunk.ts';
import { openWatched } from '#test/contract/watched-line.ts';
import { createFarEnd, type FarCall, type FarEnd } from '#test/doubles/far-end.ts';
import { describeSound } from '#test/doubles/session-description.ts';
import { lineInput } from '#test/helpers/line-input.ts';
import { beep, startEarAndMouth, type EarAndMouth } from './ear-and-mouth.ts';
import { onRealServers } from './on-real-servers.ts';
import { ownPort } from './ports.ts';
import { pooled, realLines, until } from './real-lines.ts';
import { realTimeTest } from './real-time-test.ts';
import type { SipServers } from './sip-servers.ts';
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

/** What both sides of the recording hold, in samples that are no silence. */
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

const startCall = async (t: ExecutionContext, servers: SipServers, media: TrunkMedia) => {
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
  return { trunk, line, first, recording, servers };
};

type Call = Awaited<ReturnType<typeof startCall>>;

const rung = async ({ line, trunk }: Pick<Call, 'line'> & { trunk: FarEnd }, mode: TransferMode) => {
  line.tell({ type: 'transfer', to: '01000000011', mode });
  return trunk.receives('INVITE');
};

const connected = async (t: ExecutionContext, servers: SipServers, media: TrunkMedia) => {
  const call = await startCall(t, servers, media);
  const second = await answer(t, await rung(call, 'cold'));
  await until(() => call.line.saw('line.transferred'));
  return { ...call, second };
};

/** Says a beep there; resolves with how long it took to be heard by the other. */
const isHeard = async (speaker: EarAndMouth, listener: EarAndMouth): Promise<number> => {
  // A beep of before is over.
  await until(() => Date.now() - (listener.lastHeardAt() ?? 0) > 500);
  const saidAt = Date.now();
  const { from } = await speaker.play(beep);
  await until(() => (listener.lastHeardAt() ?? 0) > saidAt);
  const firstHeard = listener.heard().find(({ at, loudness }) => at >= saidAt && loudness > audible);
  return Math.round((firstHeard?.at ?? Infinity) - from);
};

/** Until those alone are left that are kept ready. */
const untilNoneIsLeft = ({ mediaServers }: SipServers): Promise<void> =>
  until(async () => (await mediaServers[0]?.channels()) === pooled);

onRealServers('transfers', (servers) => {
  for (const media of ['freeswitch', 'direct'] as const) {
    for (const [who, other] of [
      ['first', 'second'],
      ['second', 'first'],
    ] as const)
      realTimeTest(`both hear each other, are recorded, and end together: ${media}, ${who}`, async (t) => {
        const call = await connected(t, servers(), media);
        const { line, first, second, recording } = call;
        const before = { ...recording.loud };
        const toSecond = await isHeard(first.sound, second.sound);
        const toFirst = await isHeard(second.sound, first.sound);
        t.log({ media, toSecond, toFirst });
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
      });

    realTimeTest(`who is told what it is about takes the call with a key: ${media}`, async (t) => {
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

  realTimeTest('who is busy is not reached, and who is rung no longer gets CANCEL', async (t) => {
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
});
