import { z } from 'zod';
import { finalStatuses } from '#test/helpers/gateway.ts';
import { everybodyCanUse } from './everybody-can-use.ts';
import { consoleTest, type ConsoleWorld } from './in-browser.ts';

const long = 'a'.repeat(500);

const placeCalls = async ({ gateway }: ConsoleWorld): Promise<{ said: string; silent: string }> => {
  await gateway.admin.post('/api/v1/admin/trunks', {
    name: 'carrier',
    host: 'sip.example.com',
    headers_out: ['X-Ticket'],
  });
  const place = async (to: string, more: object): Promise<string> => {
    const { body } = await gateway.client.post('/api/v1/calls', { to, ...more });
    const callId = z.uuid().parse(body['call_id']);
    await gateway.untilStatus(callId, ...finalStatuses);
    return callId;
  };
  const metadata = { order: 'A-1042', 'crm.note': '<b>예약</b> = 두 명', long };
  return {
    said: await place('01000000003', { metadata, sip_headers: { 'X-Ticket': '1042' } }),
    silent: await place('01000000004', {}),
  };
};

consoleTest('a call shows what was said of it and the headers of its INVITE, as text', async (t, world) => {
  const { said, silent } = await placeCalls(world);
  const page = await world.open({ page: `/calls/${said}` });
  const facts = page.locator('.call-facts');
  await facts.getByText('A-1042').waitFor();
  await facts.getByText('<b>예약</b> = 두 명').waitFor();
  t.regex(await facts.innerText(), /SIP headers\s+X-Ticket 1042/);
  await everybodyCanUse(t, page, 'a call with metadata');
  const narrow = await world.open({ page: `/calls/${said}`, width: 390, locale: 'ko-KR', dark: true });
  await narrow.locator('.call-facts').getByText('A-1042').waitFor();
  t.regex(await narrow.locator('.call-facts').innerText(), /메타데이터[^]*SIP 헤더/);
  await everybodyCanUse(t, narrow, 'a call with metadata, narrow');

  const other = await world.open({ page: `/calls/${silent}` });
  await other.locator('.call-facts').getByText(silent).waitFor();
  t.notRegex(await other.locator('.call-facts').innerText(), /Metadata|SIP headers/);
});

consoleTest('calls are filtered by metadata, and the address says by which', async (t, world) => {
  await placeCalls(world);
  const page = await world.open();
  const rows = page.locator('.call-table tbody tr');
  await rows.nth(1).waitFor();
  await page.getByLabel('Metadata').fill('crm.note=<b>예약</b> = 두 명');
  await rows.nth(1).waitFor({ state: 'detached' });
  t.regex(await rows.first().innerText(), /01000000003/);
  const wanted = () => new URLSearchParams(page.url().split('?')[1]).get('metadata');
  t.is(wanted(), 'crm.note=<b>예약</b> = 두 명');
  await page.getByLabel('Metadata').fill('order');
  await page.getByLabel('Metadata').press('Enter');
  t.is(wanted(), 'crm.note=<b>예약</b> = 두 명', 'what is no filter yet changes nothing');
  await page.getByLabel('Metadata').fill('order=A-1042');
  await page.getByLabel('Metadata').press('Enter');
  await rows.first().waitFor();
  t.is(wanted(), 'order=A-1042');
  t.is(await rows.count(), 1);
  await page.getByRole('button', { name: 'Show all calls' }).click();
  await rows.nth(1).waitFor();
});

consoleTest(
  'the web phone that rings shows the headers below who calls, over its whole width',
  async (t, world) => {
    await world.gateway.admin.post('/api/v1/admin/trunks', {
      name: 'carrier',
      host: 'sip.example.com',
      headers_out: ['X-Ticket', 'X-Note'],
    });
    const page = await world.open();
    await page.getByRole('button', { name: 'Web phone' }).click();
    const headers = { 'X-Ticket': '1042', 'X-Note': '예약 확인 '.repeat(10).trim() };
    await world.gateway.client.post('/api/v1/calls', { to: '01055551234', sip_headers: headers });
    const ringing = page.locator('.ringing');
    await ringing.getByText('X-Note').waitFor();
    const boxes = [ringing, ringing.locator('.named-texts'), ringing.locator('.bell'), ringing.locator('b')];
    const [whole, list, bell, number] = await Promise.all(boxes.map((each) => each.boundingBox()));
    t.is(list?.width, whole?.width);
    t.true((list?.y ?? 0) >= (number?.y ?? Infinity) + (number?.height ?? 0));
    t.true(
      (number?.x ?? Infinity) - ((bell?.x ?? 0) + (bell?.width ?? 0)) < 30,
      'the number stands beside the bell',
    );
    await everybodyCanUse(t, page, 'a web phone that rings with headers');
  },
  { GW_SIMULATOR_SPEED: '1' },
);
