/**
 * `npm run test:chaos` kills the gateway that holds a call at every step of the call's chart and in every state
 * between, in as many processes as there are processors, and prints violations; `--only TEXT` plays the kills whose
 * names contain it, `--list` lists the names. Afterwards, without `--only`, real gateways and a NATS server are killed
 * (test/chaos); `--real` does only that. The exit code is 0 only if all rules held.
 */
import { machineNow } from './determinism.ts';
import { parseArgs } from 'node:util';
import { inProcesses, ownShare } from './in-processes.ts';
import { allKills, play } from './kills.ts';
import { startPostgres } from './run-seed.ts';
import { runAva } from '#test/run/run-ava.ts';
import { createTally, toldOf } from './tally.ts';

const { only, list, real } = parseArgs({
  options: {
    only: { type: 'string', default: '' },
    list: { type: 'boolean', default: false },
    real: { type: 'boolean', default: false },
  },
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

/** Returns whether all rules held. */
const killSimulated = async (): Promise<boolean> => {
  const begun = machineNow();
  const tally = createTally(say, 'kills');
  await inProcesses({ program: import.meta.filename, most: Infinity, onTold: tally.add }).catch(tally.broke);
  say(tally.summary(machineNow() - begun));
  return tally.failed() === 0;
};

const killReal = async (): Promise<boolean> => {
  const { passed, failed, output } = await runAva({ config: 'test/chaos/ava.config.js' });
  say(output);
  return passed > 0 && failed.length === 0;
};

const heldInSimulation = real || (await killSimulated());
const heldInReality = only !== '' || (await killReal());
process.exit(heldInSimulation && heldInReality ? 0 : 1);
