/** A call that the gateway carries itself goes over to a real FreeSWITCH while its agent speaks. */
import { until } from './real-lines.ts';
import { realTimeTest } from './real-time-test.ts';
import { startEar, withScriptedCalls } from './scripted-calls.ts';
import { ask, expectAnswer, leave, pause, pickUp, ring, soundAt, tellTheEar } from './scripted-end.ts';

const sentence =
  'This is a long sentence, which begins in one place and goes on in another one, and nobody who hears it can tell where.';

withScriptedCalls('calls that move', ({ callTo }) => {
  realTimeTest(
    'asked for sound at a host name, it moves, and the sentence is heard to its end',
    async (t) => {
      const ear = await startEar(t);
      const { line, end, has, count, events } = await callTo(
        t,
        [
          ...ring,
          ...pickUp(),
          tellTheEar,
          pause(2_500),
          ask('INVITE', 1, { sdp: soundAt().replace('[media_ip]', 'localhost') }),
          expectAnswer(200, { body: 'm=audio [0-9]+ RTP/AVP 0 101' }),
          ask('ACK', 1),
          ...leave,
        ],
        { ear, media: 'auto' },
      );
      await has('line.answered');
      const begun = Date.now();
      line.tell({ type: 'say', utterance: 1, text: sentence });
      await ear.untilSpokenTo(600);
      await until(
        async () => /^CSeq: 1 ACK/m.test((await end.messages()).split('CSeq: 1 INVITE').at(-1) ?? ''),
        10_000,
      );
      const movedAt = Date.now();
      await has('line.played');
      const [played] = events.filter((event) => event.type === 'line.played');
      t.like(played, { text: sentence, whole: true });
      const spoken = ear.heard().filter(({ loudness }) => loudness > 200);
      t.true(spoken.some(({ at }) => at < movedAt) && spoken.some(({ at }) => at > movedAt + 500));
      t.true((spoken.at(-1)?.at ?? 0) - begun > 4_000, 'it is heard to its end');
      t.is(count('line.failed'), 0);
      line.tell({ type: 'hangUp' });
      await t.notThrowsAsync(end.finished());
    },
  );
});
