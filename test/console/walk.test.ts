import type { ExecutionContext } from 'ava';
import type { Page } from 'playwright-core';
import { after, startAgentServer, sendReply } from '#test/helpers/agent-server.ts';
import { until } from '#test/helpers/until.ts';
import { startWebhookReceiver } from '#test/helpers/webhook-receiver.ts';
import { consoleTest } from './in-browser.ts';
import { allowLongSilence } from './lasting-calls.ts';

const callee = '01055550000';

/**
 * Pauses the replay within the page once the caller's words were marked and one more second was played, so that the
 * state lasts however slow the test is. Resolves with whether the recording has paused as well.
 */
const pauseBehindWords = `new Promise((resolve) => {
  let wasMarked = false;
  const audio = document.querySelector('audio');
  const look = () => {
    wasMarked ||= document.querySelector('.turns [aria-current]')?.textContent.includes('말씀하세요') ?? false;
    if (!wasMarked || audio.currentTime <= 1) return;
    observer.disconnect();
    audio.removeEventListener('timeupdate', look);
    document.querySelector('[aria-label="Pause"]').click();
    resolve(audio.paused);
  };
  const observer = new MutationObserver(look);
  observer.observe(document.querySelector('.turns'), { subtree: true, attributes: true });
  audio.addEventListener('timeupdate', look);
})`;

/** Waits for the agent to finish, because speech would interrupt it. */
const script = [
  { listen: true },
  { say: '네, 말씀하세요.' },
  { listen: true },
  { say: '네, 세 시가 좋습니다.' },
  { listen: true },
  { wait_sec: 600 },
];

const pressOn = (page: Page) => (name: string) => page.getByRole('button', { name, exact: true }).click();

const heardOn = async (page: Page) =>
  Number(await page.evaluate("document.querySelector('audio').currentTime"));

/** The same call again, step by step. */
const replay = async (t: ExecutionContext, page: Page): Promise<void> => {
  const press = pressOn(page);
  const words = page.locator('.step-words b');
  const said = page.locator('.turns [aria-current]');
  const noted = page.locator('.timeline [aria-current]');
  await page.getByLabel('Place in the call').press('Home');
  await words.getByText('The call begins').waitFor();
  t.regex((await noted.textContent()) ?? '', /Dialling/);
  await page.getByRole('button', { name: 'Step forward' }).press('Enter');
  await words.getByText('The call is answered').waitFor();
  t.regex((await noted.textContent()) ?? '', /Answered/);
  await press('Step forward');
  await words.getByText('The agent begins to speak').waitFor();
  t.regex((await said.textContent()) ?? '', /예약을 확인하려고/);
  // The charts of a finished call begin with boxes.
  await press('Arrows');
  await page.locator('.chart .current[data-state="replying.speaking"]').waitFor();
  await press('Step back');
  await words.getByText('The call is answered').waitFor();
  t.is(await said.count(), 0);
  const isPaused = page.evaluate(pauseBehindWords);
  await press('Play');
  t.true(await isPaused);
  t.true((await heardOn(page)) > 1);
  await page.getByRole('button', { name: 'Play', exact: true }).waitFor();
  t.true(await page.evaluate("document.querySelector('audio').paused"));
};

consoleTest(
  'signs in, watches, plays back and replays a call, and delivers its events',
  async (t, { gateway, open }) => {
    // The second reply starts one second after the test saw the agent thinking, so that the replay stays in that
    // state for a second, too.
    let goOn = (): void => {};
    const isSeen = new Promise<void>((resolve) => (goOn = resolve));
    const agent = await startAgentServer([
      sendReply('안녕하세요, 예약을 확인하려고 전화드렸습니다.'),
      async (...asked) => {
        await isSeen;
        await after(1_000, sendReply('세 시에 뵙겠습니다. 감사합니다.'))(...asked);
      },
    ]);
    t.teardown(agent.close);
    const receiver = await startWebhookReceiver();
    t.teardown(receiver.close);
    await allowLongSilence(gateway);
    await gateway.admin.put(`/api/v1/admin/simulator/callees/${callee}`, { script });
    const page = await open({ isSignedIn: false, page: '/numbers' });
    const press = pressOn(page);
    const follow = (name: string) => page.getByRole('link', { name }).click();

    // Sign in.
    await page.getByLabel('Admin token').fill(gateway.credentials.admin_token);
    await press('Sign in');

    // Bind an agent.
    await follow(gateway.credentials.number);
    await follow('Outbound');
    await page.getByRole('radio', { name: /Connect agent/ }).check();
    await page.getByLabel('Agent type').selectOption('webhook');
    await page.getByLabel('Chat URL').fill(agent.url);
    await press('Save');
    await page.getByText('Saved.').waitFor();

    // An endpoint for events.
    await follow('Webhooks');
    await follow('Add an endpoint');
    await page.getByLabel('URL').fill(receiver.url);
    await press('Add endpoint');
    const secret = await page.getByRole('group', { name: 'Signing secret' }).locator('code').textContent();
    receiver.trust(secret ?? '');
    await press('Done');

    // Place a call, and watch it.
    await follow('Place a call');
    await page.getByLabel('To', { exact: true }).fill(callee);
    await press('Place the call');
    await page.locator('.turns .assistant', { hasText: '예약을 확인하려고' }).waitFor();
    await page.locator('.turns .user', { hasText: '말씀하세요' }).waitFor();
    await page.locator('.chart .current[data-state^="replying."]').waitFor();
    goOn();
    await page.locator('.turns .assistant', { hasText: '세 시에 뵙겠습니다' }).waitFor();
    await page.locator('.chart .current[data-state^="listening."]').waitFor();
    await page.locator('.latency .token, .latency .sentence').first().waitFor();
    const inspector = page.getByRole('link', { name: /Stately inspector/ });
    t.regex((await inspector.getAttribute('href')) ?? '', /^\/inspect#call=[0-9a-f-]{36}$/);
    t.is(await inspector.getAttribute('rel'), 'noopener noreferrer');
    await press('End at once');
    await page.getByText('The call was hung up immediately, as requested.').waitFor();

    // The recording is played.
    await page.locator('audio').waitFor({ state: 'attached' });
    await press('Play');
    await until('the recording goes on', async () => (await heardOn(page)) > 0.5 || undefined);
    await press('Pause');

    await replay(t, page);

    // An event of the call once more.
    await follow('Webhooks');
    await follow(receiver.url);
    const ended = page.locator('.deliveries li', { hasText: 'call.ended' });
    await ended.getByText('Delivered', { exact: true }).waitFor();
    await ended.locator('summary').click();
    const before = receiver.received.length;
    await ended.getByRole('button', { name: 'Send again' }).click();
    const events = await receiver.until(before + 1);
    t.regex(events.at(-1)?.rawBody ?? '', /"type":"call\.ended"/);
    t.is(events.at(-1)?.id, events.find(({ rawBody }) => rawBody.includes('"call.ended"'))?.id);
  },
  { GW_SIMULATOR_SPEED: '3', GW_INSPECT: '1', GW_RECORDINGS_FORMAT: 'ogg' },
);
