/**
 * The doubles behave as drachtio-server and FreeSWITCH did when they were recorded; test/real-sip checks that the
 * servers still do.
 */
import test from 'ava';
import { noteScenario } from '#test/doubles/noted-scenario.ts';
import { recordedNotes } from '#test/doubles/recorded-notes.ts';
import { startServers } from '#test/doubles/sip-edge.ts';
import { scenarios } from '#test/doubles/sip-scenarios.ts';

for (const [title, scenario] of Object.entries(scenarios))
  test(`the doubles behave like the recorded servers: ${title}`, async (t) => {
    const notes = await noteScenario(t, scenario, await startServers(t));
    t.deepEqual(notes, recordedNotes(title));
  });
