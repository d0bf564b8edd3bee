/**
 * Loads the modules of a gateway, first those before its resumed calls, then those during these calls. Prints as JSON the
 * packages of the first ones; of the others the number of own modules, and the highest number in one turn of the event
 * loop.
 */
import { registerHooks } from 'node:module';
import { resolveQuickly } from '../../config/module-resolution.mjs';

const root = new URL('../..', import.meta.url).href;
const packages = `${root}node_modules/`;
const quick = resolveQuickly(root);

let turn = 0;
const countTurns = () => {
  turn += 1;
  next = setImmediate(countTurns);
};
let next = setImmediate(countTurns);

let isBefore = true;
const before = new Set();
const loadedIn = new Map();
const counting = registerHooks({
  load(url, context, nextLoad) {
    const isOwn = url.startsWith(root) && !url.startsWith(packages);
    if (isOwn && !isBefore) loadedIn.set(turn, (loadedIn.get(turn) ?? 0) + 1);
    const [, name] = /\/node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(url) ?? [];
    if (isBefore && name !== undefined) before.add(name);
    return nextLoad(url, context);
  },
});
await import('#src/run-gateway.ts');
await import('#src/gateway.ts');
isBefore = false;
for (const entry of ['src/parts/http.ts', 'src/api/mcp/answer-message.ts']) {
  await quick.importInPieces(root + entry);
  await import(root + entry);
}
counting.deregister();
quick.deregister();
clearImmediate(next);

const counts = [...loadedIn.values()];
const modules = counts.reduce((sum, count) => sum + count, 0);
process.stdout.write(JSON.stringify({ before: [...before], modules, mostInOneTurn: Math.max(...counts) }));
