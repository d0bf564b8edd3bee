import { consoleTest } from './in-browser.ts';

/** Says something, and then stays on the line for as long as it is let. */
const patientCallee = {
  number: '01055550000',
  script: [{ say: '네, 말씀하세요.' }, { listen: true }, { wait_sec: 600 }],
};

consoleTest(
  'a call is placed, watched while it happens, ended, and listened to afterwards',
  async (t, { gateway, open }) => {
    await gateway.admin.put(`/api/v1/admin/simulator/callees/${patientCallee.number}`, {
      script: patientCallee.script,
    });
    const page = await open({ page: '/place-call' });
    const to = page.getByLabel('To', { exact: true });
    await to.fill('+82 10 5555 0000');
    await page.getByLabel('Instruction').fill('내일 오후 3시 예약을 확인해 주세요');
    await page.getByLabel('Maximum duration').fill('120');
    await page.getByRole('button', { name: 'Place the call' }).click();
    // What is wrong stands beside the field, and what was typed is kept.
    await page.locator('[aria-invalid=true]').waitFor();
    t.is(await to.inputValue(), '+82 10 5555 0000');
    t.regex((await page.locator('.field .error').textContent()) ?? '', /domestic format/);
    await to.fill('010-5555-0000');
    await page.getByRole('button', { name: 'Place the call' }).click();

    await page.getByRole('heading', { name: patientCallee.number }).waitFor();
    await page.getByText('In conversation').waitFor();
    await page.getByText('내일 오후 3시 예약을 확인해 주세요').first().waitFor();
    await page.locator('.turns .assistant').first().waitFor();
    await page.locator('.turns .user').getByText('네, 말씀하세요.').waitFor();
    await page.getByText('Live', { exact: true }).waitFor();
    await page.locator('.chart .state.current').waitFor();
    await page.getByRole('button', { name: 'Call', exact: true }).click();
    await page.locator('.chart .state.around[data-state=active]').waitFor();

    await page.getByRole('button', { name: 'End at once' }).click();
    await page.getByText('The agent said goodbye and ended the call.').waitFor();
    await page.locator('.timeline li', { hasText: 'Ended AI ended' }).waitFor();

    await page.getByRole('button', { name: 'Play', exact: true }).waitFor();
    t.true(((await page.locator('.wave .lanes path').first().getAttribute('d')) ?? '').length > 1_000);
    await page.getByRole('button', { name: 'Play', exact: true }).click();
    await page.getByRole('button', { name: 'Pause', exact: true }).click();
    await page.getByLabel('Place in the call').fill('1');
    await page
      .locator('.player')
      .getByText(/^0:01 \/ /)
      .waitFor();

    const breaksOff = page.getByText('The recording breaks off');
    t.is(await breaksOff.count(), 0);
    await page.route(/\/api\/v1\/admin\/calls\/[\da-f-]{36}$/, async (route) => {
      const response = await route.fetch();
      const call = await response.json();
      await route.fulfill({ response, json: { ...call, recording: { ...call.recording, truncated: true } } });
    });
    await page.reload();
    await breaksOff.waitFor();
  },
  { GW_SIMULATOR_SPEED: '4' },
);

consoleTest(
  'a call appears in the list as it happens; its end is told in both languages; filters narrow the list',
  async (t, { gateway, open }) => {
    const page = await open();
    await page.getByText('No calls yet').waitFor();
    const polite = await gateway.call('01000000001');
    await page.getByRole('link', { name: /01000000001.*(Ringing|In conversation)/ }).waitFor();
    await page.getByRole('link', { name: /01000000001.*AI ended/ }).waitFor();
    await gateway.untilStatus(polite, 'completed');

    await gateway.call('01000000003');
    await page.getByRole('link', { name: /01000000003.*Busy/ }).waitFor();
    await page.getByLabel('Status').selectOption('no_answer');
    await page.getByRole('link', { name: /01000000001/ }).waitFor({ state: 'detached' });
    t.regex(page.url(), /#\/calls\?status=no_answer$/);
    await page.getByLabel('Direction').selectOption('inbound');
    await page.getByText('No call fits these filters').waitFor();

    const korean = await open({ locale: 'ko-KR' });
    await korean.getByRole('link', { name: /01000000001.*AI 종료/ }).click();
    await korean.getByText('에이전트가 인사를 마치고 통화를 종료했습니다.').waitFor();
  },
  { GW_SIMULATOR_SPEED: '10' },
);

consoleTest(
  'a call that rings is stopped',
  async (t, { gateway, open }) => {
    const ringing = await gateway.call('01000000002');
    const page = await open({ page: `/calls/${ringing}` });
    await page.getByRole('button', { name: 'Stop ringing' }).click();
    await page.getByText('The call was cancelled while it was ringing.').waitFor();
    t.is((await gateway.untilStatus(ringing, 'no_answer'))['end_reason'], 'cancelled');
  },
  // It rings for seven minutes: a busy browser takes longer than the usual three quarters of one.
  { GW_SIMULATOR_SPEED: '0.1' },
);

consoleTest('a foreign call is not there', async (t, { open }) => {
  const foreign = await open({ page: '/calls/7f9c2f6e-4f0e-4b7e-9b1c-2d1d5a1e0c11' });
  await foreign.getByText('There is nothing here.').waitFor();
  t.pass();
});
