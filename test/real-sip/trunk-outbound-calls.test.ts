/** Outbound calls by trunks: credentials, headers, TLS, and failover. */
import { setTimeout as delay } from 'node:timers/promises';
import { until } from './real-lines.ts';
import { realTimeTest } from './real-time-test.ts';
import { answer, receive, startScripted } from './scripted-end.ts';
import { startTlsDrachtio, startTlsTrunk } from './tls-trunk.ts';
import { startBlackHole } from './trunk-ends.ts';
import {
  account,
  call,
  callee,
  dial,
  trunkAt,
  withTrunkLines,
  type Outcome,
  type TrunkLines,
} from './trunk-lines.ts';

const testPasswords = ({ startTrunkFor, linesWith }: TrunkLines): void => {
  realTimeTest('sends credentials and the required headers to a trunk that challenges', async (t) => {
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

  realTimeTest('treats a rejected password as a trunk failure and calls by the next trunk', async (t) => {
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
};

const testFailingTrunks = ({ servers, startTrunkFor, linesWith }: TrunkLines): void => {
  for (const transport of ['udp', 'tcp'] as const)
    realTimeTest(`tries the next trunk if one is unavailable: ${transport}`, async (t) => {
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

  realTimeTest('tries the next trunk if one is silent or unreachable', async (t) => {
    const hole = await startBlackHole();
    t.teardown(hole.close);
    const far = await startTrunkFor(t, 'silent');
    const lines = await linesWith(t, [
      trunkAt(hole.port, { name: 'hole', priority: 1 }),
      trunkAt(9, { name: 'nobody', priority: 2 }),
      trunkAt(9, { name: 'no listener over TCP', priority: 3, transport: 'tcp' }),
      trunkAt(far.port, { name: 'last', priority: 4 }),
    ]);
    t.like(await call(lines), { type: 'line.answered' });
    const nowhere = await linesWith(t, [trunkAt(hole.port)]);
    t.like(await call(nowhere), {
      type: 'line.unanswered',
      cause: 'trunk_error',
      sip: { status: 408, reason: 'The trunk does not answer' },
    });
  });

  realTimeTest(
    'tries the next trunk if one fails after a 183, and skips the failed one until its Retry-After',
    async (t) => {
      const failing = await startScripted(servers().folder, [
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
};

const testCallees = ({ startTrunkFor, linesWith }: TrunkLines): void => {
  realTimeTest("writes the trunk's response into the record of a cancelled call", async (t) => {
    const far = await startTrunkFor(t, 'unattended');
    const lines = await linesWith(t, [trunkAt(far.port)]);
    const last = await new Promise<Outcome>((resolve) => {
      const line = dial(lines, (event) => {
        if (event.type === 'line.ringing') line.tell({ type: 'hangUp' });
        if (event.type === 'line.unanswered') resolve(event);
      });
    });
    t.like(last, { cause: 'cancelled', sip: { status: 487 } });
    t.truthy(last.sip?.callId);
  });

  realTimeTest('reports a busy callee without trying other trunks', async (t) => {
    const first = await startTrunkFor(t, 'busy');
    const second = await startTrunkFor(t, 'silent');
    const lines = await linesWith(t, [
      trunkAt(first.port, { name: 'first', priority: 1 }),
      trunkAt(second.port, { name: 'second', priority: 2 }),
    ]);
    t.like(await call(lines), { type: 'line.unanswered', cause: 'busy', sip: { status: 486 } });
    t.notRegex(await second.messages(), /INVITE/);
  });
};

const testChannels = ({ startTrunkFor, linesWith }: TrunkLines): void => {
  realTimeTest('skips a full trunk, and rejects the call if it is the only one', async (t) => {
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

  realTimeTest('fails a call from a number without a trunk', async (t) => {
    t.like(await call(await linesWith(t, [])), {
      type: 'line.unanswered',
      cause: 'trunk_error',
      sip: { status: null, reason: 'There is no enabled trunk for this number' },
    });
  });
};

const testTls = ({ servers, linesWith }: TrunkLines): void => {
  realTimeTest('calls a trunk with TLS over TLS', async (t) => {
    const drachtio = await startTlsDrachtio(servers().folder);
    t.teardown(drachtio.close);
    const far = await startTlsTrunk();
    t.teardown(far.close);
    const trunk = trunkAt(far.port, { transport: 'tls' });
    const lines = await linesWith(t, [trunk], { drachtio: drachtio.server });
    await until(() => lines.health().ready);
    t.like(await call(lines), { type: 'line.unanswered', cause: 'busy', sip: { status: 486 } });
    const [invite = ''] = far.requests;
    t.regex(invite, new RegExp(`^INVITE sip:${callee}@127\\.0\\.0\\.1:${far.port};transport=tls `));
    t.regex(invite, new RegExp(`^Via: SIP/2\\.0/TLS 127\\.0\\.0\\.1:${drachtio.tlsPort}`, 'm'));
  });
};

withTrunkLines('calls out by trunks', (lines) => {
  testPasswords(lines);
  testFailingTrunks(lines);
  testCallees(lines);
  testChannels(lines);
  testTls(lines);
});
