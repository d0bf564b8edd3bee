/** Transfers and audio monitoring. */
import { setImmediate as turn } from 'node:timers/promises';
import test, { type ExecutionContext } from 'ava';
import { SimulatedClock } from 'xstate';
import type { LineReport, TransferMode } from '#machines/line.ts';
import type { MediaStatistics } from '#machines/media-statistics.ts';
import { watchMedia } from '#sip/drachtio/media-watch.ts';
import { createLineTime } from '#sip/audio/line-time.ts';
import { loadOfOtherNodes } from '#sip/trunks/shared-limits.ts';
import type { WatchedLine } from '#test/contract/watched-line.ts';
import { createFailingSessions } from '#test/doubles/failing-sessions.ts';
import type { FarCall } from '#test/doubles/far-end.ts';
import type { MediaChannel } from '#test/doubles/media-channel.ts';
import { describeSound, directionIn } from '#test/doubles/session-description.ts';
import { ownNumber, type SipEdge, startSipEdge, trunkAddress } from '#test/doubles/sip-edge.ts';
import { requestUriOf } from '#test/doubles/sip-parser.ts';
import { frameSamples } from '#test/doubles/unicast.ts';
import { someSound } from '#test/helpers/some-sound.ts';
import { until } from '#test/helpers/until.ts';
import { directoryOf, someTrunk } from '#test/sip/trunks/some-trunk.ts';

// Transfers
// A call whose other party is connected to a person: two far ends of the trunk, and the audio between them.

const person = '01000000011';
const sdp = describeSound();
const silence = new Int16Array(frameSamples);
const voice = Int16Array.from({ length: frameSamples }, (_, at) => (at % 8 < 4 ? 8_000 : -8_000));
const loudness = (frame: Int16Array): number => frame.reduce((most, one) => Math.max(most, Math.abs(one)), 0);

type Call = { edge: SipEdge; line: WatchedLine; first: FarCall };

/** Loudness of both sides of a call in its recording and for its listeners. */
const createListener = () => {
  const loudest = { counterparty: 0, agent: 0 };
  let isThere = true;
  const overhear = () => ({
    write(counterparty: Int16Array, agent: Int16Array): void {
      loudest.counterparty = Math.max(loudest.counterparty, loudness(counterparty));
      loudest.agent = Math.max(loudest.agent, loudness(agent));
    },
    isWanted: () => isThere,
    skip() {},
  });
  return {
    loudest,
    overhear,
    comeOrGo(isThereNow: boolean): void {
      isThere = isThereNow;
    },
  };
};

type EdgeOptions = Parameters<typeof startSipEdge>[1] & {
  /** The SDP of the other party. */
  sdp?: string;
};

const answered = async (t: ExecutionContext, { sdp: described = sdp, ...options }: EdgeOptions = {}) => {
  const edge = await startSipEdge(t, options);
  const line = edge.call();
  const first = await edge.trunk.receives('INVITE');
  first.answers(200, { sdp: described });
  await first.receives('ACK');
  await edge.said([line], 'line.answered');
  return { edge, line, first };
};

const channelsOf = ({ freeSwitches }: SipEdge): readonly MediaChannel[] => freeSwitches[0]?.channels() ?? [];

/** Advances the clock by 20 ms. Returns the audio at both ends when these send a frame, or none. */
const step = async (edge: SipEdge, says: readonly Int16Array[] = []): Promise<Int16Array[]> => {
  edge.clock.advance(20);
  const heard: Int16Array[] = [];
  for (const [index, channel] of channelsOf(edge).entries()) {
    await channel.untilParked();
    heard.push(channel.sound?.isOpen() === true ? channel.sound.tick(says[index] ?? silence) : silence);
  }
  for (let turns = 0; turns < 4; turns += 1) await turn();
  return heard;
};

const untilSaid = async (edge: SipEdge, line: WatchedLine, type: Parameters<WatchedLine['saw']>[0]) => {
  await until(`it says ${type}`, async () => {
    await step(edge);
    return line.saw(type) || undefined;
  });
};

const rung = async ({ edge, line }: Call, mode: TransferMode = 'cold'): Promise<FarCall> => {
  line.tell({ type: 'transfer', to: person, mode });
  return edge.trunk.receives('INVITE');
};

/** Lets the person ring and answer. */
const answeredBy = async (call: Call): Promise<FarCall> => {
  const second = await rung(call);
  second.answers(180);
  second.answers(200, { sdp });
  await second.receives('ACK');
  return second;
};

const connected = async (t: ExecutionContext, options: Parameters<typeof answered>[1] = {}) => {
  const call = await answered(t, options);
  const second = await answeredBy(call);
  await untilSaid(call.edge, call.line, 'line.transferred');
  return { ...call, second };
};

test.serial('calls the person from the number of the call', async (t) => {
  const { second } = await connected(t);
  t.is(requestUriOf(second.last('INVITE')), `sip:${person}@${trunkAddress}`);
  t.true(second.last('INVITE').headers.some(([name, value]) => name === 'From' && value.includes(ownNumber)));
});

// The first leg has no telephone events, so it is not bridged.
const passedOn = (t: ExecutionContext) => connected(t, { sdp: describeSound({ formats: [0] }) });

test.serial('forwards the audio of two legs that are not bridged', async (t) => {
  const { edge, line } = await passedOn(t);
  for (const [speaker, listener] of [
    [0, 1],
    [1, 0],
  ] as const)
    await until('what one says is heard by the other', async () => {
      const says = [silence, silence];
      says[speaker] = voice;
      const heard = await step(edge, says);
      return loudness(heard[listener] ?? silence) > 7_000 || undefined;
    });
  channelsOf(edge)[0]?.receivesDigit('5');
  await channelsOf(edge)[1]?.untilDigitsSent('5');
  t.is(channelsOf(edge)[0]?.partner, null);
  t.false(line.saw('line.heard') || line.saw('line.speech') || line.saw('line.digit'));
  t.deepEqual(line.breaches, []);
});

test.serial('forwards a voice after silence without the delay of that silence', async (t) => {
  const { edge } = await passedOn(t);
  const delays: number[] = [];
  for (let times = 1; times <= 3; times += 1) {
    // Time longer than the silence after which missing packets are reported (`media-thread/incoming-audio.ts`).
    for (let steps = 1; steps <= 90 + times; steps += 1) await step(edge);
    let steps = 0;
    await until('it is heard', async () => {
      steps += 1;
      const [, heard = silence] = await step(edge, [voice]);
      return loudness(heard) > 7_000 || undefined;
    });
    delays.push(20 * steps);
  }
  t.log(delays);
  t.true(Math.max(...delays) < 160, `${delays.join()} ms`);
});

test.serial('bridges two legs on one media server without audio in this process', async (t) => {
  const { edge, line } = await connected(t);
  const [one, other] = channelsOf(edge);
  t.is(one?.partner, other ?? null);
  t.deepEqual([one?.sound, other?.sound], [null, null]);
  t.deepEqual(line.breaches, []);
});

test.serial('places the person on the media server of the other party and bridges both', async (t) => {
  const { edge } = await connected(t, { freeSwitchCount: 2 });
  const channels = edge.freeSwitches.map((server) => server.channels());
  const [of] = channels.filter((some) => some.length > 0);
  t.true(channels.some((some) => some.length === 0));
  t.is(of?.[0]?.partner, of?.[1] ?? null);
});

test.serial('leaves telephone events to the bridge, and forwards digits received by INFO', async (t) => {
  const { edge, line, first } = await connected(t);
  const [one, other] = channelsOf(edge);
  one?.receivesDigit('5');
  other?.receivesDigit('6');
  first.sends('INFO', { headers: { 'Content-Type': 'application/dtmf-relay' }, body: 'Signal=7\r\n' });
  await other?.untilDigitsSent('7');
  t.deepEqual([one?.pressed, other?.pressed], ['', '7']);
  t.false(line.saw('line.digit'));
});

test.serial('records both sides of a bridge by two channels that eavesdrop on its first leg', async (t) => {
  const { loudest, overhear } = createListener();
  const { edge } = await connected(t, { overhear });
  const [one, , ...taps] = await until('both sides are tapped', async () => {
    await step(edge);
    const channels = channelsOf(edge);
    return channels.filter(({ eavesdropsOn }) => eavesdropsOn !== null).length === 2 ? channels : undefined;
  });
  t.deepEqual(
    taps.map((tap) => tap.eavesdropsOn),
    [one?.uuid, one?.uuid],
  );
  const tapOf = (variable: string) => taps.find((tap) => tap.variable(variable) === 'true');
  const sides = { counterparty: tapOf('eavesdrop_bridge_aleg'), agent: tapOf('eavesdrop_bridge_bleg') };
  for (const side of ['counterparty', 'agent'] as const) {
    t.is(directionIn(sides[side]?.remoteSdp ?? ''), 'recvonly', 'nothing is sent there');
    t.is(loudest[side], 0);
    await until(`${side} is recorded`, async () => {
      sides.counterparty?.sendsRtp(side === 'counterparty' ? voice : silence);
      sides.agent?.sendsRtp(side === 'agent' ? voice : silence);
      await step(edge);
      return loudest[side] > 7_000 || undefined;
    });
  }
});

test.serial('taps a bridge only while its audio is recorded or monitored', async (t) => {
  const { overhear, comeOrGo } = createListener();
  comeOrGo(false);
  const { edge } = await connected(t, { overhear });
  await step(edge);
  t.is(channelsOf(edge).length, 2);
  const untilTapped = (count: number) =>
    until(`${count} taps`, async () => {
      await step(edge);
      return channelsOf(edge).length === 2 + count || undefined;
    });
  comeOrGo(true);
  await untilTapped(2);
  comeOrGo(false);
  await untilTapped(0);
  t.is(channelsOf(edge)[0]?.partner, channelsOf(edge)[1] ?? null);
});

test.serial('opens the tap of a bridge again after it ended', async (t) => {
  const { edge } = await connected(t, { overhear: createListener().overhear });
  await edge.freeSwitches[0]?.untilChannels(4);
  const [, , tap] = channelsOf(edge);
  await tap?.untilParked();
  tap?.hangUp('NORMAL_CLEARING');
  await until('there is another one', async () => {
    await step(edge);
    return (
      channelsOf(edge).filter((one) => one !== tap && one.eavesdropsOn !== null).length === 2 || undefined
    );
  });
  t.pass();
});

test.serial('opens the tap of a bridge again after its session in the media thread has failed', async (t) => {
  const { wrapMediaThread, opened, fail } = createFailingSessions();
  const { edge } = await connected(t, { overhear: createListener().overhear, wrapMediaThread });
  await edge.freeSwitches[0]?.untilChannels(4);
  const taps = channelsOf(edge).slice(2);
  for (const tap of taps) await tap.untilParked();
  await until('both sides are tapped', async () => {
    await step(edge);
    return taps.every((tap) => tap.eavesdropsOn !== null) || undefined;
  });
  fail(opened.at(-1));
  await until('there is another one', async () => {
    await step(edge);
    const tapping = channelsOf(edge).filter((one) => one.eavesdropsOn !== null);
    return (tapping.length === 2 && tapping.some((one) => !taps.includes(one))) || undefined;
  });
  t.pass();
});

test.serial('forwards the audio in this process if the media server does not bridge', async (t) => {
  const call = await answered(t);
  call.edge.freeSwitches[0]?.refuseBridges();
  await answeredBy(call);
  await untilSaid(call.edge, call.line, 'line.transferred');
  await until('what one says is heard by the other', async () => {
    const [, heard = silence] = await step(call.edge, [voice]);
    return loudness(heard) > 7_000 || undefined;
  });
  t.deepEqual(call.line.breaches, []);
});

for (const [cause, act] of [
  ['cancelled', ({ line }) => line.tell({ type: 'cancelTransfer' })],
  ['declined', ({ second }) => second.sends('BYE')],
] as readonly [string, (call: Call & { second: FarCall }) => void][])
  test.serial(`returns the other party to the agent when the bridge is cancelled: ${cause}`, async (t) => {
    const call = await answered(t);
    call.edge.freeSwitches[0]?.ignoreBridges();
    const second = await answeredBy(call);
    const [one] = channelsOf(call.edge);
    await until('its audio has left this process', async () => {
      await step(call.edge);
      return one?.sound === null || undefined;
    });
    act({ ...call, second });
    await untilSaid(call.edge, call.line, 'line.transfer_failed');
    t.like(call.line.all('line.transfer_failed')[0], { cause });
    call.line.say('Nobody is there.');
    await untilSaid(call.edge, call.line, 'line.played');
    t.true(call.line.all('line.played')[0]?.whole);
    await until('the other party is heard again', async () => {
      await step(call.edge, [voice]);
      return one?.sound?.isOpen() || undefined;
    });
    t.false(call.line.isOver());
    await call.edge.freeSwitches[0]?.untilChannels(1);
    t.deepEqual(call.line.breaches, []);
  });

for (const who of ['first', 'second'] as const)
  test.serial(`hangs up the other party when one hangs up: ${who}`, async (t) => {
    const { edge, line, ...legs } = await connected(t);
    const other = legs[who === 'first' ? 'second' : 'first'];
    legs[who].sends('BYE');
    await legs[who].receives(200);
    await other.receives('BYE');
    other.answers(200);
    await untilSaid(edge, line, 'line.ended');
    await edge.freeSwitches[0]?.untilChannels(0);
    t.deepEqual(line.breaches, []);
  });

for (const last of ['first', 'second'] as const)
  test.serial(
    `two bridged legs move to another media server and are bridged there again, the ${last} leg last`,
    async (t) => {
      const { edge, line, first, second } = await connected(t, { freeSwitchCount: 2 });
      const [one, other] = edge.freeSwitches;
      if (one === undefined || other === undefined) throw new Error('There are not two media servers');
      t.truthy(one.channels()[0]?.partner);
      await one.kill();
      for (const leg of last === 'second' ? [first, second] : [second, first]) {
        await until('it is asked to move', async () => {
          edge.clock.advance(250);
          await turn();
          return leg.unread().includes('INVITE') || undefined;
        });
        await leg.receives('INVITE');
        leg.answers(200, { sdp });
        await leg.receives('ACK');
      }
      await until('they are bridged again', async () => {
        edge.clock.advance(20);
        await turn();
        const [a, b] = other.channels();
        return (a !== undefined && b !== undefined && a.partner === b) || undefined;
      });
      t.false(line.saw('line.failed'));
      second.sends('BYE');
      await second.receives(200);
      await first.receives('BYE');
    },
  );

test.serial('takes and releases a channel of the trunk for each leg of a call', async (t) => {
  const [host = '', port] = trunkAddress.split(':');
  const taken: string[] = [];
  const released: string[] = [];
  const { edge, line, first, second } = await connected(t, {
    trunk: null,
    trunks: directoryOf([someTrunk({ host, port: Number(port), maxChannels: 2 })]),
    trunkLoad: {
      ...loadOfOtherNodes,
      take({ leg }) {
        taken.push(leg);
        return Promise.resolve(true);
      },
      giveBack({ leg }) {
        released.push(leg);
        return Promise.resolve();
      },
    },
  });
  t.deepEqual(taken, ['first', 'second']);
  t.deepEqual(released, []);
  second.sends('BYE');
  await second.receives(200);
  await first.receives('BYE');
  first.answers(200);
  await untilSaid(edge, line, 'line.ended');
  await until('both channels are released', () => (released.length === 2 ? true : undefined));
  t.deepEqual(released.toSorted(), ['first', 'second']);
});

test.serial('hangs up both parties when the audio of one is lost', async (t) => {
  const { edge, line, first, second } = await connected(t);
  channelsOf(edge)[1]?.hangUp('MEDIA_TIMEOUT');
  // The other leg is parked first: with two simultaneous BYEs, either audio could be lost first.
  t.is(channelsOf(edge).length, 1);
  for (const leg of [first, second]) {
    await leg.receives('BYE');
    leg.answers(200);
  }
  await untilSaid(edge, line, 'line.ended');
  await edge.freeSwitches[0]?.untilChannels(0);
  t.false(line.saw('line.failed'));
});

for (const [status, cause] of [
  [486, 'busy'],
  [603, 'declined'],
  [404, 'invalid_number'],
  [503, 'trunk_error'],
] as const)
  test.serial(`reports ${cause} if the person's telephone responds with ${status}`, async (t) => {
    const call = await answered(t);
    const second = await rung(call);
    second.answers(status);
    await untilSaid(call.edge, call.line, 'line.transfer_failed');
    t.like(call.line.all('line.transfer_failed')[0], { cause, sip: { status } });
    t.false(call.line.isOver());
    await call.edge.freeSwitches[0]?.untilChannels(1);
  });

test.serial('sends CANCEL at the end of the ringing, and can then call another person', async (t) => {
  const call = await answered(t);
  const second = await rung(call);
  second.answers(180);
  call.line.tell({ type: 'cancelTransfer' });
  await second.receives('CANCEL');
  second.answers(200, { to: 'CANCEL' });
  second.answers(487, { to: 'INVITE' });
  await untilSaid(call.edge, call.line, 'line.transfer_failed');
  t.like(call.line.all('line.transfer_failed')[0], { cause: 'cancelled' });
  t.truthy(await rung(call));
});

test.serial('does not wait for a CANCEL without response', async (t) => {
  const call = await answered(t);
  const second = await rung(call);
  second.answers(180);
  call.line.tell({ type: 'cancelTransfer' });
  await second.receives('CANCEL');
  call.edge.clock.advance(60_000);
  await untilSaid(call.edge, call.line, 'line.transfer_failed');
  t.is(call.line.all('line.transfer_failed').length, 1);
});

test.serial('sends CANCEL to the ringing person when the other party hangs up', async (t) => {
  const call = await answered(t);
  const second = await rung(call);
  second.answers(180);
  call.first.sends('BYE');
  await second.receives('CANCEL');
  second.answers(200, { to: 'CANCEL' });
  second.answers(487, { to: 'INVITE' });
  await untilSaid(call.edge, call.line, 'line.ended');
  await call.edge.freeSwitches[0]?.untilChannels(0);
  t.false(call.line.saw('line.transfer_failed'));
});

test.serial('hangs up a person whose answer crosses the end of the call', async (t) => {
  const call = await answered(t);
  const second = await rung(call);
  second.answers(180);
  call.first.sends('BYE');
  await second.receives('CANCEL');
  second.answers(200, { to: 'CANCEL' });
  second.answers(200, { to: 'INVITE', sdp });
  await second.receives('ACK');
  await second.receives('BYE');
  second.answers(200);
  await call.edge.freeSwitches[0]?.untilChannels(0);
  t.false(call.line.saw('line.transferred'));
});

test.serial('plays the briefing of a warm transfer and connects after the accept digit', async (t) => {
  const call = await answered(t);
  const second = await rung(call, 'warm');
  second.answers(200, { sdp });
  await second.receives('ACK');
  await untilSaid(call.edge, call.line, 'line.transfer_answered');
  call.line.tell({ type: 'brief', text: 'It is about an order.', acceptKey: '1' });
  await untilSaid(call.edge, call.line, 'line.briefed');
  channelsOf(call.edge)[1]?.receivesDigit('2');
  channelsOf(call.edge)[1]?.receivesDigit('1');
  await untilSaid(call.edge, call.line, 'line.accepted');
  t.false(call.line.saw('line.transferred'));
  call.line.tell({ type: 'connect' });
  await untilSaid(call.edge, call.line, 'line.transferred');
  t.deepEqual(call.line.breaches, []);
});

test.serial('reports a person who hangs up during the briefing as having declined', async (t) => {
  const call = await answered(t);
  const second = await rung(call, 'warm');
  second.answers(200, { sdp });
  await second.receives('ACK');
  await untilSaid(call.edge, call.line, 'line.transfer_answered');
  second.sends('BYE');
  await untilSaid(call.edge, call.line, 'line.transfer_failed');
  t.like(call.line.all('line.transfer_failed')[0], { cause: 'declined' });
  await call.edge.freeSwitches[0]?.untilChannels(1);
});

test.serial('plays a tone to the other party while a person is ringing', async (t) => {
  const call = await answered(t);
  await rung(call);
  await until('the tone is heard', async () => {
    const [heard = silence] = await step(call.edge);
    return loudness(heard) > 2_000 || undefined;
  });
  t.false(call.line.isOver());
});

test.serial('the checkpoint names the party of each leg', async (t) => {
  const call = await answered(t);
  const second = await rung(call);
  second.answers(200, { sdp });
  await second.receives('ACK');
  await untilSaid(call.edge, call.line, 'line.transferred');
  const { legs, isResumable } = call.edge.lines.checkpoint(call.line.callId);
  const isOfTransfer = legs.map(({ leg }) => [leg.sipCallId, leg.isOfTransfer ?? false]);
  t.deepEqual(isOfTransfer, [
    [call.first.callId, false],
    [second.callId, true],
  ]);
  t.true(isResumable);
});

// Sound watch
// One-way audio: what is reported during the call and at its end.

const createSoundWatchWorld = () => {
  const clock = new SimulatedClock();
  const time = createLineTime(clock, 1);
  const reports: LineReport[] = [];
  const world = {
    packets: 0,
    isHeardThere: null as boolean | null,
    isSentThere: null as boolean | null,
    asked: 0,
    statistics: async (): Promise<MediaStatistics | null> => {
      world.asked += 1;
      const { packets, isHeardThere, isSentThere } = world;
      return { ...someSound, received: { ...someSound.received, packets }, isHeardThere, isSentThere };
    },
  };
  const endpoint = { statistics: () => world.statistics() };
  const watch = watchMedia(endpoint, { time, clock, report: (report) => reports.push(report) });
  const pass = async (seconds: number): Promise<void> => {
    for (let second = 0; second < seconds; second += 1) {
      clock.increment(1_000);
      for (let turns = 0; turns < 5; turns += 1) await turn();
    }
  };
  const missing = (): string[] =>
    reports.flatMap((report) => (report.type === 'line.one_way' ? [report.missing] : []));
  return { world, clock, time, watch, pass, missing };
};

test.serial('reports missing audio of a party once, after five seconds', async (t) => {
  const { pass, missing } = createSoundWatchWorld();
  await pass(4);
  t.deepEqual(missing(), []);
  await pass(1);
  t.deepEqual(missing(), ['nothing_received']);
  await pass(60);
  t.deepEqual(missing(), ['nothing_received']);
});

test.serial(
  'reports no missing audio of a party whose RTCP shows no sent packets until it sends and is not heard',
  async (t) => {
    const { world, pass, missing } = createSoundWatchWorld();
    world.packets = 200;
    world.isSentThere = false;
    await pass(60);
    t.deepEqual(missing(), []);
    world.isSentThere = true;
    await pass(5);
    t.deepEqual(missing(), [], 'its packets may be on their way');
    await pass(5);
    t.deepEqual(missing(), ['nothing_received']);
  },
);

test.serial('reports no missing audio of a receive-only party at the end of the call', async (t) => {
  const { world, watch, pass, missing } = createSoundWatchWorld();
  world.isSentThere = false;
  await pass(20);
  await watch.finish();
  t.deepEqual(missing(), []);
});

test.serial('reports a party that was heard before only after a longer silence', async (t) => {
  const { world, pass, missing } = createSoundWatchWorld();
  world.packets = 200;
  await pass(14);
  t.deepEqual(missing(), []);
  await pass(6);
  t.deepEqual(missing(), ['nothing_received']);
});

test.serial('reports no missing audio while packets arrive', async (t) => {
  const { world, pass, missing } = createSoundWatchWorld();
  for (let looks = 0; looks < 12; looks += 1) {
    world.packets += 250;
    await pass(5);
  }
  t.deepEqual(missing(), []);
});

test.serial('expects no audio on hold and restarts the timer when the call resumes', async (t) => {
  const { world, watch, pass, missing } = createSoundWatchWorld();
  world.packets = 100;
  await pass(5);
  watch.held(true);
  await pass(60);
  t.deepEqual(missing(), []);
  watch.held(false);
  await pass(9);
  t.deepEqual(missing(), []);
  await pass(6);
  t.deepEqual(missing(), ['nothing_received']);
});

test.serial('reports that the other party receives no audio according to its RTCP', async (t) => {
  const { world, pass, missing } = createSoundWatchWorld();
  world.isHeardThere = false;
  world.packets = 1;
  await pass(5);
  t.deepEqual(missing(), ['nothing_delivered']);
});

test.serial('reports missing incoming audio at the end of a short call', async (t) => {
  const { watch, pass, missing } = createSoundWatchWorld();
  await pass(2);
  t.like(await watch.finish(), { received: { packets: 0 } });
  t.deepEqual(missing(), ['nothing_received']);
});

test.serial('reports no audio problem for a call of less than a second', async (t) => {
  const { watch, pass, missing } = createSoundWatchWorld();
  await pass(1);
  await watch.finish();
  t.deepEqual(missing(), []);
});

test.serial(
  'uses the last known statistics when RTCP is unavailable and delays the end by at most one second',
  async (t) => {
    const { world, clock, watch, pass } = createSoundWatchWorld();
    world.packets = 200;
    await pass(5);
    world.statistics = () => new Promise(() => {});
    const finished = watch.finish();
    clock.increment(1_000);
    t.like(await finished, { received: { packets: 200 } });
  },
);

test.serial('stops watching the audio after the end of the call', async (t) => {
  const { world, watch, pass } = createSoundWatchWorld();
  await watch.finish();
  const { asked } = world;
  await pass(30);
  t.is(world.asked, asked);
});

test.serial('reports no missing audio for a party that was only on hold', async (t) => {
  const { watch, pass, missing } = createSoundWatchWorld();
  watch.held(true);
  await pass(4);
  await watch.finish();
  t.deepEqual(missing(), []);
});
