/**
 * Loads the modules that a gateway loads while its resumed calls are in progress. Prints as JSON the number of own
 * modules, and the highest number in one turn of the event loop.
 */
import { registerHooks } from 'node:module';
import { resolveQuickly } from '../../config/module-resolution.mjs';

const root = new URL('../..', import.meta.url).href;
const quick = resolveQuickly(root);
await import('#src/gateway.ts');

let turn = 0;
const countTurns = () => {
  turn += 1;
  next = setImmediate(countTurns);
};
let next = setImmediate(countTurns);

const loadedIn = new Map();
const counting = registerHooks({
  load(url, context, nextLoad) {
    const isOwn = url.startsWith(root) && !url.startsWith(`${root}node_modules/`);
    if (isOwn) loadedIn.set(turn, (loadedIn.get(turn) ?? 0) + 1);
    return nextLoad(url, context);
  },
});
for (const entry of ['src/parts/http.ts', 'src/api/mcp/answer-message.ts']) {
  await quick.importInPieces(root + entry);
  await import(root + entry);
}
counting.deregister();
quick.deregister();
clearImmediate(next);

const counts = [...loadedIn.values()];
const modules = counts.reduce((sum, count) => sum + count, 0);
process.stdout.write(JSON.stringify({ modules, mostInOneTurn: Math.max(...counts) }));
