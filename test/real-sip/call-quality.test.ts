/** Final statistics of calls on real servers: loss, one-way audio, post-dial delay. */
import { createSocket } from 'node:dgram';
import { setTimeout as delay } from 'node:timers/promises';
import type { ExecutionContext } from 'ava';
import type { LineEvent } from '#machines/line.ts';
import { writeReport } from '#sip/rtp/rtcp.ts';
import { earSsrc, startEarAndMouth, type EarAndMouth } from './ear-and-mouth.ts';
import { realTimeTest } from './real-time-test.ts';
import { withScriptedCalls } from './scripted-calls.ts';
import { answer, leave, pause, pickUp, receive, ring, tellTheEar } from './scripted-end.ts';

/** One packet of twenty is dropped. */
const loses = 20;

const startEar = async (
  t: ExecutionContext,
  options?: Parameters<typeof startEarAndMouth>[0],
): Promise<EarAndMouth> => {
  const ear = await startEarAndMouth(options);
  t.teardown(ear.close);
  return ear;
};

const missing = (events: readonly LineEvent[]): string[] =>
  events.flatMap((event) => (event.type === 'line.one_way' ? [event.missing] : []));

const endOf = (events: readonly LineEvent[]) => events.find((event) => event.type === 'line.ended');

withScriptedCalls('the quality of calls', ({ callTo }) => {
  for (const media of ['freeswitch', 'direct'] as const) {
    realTimeTest(`${media}: the call record has the packet loss and its direction`, async (t) => {
      const ear = await startEar(t, { loses });
      const steps = [...ring, ...pickUp(), tellTheEar, ...leave];
      const { line, end, events, has } = await callTo(t, steps, { ear, media });
      await has('line.answered');
      await delay(13_000);
      line.tell({ type: 'hangUp' });
      await has('line.ended');
      const { sound, route } = endOf(events) ?? {};
      t.log(sound, route);
      t.is(sound?.codec, 'PCMU');
      const { loss, mos, packets } = sound?.received ?? {};
      t.true(Math.abs((loss ?? 0) - 1 / loses) < 0.02, String(loss));
      t.true((mos ?? 0) > 3 && (mos ?? 5) < 4.1, String(mos));
      t.true((packets ?? 0) > 400, String(packets));
      t.true((sound?.sent.packets ?? 0) > 400);
      t.regex(sound?.localAddress ?? '', /^127\.0\.0\.1:\d+$/);
      t.is(sound?.remoteAddress, `127.0.0.1:${ear.port}`);
      t.like(route, {
        trunk: { id: 'configured', name: 'GW_TRUNK' },
        remoteAddress: `127.0.0.1:${end.port}`,
      });
      t.deepEqual(missing(events), []);
    });

    realTimeTest(`${media}: reports a far end that sends no audio during the call`, async (t) => {
      const steps = [...ring, ...pickUp(), ...leave];
      const { line, events, has } = await callTo(t, steps, { media });
      await has('line.one_way');
      t.deepEqual(missing(events), ['nothing_received']);
      line.tell({ type: 'hangUp' });
      await has('line.ended');
      t.like(endOf(events)?.sound?.received, { packets: 0, loss: null, mos: null });
    });
  }

  realTimeTest('direct: reports a far end that receives no audio, by its RTCP', async (t) => {
    const ear = await startEar(t);
    const steps = [...ring, ...pickUp(), tellTheEar, ...leave];
    const { line, end, events, has } = await callTo(t, steps, { ear, media: 'direct' });
    await has('line.answered');
    const [, port = ''] = /^m=audio (\d+)/m.exec(await end.messages()) ?? [];
    await delay(6_000);
    const socket = createSocket('udp4');
    const ofNothing = writeReport(
      { ssrc: earSsrc, packets: 300, bytes: 48_000, timestamp: 48_000 },
      null,
      Date.now(),
    );
    socket.send(ofNothing, Number(port) + 1, '127.0.0.1', () => socket.close());
    await has('line.one_way');
    t.deepEqual(missing(events), ['nothing_delivered']);
    line.tell({ type: 'hangUp' });
    await has('line.ended');
    t.is(endOf(events)?.sound?.isHeardThere, false);
  });

  realTimeTest('measures the post-dial delay from the INVITE to ringing', async (t) => {
    const steps = [
      receive('INVITE'),
      answer('100 Trying'),
      pause(1_500),
      answer('180 Ringing', { tag: true }),
      pause(700),
      ...pickUp(),
      ...leave,
    ];
    const { line, events, has } = await callTo(t, steps);
    await has('line.answered');
    line.tell({ type: 'hangUp' });
    await has('line.ended');
    const delayMs = endOf(events)?.route?.postDialDelayMs ?? 0;
    t.true(delayMs >= 1_450 && delayMs < 2_150, String(delayMs));
  });
});
