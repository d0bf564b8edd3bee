/** Fields of several entries: who calls may be transferred to, metadata and SIP headers of a new call. */
import { finalStatuses } from '#test/helpers/gateway.ts';
import { everybodyCanUse } from './everybody-can-use.ts';
import { consoleTest } from './in-browser.ts';

consoleTest('who calls of a number may be transferred to is told line by line', async (t, world) => {
  const { admin, credentials, numberPath } = world.gateway;
  const page = await world.open({ page: `/numbers/${credentials.number_id}/settings` });
  const field = page.getByLabel('Who calls may be transferred to');
  await field.fill('02-1234-5678\nthe boss\n0212345*\n12');
  await page.getByRole('button', { name: 'Save' }).click();
  const wrong = page.locator('.entry-error');
  await wrong.nth(1).waitFor();
  t.deepEqual(await wrong.locator('code').allInnerTexts(), ['the boss', '12']);
  t.regex(await wrong.first().innerText(), /neither a number in domestic format/);
  t.is(await page.evaluate('document.activeElement.name'), 'transfer_to');
  await everybodyCanUse(t, page, 'entries that are wrong');
  await field.fill('02-1234-5678\n0212345*');
  t.is(await wrong.count(), 2, 'what was wrong is told until it is tried again');
  t.is(await wrong.first().locator('code').innerText(), 'the boss');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('Saved.').waitFor();
  t.is(await field.inputValue(), '0212345678\n0212345*');
  t.like((await admin.get(numberPath)).body, { transfer_to: ['0212345678', '0212345*'] });
  await field.fill('');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('Saved.').waitFor();
  t.like((await admin.get(numberPath)).body, { transfer_to: null });

  const korean = await world.open({
    page: `/numbers/${credentials.number_id}/settings`,
    locale: 'ko-KR',
    width: 390,
    dark: true,
  });
  await korean.getByLabel('통화를 연결해 줄 수 있는 번호').fill('12');
  await korean.getByRole('button', { name: '저장' }).click();
  await korean.getByText('국내 형식의 전화번호나 *로 끝나는 앞자리').waitFor();
  await everybodyCanUse(t, korean, 'entries that are wrong, narrow');
});

consoleTest('a call is placed with metadata and headers of its INVITE', async (t, world) => {
  const { admin } = world.gateway;
  const page = await world.open({ page: '/place-call' });
  await page.getByText('none does yet').waitFor();
  await admin.post('/api/v1/admin/trunks', {
    name: 'carrier',
    host: 'sip.example.com',
    headers_out: ['X-Ticket'],
  });
  await page.getByLabel('To', { exact: true }).fill('01000000003');
  await page.getByLabel('Metadata').fill('order=A-1042\nno mark');
  await page.getByRole('button', { name: 'Place the call' }).click();
  const wrong = page.locator('.entry-error');
  await wrong.getByText('Write a name, "=" and what it says.').waitFor();
  t.is(await wrong.locator('code').innerText(), 'no mark');
  await page.getByLabel('Metadata').fill('order=A-1042\nbad key=1');
  await page.getByRole('button', { name: 'Place the call' }).click();
  await wrong.getByText('A key has 1 to 40 letters').waitFor();
  t.is(await wrong.locator('code').innerText(), 'bad key');
  await page.getByLabel('Metadata').fill('order=A-1042\nnote = two = 2');
  await page.getByLabel('SIP headers').fill('Ticket: 1');
  await page.getByRole('button', { name: 'Place the call' }).click();
  await wrong.getByText('The name of a header is X-').waitFor();
  await everybodyCanUse(t, page, 'a call with wrong entries');
  await page.getByLabel('SIP headers').fill('X-Ticket: 10:42');
  await page.getByRole('button', { name: 'Place the call' }).click();
  await page.getByRole('heading', { level: 1, name: /01000000003/ }).waitFor();
  const callId = new URL(page.url()).hash.split('/').at(-1) ?? '';
  await world.gateway.untilStatus(callId, ...finalStatuses);
  const { body } = await admin.get(`/api/v1/admin/calls/${callId}`);
  t.like(body, { metadata: { order: 'A-1042', note: 'two = 2' } });
  const facts = page.locator('.call-facts');
  await facts.getByText('A-1042').waitFor();
  t.regex(await facts.innerText(), /X-Ticket 10:42/);
});
