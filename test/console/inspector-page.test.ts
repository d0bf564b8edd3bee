/** The inspector of the console, which needs nothing but the gateway. */
import { everybodyCanUse } from './everybody-can-use.ts';
import { consoleTest } from './in-browser.ts';

const callee = '01055550000';

/** Says something, and then waits: what is seen stays. */
const patient = [{ listen: true }, { say: '네, 말씀하세요.' }, { listen: true }, { hold_sec: 600 }];

consoleTest(
  'the actors of a call and what they tell each other are shown, narrowed, opened, paused and cleared',
  async (t, { gateway, open }) => {
    await gateway.admin.put(`/api/v1/admin/simulator/callees/${callee}`, { script: patient });
    const call = await gateway.call(callee, '내일 오후 3시 예약을 확인해 주세요');
    const page = await open({ page: `/calls/${call}` });
    await page.locator('.chart .current[data-state="on-hold"]').waitFor();
    await page.getByRole('link', { name: 'Inspector', exact: true }).click();
    await page.getByText('Live', { exact: true }).waitFor();
    const rows = page.getByRole('list', { name: 'Messages' }).getByRole('listitem');
    const actors = page.locator('.inspector-actors');
    await actors.getByRole('button', { name: 'conversation on-hold' }).waitFor();
    await actors.getByRole('button', { name: /^line/ }).waitFor();

    // Somebody presses a key: an event from outside to the call, and from there to its line.
    const press = () => gateway.client.post(`/api/v1/calls/${call}/keys`, { keys: '1' });
    await press();
    const pressed = rows.filter({ hasText: 'keys.requested' }).filter({ hasText: 'Event' });
    await pressed.first().waitFor();
    await page.getByLabel('Event type').selectOption('keys.requested');
    await page.getByLabel('Kind').selectOption('event');
    await pressed.first().click();
    await page.locator('.inspector-entries pre').getByText('(1 characters)').waitFor();
    await everybodyCanUse(t, page, 'the inspector');
    await page.getByLabel('Event type').selectOption('');
    await page.getByRole('searchbox').fill('keys.requested');
    await pressed.first().waitFor();
    t.is(await rows.filter({ hasNotText: 'keys.requested' }).count(), 0);

    await page.getByRole('button', { name: 'Pause' }).click();
    const before = await rows.count();
    await press();
    await page.getByRole('button', { name: /Go on \(\d+ new\)/ }).waitFor();
    t.is(await rows.count(), before);
    await page.getByRole('button', { name: /Go on/ }).click();
    await rows.nth(before).waitFor();
    await page.getByRole('button', { name: 'Clear' }).click();
    await rows.first().waitFor({ state: 'detached' });
    await actors.getByRole('button', { name: /^line/ }).waitFor();

    const narrow = await open({ page: '/inspect', width: 390, dark: true, locale: 'ko-KR' });
    await narrow.locator('.inspector-actors button').first().waitFor();
    await everybodyCanUse(t, narrow, 'the inspector of all calls, narrow');
    await gateway.client.post(`/api/v1/calls/${call}/hangup`, { immediate: true });
    await page.getByText('The call is over').waitFor();
  },
  // At the pace of people: the call goes on for as long as it is looked at.
  { GW_INSPECT: '1', GW_SIMULATOR_SPEED: '1' },
);

consoleTest('where the inspector is off, its page says how it is switched on', async (t, { open }) => {
  const page = await open({ page: '/inspect' });
  await page.getByText('GW_INSPECT=1').waitFor();
  await everybodyCanUse(t, page, 'the inspector that is off');
});
