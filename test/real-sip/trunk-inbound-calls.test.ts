/** Inbound calls by trunks: admission and offers. */
import { randomUUID } from 'node:crypto';
import { workspaceId } from '#test/sip/trunks/some-trunk.ts';
import { pooled, until } from './real-lines.ts';
import { realTimeTest } from './real-time-test.ts';
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

  realTimeTest('accepts calls of a trunk only for numbers of its own workspace', async (t) => {
    const foreign = trunkAt(9, { inboundAddresses: ['127.0.0.1'], workspaceId: randomUUID() });
    const lines = await linesWith(t, [foreign]);
    const options = { sipPort: servers().sipPort, to: own, expect: 404 };
    t.true((await callIn(servers().folder, options)).asExpected);
    t.deepEqual(lines.arrivals, []);
  });
});
