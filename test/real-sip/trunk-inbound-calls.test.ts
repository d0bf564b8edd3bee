/** Inbound calls by trunks: admission and offers. */
import { randomUUID } from 'node:crypto';
import { openWatched } from '#test/contract/watched-line.ts';
import { lineInput } from '#test/helpers/line-input.ts';
import { directoryOf, workspaceId } from '#test/sip/trunks/some-trunk.ts';
import { startTelephone } from './far-end.ts';
import { pooled, realLines, until } from './real-lines.ts';
import { realTimeTest } from './real-time-test.ts';
import { startTlsDrachtio } from './tls-trunk.ts';
import { callIn, offers } from './trunk-ends.ts';
import { account, own, trunkAt, withTrunkLines } from './trunk-lines.ts';

withTrunkLines('calls in by trunks', ({ servers, linesWith }) => {
  realTimeTest('rejects, counts and delays a caller from an unknown address', async (t) => {
    const lines = await linesWith(t, [trunkAt(9, { inboundAddresses: ['203.0.113.0/24'] })]);
    const options = { sipPort: servers().sipPort, to: own, expect: 403 };
    for (let times = 1; times <= 3; times += 1) t.true((await callIn(servers().folder, options)).asExpected);
    for (let times = 1; times <= 3; times += 1) await callIn(servers().folder, options);
    const { asExpected, tookMs } = await callIn(servers().folder, options);
    t.true(asExpected);
    t.true(tookMs > 1_900, `it took ${tookMs} ms`);
    t.deepEqual(lines.refusedCallers(), {
      unknown_address: 7,
      wrong_credentials: 0,
      unanswered_challenge: 0,
      unusable_contact: 0,
    });
    t.deepEqual(lines.arrivals, []);
    await until(async () => (await servers().mediaServers[0]?.channels()) === pooled);
  });

  realTimeTest('accepts a caller that authenticates with the password, and rejects any other', async (t) => {
    const trunk = trunkAt(9, { ...account, inboundAuth: 'digest', workspaceId });
    const lines = await linesWith(t, [trunk]);
    const options = { sipPort: servers().sipPort, to: own };
    const wrong = await callIn(servers().folder, { ...options, expect: 403, password: 'guess' });
    t.true(wrong.asExpected, wrong.messages);
    t.deepEqual(lines.arrivals, []);
    const right = await callIn(servers().folder, { ...options, expect: 404, password: account.password });
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
    realTimeTest(`rejects an unacceptable offer with 488: ${name}`, async (t) => {
      const lines = await linesWith(t, [trunkAt(9, { inboundAddresses: ['127.0.0.1'] })]);
      const { asExpected, messages } = await callIn(servers().folder, {
        sipPort: servers().sipPort,
        to: own,
        expect: 488,
        offer: offers[name],
      });
      t.true(asExpected, messages);
      t.regex(messages, new RegExp(`^Warning: 399 trunkline "${reason}`, 'm'));
      t.deepEqual(lines.arrivals, []);
    });

  realTimeTest('a caller over TLS puts the call on hold, resumes it and hangs up', async (t) => {
    const tls = await startTlsDrachtio(servers().folder);
    t.teardown(tls.close);
    const arrived: { callId: string; from: string; to: string }[] = [];
    const lines = await realLines({ drachtio: tls.server, freeSwitch: servers().freeSwitch }, 9, {
      trunk: null,
      trunks: directoryOf([trunkAt(9, { inboundAddresses: ['127.0.0.1'], media: 'direct' })]),
    });
    t.teardown(() => lines.close());
    await lines.start(async (arrival) => {
      arrived.push(arrival);
      return { accepted: true };
    });
    const dial = `sip:${own}@127.0.0.1:${tls.tlsPort};transport=tls`;
    const telephone = await startTelephone(servers().folder, { seconds: 40, tls: true, dial });
    t.teardown(telephone.close);
    await until(() => arrived.length === 1);
    const line = openWatched(lines.open, lineInput({ direction: 'inbound', ...arrived[0] }));
    await until(() => line.saw('line.answered'));
    for (const [command, event] of [
      ['hold', 'line.held'],
      ['resume', 'line.resumed'],
      ['hangup', 'line.ended'],
    ] as const) {
      await telephone.tell(command);
      await until(() => line.saw(event));
    }
    t.like(line.events.at(-1), { type: 'line.ended', by: 'counterparty' });
  });

  realTimeTest('accepts calls of a trunk only for numbers of its own workspace', async (t) => {
    const foreign = trunkAt(9, { inboundAddresses: ['127.0.0.1'], workspaceId: randomUUID() });
    const lines = await linesWith(t, [foreign]);
    const options = { sipPort: servers().sipPort, to: own, expect: 404 };
    t.true((await callIn(servers().folder, options)).asExpected);
    t.deepEqual(lines.arrivals, []);
  });
});
