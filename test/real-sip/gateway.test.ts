/** Whole calls: the API on one side, a telephone on the other, SIP and sound between them. */
import test from 'ava';
import { z } from 'zod';
import { mediaServers } from '#config/policy.ts';
import { finalStatuses, type TestGateway } from '#test/helpers/gateway.ts';
import { startFarEnd, startTelephone, type Scenario } from './far-end.ts';
import { decodeRecording } from './decode-recording.ts';
import { bindFarewellAgent, realGateway, voiceOf } from './real-gateway.ts';
import { realLines, until } from './real-lines.ts';
import { freePort, missingPrograms, startServers, type SipServers } from './servers.ts';
import { findIn, soundings } from './wave.ts';
import { realTimeTest } from './real-time-test.ts';

const callee = '01099998888';
const farewell =
  'Your table for two is confirmed for tomorrow evening at seven, thank you very much and goodbye.';

const missing = missingPrograms();
if (missing.length > 0) {
  test.skip(`calls through a whole gateway on real servers: NOT RUN, ${missing.join(', ')} not installed`, (t) =>
    t.pass());
} else {
  let servers: SipServers;
  test.before(async () => {
    servers = await startServers();
  });
  test.after.always(async () => {
    await servers.close();
  });

  /** None but those that are kept ready. */
  const noChannelIsLeft = (): Promise<void> =>
    until(async () => (await servers.mediaServers[0]?.channels()) === mediaServers.pool.size, 10_000);

  const recordingOf = async (gateway: TestGateway, callId: string) => {
    const path = `/api/v1/calls/${callId}/recording`;
    await until(async () => (await gateway.client.get(path)).status === 200, 10_000);
    return decodeRecording((await gateway.client.get(path)).bytes);
  };

  realTimeTest(
    'a call is rung, the agent is heard to the end of its goodbye, and the gateway hangs up',
    async (t) => {
      const telephone = await startTelephone(servers.folder, { seconds: 40 });
      t.teardown(telephone.close);
      const gateway = await realGateway(t, servers, telephone.port);
      await gateway.admin.patch(gateway.numberPath, { language: 'en' });
      await bindFarewellAgent(t, gateway, farewell);

      const callId = await gateway.call(callee, 'Confirm the table');
      const ended = await gateway.untilStatus(callId, ...finalStatuses);
      t.like(ended, { status: 'completed', end_reason: 'agent_hangup', to: callee, direction: 'outbound' });
      t.like(ended['sip'], { status: 200, reason: 'Answering' });
      t.regex(z.object({ call_id: z.string() }).parse(ended['sip']).call_id, /\S+/);

      const turns = await gateway.transcript(callId);
      t.deepEqual(
        turns.map(({ role, text }) => [role, text]),
        [['assistant', farewell]],
      );

      const voice = await voiceOf(farewell, 'en');
      const { channels, sampleRate } = await telephone.heard();
      const heard = channels[0] ?? new Int16Array();
      t.is(sampleRate, 8_000);
      const { offsetMs, likeness } = findIn(heard, voice, 8_000);
      const said = soundings(voice, 8_000, { pauseMs: 2_000 })[0] ?? { from: 0, to: 0 };
      const sounded = soundings(heard, 8_000, { pauseMs: 2_000 });
      const lastSound = sounded.at(-1)?.to ?? 0;
      t.log({
        offsetMs,
        likeness,
        said,
        sounded,
        heardMs: heard.length / 8,
        duration: ended['duration_sec'],
      });
      t.true(likeness > 0.9, `the rhythm of the words is heard (${likeness})`);
      t.is(sounded.length, 1, 'nothing else is heard');
      t.true(Math.abs(lastSound - (offsetMs + said.to)) <= 30, 'the goodbye is heard to its last sound');

      const recorded = await recordingOf(gateway, callId);
      const [counterparty = new Int16Array(), agent = new Int16Array()] = recorded.channels;
      const inRecording = findIn(agent, await voiceAt(recorded.sampleRate), recorded.sampleRate);
      t.log({ inRecording, recordedSec: agent.length / recorded.sampleRate });
      t.true(inRecording.likeness > 0.9, 'the recording holds the words of the agent');
      t.true(Math.abs(inRecording.offsetMs - (turns[0]?.t_offset_sec ?? 0) * 1_000) < 150);
      t.true(
        Math.abs(agent.length / recorded.sampleRate - z.number().parse(ended['duration_sec'])) < 0.3,
        'the recording is as long as the call',
      );
      t.true(
        counterparty.every((sample) => Math.abs(sample) < 300),
        'the other channel holds the silence of the callee',
      );
      await noChannelIsLeft();
    },
  );

  const voiceAt = async (sampleRate: number): Promise<Int16Array> => {
    const voice = await voiceOf(farewell, 'en');
    const factor = sampleRate / 8_000;
    return Int16Array.from(
      { length: voice.length * factor },
      (_, index) => voice[Math.floor(index / factor)] ?? 0,
    );
  };

  realTimeTest('the built-in agent places a whole call in Korean', async (t) => {
    const telephone = await startTelephone(servers.folder, { seconds: 60 });
    t.teardown(telephone.close);
    const gateway = await realGateway(t, servers, telephone.port);
    await gateway.admin.patch(gateway.numberPath, { silence_timeout_sec: 5 });
    const callId = await gateway.call(callee, '내일 오후 3시 예약을 확인해 주세요');
    const ended = await gateway.untilStatus(callId, 'active');
    t.is(ended['end_reason'], null);
    await until(async () => (await gateway.transcript(callId)).length > 0, 30_000);
    const [opening] = await gateway.transcript(callId);
    t.is((await gateway.client.post(`/api/v1/calls/${callId}/hangup`, { immediate: true })).status, 202);
    t.like(await gateway.untilStatus(callId, ...finalStatuses), { end_reason: 'agent_hangup' });
    const { channels } = await telephone.heard();
    const heard = channels[0] ?? new Int16Array();
    let before = 0;
    for (const sentence of opening?.text.match(/[^.?]+[.?]/g) ?? []) {
      const voice = await voiceOf(sentence.trim(), 'ko');
      const { offsetMs, likeness } = findIn(heard, voice, 8_000);
      t.log({ sentence, offsetMs, likeness, pauseMs: offsetMs - before });
      t.true(likeness > 0.9, `"${sentence}" is heard`);
      t.true(offsetMs >= before - 20, 'one sentence after the other');
      before = offsetMs + voice.length / 8;
    }
    await noChannelIsLeft();
  });

  const endings: readonly [Scenario, string, Record<string, unknown>, number | null][] = [
    ['busy', 'a busy callee', { status: 'no_answer', end_reason: 'busy' }, 486],
    ['declining', 'a callee that declines', { status: 'no_answer', end_reason: 'declined' }, 603],
    [
      'unknown-number',
      'a number that the network does not know',
      { status: 'failed', end_reason: 'invalid_number' },
      503,
    ],
    ['leaving', 'a callee that hangs up', { status: 'completed', end_reason: 'counterparty_hangup' }, 200],
  ];
  for (const [scenario, title, expected, sipStatus] of endings)
    realTimeTest(`${title} stands in the record`, async (t) => {
      const far = await startFarEnd(scenario, servers.folder);
      t.teardown(far.close);
      const gateway = await realGateway(t, servers, far.port);
      const callId = await gateway.call(callee, 'Say hello');
      const ended = await gateway.untilStatus(callId, ...finalStatuses);
      t.like(ended, expected);
      t.like(ended['sip'], { status: sipStatus });
      await noChannelIsLeft();
    });

  realTimeTest('a callee who does not pick up is cancelled after the ring time-out', async (t) => {
    const far = await startFarEnd('unattended', servers.folder);
    t.teardown(far.close);
    const gateway = await realGateway(t, servers, far.port);
    await gateway.admin.patch(gateway.numberPath, { ring_timeout_sec: 5 });
    const callId = await gateway.call(callee, 'Say hello');
    t.like(await gateway.untilStatus(callId, ...finalStatuses), {
      status: 'no_answer',
      end_reason: 'no_answer',
      duration_sec: 0,
    });
    await noChannelIsLeft();
  });

  realTimeTest('an answer that crosses the cancellation is hung up', async (t) => {
    const far = await startFarEnd('late-answer', servers.folder, { calls: 1 });
    t.teardown(far.close);
    const gateway = await realGateway(t, servers, far.port);
    const callId = await gateway.call(callee, 'Say hello');
    await new Promise((resolve) => setTimeout(resolve, 500));
    t.is((await gateway.client.post(`/api/v1/calls/${callId}/cancel`)).status, 202);
    t.like(await gateway.untilStatus(callId, ...finalStatuses), {
      status: 'no_answer',
      end_reason: 'cancelled',
    });
    await until(() => far.child.exitCode !== null, 5_000);
    t.is(far.child.exitCode, 0, 'it was acknowledged, and hung up by BYE');
    await noChannelIsLeft();
  });

  realTimeTest('a caller hears the greeting and hangs up', async (t) => {
    const gateway = await realGateway(t, servers, await freePort());
    const greeting = 'Good morning, this is the flower shop. What can I do for you?';
    await gateway.admin.patch(gateway.numberPath, { language: 'en', greeting });
    const telephone = await startTelephone(servers.folder, {
      dial: `sip:${gateway.credentials.number}@127.0.0.1:${servers.sipPort}`,
      from: '01012345678',
      seconds: 8,
    });
    t.teardown(telephone.close);
    const { channels } = await telephone.heard();
    const [call] = z
      .object({ calls: z.array(z.object({ id: z.string() })) })
      .parse((await gateway.client.get('/api/v1/calls')).body).calls;
    const ended = await gateway.untilStatus(call?.id ?? '', ...finalStatuses);
    t.like(ended, {
      direction: 'inbound',
      from: '01012345678',
      to: gateway.credentials.number,
      status: 'completed',
      end_reason: 'counterparty_hangup',
    });
    t.is((await gateway.transcript(call?.id ?? ''))[0]?.text, greeting);
    const found = findIn(channels[0] ?? new Int16Array(), await voiceOf(greeting, 'en'), 8_000);
    t.log({ found, duration: ended['duration_sec'] });
    t.true(found.likeness > 0.9, 'the greeting is heard');
    await noChannelIsLeft();
  });

  realTimeTest('a caller of a number that belongs to nobody is refused with 404', async (t) => {
    const gateway = await realGateway(t, servers, await freePort());
    const telephone = await startTelephone(servers.folder, {
      dial: `sip:0298765432@127.0.0.1:${servers.sipPort}`,
      seconds: 5,
    });
    t.teardown(telephone.close);
    await until(async () => /404 Not Found/.test(await telephone.log()), 5_000);
    t.deepEqual((await gateway.client.get('/api/v1/calls')).body['calls'], []);
  });

  realTimeTest(
    'calls are placed only while both servers are there, and a lost media server ends its calls',
    async (t) => {
      const far = await startFarEnd('silent', servers.folder);
      t.teardown(far.close);
      const gateway = await realGateway(t, servers, far.port);
      const ready = async (): Promise<number> =>
        (await fetch(`${gateway.credentials.base_url}/readyz`)).status;
      t.is(await ready(), 200);
      const callId = await gateway.call(callee, 'Say hello');
      await gateway.untilStatus(callId, 'active');
      await servers.killFreeSwitch();
      t.like(await gateway.untilStatus(callId, ...finalStatuses), {
        status: 'failed',
        end_reason: 'media_error',
      });
      await until(async () => (await ready()) === 503);
      const refused = await gateway.call(callee, 'Say hello');
      t.like(await gateway.untilStatus(refused, ...finalStatuses), {
        status: 'failed',
        end_reason: 'media_error',
      });
      await servers.restartFreeSwitch();
      await until(async () => (await ready()) === 200, 15_000);
      const again = await gateway.call(callee, 'Say hello');
      await gateway.untilStatus(again, 'active');
      await noStrayMedia(gateway, again);
    },
  );

  realTimeTest(
    'a lost drachtio-server ends its calls, and calls come in and go out again when it is back',
    async (t) => {
      const far = await startFarEnd('silent', servers.folder);
      t.teardown(far.close);
      const gateway = await realGateway(t, servers, far.port);
      const callId = await gateway.call(callee, 'Say hello');
      await gateway.untilStatus(callId, 'active');
      await servers.killDrachtio();
      t.like(await gateway.untilStatus(callId, ...finalStatuses), {
        status: 'failed',
        end_reason: 'media_error',
      });
      const refused = await gateway.call(callee, 'Say hello');
      t.like(await gateway.untilStatus(refused, ...finalStatuses), {
        status: 'failed',
        end_reason: 'trunk_error',
      });
      await servers.restartDrachtio();
      await until(async () => (await fetch(`${gateway.credentials.base_url}/readyz`)).status === 200, 15_000);
      const again = await gateway.call(callee, 'Say hello');
      await gateway.untilStatus(again, 'active');
      const telephone = await startTelephone(servers.folder, {
        dial: `sip:0298765432@127.0.0.1:${servers.sipPort}`,
        seconds: 5,
      });
      t.teardown(telephone.close);
      await until(async () => /404 Not Found/.test(await telephone.log()), 5_000);
      await noStrayMedia(gateway, again);
    },
  );

  realTimeTest('a server that refuses the secret is named, and no call is placed', async (t) => {
    const { drachtio, freeSwitch } = servers;
    const wrong: readonly [Partial<SipServers>, RegExp][] = [
      [{ drachtio: { ...drachtio, secret: 'wrong' } }, /drachtio-server at .* refused the secret/],
      [{ freeSwitch: { ...freeSwitch, secret: 'wrong' } }, /FreeSWITCH at .* refused the secret/],
      [{ freeSwitch: { ...freeSwitch, port: await freePort() } }, /FreeSWITCH at .* ECONNREFUSED/],
      [{ drachtio: { ...drachtio, port: await freePort() } }, /drachtio-server at .* ECONNREFUSED/],
    ];
    for (const [change, detail] of wrong) {
      const lines = await realLines({ ...servers, ...change }, 9);
      await lines.start(async () => ({ accepted: false, because: 'unknown_number' }));
      const health = lines.health();
      t.regex(health.ready ? 'ready' : health.detail, detail);
      await lines.close();
    }
  });

  const noStrayMedia = async (gateway: TestGateway, callId: string): Promise<void> => {
    await gateway.client.post(`/api/v1/calls/${callId}/hangup`, { immediate: true });
    await gateway.untilStatus(callId, ...finalStatuses);
    await noChannelIsLeft();
  };
}
