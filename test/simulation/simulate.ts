/**
 * `npm run simulate -- --seeds 1000` runs seeds 1 to 1000 (`--from N`: from N on) and says what broke; `--seed N` runs one
 * and writes its journal. The exit code is 0 only when everything held.
 */
import { machineNow } from './determinism.ts';
import { writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { runSeed, startPostgres } from './run-seed.ts';

const { values } = parseArgs({
  options: {
    seeds: { type: 'string', default: '100' },
    from: { type: 'string', default: '1' },
    seed: { type: 'string' },
  },
});

const postgres = await startPostgres();
const first = Number(values.seed ?? values.from);
const count = values.seed === undefined ? Number(values.seeds) : 1;
const begun = machineNow();
let failed = 0;
for (let seed = first; seed < first + count; seed += 1) {
  const result = await runSeed(seed, postgres);
  if (values.seed !== undefined) writeFileSync(`simulation-${seed}.txt`, result.lines.join('\n'));
  if (result.violations.length > 0) {
    failed += 1;
    console.log(`seed ${seed}: ${result.violations.join('\n  ')}`);
  }
}
console.log(`${count - failed} held, ${failed} broke, ${Math.round((machineNow() - begun) / count)} ms each`);
process.exit(failed === 0 ? 0 : 1);
