/** Trunks on real drachtio-server, with sipp as the other side: passwords, failover, registration, callers. */
import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import test, { type ExecutionContext } from 'ava';
import { z } from 'zod';
import { trunkTimes } from '#config/policy.ts';
import type { LineEvent } from '#machines/line.ts';
import type { DrachtioLines, DrachtioLinesOptions } from '#sip/drachtio/drachtio-lines.ts';
import type { ArrivalVerdict } from '#src/domain/arrival.ts';
import type { TrunkDirectory } from '#sip/trunks/directory.ts';
import type { Trunk } from '#src/domain/trunk.ts';
import { finalStatuses } from '#test/helpers/gateway.ts';
import { someTrunk, workspaceId } from '#test/sip/trunks/some-trunk.ts';
import { startLoopingTrunk } from './looping-trunk.ts';
import { realGateway } from './real-gateway.ts';
import { pooled, realLines, until } from './real-lines.ts';
import { freePort, missingPrograms, startServers, type SipServers } from './servers.ts';
import { answer, receive, startScripted } from './scripted-end.ts';
import { startTlsDrachtio, startTlsTrunk } from './tls-trunk.ts';
import { callIn, offers, startBlackHole, startTrunk, type TrunkEnd } from './trunk-ends.ts';
import { usualSpeech } from '#test/helpers/usual-speech.ts';
import { realTimeTest } from './real-time-test.ts';

const account = { username: 'gw', password: 'correct' };
const own = '07012345678';
const callee = '01099998888';

const missing = missingPrograms();
if (missing.length > 0) {
  test.skip(`trunks on real servers: NOT RUN, ${missing.join(', ')} not installed`, (t) => t.pass());
} else {
  let servers: SipServers;
  test.before(async () => {
    servers = await startServers();
  });
  test.after.always(async () => {
    await servers.close();
  });

  const trunkAt = (port: number, changes: Partial<Trunk> = {}): Trunk =>
    someTrunk({ host: '127.0.0.1', port, ...changes });

  const startTrunkFor = async (
    t: ExecutionContext,
    end: TrunkEnd,
    options?: Parameters<typeof startTrunk>[2],
  ) => {
    const trunk = await startTrunk(end, servers.folder, options);
    t.teardown(trunk.close);
    return trunk;
  };

  /** Lines with these trunks, without any of the configuration. */
  const linesWith = async (
    t: ExecutionContext,
    trunks: readonly Trunk[],
    options: Partial<DrachtioLinesOptions> & { verdict?: ArrivalVerdict } = {},
  ): Promise<DrachtioLines & { arrivals: string[] }> => {
    const directory: TrunkDirectory = {
      start: async () => {},
      all: () => trunks,
      isUsable: () => true,
      ownerOf: async () => ({ workspaceId, trunkId: null }),
    };
    const { verdict = { accepted: false, because: 'unknown_number' }, ...others } = options;
    const lines = await realLines(servers, 9, {
      trunk: null,
      trunks: directory,
      trunkTimes: { ...trunkTimes, silenceMs: 700, answerMs: 700, patienceMs: 300 },
      ...others,
    });
    const arrivals: string[] = [];
    await lines.start(async ({ to }) => {
      arrivals.push(to);
      return verdict;
    });
    t.teardown(() => lines.close());
    return Object.assign(lines, { arrivals });
  };

  type Last = Extract<LineEvent, { type: 'line.answered' | 'line.unanswered' }>;

  /** Calls, and hangs up when it is answered. Resolves to what came of it. */
  const call = (lines: DrachtioLines, heldMs = 100): Promise<Last> =>
    new Promise((resolve) => {
      const input = { direction: 'outbound', language: 'en', speech: usualSpeech, recording: false } as const;
      const line = lines.open({ ...input, callId: randomUUID(), from: own, to: callee }, (event) => {
        if (event.type === 'line.unanswered') resolve(event);
        if (event.type !== 'line.answered') return;
        setTimeout(() => line.close(), heldMs);
        resolve(event);
      });
    });

  realTimeTest('a trunk that asks for a password gets it, with the headers that it wants', async (t) => {
    const far = await startTrunkFor(t, 'trunk-challenging');
    const settings = {
      ...account,
      callerId: 'p-asserted-identity',
      numberFormat: 'e164',
      privacy: true,
    } as const;
    const lines = await linesWith(t, [trunkAt(far.port, { ...settings, codecs: ['PCMA'] })]);
    t.like(await call(lines), { type: 'line.answered', sip: { status: 200, reason: 'OK' } });
    const messages = await far.messages();
    t.regex(messages, /INVITE sip:\+821099998888@127\.0\.0\.1/);
    t.regex(messages, /^From: "Anonymous" <sip:anonymous@anonymous\.invalid>;tag=/m);
    t.regex(messages, /^P-Asserted-Identity: <sip:\+827012345678@127\.0\.0\.1>/m);
    t.regex(messages, /^Privacy: id/m);
    t.regex(messages, /^Authorization: Digest username="gw"/m);
    t.regex(messages, /^m=audio \d+ RTP\/AVP 8( 101| 13)*\r?$/m);
  });

  realTimeTest('a wrong password is the fault of the trunk: the next one carries the call', async (t) => {
    const far = await startTrunkFor(t, 'trunk-challenging');
    const next = await startTrunkFor(t, 'silent');
    const wrong = trunkAt(far.port, { ...account, password: 'guess', name: 'first', priority: 1 });
    const none = trunkAt(far.port, { name: 'first', priority: 1 });
    t.like(await call(await linesWith(t, [wrong])), {
      type: 'line.unanswered',
      cause: 'trunk_error',
      sip: { status: 403 },
    });
    t.like(await call(await linesWith(t, [none, trunkAt(next.port, { name: 'second' })])), {
      type: 'line.answered',
    });
  });

  for (const transport of ['udp', 'tcp'] as const)
    realTimeTest(`a trunk that is unavailable hands the call to the next: ${transport}`, async (t) => {
      const first = await startTrunkFor(t, 'trunk-unavailable', { transport });
      const second = await startTrunkFor(t, 'silent', { transport });
      const lines = await linesWith(t, [
        trunkAt(second.port, { name: 'second', priority: 2, transport }),
        trunkAt(first.port, { name: 'first', priority: 1, transport }),
      ]);
      t.like(await call(lines), { type: 'line.answered', sip: { status: 200 } });
      t.regex(await first.messages(), /INVITE sip:/);
      t.regex(await second.messages(), new RegExp(`^Via: SIP/2.0/${transport.toUpperCase()} `, 'm'));
    });

  realTimeTest('a trunk that says nothing, or is not there, hands the call to the next', async (t) => {
    const hole = await startBlackHole();
    t.teardown(hole.close);
    const far = await startTrunkFor(t, 'silent');
    const lines = await linesWith(t, [
      trunkAt(hole.port, { name: 'hole', priority: 1 }),
      trunkAt(9, { name: 'nobody', priority: 2 }),
      trunkAt(9, { name: 'nobody by tcp', priority: 3, transport: 'tcp' }),
      trunkAt(far.port, { name: 'last', priority: 4 }),
    ]);
    const begun = Date.now();
    t.like(await call(lines), { type: 'line.answered' });
    t.true(Date.now() - begun < 5_000, `it took ${Date.now() - begun} ms`);
    const nowhere = await linesWith(t, [trunkAt(hole.port)]);
    t.like(await call(nowhere), {
      type: 'line.unanswered',
      cause: 'trunk_error',
      sip: { status: 408, reason: 'The trunk does not answer' },
    });
  });

  realTimeTest(
    'a trunk that fails after a 183 hands the call on, and is left alone for as long as it asks',
    async (t) => {
      const failing = await startScripted(servers.folder, [
        receive('INVITE'),
        answer('183 Session Progress', { tag: true }),
        answer('503 Service Unavailable', { tag: true, headers: ['Retry-After: 120'] }),
        receive('ACK'),
      ]);
      t.teardown(failing.close);
      const far = await startTrunkFor(t, 'silent');
      const lines = await linesWith(t, [
        trunkAt(failing.port, { name: 'failing', priority: 1 }),
        trunkAt(far.port, { name: 'next', priority: 2 }),
      ]);
      t.like(await call(lines), { type: 'line.answered' });
      await t.notThrowsAsync(failing.finished());
      t.like(await call(lines), { type: 'line.answered' });
      t.is((await failing.messages()).match(/^INVITE sip:/gm)?.length, 1);
    },
  );

  realTimeTest('the record of a cancelled call holds what the trunk said to it', async (t) => {
    const far = await startTrunkFor(t, 'unattended');
    const lines = await linesWith(t, [trunkAt(far.port)]);
    const last = await new Promise<Last>((resolve) => {
      const input = { direction: 'outbound', language: 'en', speech: usualSpeech, recording: false } as const;
      const line = lines.open({ ...input, callId: randomUUID(), from: own, to: callee }, (event) => {
        if (event.type === 'line.ringing') line.tell({ type: 'hangUp' });
        if (event.type === 'line.unanswered') resolve(event);
      });
    });
    t.like(last, { cause: 'cancelled', sip: { status: 487 } });
    t.truthy(last.sip?.callId);
  });

  realTimeTest('a busy callee is busy, whatever other trunks there are', async (t) => {
    const first = await startTrunkFor(t, 'busy');
    const second = await startTrunkFor(t, 'silent');
    const lines = await linesWith(t, [
      trunkAt(first.port, { name: 'first', priority: 1 }),
      trunkAt(second.port, { name: 'second', priority: 2 }),
    ]);
    t.like(await call(lines), { type: 'line.unanswered', cause: 'busy', sip: { status: 486 } });
    t.notRegex(await second.messages(), /INVITE/);
  });

  realTimeTest('a full trunk is passed over, and refuses plainly when it is the only one', async (t) => {
    const first = await startTrunkFor(t, 'silent');
    const second = await startTrunkFor(t, 'silent');
    const full = trunkAt(first.port, { name: 'small', priority: 1, maxChannels: 1 });
    const alone = await linesWith(t, [full]);
    t.like(await call(alone, 1_500), { type: 'line.answered' });
    t.like(await call(alone), {
      type: 'line.unanswered',
      cause: 'trunk_error',
      sip: { status: null, reason: 'The trunk "small" has no free channel (of 1).' },
    });
    await delay(1_300);
    t.like(await call(alone), { type: 'line.answered' }, 'the channel is free again');

    const both = await linesWith(t, [full, trunkAt(second.port, { name: 'second', priority: 2 })]);
    t.like(await call(both, 1_500), { type: 'line.answered' });
    t.like(await call(both), { type: 'line.answered' });
    t.regex(await second.messages(), /INVITE/);
  });

  realTimeTest('without a trunk there is no call', async (t) => {
    t.like(await call(await linesWith(t, [])), {
      type: 'line.unanswered',
      cause: 'trunk_error',
      sip: { status: null, reason: 'There is no enabled trunk for this number' },
    });
  });

  realTimeTest(
    'a registration is made with the password, and holds as long as the registrar says',
    async (t) => {
      const far = await startTrunkFor(t, 'trunk-registrar');
      const { askTrunk } = await linesWith(t, []);
      const never = new AbortController().signal;
      const registered = await askTrunk.register(trunkAt(far.port, { ...account, register: true }), never);
      t.is(registered.expiresSec, 120);
      const messages = await far.messages();
      t.regex(messages, new RegExp(`^Contact: <sip:gw@127\\.0\\.0\\.1:${servers.sipPort}`, 'm'));
      t.regex(messages, /^Expires: 600/m);
      await t.throwsAsync(askTrunk.register(trunkAt(far.port, { ...account, password: 'guess' }), never), {
        message: /^The trunk refuses the user name or the password \(403 /,
      });
      const hole = await startBlackHole();
      t.teardown(hole.close);
      await t.throwsAsync(askTrunk.register(trunkAt(hole.port, account), never), {
        message: /^The trunk does not answer/,
      });
    },
  );

  realTimeTest('a registration by TCP brings calls by TCP', async (t) => {
    const far = await startTrunkFor(t, 'trunk-registrar', { transport: 'tcp' });
    const { askTrunk } = await linesWith(t, []);
    const trunk = trunkAt(far.port, { ...account, transport: 'tcp' });
    await askTrunk.register(trunk, new AbortController().signal);
    const contact = `^Contact: <sip:gw@127\\.0\\.0\\.1:${servers.sipPort};transport=tcp>`;
    t.regex(await far.messages(), new RegExp(contact, 'm'));
  });

  realTimeTest('a trunk by TLS gets its calls by TLS', async (t) => {
    const drachtio = await startTlsDrachtio(servers.folder);
    t.teardown(drachtio.close);
    const far = await startTlsTrunk();
    t.teardown(far.close);
    const trunk = trunkAt(far.port, { transport: 'tls' });
    const lines = await linesWith(t, [trunk], { drachtio: drachtio.server });
    await until(() => lines.health().ready, 10_000);
    t.like(await call(lines), { type: 'line.unanswered', cause: 'busy', sip: { status: 486 } });
    const [invite = ''] = far.requests;
    t.regex(invite, new RegExp(`^INVITE sip:${callee}@127\\.0\\.0\\.1:${far.port};transport=tls `));
    t.regex(invite, new RegExp(`^Via: SIP/2\\.0/TLS 127\\.0\\.0\\.1:${drachtio.tlsPort}`, 'm'));
  });

  realTimeTest('whatever a trunk answers to OPTIONS, it is there', async (t) => {
    const far = await startTrunkFor(t, 'trunk-options');
    const { askTrunk } = await linesWith(t, []);
    const never = new AbortController().signal;
    const { at } = await askTrunk.check(trunkAt(far.port), never);
    t.true(Math.abs(at - Date.now()) < 1_000);
    await t.throwsAsync(askTrunk.check(trunkAt(9), never), { message: /^The trunk / });
  });

  realTimeTest('a caller from an address of no trunk is refused, counted, and slowed down', async (t) => {
    const lines = await linesWith(t, [trunkAt(9, { inboundAddresses: ['203.0.113.0/24'] })]);
    const options = { sipPort: servers.sipPort, to: own, expect: 403 };
    for (let times = 1; times <= 3; times += 1) t.true((await callIn(servers.folder, options)).asExpected);
    for (let times = 1; times <= 3; times += 1) await callIn(servers.folder, options);
    const { asExpected, tookMs } = await callIn(servers.folder, options);
    t.true(asExpected);
    t.true(tookMs > 1_900, `it took ${tookMs} ms`);
    t.deepEqual(lines.refusedCallers(), {
      unknown_address: 7,
      wrong_credentials: 0,
      unanswered_challenge: 0,
      unusable_contact: 0,
    });
    t.deepEqual(lines.arrivals, []);
    await until(async () => (await servers.mediaServers[0]?.channels()) === pooled);
  });

  realTimeTest('a caller proves that it knows the password, or is refused', async (t) => {
    const trunk = trunkAt(9, { ...account, inboundAuth: 'digest', workspaceId });
    const lines = await linesWith(t, [trunk]);
    const options = { sipPort: servers.sipPort, to: own };
    const wrong = await callIn(servers.folder, { ...options, expect: 403, password: 'guess' });
    t.true(wrong.asExpected, wrong.messages);
    t.deepEqual(lines.arrivals, []);
    const right = await callIn(servers.folder, { ...options, expect: 404, password: account.password });
    t.true(right.asExpected, right.messages);
    t.deepEqual(lines.arrivals, [own], 'it is looked at, and its number belongs to nobody');
    t.deepEqual(lines.refusedCallers(), {
      unknown_address: 0,
      wrong_credentials: 1,
      unanswered_challenge: 0,
      unusable_contact: 0,
    });
  });

  for (const [name, reason] of [
    ['video', 'There is no audio in the offer'],
    ['G.729 alone', 'There is no common codec'],
    ['malformed', 'The session description is malformed'],
  ] as const)
    realTimeTest(`an offer that cannot be taken is refused with 488: ${name}`, async (t) => {
      const lines = await linesWith(t, [trunkAt(9, { inboundAddresses: ['127.0.0.1'] })]);
      const { asExpected, messages } = await callIn(servers.folder, {
        sipPort: servers.sipPort,
        to: own,
        expect: 488,
        offer: offers[name],
      });
      t.true(asExpected, messages);
      t.regex(messages, new RegExp(`^Warning: 399 trunkline "${reason}`, 'm'));
      t.deepEqual(lines.arrivals, []);
    });

  realTimeTest('a trunk brings calls for the numbers of its own workspace alone', async (t) => {
    const foreign = trunkAt(9, { inboundAddresses: ['127.0.0.1'], workspaceId: randomUUID() });
    const lines = await linesWith(t, [foreign]);
    const options = { sipPort: servers.sipPort, to: own, expect: 404 };
    t.true((await callIn(servers.folder, options)).asExpected);
    t.deepEqual(lines.arrivals, []);
  });

  realTimeTest('a trunk is tried out: registration, OPTIONS, and a call that comes back', async (t) => {
    let backTo: number | null = servers.sipPort;
    const far = await startLoopingTrunk(() => backTo);
    t.teardown(far.close);
    const trunk = trunkAt(far.port, { ...account, register: true, inboundAddresses: ['127.0.0.1'] });
    const lines = await linesWith(t, [trunk]);
    const numbers = { from: own, to: own };
    const steps = await lines.tryTrunk(trunk, numbers);
    t.deepEqual(
      steps.map(({ step, result, sentence }) => [step, result, sentence]),
      [
        ['registration', 'ok', 'The trunk took the registration.'],
        ['options', 'ok', 'The trunk answers.'],
        ['call', 'ok', 'The call went out and came back in: both directions work.'],
      ],
    );
    t.deepEqual(
      steps.map(({ ladder }) => ladder.map(({ message }) => message)),
      [
        [`REGISTER sip:127.0.0.1:${far.port}`, '200 OK'],
        [`OPTIONS sip:127.0.0.1:${far.port}`, '200 OK'],
        [`INVITE sip:${own}@127.0.0.1:${far.port}`, '486 Busy Here'],
      ],
    );
    t.deepEqual(lines.arrivals, [], 'nobody was called');

    backTo = null;
    const [, , call] = await lines.tryTrunk(trunk, numbers);
    t.like(call, { result: 'failed' });
    t.regex(call?.sentence ?? '', /does not know the number/);
    await until(async () => (await servers.mediaServers[0]?.channels()) === pooled);
  });

  realTimeTest('a check shows the challenge, and what to do about silence', async (t) => {
    const registrar = await startTrunkFor(t, 'trunk-registrar');
    const lines = await linesWith(t, []);
    const trunk = trunkAt(registrar.port, { ...account, password: 'guess', register: true });
    const [registration] = await lines.tryTrunk(trunk, { from: own, to: callee });
    t.like(registration, { result: 'failed' });
    t.regex(registration?.sentence ?? '', /refuses user name or password/);
    t.deepEqual(
      registration?.ladder.map(({ message }) => message),
      [
        `REGISTER sip:127.0.0.1:${registrar.port}`,
        '401 (a challenge)',
        `REGISTER sip:127.0.0.1:${registrar.port} (with user name and password)`,
        '403 Forbidden',
      ],
    );
    const hole = await startBlackHole();
    t.teardown(hole.close);
    const silent = await lines.tryTrunk(trunkAt(hole.port), { from: own, to: callee });
    t.deepEqual(
      silent.map(({ result }) => result),
      ['skipped', 'failed', 'failed'],
    );
    t.regex(silent[2]?.sentence ?? '', /Nothing came back/);
  });

  realTimeTest('a whole gateway registers at its trunk and calls through it', async (t) => {
    const registrar = await startTrunkFor(t, 'trunk-registrar');
    const first = await startTrunkFor(t, 'trunk-unavailable');
    const second = await startTrunkFor(t, 'silent');
    const gateway = await realGateway(t, servers, await freePort());
    const path = '/api/v1/admin/trunks';
    const withId = z.object({ id: z.string() });
    const add = async (body: Record<string, unknown>): Promise<string> => {
      const created = await gateway.admin.post(path, { host: '127.0.0.1', health_check: false, ...body });
      t.is(created.status, 201);
      return withId.parse(created.body).id;
    };
    const stateOf = async (id: string) => (await gateway.admin.get(`${path}/${id}`)).body['state'];
    const registered = await add({
      ...account,
      name: 'registrar',
      port: registrar.port,
      register: true,
      priority: 9,
    });
    await until(async () => (await stateOf(registered)) === 'registered');
    t.truthy((await gateway.admin.get(`${path}/${registered}`)).body['last_seen_at']);
    await gateway.admin.patch(`${path}/${registered}`, { enabled: false });
    await until(async () => /^Expires: 0/m.test(await registrar.messages()));
    t.is(await stateOf(registered), 'disabled');

    const unavailable = await add({ name: 'first', port: first.port, priority: 1 });
    const ready = await add({ name: 'second', port: second.port, priority: 2 });
    await until(async () => (await stateOf(unavailable)) === 'ready' && (await stateOf(ready)) === 'ready');
    const callId = await gateway.call(callee, 'Say hello');
    t.like(await gateway.untilStatus(callId, 'active'), { sip: { status: 200 } });
    await gateway.client.post(`/api/v1/calls/${callId}/hangup`, { immediate: true });
    await gateway.untilStatus(callId, ...finalStatuses);
    t.regex(await first.messages(), /INVITE/);

    await gateway.admin.patch(gateway.numberPath, { trunk_id: unavailable });
    const bound = await gateway.call(callee, 'Say hello');
    t.like(await gateway.untilStatus(bound, ...finalStatuses), {
      status: 'failed',
      end_reason: 'trunk_error',
      sip: { status: 503 },
    });
  });
}
