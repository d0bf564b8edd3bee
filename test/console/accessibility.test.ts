import axe from 'axe-core';
import type { ExecutionContext } from 'ava';
import type { Page } from 'playwright-core';
import { z } from 'zod';
import { consoleTest, type ConsoleWorld, type Visit } from './in-browser.ts';

const violations = z.array(
  z.object({ id: z.string(), nodes: z.array(z.object({ html: z.string(), failureSummary: z.string() })) }),
);

/** One of everything, so that no page is empty. */
const furnish = async ({
  gateway: { admin, call, untilStatus, credentials },
}: ConsoleWorld): Promise<string[]> => {
  const ids = z.object({ id: z.string() });
  const trunk = await admin.post('/api/v1/admin/trunks', { name: 'carrier', host: 'sip.example.com' });
  const webhook = await admin.post('/api/v1/admin/webhooks', { url: 'http://127.0.0.1:9/events' });
  await admin.put(`/api/v1/admin/numbers/${credentials.number_id}/agents/outbound`, {
    agent: 'builtin',
    agent_type: 'langgraph',
    chat_url: 'http://127.0.0.1:9/',
    token: 'secret',
  });
  const busy = await call('01000000003');
  const polite = await call('01000000001');
  await untilStatus(busy, 'no_answer');
  await untilStatus(polite, 'completed');
  const number = `/numbers/${credentials.number_id}`;
  return [
    '/overview',
    '/calls',
    `/calls/${polite}`,
    '/place-call',
    '/numbers',
    '/numbers/new',
    `${number}/inbound`,
    `${number}/outbound`,
    `${number}/settings`,
    '/agents',
    '/webhooks',
    '/webhooks/new',
    `/webhooks/${ids.parse(webhook.body).id}`,
    '/trunks',
    '/trunks/new',
    `/trunks/${ids.parse(trunk.body).id}`,
    '/audit',
    '/workspace',
    '/tokens',
    '/tokens/new',
    '/gateways',
  ];
};

const look = async (t: ExecutionContext, page: Page, name: string): Promise<void> => {
  await page.getByRole('heading', { level: 1 }).waitFor();
  const found = violations.parse(
    await page.evaluate("axe.run({ resultTypes: ['violations'] }).then((result) => result.violations)"),
  );
  t.deepEqual(found, [], name);
  t.true(await page.evaluate('document.documentElement.scrollWidth <= innerWidth'), `${name} is too wide`);
};

/** To another page without loading the console anew, and with it the tool that looks at it. */
const turnTo = async (page: Page, path: string): Promise<void> => {
  await page.evaluate(
    `new Promise((resolve) => {
      addEventListener('hashchange', () => requestAnimationFrame(() => requestAnimationFrame(resolve)), { once: true });
      location.hash = '${path}';
    })`,
  );
  await page.locator('.loading').waitFor({ state: 'detached' });
  if (path.startsWith('/calls/'))
    await Promise.all(['.player', '.chart svg'].map((part) => page.locator(part).waitFor()));
  // What only some choices show.
  for (const choice of ['endpoint', 'handshake', 'some'])
    for (const radio of await page.locator(`[type=radio][value=${choice}]`).all()) await radio.check();
};

const tour = async (
  t: ExecutionContext,
  world: ConsoleWorld,
  visit: Visit,
  paths: readonly string[],
): Promise<void> => {
  const signedOut = await world.open({ ...visit, isSignedIn: false });
  await signedOut.evaluate(axe.source);
  await look(t, signedOut, 'sign in');
  await signedOut.context().close();
  const page = await world.open({ ...visit, page: '/nowhere' });
  await page.evaluate(axe.source);
  await look(t, page, '/nowhere');
  for (const path of paths) {
    await turnTo(page, path);
    await look(t, page, path);
  }
};

consoleTest(
  'every page can be used by everybody: on a telephone and at a desk, in Korean and English, in the light and the dark',
  async (t, world) => {
    const paths = await furnish(world);
    await Promise.all([
      tour(t, world, { locale: 'ko-KR', width: 390 }, paths),
      tour(t, world, { locale: 'en-US', width: 1280, dark: true }, paths),
    ]);
  },
);
