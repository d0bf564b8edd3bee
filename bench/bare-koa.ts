/**
 * A program: a bare Koa route that does one committed INSERT, as the baseline for placing calls. The program therefore
 * uses the gateway's driver and pool, and the database of the measured gateway: `bare-koa.ts <port> <data folder>`.
 * With `--embedded` the program starts the embedded PostgreSQL itself, like a gateway, as the baseline for the start.
 */
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { json } from 'node:stream/consumers';
import { parseArgs } from 'node:util';
import Koa from 'koa';
import { z } from 'zod';
import { startEmbedded } from '#src/persistence/embedded/start-embedded.ts';
import { createLogger } from '#src/logger.ts';
import { openBareDatabase } from './bare-database.ts';

const { positionals, values } = parseArgs({
  options: { embedded: { type: 'boolean', default: false } },
  allowPositionals: true,
});
const [port = '0', dataFolder = ''] = positionals;
const body = z.object({ to: z.string() });

await using started = new AsyncDisposableStack();
if (values.embedded) {
  const logger = await createLogger({ level: 'silent', format: 'json' });
  const embedded = await startEmbedded({ dataFolder, logger });
  started.defer(() => embedded.stop());
}
const database = started.use(await openBareDatabase(dataFolder));
await database.execute('create table if not exists bench_bare_call (id uuid primary key, to_number text)');
started.defer(async () => {
  await database.execute('drop table bench_bare_call');
});

const app = new Koa();
app.use(async (ctx) => {
  if (ctx.method !== 'POST') {
    ctx.body = 'ready';
    return;
  }
  const { to } = body.parse(await json(ctx.req));
  const id = randomUUID();
  await database.execute('insert into bench_bare_call (id, to_number) values ($1, $2)', [id, to]);
  ctx.status = 201;
  ctx.body = { id };
});
const answer = app.callback();
const server = createServer((request, response) => void answer(request, response));
server.listen(Number(port), '127.0.0.1');
started.defer(async () => {
  server.close();
  server.closeAllConnections();
  await once(server, 'close');
});

await once(process, 'SIGTERM');
