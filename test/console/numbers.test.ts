import { startAgentServer, sendReply } from '#test/helpers/agent-server.ts';
import { consoleTest } from './in-browser.ts';

consoleTest('a number is added, and an agent connected to it', async (t, { gateway, open }) => {
  const agent = await startAgentServer(sendReply('안녕하세요, 무엇을 도와드릴까요?'));
  t.teardown(agent.close);
  const page = await open({ page: '/numbers' });
  await page.getByRole('link', { name: 'Add a number' }).click();
  await page.getByLabel('Number', { exact: true }).fill('12');
  await page.getByRole('button', { name: 'Add number' }).click();
  await page.getByText('This is no telephone number in domestic format, such as 010-0000-0001.').waitFor();
  t.is(await page.getByLabel('Number', { exact: true }).inputValue(), '12');
  await page.getByLabel('Number', { exact: true }).fill(gateway.credentials.number);
  await page.getByRole('button', { name: 'Add number' }).click();
  await page.getByText('This number exists on this gateway already.').waitFor();
  await page.getByLabel('Number', { exact: true }).fill('070-1234-5678');
  await page.getByRole('button', { name: 'Add number' }).click();

  await page.getByRole('heading', { name: '07012345678' }).waitFor();
  await page.getByRole('link', { name: 'Outbound' }).click();
  await page.getByRole('radio', { name: /Connect agent/ }).check();
  await page.getByLabel('Agent type').selectOption('webhook');
  await page.getByLabel('Chat URL').fill('http://agent.example.com/');
  await page.getByLabel('Agent authentication token').fill('secret-token');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('The URL must begin with https://.').waitFor();
  t.is(await page.getByLabel('Agent authentication token').inputValue(), 'secret-token');
  await page.getByLabel('Chat URL').fill(agent.url);
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('Saved.').waitFor();
  // It is written, and never read back.
  t.is(await page.getByLabel('Agent authentication token').inputValue(), '');
  await page.getByText('A token is stored.').waitFor();

  await page.getByRole('link', { name: 'Try this agent' }).click();
  await page.getByRole('heading', { name: 'Try an agent' }).waitFor();
  t.is(await page.getByLabel('Chat URL').inputValue(), agent.url);
  await page.getByRole('button', { name: 'Try', exact: true }).click();
  await page.getByText('Every turn got a reply.').waitFor();
  await page.getByText('안녕하세요, 무엇을 도와드릴까요?').first().waitFor();
  t.is(agent.requests.at(-1)?.headers.authorization, 'Bearer secret-token');
});

consoleTest(
  'each type shows what it stores, and an inbound Agent ID is cleared',
  async (t, { gateway, open }) => {
    const page = await open({ page: `/numbers/${gateway.credentials.number_id}/inbound` });
    await page.getByRole('radio', { name: /Connect agent/ }).check();
    t.is(await page.getByLabel('Agent authentication token').count(), 0);
    await page.getByRole('button', { name: 'Save' }).first().click();
    await page.getByText('Without agent type and chat URL, calls to this number are rejected.').waitFor();

    await page.getByLabel('Agent type').selectOption('langgraph');
    t.is(await page.getByLabel('Assistant ID').count(), 1);
    await page.getByLabel('Agent type').selectOption('mastra');
    await page.getByLabel('Chat URL').fill('http://127.0.0.1:4111');
    await page.getByLabel('Agent ID').fill('other');
    await page.getByText('Not stored for inbound').waitFor();
    await page.getByRole('button', { name: 'Save' }).first().click();
    await page.getByText('Saved.').waitFor();
    t.is(await page.getByLabel('Agent ID').inputValue(), '');

    await page.getByRole('radio', { name: 'Handshake' }).check();
    await page.getByRole('button', { name: 'Save' }).last().click();
    await page.getByText('The method "handshake" needs a URL to ask.').waitFor();
    await page.getByLabel('Authentication URL').fill('http://127.0.0.1:4111/auth');
    await page.getByRole('button', { name: 'Save' }).last().click();
    t.regex((await page.getByRole('group', { name: 'Signing secret' }).textContent()) ?? '', /whsec_/);
  },
);

consoleTest('the key is shown, copied and reissued; the policy is changed', async (t, { gateway, open }) => {
  const page = await open({ page: `/numbers/${gateway.credentials.number_id}/outbound` });
  const key = page.locator('.key code');
  await key.waitFor();
  t.false(((await key.textContent()) ?? '').includes(gateway.credentials.number_key));
  await page.getByRole('button', { name: 'Reveal' }).click();
  await page.getByText(gateway.credentials.number_key).waitFor();
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
  await page.getByRole('button', { name: 'Copy' }).click();
  await page.getByRole('button', { name: 'Copied' }).waitFor();
  t.is(await page.evaluate('navigator.clipboard.readText()'), gateway.credentials.number_key);

  await page.getByRole('button', { name: 'Reissue' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Reissue' }).click();
  await page.getByText(gateway.credentials.number_key).waitFor({ state: 'detached' });
  t.is((await gateway.client.get('/api/v1/calls')).status, 401);
  t.is((await gateway.client.as((await key.textContent()) ?? '').get('/api/v1/calls')).status, 200);

  await page.getByRole('link', { name: 'Settings' }).click();
  await page.getByLabel('Ringing time').fill('1');
  await page.getByLabel('Silence time-out').fill('ten');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('Enter a whole number.').waitFor();
  await page.getByLabel('Silence time-out').fill('10');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('This must be at least 5.').waitFor();
  await page.getByLabel('Ringing time').fill('20');
  t.is(await page.getByLabel('A voice is one after').count(), 0, 'numbers belong to a mode');
  await page.getByLabel('When the other party speaks into the agent').selectOption('pause');
  await page.getByLabel('A voice is one after').fill('5');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('This must be at least 60.').waitFor();
  await page.getByLabel('A voice is one after').fill('120');
  await page.getByLabel('When the other party has finished').selectOption('pause');
  await page.getByLabel('Always after silence of').fill('2000');
  await page.getByLabel('Recordings are kept for').fill('40000');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('This must be at most 36500.').waitFor();
  await page.getByLabel('Recordings are kept for').fill('30');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('Saved.').waitFor();
  const { body } = await gateway.admin.get(gateway.numberPath);
  t.like(body, {
    ring_timeout_sec: 20,
    silence_timeout_sec: 10,
    max_duration_sec: null,
    barge_in: { mode: 'pause', onset_ms: 120, speech_ms: 600, resume_ms: 500 },
    turn_end: { mode: 'pause', min_silence_ms: 200, max_silence_ms: 2_000 },
    retention_days: { recordings: 30, words: null },
  });

  await page.goto(`${gateway.credentials.base_url}/#/audit`);
  const log = page.getByRole('list', { name: 'Audit log' });
  await log.getByText('Key revealed').waitFor();
  await log.getByText('Key reissued').waitFor();
});
