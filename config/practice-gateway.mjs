/**
 * A gateway that practice calls need and kill (`practise-calls.mjs`). It stops when the program that practises has
 * ended, however that ended.
 */
process.once('disconnect', () => process.kill(process.pid, 'SIGTERM'));
await import('../src/main.mjs');
