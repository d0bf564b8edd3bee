/**
 * Callers without an offer, for each carrier: the gateway sends the offer, and audio flows by the answer in the ACK.
 */
import { realTimeTest } from './real-time-test.ts';
import { startEar, withScriptedCalls } from './scripted-calls.ts';
import { acknowledge, answer, expectAnswer, invite, leave, pause, receive, soundAt } from './scripted-end.ts';

withScriptedCalls('late offers', ({ callFrom }) => {
  for (const media of ['freeswitch', 'direct'] as const) {
    const trunk = { address: '127.0.0.1:9', media };

    realTimeTest(`${media}: keeps a call whose ACK has the SDP answer`, async (t) => {
      const ear = await startEar(t);
      const { line, end, has } = await callFrom(
        t,
        [
          invite({}),
          expectAnswer(200, { body: 'm=audio [0-9]+ RTP/AVP 0 8 101' }),
          acknowledge('new', { sdp: soundAt() }),
          ...leave,
        ],
        { ear, trunk },
      );
      await has('line.answered');
      line.tell({ type: 'say', utterance: 1, text: 'Who leaves the offer to me can hear me, too.' });
      await ear.untilSpokenTo(600);
      line.tell({ type: 'hangUp' });
      await t.notThrowsAsync(end.finished());
    });

    realTimeTest(`${media}: hangs up if the ACK has no SDP answer`, async (t) => {
      const { end, has, events } = await callFrom(
        t,
        [
          invite({}),
          expectAnswer(200, { body: 'm=audio' }),
          acknowledge(),
          receive('BYE'),
          answer('200 OK'),
          pause(100),
        ],
        { trunk },
      );
      await has('line.unanswered');
      t.like(events.at(-1), { type: 'line.unanswered', cause: 'media_error' });
      await t.notThrowsAsync(end.finished());
    });
  }
});
