/** Numbers: adding them, their agents, keys, policy and voices, fields of several entries, and unsaved changes. */
import { existsSync } from 'node:fs';
import type { ExecutionContext } from 'ava';
import type { Page } from 'playwright-core';
import { z } from 'zod';
import { sendReply, startAgentServer } from '#test/helpers/agent-server.ts';
import { finalStatuses } from '#test/helpers/gateway.ts';
import { until } from '#test/helpers/until.ts';
import { everybodyCanUse } from './everybody-can-use.ts';
import { consoleTest, pressInPlace, turnInto, turnTo, type ConsoleWorld } from './in-browser.ts';
import { willShow } from './will-show.ts';

// Pages

consoleTest('shows all actions of an agent in a trial, and its invalid controls', async (t, world) => {
  const reply =
    'One moment.<collect digits="4" finish="#" secret="true"/><transfer to="0212345678" mode="warm" briefing="A refund."/><dance/>';
  const agent = await startAgentServer(sendReply(reply));
  t.teardown(agent.close);
  const page = await world.open({ page: '/agents' });
  await page.locator('select[name=agent_type]').selectOption('webhook');
  await page.locator('input[name=chat_url]').fill(agent.url);
  await page.locator('select[name=controls]').selectOption('inline');
  await page.locator('textarea[name=instruction]').fill('Refund the order.');
  await page.getByRole('button', { name: 'Try', exact: true }).click();
  for (const words of [
    'Waits for keys, up to 4, to the end by #, 10 s for each, in secret',
    'Transfers to 0212345678, warm, briefing: A refund., rings for 25 s',
    'the reply has a control of an unknown name',
    'The other party has answered and waits for the agent to speak first.',
    'Its task: Refund the order.',
  ])
    await page.getByText(words).waitFor();
  t.deepEqual(await page.locator('.tried .assistant > p').allInnerTexts(), ['One moment.']);
  t.false((await page.locator('.tried').innerText()).includes('[outbound'));
  await page
    .getByRole('button', { name: `Connect this agent to ${world.gateway.credentials.number} (Outbound)` })
    .click();
  await page.getByText('Connected, for calls that begin from now on.').waitFor();
  t.like((await world.gateway.admin.get(world.gateway.numberPath)).body, {
    agents: {
      outbound: { agent: 'endpoint', agent_type: 'webhook', chat_url: agent.url, controls: 'inline' },
    },
  });
  await everybodyCanUse(t, page, 'a trial');
});

consoleTest('adds a number and connects it to an agent', async (t, { gateway, open }) => {
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
  await page.getByLabel('Custom header: name').fill('X-Api-Key');
  await page.getByLabel('Custom header: value').fill('key-of-the-agent');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('The URL must begin with https://.').waitFor();
  t.is(await page.getByLabel('Agent authentication token').inputValue(), 'secret-token');
  await page.getByLabel('Chat URL').fill(agent.url);
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('Saved.').waitFor();
  // The token is written, and never read back.
  t.is(await page.getByLabel('Agent authentication token').inputValue(), '');
  await page.getByText('A token is stored.').waitFor();
  t.is(await page.getByLabel('Custom header: value').inputValue(), '');
  await page.getByLabel('Remove the stored header x-api-key').waitFor();

  await page.getByRole('link', { name: 'Try this agent' }).click();
  await page.getByRole('heading', { name: 'Try an agent' }).waitFor();
  t.is(await page.getByLabel('Chat URL').inputValue(), agent.url);
  await page.getByRole('button', { name: 'Try', exact: true }).click();
  await page.getByText('Every turn got a reply.').waitFor();
  await page.getByText('안녕하세요, 무엇을 도와드릴까요?').first().waitFor();
  const stored = { authorization: 'Bearer secret-token', 'x-api-key': 'key-of-the-agent' };
  t.like(agent.requests.at(-1)?.headers, stored);
  await page.getByLabel('Custom header: name').fill('x-api-key');
  await page.getByLabel('Custom header: value').fill('another-key');
  await page.getByRole('button', { name: 'Try', exact: true }).click();
  await page.getByText('Every turn got a reply.').waitFor();
  t.is(agent.requests.at(-1)?.headers['x-api-key'], 'another-key');
});

consoleTest('adds, replaces and removes headers of an agent one by one', async (t, { gateway, open }) => {
  const id = gateway.credentials.number_id;
  const headersOf = async () => (await gateway.admin.get(`/api/v1/admin/numbers/${id}`)).body['agents'];
  const page = await open({ page: `/numbers/${id}/inbound` });
  await page.getByRole('radio', { name: /Connect agent/ }).check();
  await page.getByLabel('Agent type').selectOption('webhook');
  await page.getByLabel('Chat URL').fill('http://127.0.0.1:9/');
  const add = async (name: string, value: string) => {
    await page.getByLabel('Custom header: name').fill(name);
    await page.getByLabel('Custom header: value').fill(value);
    await page.getByRole('button', { name: 'Save' }).first().click();
  };
  await add('Content-Type', 'text/plain');
  await page
    .getByText('This header belongs to the connection or to the gateway and cannot be set.')
    .waitFor();
  t.is(await page.getByLabel('Custom header: value').inputValue(), 'text/plain');
  await add('x-one', '');
  await page.getByText('This is required.').waitFor();
  await add('x-one', 'first-value');
  await page.getByLabel('Remove the stored header x-one').waitFor();
  await add('x-two', 'second-value');
  await page.getByLabel('Remove the stored header x-two').waitFor();
  t.like(await headersOf(), {
    inbound: { headers: { 'x-one': { configured: true }, 'x-two': { configured: true } } },
  });
  await page.getByLabel('Remove the stored header x-one').check();
  await page.getByRole('button', { name: 'Save' }).first().click();
  await page.getByLabel('Remove the stored header x-one').waitFor({ state: 'detached' });
  t.deepEqual(Object(await headersOf()).inbound.headers, { 'x-two': { configured: true } });
  t.false((await page.content()).includes('-value'));
});

consoleTest(
  'shows the fields of each agent type, and clears the inbound Agent ID',
  async (t, { gateway, open }) => {
    const binding = `${gateway.numberPath}/agents/inbound`;
    const page = await open({ page: `/numbers/${gateway.credentials.number_id}/inbound` });
    await page.getByRole('radio', { name: /Connect agent/ }).check();
    t.is(await page.getByLabel('Agent authentication token').count(), 0);
    await page.getByRole('button', { name: 'Save' }).first().click();
    await page.locator('[name=agent_type][aria-invalid=true]').waitFor();
    await page.getByLabel('Agent type').selectOption('webhook');
    await page.getByRole('button', { name: 'Save' }).first().click();
    await page.locator('[name=chat_url][aria-invalid=true]').waitFor();
    t.like((await gateway.admin.get(gateway.numberPath)).body, { agents: { inbound: { agent: 'builtin' } } });
    // The API stores a binding without a server.
    t.is((await gateway.admin.put(binding, { agent: 'endpoint' })).status, 200);
    await page.reload();
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

consoleTest(
  'reveals, copies and reissues the key of a number, and changes its policy',
  async (t, { gateway, open }) => {
    const page = await open({ page: `/numbers/${gateway.credentials.number_id}/outbound` });
    const key = page.locator('.key code');
    await key.waitFor();
    t.false(((await key.textContent()) ?? '').includes(gateway.credentials.number_key));
    await page.getByRole('button', { name: 'Reveal' }).click();
    await page.getByText(gateway.credentials.number_key).waitFor();
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    const isCopied = willShow(page, 'Copied');
    await page.getByRole('button', { name: 'Copy' }).click();
    await isCopied;
    t.is(await page.evaluate('navigator.clipboard.readText()'), gateway.credentials.number_key);

    await pressInPlace(page.getByRole('button', { name: 'Reissue' }));
    await page.getByRole('dialog').getByRole('button', { name: 'Reissue' }).click();
    await page.getByText(gateway.credentials.number_key).waitFor({ state: 'detached' });
    t.is((await gateway.client.get('/api/v1/calls')).status, 401);
    t.is((await gateway.client.as((await key.textContent()) ?? '').get('/api/v1/calls')).status, 200);

    await page.getByRole('link', { name: 'Settings' }).click();
    await page.getByLabel('Ring timeout').fill('1');
    await page.getByLabel('Silence timeout').fill('ten');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Enter a whole number.').waitFor();
    await page.getByLabel('Silence timeout').fill('10');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('This must be at least 5.').waitFor();
    await page.getByLabel('Ring timeout').fill('20');
    t.is(await page.getByLabel('Counts as a voice after').count(), 0, 'numbers belong to a mode');
    await page.getByLabel('When the other party interrupts the agent').selectOption('pause');
    await page.getByLabel('Counts as a voice after').fill('5');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('This must be at least 60.').waitFor();
    await page.getByLabel('Counts as a voice after').fill('120');
    await page.getByLabel('How the end of a turn is detected').selectOption('pause');
    await page.getByLabel('Longest silence').fill('2000');
    await page.getByLabel('Keep recordings for').fill('40000');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('This must be at most 36500.').waitFor();
    await page.getByLabel('Keep recordings for').fill('30');
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

    await turnTo(page, '/audit');
    const log = page.getByRole('list', { name: 'Audit log' });
    await log.getByText('Key revealed').waitFor();
    await log.getByText('Key reissued').waitFor();
  },
);

consoleTest(
  'sets model, instructions and actions of the built-in agent, shows the defaults, and tries it',
  async (t, { gateway, open }) => {
    const path = `/numbers/${gateway.credentials.number_id}/inbound`;
    const agentOf = async () => Object((await gateway.admin.get(gateway.numberPath)).body['agents']).inbound;
    const page = await open({ page: path });
    const model = page.getByLabel('Model', { exact: true });
    const actions = page.getByRole('group', { name: 'What it may do' });
    const save = page.getByRole('button', { name: 'Save' }).first();
    await model.waitFor();
    t.deepEqual(await model.locator('option').allInnerTexts(), ['Default: small', 'large']);
    t.is(await actions.getByRole('checkbox', { checked: true }).count(), 4);
    await model.selectOption('large');
    await page.getByLabel('Instructions').fill('You are the front desk.');
    await actions.getByLabel('Press keys').uncheck();
    await save.click();
    await page.getByText('Saved.').waitFor();
    t.like(await agentOf(), {
      agent: 'builtin',
      model: 'large',
      prompt: 'You are the front desk.',
      tools: ['hang_up', 'collect_keys', 'transfer_call'],
    });
    await everybodyCanUse(t, page, 'the built-in agent');
    await page.getByRole('link', { name: 'Try this agent' }).click();
    await page.getByRole('heading', { name: 'Try an agent' }).waitFor();
    t.is(await page.getByLabel('Agent type').inputValue(), 'builtin');
    t.is(await page.locator('textarea[name=prompt]').inputValue(), 'You are the front desk.');
    await page.goBack();
    await page.getByLabel('Instructions').waitFor();

    await turnInto(page, { locale: 'ko-KR', width: 390, dark: true });
    await page.getByLabel('지침').waitFor();
    t.is(await page.getByLabel('지침').inputValue(), 'You are the front desk.');
    t.false(await page.getByLabel('ARS 메뉴나 내선에서 번호 누르기').isChecked());
    await everybodyCanUse(t, page, 'the built-in agent, narrow', 'look');
    await turnInto(page, { locale: 'en-US' });

    await actions.getByLabel('Press keys').check();
    await model.selectOption('');
    await page.getByLabel('Instructions').fill('');
    await save.click();
    await page.getByText('Saved.').waitFor();
    t.like(await agentOf(), { model: null, prompt: null, tools: null });
  },
  { GW_LLM_BASE_URL: 'http://127.0.0.1:9/v1', GW_LLM_MODEL: 'small', GW_LLM_MODELS: 'large' },
);

// Voices

const hasEspeak = existsSync('/usr/bin/espeak-ng');

if (hasEspeak)
  consoleTest(
    'chooses a voice from the list or by typing, plays and saves it',
    async (t, { gateway, open }) => {
      const settings = `/numbers/${gateway.credentials.number_id}/settings`;
      const page = await open({ page: settings });
      await page.evaluate(
        'window.heard = []; const { play } = Audio.prototype;' +
          'Audio.prototype.play = async function () { await play.call(this); window.heard.push(this.duration); };',
      );
      /** Seconds of the last audio that was played, once this many were played. */
      const heard = (count: number): Promise<number> =>
        until('the sound is played', async () => {
          const seconds = z.array(z.number()).parse(await page.evaluate('window.heard'));
          return seconds.length < count ? undefined : seconds.at(-1);
        });
      const listen = async (): Promise<number> => {
        const sent = page.waitForResponse(/engines\/sample$/);
        await page.getByRole('button', { name: 'Listen' }).click();
        return (await sent).status();
      };
      await page.locator('select[name=language]').selectOption('en');
      const synthesizer = page.getByLabel('Synthesizer');
      const voice = page.getByLabel('Voice', { exact: true });
      await voice.locator('option').nth(1).waitFor({ state: 'attached' });
      t.deepEqual(await synthesizer.locator('option').allInnerTexts(), ['Default: espeak-ng', 'espeak-ng']);
      t.is(await synthesizer.inputValue(), '');
      const ofDefault = await voice.locator('option').allInnerTexts();
      await voice.selectOption('en-us');
      t.is(await synthesizer.inputValue(), 'espeak-ng', 'a voice chooses its synthesizer');
      await synthesizer.selectOption('');
      t.is(await voice.inputValue(), '');
      await synthesizer.selectOption('espeak-ng');
      const offered = await voice.locator('option').allInnerTexts();
      t.deepEqual(offered, ofDefault);
      t.regex(offered[1] ?? '', /^English/, 'those of the language come first');
      t.true(offered.includes('Korean (ko)'));
      await voice.selectOption('en-us');
      t.is(await listen(), 200);
      t.true((await heard(1)) > 0.5);

      await voice.selectOption({ label: 'Another one …' });
      await page.getByLabel('Name of the voice').fill('--help');
      t.is(await listen(), 400);
      await page.getByText('A voice of espeak-ng has no such name.').waitFor();
      await everybodyCanUse(t, page, 'a voice that is typed');
      await page.getByLabel('Name of the voice').fill('en-us+f3');
      t.is(await listen(), 200);
      t.true((await heard(2)) > 0.5);
      await page.getByRole('button', { name: 'Save' }).click();
      await page.getByText('Saved.').waitFor();
      t.like((await gateway.admin.get(gateway.numberPath)).body, {
        synthesizer: 'espeak-ng',
        voice: 'en-us+f3',
      });

      await turnInto(page, { locale: 'ko-KR', width: 390, dark: true });
      await page.reload();
      await page.getByLabel('목소리 이름').waitFor();
      t.is(await page.getByLabel('목소리 이름').inputValue(), 'en-us+f3');
      await everybodyCanUse(t, page, 'a typed voice, narrow', 'look');
    },
    { GW_SYNTHESIZERS: 'espeak-ng' },
  );

consoleTest('offers no voice without a synthesizer', async (t, { gateway, open }) => {
  const page = await open({ page: `/numbers/${gateway.credentials.number_id}/settings` });
  await page.getByLabel('Synthesizer').waitFor();
  t.is(await page.getByLabel('Synthesizer').locator('option').count(), 1);
  t.is(await page.getByLabel('Voice', { exact: true }).count(), 0);
});

// Menu of the settings

consoleTest('leads to each section of the settings', async (t, { gateway, open }) => {
  const page = await open({ page: `/numbers/${gateway.credentials.number_id}/settings` });
  const menu = page.getByRole('navigation', { name: 'Sections of the settings' });
  await menu.waitFor();
  const titles = await menu.getByRole('link').allInnerTexts();
  t.deepEqual(await page.locator('.settings').getByRole('heading', { level: 2 }).allInnerTexts(), titles);
  await menu.getByRole('link', { name: 'Transfers to a person' }).click();
  await page.locator('body :focus', { hasText: /^Transfers to a person$/ }).waitFor();
  t.true(await page.getByRole('heading', { name: 'Transfers to a person' }).isVisible());
  await everybodyCanUse(t, page, 'the settings of a number');
  await turnInto(page, { locale: 'ko-KR', width: 390, dark: true });
  await page.getByRole('link', { name: '사람에게 연결' }).click();
  await everybodyCanUse(t, page, 'the settings of a number, narrow', 'look');
});

// List

consoleTest('lists numbers with the end of the key and the last call', async (t, { gateway, open }) => {
  const { number, number_key: key } = gateway.credentials;
  const page = await open({ page: '/numbers' });
  const row = page.getByRole('listitem').filter({ hasText: number });
  await row.getByText('No calls yet').waitFor();
  const callId = await gateway.call('01000000003', 'Say hello');
  await gateway.untilStatus(callId, ...finalStatuses);
  await page.reload();
  await row.getByText('Last call').waitFor();
  const shown = await row.innerText();
  t.false(shown.includes(key));
  const { body } = await gateway.admin.post(`${gateway.numberPath}/key`);
  await page.reload();
  await row.getByText(`Key …${String(body['key']).slice(-4)}`).waitFor();
  await everybodyCanUse(t, page, 'the list of numbers');
});

// Fields of several entries

consoleTest('validates transfer targets line by line', async (t, world) => {
  const { admin, credentials, numberPath } = world.gateway;
  const page = await world.open({ page: `/numbers/${credentials.number_id}/settings` });
  const field = page.getByLabel('Transfer targets');
  await field.fill('02-1234-5678\nthe boss\n0212345*\n12');
  await pressInPlace(page.getByRole('button', { name: 'Save' }));
  const wrong = page.locator('.entry-error');
  await wrong.nth(1).waitFor();
  t.deepEqual(await wrong.locator('code').allInnerTexts(), ['the boss', '12']);
  t.regex(await wrong.first().innerText(), /neither a number in domestic format/);
  await page.locator('[name=transfer_to]:focus').waitFor();
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

  await turnInto(page, { locale: 'ko-KR', width: 390, dark: true });
  await page.getByLabel('통화를 연결해 줄 수 있는 번호').fill('12');
  await pressInPlace(page.getByRole('button', { name: '저장' }));
  await page.getByText('국내 형식의 전화번호나 *로 끝나는 앞자리').waitFor();
  await everybodyCanUse(t, page, 'entries that are wrong, narrow', 'look');
});

consoleTest('places a call with metadata and SIP headers', async (t, world) => {
  const { admin } = world.gateway;
  const page = await world.open({ page: '/place-call' });
  await page.getByLabel('Metadata').waitFor();
  t.is(await page.getByLabel('SIP headers').count(), 0);
  await admin.post('/api/v1/admin/trunks', {
    name: 'carrier',
    host: 'sip.example.com',
    headers_out: ['X-Ticket'],
  });
  await page.reload();
  await page.getByLabel('SIP headers').waitFor();
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

// Unsaved changes and the focus after dialogs

const settingsOf = ({ gateway }: ConsoleWorld): string =>
  `/numbers/${gateway.credentials.number_id}/settings`;

const shownPage = (page: Page): string => new URL(page.url()).hash.slice(1);

const greeting = (page: Page) => page.getByLabel('Greeting');

/** The question is shown, and the page behind it is unchanged. */
const isAsked = async (t: ExecutionContext, page: Page, path: string) => {
  const question = page.getByRole('dialog', { name: 'Leave without saving?' });
  await question.waitFor();
  await until('the address is that of the page again', () => shownPage(page) === path || undefined);
  t.is(shownPage(page), path);
  return question;
};

consoleTest('asks before a link leaves a changed form', async (t, world) => {
  const path = settingsOf(world);
  const page = await world.open({ page: path });
  await greeting(page).fill('Good morning.');
  await page.getByRole('link', { name: 'Webhooks' }).click();
  const question = await isAsked(t, page, path);
  await everybodyCanUse(t, page, 'the question');
  await question.getByRole('button', { name: 'Stay' }).click();
  await question.waitFor({ state: 'detached' });
  t.is(await greeting(page).inputValue(), 'Good morning.');
  await page.locator('body :focus', { hasText: /^Webhooks$/ }).waitFor();

  await page.getByRole('link', { name: 'Inbound' }).click();
  await isAsked(t, page, path);
  await page.keyboard.press('Escape');
  await question.waitFor({ state: 'detached' });
  await page.getByRole('link', { name: 'Webhooks' }).click();
  await question.getByRole('button', { name: 'Leave without saving' }).click();
  await page.getByRole('heading', { level: 1, name: 'Webhooks' }).waitFor();
  t.is(shownPage(page), '/webhooks');
  await page.goBack();
  await greeting(page).waitFor();
  t.is(await greeting(page).inputValue(), '');
  await page.getByRole('link', { name: 'Calls', exact: true }).click();
  await page.getByRole('heading', { level: 1, name: 'Calls' }).waitFor();
});

consoleTest('asks before the browser history leaves a changed form', async (t, world) => {
  const path = settingsOf(world);
  const page = await world.open({ page: '/calls' });
  for (const name of ['Webhooks', 'Numbers']) {
    await page.getByRole('link', { name, exact: true }).click();
    await page.getByRole('heading', { level: 1, name }).waitFor();
  }
  await turnTo(page, path);
  await greeting(page).fill('Good morning.');
  await page.goBack();
  const question = await isAsked(t, page, path);
  await question.getByRole('button', { name: 'Stay' }).click();
  t.is(await greeting(page).inputValue(), 'Good morning.');

  await page.evaluate('history.go(-2)');
  await isAsked(t, page, path);
  await question.getByRole('button', { name: 'Leave without saving' }).click();
  await page.getByRole('heading', { level: 1, name: 'Webhooks' }).waitFor();
  await page.goForward();
  await page.getByRole('heading', { level: 1, name: 'Numbers' }).waitFor();
  await page.goForward();
  t.is(await greeting(page).inputValue(), '');
});

consoleTest('makes the browser ask before a changed form is closed or reloaded', async (t, world) => {
  const page = await world.open({ page: settingsOf(world) });
  await greeting(page).fill('Good morning.');
  const asked = page.waitForEvent('dialog');
  const closed = page.close({ runBeforeUnload: true });
  const question = await asked;
  t.is(question.type(), 'beforeunload');
  await question.dismiss();
  await closed;
  t.is(await greeting(page).inputValue(), 'Good morning.');
});

consoleTest('does not ask before leaving an unchanged or saved form', async (t, world) => {
  const page = await world.open({ page: settingsOf(world) });
  await greeting(page).fill('Good morning.');
  await pressInPlace(page.getByRole('button', { name: 'Save' }));
  await page.getByText('Saved.').waitFor();
  await page.getByRole('link', { name: 'Webhooks' }).click();
  await page.getByRole('heading', { level: 1, name: 'Webhooks' }).waitFor();

  await page.goBack();
  await greeting(page).fill('Good evening.');
  await greeting(page).fill('Good morning.');
  await page.getByRole('link', { name: 'Webhooks' }).click();
  await page.getByRole('heading', { level: 1, name: 'Webhooks' }).waitFor();

  await page.getByRole('link', { name: 'Place a call' }).click();
  await page.getByLabel('To', { exact: true }).fill('01000000003');
  await page.getByRole('button', { name: 'Place the call' }).click();
  await page.getByRole('heading', { level: 1, name: /01000000003/ }).waitFor();
  t.is(await page.getByRole('dialog').count(), 0);
});

consoleTest('restores the focus when a dialog closes', async (t, world) => {
  const number = `/numbers/${world.gateway.credentials.number_id}`;
  const page = await world.open({ page: `${number}/outbound` });
  const isFocused = (name: string) => page.locator('button:focus', { hasText: name }).waitFor();
  await pressInPlace(page.getByRole('button', { name: 'Reissue' }));
  await page.getByRole('dialog').waitFor();
  await page.keyboard.press('Escape');
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  await isFocused('Reissue');
  await pressInPlace(page.getByRole('button', { name: 'Reissue' }));
  await page.getByRole('dialog').getByRole('button', { name: 'Reissue' }).click();
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  await isFocused('Reissue');

  await turnTo(page, `${number}/settings`);
  await pressInPlace(page.getByRole('button', { name: 'Delete number', exact: true }));
  await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click();
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  await isFocused('Delete number');
  t.pass();
});
