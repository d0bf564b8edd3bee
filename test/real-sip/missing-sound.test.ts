/** Calls that receive no audio, or whose audio stops. */
import { mediaServers } from '#config/policy.ts';
import { pooled, until } from './real-lines.ts';
import { realTimeTest } from './real-time-test.ts';
import { startEar, withScriptedCalls } from './scripted-calls.ts';
import {
  ask,
  acknowledge,
  encryptedSoundAt,
  expectAnswer,
  invite,
  leave,
  pause,
  pickUp,
  ring,
  soundAt,
  tellTheEar,
} from './scripted-end.ts';

const soundWithin = (rtpTimeoutMs: number) => ({
  mediaServers: { ...mediaServers, rtpTimeoutMs, pool: { ...mediaServers.pool, size: pooled } },
});

withScriptedCalls('missing sound', ({ callTo, callFrom }) => {
  realTimeTest('ends an outbound call that receives no audio', async (t) => {
    const { line, end, has, count } = await callTo(t, [...ring, ...pickUp(), ...leave], soundWithin(1_500));
    await has('line.failed');
    t.is(count('line.answered'), 1);
    line.tell({ type: 'hangUp' });
    await t.notThrowsAsync(end.finished());
  });

  realTimeTest('ends an encrypted outbound call of FreeSWITCH that receives no audio', async (t) => {
    const answering = pickUp({ sdp: encryptedSoundAt() });
    const { line, end, has, count } = await callTo(t, [...ring, ...answering, ...leave], {
      ...soundWithin(1_500),
      media: 'freeswitch',
      srtp: 'required',
    });
    await has('line.failed');
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
    realTimeTest(`ends an inbound call to ${which} that receives no audio`, async (t) => {
      const steps = [invite({ sdp }), expectAnswer(200), acknowledge(), ...leave];
      const { line, end, has } = await callFrom(t, steps, soundWithin(1_500));
      await has('line.failed');
      line.tell({ type: 'hangUp' });
      await t.notThrowsAsync(end.finished());
    });

  realTimeTest('ends a call whose audio stops, except while it is on hold', async (t) => {
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
        // The audio of the call is lost from here on.
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
    await until(async () => /^CSeq: 2 INVITE/m.test(await end.messages()));
    t.is(count('line.failed'), 0, 'neither while sound came nor on hold');
    await has('line.failed');
    line.tell({ type: 'hangUp' });
    await t.notThrowsAsync(end.finished());
  });
});
