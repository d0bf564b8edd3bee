/**
 * Checks that drachtio-server and FreeSWITCH still behave as recorded, like their doubles. TRUNKLINE_RECORD=1 records
 * their current behaviour for a new version.
 */
import { writeFileSync } from 'node:fs';
import test from 'ava';
import { systemClock } from '#src/clocks.ts';
import { createFarEnd } from '#test/doubles/far-end.ts';
import { noteScenario } from '#test/doubles/noted-scenario.ts';
import type { ProtocolNotes } from '#test/doubles/protocol-notes.ts';
import { recordedFile, recordedNotes } from '#test/doubles/recorded-notes.ts';
import { startServers as startDoubles } from '#test/doubles/sip-edge.ts';
import { scenarios } from '#test/doubles/sip-scenarios.ts';
import { ownPort } from './ports.ts';
import { realTimeTest } from './real-time-test.ts';
import { missingPrograms, startServers, type SipServers } from './sip-servers.ts';
import { createUdpNetwork } from './udp-network.ts';

const missing = missingPrograms();
if (missing.length > 0) {
  test.skip(`recordings of servers: NOT RUN, ${missing.join(', ')} not installed`, (t) => t.pass());
} else {
  let servers: SipServers;
  test.before(async () => {
    servers = await startServers();
  });
  test.after.always(() => servers.close());

  const isRecording = process.env['TRUNKLINE_RECORD'] !== undefined;
  const recording: Record<string, ProtocolNotes> = {};

  for (const [title, scenario] of Object.entries(scenarios))
    realTimeTest(`the servers behave as recorded: ${title}`, async (t) => {
      const network = createUdpNetwork(servers.sipPort);
      t.teardown(network.close);
      const address = `127.0.0.1:${await ownPort()}`;
      const notes = await noteScenario(
        t,
        scenario,
        {
          drachtio: { control: servers.drachtio },
          freeSwitches: [{ eventSocket: servers.freeSwitch }],
          trunk: createFarEnd(network, address),
        },
        { trunk: { address }, clock: systemClock },
      );
      if (isRecording) {
        // The fields that the doubles have.
        const { fields } = await noteScenario(t, scenario, await startDoubles(t));
        recording[title] = { ...notes, fields };
        writeFileSync(recordedFile, JSON.stringify(recording));
      }
      const { fields, ...conversations } = recordedNotes(title);
      t.like(notes, conversations);
      // Some events before the end of a channel are never sent; the fields of the others are present.
      const said = Object.entries(fields).filter(
        ([kind]) => !kind.startsWith('event ') || kind in notes.fields,
      );
      for (const [kind, names] of said)
        t.deepEqual(
          names.filter((name) => !notes.fields[kind]?.includes(name)),
          [],
          `${kind} has all of its fields`,
        );
    });
}
