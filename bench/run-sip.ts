/**
 * `npm run bench:sip`: measurements of real lines, on drachtio-server and FreeSWITCH of this machine; `npm run
 * bench:sip -- soak` runs one bench. See README.md.
 */
import { missingPrograms, startServers, type SipServers } from '#test/real-sip/sip-servers.ts';
import { ownPort } from '#test/helpers/own-port.ts';
import type { Bench } from './bench.ts';
import { runBenches } from './run-benches.ts';
import { benchCapacity } from './sip/capacity.ts';
import { benchProcessor } from './sip/processor.ts';
import { benchResources } from './sip/resources.ts';
import { benchSilence } from './sip/silence.ts';
import { benchSoak } from './sip/soak.ts';
import { benchSound } from './sip/sound.ts';
import { benchStanding } from './sip/standing.ts';
import { benchStandingSoak } from './sip/standing-soak.ts';

/** Each bench has its own servers, so that leftovers of one do not affect the next. */
const onServers =
  (make: (servers: SipServers, trunkPort: number) => Bench): Bench =>
  async (run) => {
    const servers = await startServers({ rtpPorts: 2_000 });
    run.started.defer(servers.close);
    await make(servers, await ownPort())(run);
  };

const missing = missingPrograms();
if (missing.length > 0) {
  process.stderr.write(`These programs are not installed: ${missing.join(', ')}\n`);
  process.exitCode = 1;
} else {
  await runBenches(
    new Map([
      ['capacity', onServers(benchCapacity)],
      ['silence', onServers(benchSilence)],
      ['sound', onServers(benchSound)],
      ['processor', onServers(benchProcessor)],
      ['resources', onServers(benchResources)],
      ['standing', onServers(benchStanding)],
      ['soak', onServers(benchSoak)],
    ]),
    // Takes two hours.
    new Map([['standing-soak', onServers(benchStandingSoak)]]),
  );
}
