/** Placing a call from the console: whom it offers to call, and what it says beforehand. */
import { finalStatuses } from '#test/helpers/gateway.ts';
import { everybodyCanUse } from './everybody-can-use.ts';
import { consoleTest, pressInPlace } from './in-browser.ts';

consoleTest('offers the people of the simulated line by what they do', async (t, { gateway, open }) => {
  const script = [{ say: 'Hello.' }, { listen: true }, { hang_up: true }];
  await gateway.admin.put('/api/v1/admin/simulator/callees/01055551111', { script });
  const page = await open({ page: '/place-call' });
  const to = page.getByLabel('To', { exact: true });
  const people = page.getByRole('group', { name: 'People of the simulated line' });
  const happens = page.locator('.place-beside .facts');
  await happens.getByText('Answers after a second, talks politely').waitFor();
  t.is(await to.inputValue(), '01000000001');
  await pressInPlace(people.getByRole('button', { name: /^With a script/ }));
  t.is(await to.inputValue(), '01055551111');
  await happens.getByText('A script of 3 steps.').waitFor();
  await to.fill('02-1234-5678');
  await happens.getByText('It rings on the web phones of this workspace').waitFor();
  await pressInPlace(people.getByRole('button', { name: /^Is busy/ }));
  await happens.getByText('Is busy.', { exact: true }).waitFor();
  t.is(await people.locator('[aria-pressed=true]').count(), 1);
  await everybodyCanUse(t, page, 'people of the simulated line');

  await page.getByRole('combobox', { name: 'Language' }).selectOption('English');
  await page.getByLabel('Instruction').fill("Say that it's late");
  await page.getByLabel('Metadata').fill('not finished');
  const command = await page.locator('.place-beside pre').innerText();
  const [before, body = ''] = command.split("-d '");
  t.regex(before ?? '', /^curl 'http:\/\/.*\/api\/v1\/calls' \\\n/);
  // The field that is not valid yet is left out, and the quote is written for the shell.
  t.deepEqual(JSON.parse(body.replace(/'$/, '').replaceAll("'\\''", "'")), {
    to: '01000000003',
    instruction: "Say that it's late",
    language: 'en',
  });
  await page.getByLabel('Metadata').fill('');
  await pressInPlace(page.getByRole('button', { name: 'Place the call' }));
  await page.getByRole('heading', { level: 1, name: /01000000003/ }).waitFor();
  const callId = new URL(page.url()).hash.split('/').at(-1) ?? '';
  await gateway.untilStatus(callId, ...finalStatuses);
  t.like((await gateway.admin.get(`/api/v1/admin/calls/${callId}`)).body, {
    language: 'en',
    end_reason: 'busy',
  });

  const korean = await open({ page: '/place-call', locale: 'ko-KR', width: 390, dark: true });
  await korean.getByText('1초 뒤에 받아').waitFor();
  await everybodyCanUse(t, korean, 'people of the simulated line, narrow');
});
