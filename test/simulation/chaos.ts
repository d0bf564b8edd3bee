/**
 * `npm run test:chaos` kills the gateway that holds a call at every step of the call's chart and in every state
 * between, in as many processes as there are processors, and prints violations; `--only TEXT` plays the kills whose
 * names contain it, `--list` lists the names. The exit code is 0 only if all rules held.
 */
import { machineNow } from './determinism.ts';
import { parseArgs } from 'node:util';
import { inProcesses, ownShare } from './in-processes.ts';
import { allKills, play } from './kills.ts';
import { startPostgres } from './run-seed.ts';
import { createTally, toldOf } from './tally.ts';

const { only, list } = parseArgs({
  options: { only: { type: 'string', default: '' }, list: { type: 'boolean', default: false } },
}).values;

const say = (line: string): void => void process.stdout.write(`${line}\n`);

const share = ownShare();
if (share !== null || list) {
  const { index, step } = share ?? { index: 0, step: 1 };
  const postgres = await startPostgres();
  const kills = (await allKills(postgres)).filter(({ name }) => name.includes(only));
  for (const kill of kills.filter((_, place) => place % step === index)) {
    if (list) say(kill.name);
    else process.send?.(toldOf(kill.name, `test:chaos -- --only '${kill.name}'`, await play(kill, postgres)));
  }
  process.exit(0);
}

const begun = machineNow();
const tally = createTally(say, 'kills');
await inProcesses({ program: import.meta.filename, most: Infinity, onTold: tally.add }).catch(tally.broke);
say(tally.summary(machineNow() - begun));
process.exit(tally.failed() === 0 ? 0 : 1);
