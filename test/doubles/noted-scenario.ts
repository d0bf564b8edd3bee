/** Runs a scenario on doubles or real servers and returns the recorded messages. */
import type { ExecutionContext } from 'ava';
import { until } from '#test/helpers/until.ts';
import { createNotingRelays } from './noting-relay.ts';
import { createNotebook, isComplete, type ProtocolNotes } from './protocol-notes.ts';
import { startSipEdgeOn, type ServerAddresses, type SipEdgeOptions } from './sip-edge.ts';
import type { Scenario } from './sip-scenarios.ts';

export const noteScenario = async (
  t: ExecutionContext,
  scenario: Scenario,
  servers: ServerAddresses,
  options: SipEdgeOptions = {},
): Promise<ProtocolNotes> => {
  const notebook = createNotebook();
  const relays = createNotingRelays(notebook);
  t.teardown(relays.close);
  const [freeSwitch] = servers.freeSwitches;
  if (freeSwitch === undefined) throw new Error('There is no media server');
  const edge = await startSipEdgeOn(
    t,
    {
      drachtio: { control: await relays.control(servers.drachtio.control) },
      freeSwitches: [{ eventSocket: await relays.eventSocket(freeSwitch.eventSocket) }],
      trunk: servers.trunk,
    },
    options,
  );
  await scenario(edge);
  await until('the calls are over on both sides', () => isComplete(notebook.notes()) || undefined);
  return notebook.notes();
};
