/** Which numbers an INVITE of a trunk comes down to, through drachtio-server and its parser. */
import test from 'ava';
import type { Arrival } from '#sip/lines.ts';
import type { TrunkDirectory } from '#sip/trunks/directory.ts';
import { someTrunk } from '#test/sip/trunks/some-trunk.ts';
import { realLines } from './real-lines.ts';
import { realTimeTest } from './real-time-test.ts';
import { missingPrograms, startServers } from './servers.ts';
import { callIn } from './trunk-ends.ts';

const own = '07012345678';

type Sent = { to: string; headers?: readonly string[] };

const calls: readonly [Sent, { to: string; from: string } | null][] = [
  [{ to: own }, { to: own, from: '01012345678' }],
  [{ to: '+827012345678' }, { to: own, from: '01012345678' }],
  [{ to: '827012345678' }, { to: own, from: '01012345678' }],
  [{ to: '00827012345678' }, { to: own, from: '01012345678' }],
  [{ to: '7012345678' }, { to: own, from: '01012345678' }],
  [{ to: '07012345678;npdi;rn=0299990000' }, { to: own, from: '01012345678' }],
  [{ to: '7012345678;phone-context=+82' }, { to: own, from: '01012345678' }],
  [
    { to: 'account', headers: ['P-Called-Party-ID: <sip:+827012345678@carrier.example>'] },
    { to: own, from: '01012345678' },
  ],
  [
    {
      to: own,
      headers: ['P-Asserted-Identity: "Kim, A." <sip:+82212345678@carrier.example>', 'Privacy: none'],
    },
    { to: own, from: '0212345678' },
  ],
  [
    { to: own, headers: ['P-Asserted-Identity: <sip:kim@h>', 'P-Asserted-Identity: <tel:+12025550123>'] },
    { to: own, from: '+12025550123' },
  ],
  [
    { to: own, headers: ['P-Asserted-Identity: <sip:+82212345678@carrier.example>', 'Privacy: id'] },
    { to: own, from: 'anonymous' },
  ],
  [
    { to: own, headers: ['Remote-Party-ID: <sip:0212345678@h>;party=calling;privacy=full'] },
    { to: own, from: 'anonymous' },
  ],
  [{ to: '+12025550123' }, null],
  [{ to: '010000000' }, null],
];

const missing = missingPrograms();
if (missing.length > 0) {
  test.skip(`numbers on real servers: NOT RUN, ${missing.join(', ')} not installed`, (t) => t.pass());
} else {
  realTimeTest('the numbers of a call are read from its INVITE by the rule of the guide', async (t) => {
    const servers = await startServers();
    t.teardown(servers.close);
    const trunk = someTrunk({ host: '127.0.0.1', inboundAddresses: ['127.0.0.1'] });
    const directory: TrunkDirectory = {
      start: async () => {},
      all: () => [trunk],
      isUsable: () => true,
      ownerOf: async (number) =>
        number === own && trunk.workspaceId !== null
          ? { workspaceId: trunk.workspaceId, trunkId: null }
          : undefined,
    };
    const lines = realLines(servers, 9, { trunk: null, trunks: directory });
    t.teardown(() => lines.close());
    const arrivals: Arrival[] = [];
    await lines.start(async (arrival) => {
      arrivals.push(arrival);
      return { accepted: false, because: 'over_capacity' };
    });
    for (const [sent, read] of calls) {
      const expect = read === null ? 404 : 486;
      const { asExpected, messages } = await callIn(servers.folder, {
        ...sent,
        sipPort: servers.sipPort,
        expect,
      });
      t.true(asExpected, messages);
      const { to, from } = arrivals.pop() ?? {};
      t.deepEqual({ to, from }, read ?? { to: undefined, from: undefined }, messages);
    }
  });
}
