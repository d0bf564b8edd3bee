/** Gateways with calls on real servers are stopped: each call continues at another one, or in the next process. */
import { setTimeout as delay } from 'node:timers/promises';
import test, { type ExecutionContext } from 'ava';
import { z } from 'zod';
import { relayNumbers } from '#config/line-policy.ts';
import { mediaServers as mediaPool } from '#config/policy.ts';
import { createFarEnd, type FarCall } from '#test/doubles/far-end.ts';
import { describeSound } from '#test/doubles/session-description.ts';
import { decodeRecording } from './decode-recording.ts';
import { audible, startEarAndMouth, type HeardPacket } from './ear-and-mouth.ts';
import { personNumber, startGateways, startWorld, typesOf, untilAllGoOn } from './gateways-with-calls.ts';
import { ownPort } from './ports.ts';
import { until } from './real-lines.ts';
import { realTimeTest } from './real-time-test.ts';
import { missingPrograms, startServers, type SipServers } from './sip-servers.ts';
import { createUdpNetwork } from './udp-network.ts';

/** A tone that lasts longer than a test. */
const tone = Int16Array.from(
  { length: 8_000 * 90 },
  (_, index) => 6_000 * Math.sin((2 * Math.PI * 1_000 * index) / 8_000),
);

const missing = missingPrograms();
if (missing.length > 0) {
  test.skip(`hand-over: NOT RUN, ${missing.join(', ')} not installed`, (t) => t.pass());
} else {
  let servers: SipServers;
  test.beforeEach(async () => {
    servers = await startServers();
  });
  test.afterEach.always(() => servers.close());

  /** A telephone, and the audio that it received from the other one. */
  const startTalking = async (t: ExecutionContext, call: FarCall) => {
    const sound = await startEarAndMouth();
    t.teardown(sound.close);
    /** Packets that the telephone received before its audio moved. */
    let earlier: readonly HeardPacket[] = [];
    return {
      call,
      /** Accepts the session that the last INVITE offers. */
      async take(): Promise<void> {
        earlier = [...earlier, ...sound.heard()];
        const [, port] = /^m=audio (\d+)/m.exec(call.last('INVITE').body) ?? [];
        call.answers(200, { sdp: describeSound({ port: sound.port }) });
        await sound.callsTo(Number(port));
        void sound.play(tone);
        await call.receives('ACK');
      },
      hears: (): boolean => (sound.lastHeardAt() ?? 0) > Date.now() - 200,
      /** Returns the longest silence after the given time, in milliseconds. */
      silence(since: number): number {
        const times = [...earlier, ...sound.heard()].flatMap(({ at, loudness }) =>
          loudness > audible && at > since ? [at] : [],
        );
        return Math.max(...[...times, Date.now()].map((at, index) => at - (times[index - 1] ?? since)));
      },
    };
  };

  const untilBothHear = (
    one: Awaited<ReturnType<typeof startTalking>>,
    other: Awaited<ReturnType<typeof startTalking>>,
  ): Promise<void> => until(() => one.hears() && other.hears());

  /**
   * The stretches of more than 250 ms without audio in each channel of a recording, as [begin, end] in seconds; the last
   * one is open if the channel ends silently.
   */
  const silences = async (file: Buffer, fromSec: number): Promise<number[][][]> => {
    const { sampleRate, channels } = await decodeRecording(file);
    const block = sampleRate / 20;
    return channels.map((samples) => {
      const found: number[][] = [];
      let lastHeard = fromSec;
      for (let at = fromSec * sampleRate; at + block <= samples.length; at += block) {
        const piece = samples.subarray(at, at + block);
        const level = Math.sqrt(piece.reduce((sum, one) => sum + one ** 2, 0) / piece.length);
        if (level <= audible) continue;
        if (at / sampleRate - lastHeard > 0.25) found.push([lastHeard, at / sampleRate]);
        lastHeard = (at + block) / sampleRate;
      }
      if (samples.length / sampleRate - lastHeard > 0.5) found.push([lastHeard]);
      return found;
    });
  };

  const talkedOn = z.object({
    end_reason: z.literal('transfer_completed'),
    transfer: z.object({ status: z.literal('connected') }),
    duration_sec: z.number(),
    recording: z.object({
      status: z.literal('completed'),
      truncated: z.literal(false),
      duration_sec: z.number(),
    }),
  });

  for (const media of ['direct', 'freeswitch'] as const)
    for (const { by, leaves } of [
      { by: 'SIGKILL', leaves: 'person' },
      { by: 'SIGTERM', leaves: 'other party' },
    ] as const)
      realTimeTest(
        `${media}: two persons keep talking after ${by}, until the ${leaves} hangs up`,
        async (t) => {
          const network = createUdpNetwork(servers.sipPort);
          t.teardown(network.close);
          const trunk = createFarEnd(network, `127.0.0.1:${await ownPort()}`);
          const world = await startGateways(t, servers, media, Number(trunk.address.split(':')[1]));
          const one = await world.start('one');
          const two = await world.start('two');
          const { body } = await one.client.post('/api/v1/calls', { to: '01099991000', instruction: 'x' });
          const callId = z.uuid().parse(body['call_id']);
          const party = await startTalking(t, await trunk.receives('INVITE'));
          await party.take();
          const asked = async (): Promise<number> =>
            (await one.client.post(`/api/v1/calls/${callId}/transfer`, { to: personNumber })).status;
          await until(async () => (await asked()) === 202);
          const person = await startTalking(t, await trunk.receives('INVITE'));
          await person.take();
          await untilBothHear(party, person);
          await until(async () => (await typesOf(two, callId)).includes('call.transfer_connected'));
          const connectedAt = Date.now();
          await delay(4_000);

          const endedAt = Date.now();
          one.signal(by);
          await one.ended;
          if (media === 'direct')
            await Promise.all(
              [party, person].map(async ({ call, take }) => {
                await call.receives('INVITE');
                await take();
              }),
            );
          await untilAllGoOn(two, [callId]);
          await untilBothHear(party, person);
          await delay(2_000);
          t.log(media, by, { partySilence: party.silence(endedAt), personSilence: person.silence(endedAt) });
          t.true(party.hears() && person.hears());
          // Each gateway has a folder of recordings of its own. A supervisor restarts the one that ended.
          await world.start('one', one.folder);

          const [leaver, other] = leaves === 'person' ? [person, party] : [party, person];
          leaver.call.sends('BYE');
          await leaver.call.receives(200);
          await other.call.receives('BYE');
          other.call.answers(200);
          const call = async () => (await two.client.get(`/api/v1/calls/${callId}`)).body;
          await until(async () => talkedOn.safeParse(await call()).success);
          const { duration_sec: lastedSec, recording } = talkedOn.parse(await call());
          t.true(
            Math.abs(recording.duration_sec - lastedSec) < 2,
            `${recording.duration_sec} of ${lastedSec} s`,
          );
          const answeredAt = Date.parse(z.string().parse((await call())['answered_at']));
          const inCall = (at: number): number => (at - answeredAt) / 1_000;
          const recorded = await two.client.get(`/api/v1/calls/${callId}/recording`);
          const found = await silences(recorded.bytes, inCall(connectedAt));
          t.log(media, by, 'silences of the recording', found, 'the gateway ended at', inCall(endedAt));
          // A killed process loses up to half a second; then the call has no holder for a moment.
          for (const [from = Number.NaN, to = Number.NaN] of found.flat())
            t.true(
              from > inCall(endedAt) - 1 && to < inCall(endedAt) + 5,
              'it is silent only between the parts',
            );
          const types = await typesOf(two, callId);
          t.false(types.includes('call.transfer_failed'));
          t.is(types.filter((type) => type === 'call.ended').length, 1);
          t.deepEqual([...party.call.unread(), ...person.call.unread()], []);
          // Waits until only the pooled channels of both gateways are left.
          await until(
            async () => (await servers.mediaServers[0]?.channels()) === 2 * mediaPool.pool.size,
            45_000,
          );
        },
      );

  for (const by of ['SIGTERM', 'SIGKILL'] as const)
    realTimeTest(`the SIP relay hangs up calls that no gateway takes over after ${by}`, async (t) => {
      const world = await startWorld(t, servers, 'freeswitch');
      const one = await world.start('one');
      await world.place(one, 2);
      one.signal(by);
      await one.ended;
      t.is(world.end.count('BYE'), 0);
      await until(() => world.end.count('BYE') === 2, relayNumbers.held.longestMs + 30_000);
    });
}
