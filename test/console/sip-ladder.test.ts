import { readFile } from 'node:fs/promises';
import axe from 'axe-core';
import type { ExecutionContext } from 'ava';
import type { Page } from 'playwright-core';
import { storeSipLadder } from './sip-ladder-rows.ts';
import { consoleTest, type ConsoleWorld, type Visit } from './in-browser.ts';

/** A call over two trunks, the second of which asks for a password; as on real lines. */
const withLadder = async ({ gateway, databaseUrl }: ConsoleWorld): Promise<string> => {
  const callId = await gateway.call('01000000003');
  await gateway.untilStatus(callId, 'no_answer');
  await storeSipLadder(databaseUrl, callId);
  return `/calls/${callId}`;
};

const openLadder = async (world: ConsoleWorld, page: string, visit: Visit = {}): Promise<Page> => {
  const opened = await world.open({ page, ...visit });
  await opened.locator('.sip-ladder li').first().waitFor();
  return opened;
};

const usable = async (t: ExecutionContext, page: Page, about: string): Promise<void> => {
  await page.evaluate(axe.source);
  t.deepEqual(
    await page.evaluate(
      "axe.run({ resultTypes: ['violations'] }).then(({ violations }) => violations.map(({ id }) => id))",
    ),
    [],
    about,
  );
  t.true(await page.evaluate('document.documentElement.scrollWidth <= innerWidth'), `${about} is too wide`);
  const folder = process.env['TRUNKLINE_SCREENSHOTS'];
  if (folder !== undefined)
    await page
      .locator('.card', { has: page.locator('.sip-ladder') })
      .screenshot({ path: `${folder}/${about}.png` });
};

consoleTest(
  'the SIP messages of a call are drawn as a ladder, for everybody and at every width',
  async (t, world) => {
    const path = await withLadder(world);
    const page = await openLadder(world, path);
    t.deepEqual(await page.locator('.sip-ladder').first().locator('li summary').allInnerTexts(), [
      '+0 ms\nGateway to trunk:\nINVITE · SDP',
      '+13 ms\nTrunk to gateway:\n503 Service Unavailable (INVITE)',
    ]);
    t.is(await page.locator('.sip-ladder h3').allInnerTexts().then(String), 'Attempt 1 of 2,Attempt 2 of 2');
    await page.getByText('2 messages were not kept.').waitFor();
    const rung = page.locator('.sip-ladder summary', { hasText: '401 Unauthorized' });
    t.false(await page.getByText('realm="carrier"').first().isVisible());
    await rung.focus();
    await page.keyboard.press('Enter');
    t.true(await page.getByText('WWW-Authenticate: Digest realm="carrier"').isVisible());
    await usable(t, page, 'ladder-1280');
    for (const [width, locale, dark] of [
      [768, 'en-US', true],
      [375, 'ko-KR', false],
    ] as const) {
      const other = await openLadder(world, path, { width, locale, dark });
      await other.locator('.sip-ladder summary', { hasText: '200 OK (INVITE)' }).click();
      await usable(t, other, `ladder-${width}`);
    }
  },
);

consoleTest('the SIP messages of a call are downloaded for other programs', async (t, world) => {
  const page = await openLadder(world, await withLadder(world));
  const downloaded = async (button: string): Promise<[string, Buffer]> => {
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: button }).click(),
    ]);
    return [download.suggestedFilename(), await readFile(await download.path())];
  };
  const [textName, text] = await downloaded('Text');
  t.regex(textName, /^[\da-f-]{36}\.txt$/);
  t.regex(text.toString(), /udp 127\.0\.0\.1:5060 -> 127\.0\.0\.1:5080\n\nINVITE /);
  const [pcapName, pcap] = await downloaded('Capture file (pcap)');
  t.regex(pcapName, /^[\da-f-]{36}\.pcap$/);
  t.is(pcap.readUInt32LE(0), 0xa1b2c3d4);
  await page.route('**/sip?format=*', (route) => route.abort());
  await page.getByRole('button', { name: 'Text' }).click();
  await page.getByText('The download failed. Try again.').waitFor();
});

consoleTest('of a simulated call it is said that there are none, in both languages', async (t, world) => {
  const callId = await world.gateway.call('01000000003');
  await world.gateway.untilStatus(callId, 'no_answer');
  const page = await world.open({ page: `/calls/${callId}` });
  await page.getByText('this call was simulated, and no telephone network took part').waitFor();
  const korean = await world.open({ page: `/calls/${callId}`, locale: 'ko-KR' });
  await korean.getByText('시뮬레이션 통화이므로 실제 전화망을 거치지 않았습니다').waitFor();
  t.is(await korean.locator('.sip-ladder').count(), 0);
});
