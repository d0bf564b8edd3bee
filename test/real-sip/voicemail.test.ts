/** An answering machine on real servers: detected by its words and its beep, and left a message that it hears. */
import { setTimeout as delay } from 'node:timers/promises';
import test, { type ExecutionContext } from 'ava';
import { finalStatuses, type TestGateway } from '#test/helpers/gateway.ts';
import { beep, type EarAndMouth } from './ear-and-mouth.ts';
import { voiceOf } from './real-gateway.ts';
import { missingPrograms, startServers, type SipServers } from './sip-servers.ts';
import { listeningGateway, startSpeakingEnd } from './speaking-end.ts';
import { startToneVoskServer, type ToneVoskServer } from './tone-vosk-server.ts';
import { realTimeTest } from './real-time-test.ts';

const message = 'This is a message about your reservation. Please call us back.';
const audible = 200;

const missing = missingPrograms();
if (missing.length > 0) {
  test.skip(`voicemail on real servers: NOT RUN, ${missing.join(', ')} not installed`, (t) => t.pass());
} else {
  let servers: SipServers;
  let recognizer: ToneVoskServer;
  test.before(async () => {
    servers = await startServers();
    recognizer = await startToneVoskServer();
  });
  test.after.always(async () => {
    await recognizer.close();
    await servers.close();
  });

  /** A gateway whose calls go to a far end that says this, beeps and listens. */
  const world = async (
    t: ExecutionContext,
    number: Record<string, unknown>,
    greeting: string,
  ): Promise<{ gateway: TestGateway; far: EarAndMouth; beepOver: () => number }> => {
    const { far, trunkPort } = await startSpeakingEnd(t, servers);
    const gateway = await listeningGateway(t, { servers, recognizer, trunkPort }, number);
    let overAt = 0;
    far.onCall(async () => {
      await delay(1_500);
      await far.say(greeting);
      await delay(800);
      overAt = (await far.play(beep)).to;
    });
    return { gateway, far, beepOver: () => overAt };
  };

  realTimeTest('plays the whole message after the beep, with silence right before it', async (t) => {
    const { gateway, far, beepOver } = await world(
      t,
      { voicemail: 'leave_message', voicemail_message: message },
      'Please leave a message after the tone.',
    );
    const callId = await gateway.call('01099998888', 'Confirm the reservation');
    t.like(await gateway.untilStatus(callId, ...finalStatuses), {
      status: 'completed',
      end_reason: 'agent_hangup',
      answered_by: 'machine',
    });
    const voiced = far.heard().filter(({ loudness }) => loudness > audible);
    const after = voiced.filter(({ at }) => at > beepOver());
    const firstMs = (after[0]?.at ?? 0) - beepOver();
    const heardMs = (after.at(-1)?.at ?? 0) + 20 - (after[0]?.at ?? 0);
    const wholeMs = (await voiceOf(message, 'en')).length / 8;
    t.log({ fromBeepToMessageMs: firstMs, heardMs, wholeMs });
    t.true(firstMs >= 0 && firstMs < 1_500);
    t.true(heardMs > wholeMs - 700 && heardMs < wholeMs + 300, `${heardMs} ms of ${wholeMs} ms`);
    t.false(
      voiced.some(({ at }) => at > beepOver() - 1_200 && at <= beepOver()),
      'the agent was silent before the beep',
    );
    const turns = (await gateway.transcript(callId)).map(({ role, text }) => [role, text]);
    t.deepEqual(turns.at(-1), ['assistant', message]);
    t.deepEqual(turns.at(-2), ['user', 'Please leave a message after the tone.']);
  });

  realTimeTest('hangs up on a machine that is detected by its beep alone', async (t) => {
    const { gateway, beepOver } = await world(t, { voicemail: 'hang_up' }, 'Hello, this is Kim.');
    const callId = await gateway.call('01099998888', 'Confirm the reservation');
    const ended = await gateway.untilStatus(callId, ...finalStatuses);
    t.like(ended, { end_reason: 'agent_hangup', answered_by: 'machine' });
    t.true(Date.parse(String(ended['ended_at'])) - beepOver() < 1_000);
  });

  realTimeTest('does not classify a person as a machine and continues the conversation', async (t) => {
    const { far, trunkPort } = await startSpeakingEnd(t, servers);
    const gateway = await listeningGateway(t, { servers, recognizer, trunkPort }, { voicemail: 'hang_up' });
    far.onCall(async () => {
      await delay(1_000);
      await far.say('Hello?');
    });
    const callId = await gateway.call('01099998888', 'Confirm the reservation');
    await gateway.untilStatus(callId, 'active');
    await far.untilSpokenTo(500);
    await delay(4_000);
    const { body } = await gateway.client.get(`/api/v1/calls/${callId}`);
    t.is(body['answered_by'], 'human');
    t.is(body['status'], 'active');
    await gateway.client.post(`/api/v1/calls/${callId}/hangup`, { immediate: true });
    await gateway.untilStatus(callId, ...finalStatuses);
  });
}
