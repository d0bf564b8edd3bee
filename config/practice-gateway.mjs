/**
 * A gateway that practice calls need and kill (`practise-calls.mjs`), and that stops when the program that practises
 * has ended, however that ended. The path is computed, because the linter reads what is imported by name with types.
 */
process.once('disconnect', () => process.kill(process.pid, 'SIGTERM'));
await import(new URL('../src/main.mjs', import.meta.url).href);
