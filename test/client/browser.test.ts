/** The client in a real browser, as the modules that it consists of. */
import { readFile } from 'node:fs/promises';
import { stripTypeScriptTypes } from 'node:module';
import type * as clientModule from '#src/client/client.ts';
import { consoleTest } from '#test/console/in-browser.ts';

const folder = new URL('../../src/client/', import.meta.url);

consoleTest('a page places a call, watches it and hears its recording by the client', async (t, desk) => {
  const page = await desk.open();
  await page.route('**/client/*.ts', async (route) => {
    const name = new URL(route.request().url()).pathname.replace('/client/', '');
    const source = await readFile(new URL(name, folder), 'utf8');
    await route.fulfill({ contentType: 'text/javascript', body: stripTypeScriptTypes(source) });
  });
  const heard = await page.evaluate(
    async ({ key, place }) => {
      const { createClient, TrunklineProblem }: typeof clientModule = await import(place);
      const client = createClient({ baseUrl: '', key });
      const { call_id } = await client.createCall({ body: { to: '01000000001' } });
      const types: string[] = [];
      for await (const news of client.watchCall({ call_id }))
        types.push(news.type === 'fact' ? news.event.type : news.type);
      const recording = await client.getRecording({ call_id });
      const refusal: unknown = await client.getCall({ call_id: 'x' }).catch((error: unknown) => error);
      return {
        types,
        bytes: (await recording.arrayBuffer()).byteLength,
        code: refusal instanceof TrunklineProblem ? refusal.code : refusal,
      };
    },
    { key: desk.gateway.credentials.number_key, place: '/client/client.ts' },
  );
  for (const type of ['state', 'turn.spoken', 'call.ended', 'recording.completed'])
    t.true(heard.types.includes(type), type);
  t.true(heard.bytes > 1_000);
  t.is(heard.code, 'call_not_found');
});
