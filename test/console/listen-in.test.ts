/** An admin at the page of a call in progress hears it. */
import type { Page } from 'playwright-core';
import { z } from 'zod';
import { until } from '#test/helpers/until.ts';
import { openWebPhone, soundSettings } from '#test/journeys/sound-of-a-call.ts';
import { everybodyCanUse } from './everybody-can-use.ts';
import { consoleTest, type ConsoleWorld } from './in-browser.ts';

/** Counts what is given to the speaker and is not silence. */
const countSound = (page: Page): Promise<unknown> =>
  page.evaluate(`
    globalThis.soundsPlayed = 0;
    const { postMessage } = MessagePort.prototype;
    MessagePort.prototype.postMessage = function (message, ...rest) {
      if (message instanceof ArrayBuffer && new Int16Array(message).some((sample) => sample !== 0)) soundsPlayed += 1;
      return postMessage.call(this, message, ...rest);
    };
  `);

const soundsOf = async (page: Page): Promise<number> =>
  z.number().parse(await page.evaluate('globalThis.soundsPlayed'));

/** A call that a person has answered with sound, and its page. */
const callWithSound = async (
  t: Parameters<typeof openWebPhone>[0],
  { gateway, open }: ConsoleWorld,
  listenIn: string,
  visit: Parameters<ConsoleWorld['open']>[0] = {},
) => {
  // Nobody says a word, and the call goes on for as long as a test may take.
  const settings = { listen_in: listenIn, silence_timeout_sec: 600 };
  t.is((await gateway.admin.patch(gateway.numberPath, settings)).status, 200);
  const { base_url: url, admin_token: token } = gateway.credentials;
  const phone = await openWebPhone(t, { url, token });
  const callId = await gateway.call('01055551234');
  await phone.answer(callId);
  await gateway.untilStatus(callId, 'active');
  const page = await open({ ...visit, page: `/calls/${callId}` });
  return { phone, callId, page };
};

consoleTest(
  'an admin listens to a call until it stops, and the page says so',
  async (t, world) => {
    const { phone, callId, page } = await callWithSound(t, world, 'silent');
    const button = page.getByRole('button', { name: 'Listen' });
    await button.waitFor();
    await countSound(page);
    t.is(await button.getAttribute('aria-pressed'), 'false');
    await button.click();
    await page.getByText('You hear both parties; they do not hear you.').waitFor();
    t.is(await button.getAttribute('aria-pressed'), 'true');
    await until('something is played', async () => (await soundsOf(page)) > 10 || undefined);
    await everybodyCanUse(t, page, 'listening to a call');

    await world.gateway.client.post(`/api/v1/calls/${callId}/recording/pause`);
    await page.getByText('Silence: what is said now').waitFor();
    await world.gateway.client.post(`/api/v1/calls/${callId}/recording/resume`);
    await page.getByText('You hear both parties; they do not hear you.').waitFor();
    await button.click();
    await page.getByText('You hear both parties; they do not hear you.').waitFor({ state: 'detached' });
    t.is(await button.getAttribute('aria-pressed'), 'false');
    phone.send({ type: 'hang_up' });
    await button.waitFor({ state: 'detached' });
  },
  soundSettings,
);

consoleTest(
  'in Korean, on a telephone, the other party is told first; a viewer has no button, nor has a number that is off',
  async (t, world) => {
    const korean = { locale: 'ko-KR' as const, width: 390 };
    const { callId, page } = await callWithSound(t, world, 'announced', korean);
    await page.getByRole('button', { name: '통화 듣기' }).click();
    await page.getByText('양쪽의 소리가 들립니다.').waitFor();
    await everybodyCanUse(t, page, 'listening to a call, in Korean');
    await page.getByText('지금부터 담당자가 이 통화를 함께 듣습니다.').first().waitFor();

    const { admin, numberPath } = world.gateway;
    const { body } = await admin.post('/api/v1/admin/tokens', { name: 'reader', role: 'viewer' });
    const token = z.string().parse(body['token']);
    const reader = await world.open({ page: `/calls/${callId}`, token });
    await reader.getByText('Live', { exact: true }).waitFor();
    t.is(await reader.getByRole('button', { name: 'Listen' }).count(), 0);

    await admin.patch(numberPath, { listen_in: 'off' });
    const other = await world.open({ page: `/calls/${callId}` });
    await other.getByRole('button', { name: 'Hang up', exact: true }).waitFor();
    t.is(await other.getByRole('button', { name: 'Listen' }).count(), 0);
  },
  soundSettings,
);
