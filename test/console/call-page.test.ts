/** The page of a call: placing it, watching it, its chart, recording, SIP messages and metadata, and listening in. */
import test, { type ExecutionContext } from 'ava';
import type { Locator, Page } from 'playwright-core';
import { z } from 'zod';
import { conversationMachine } from '#machines/conversation.ts';
import type { Call, ReplayStep } from '#src/console/api/records.ts';
import { firstView, scaleOf, scrollAround, viewAfter } from '#src/console/call/chart-view.ts';
import { floorOf } from '#src/console/call/floor.ts';
import { createPlayback } from '#src/console/call/playback.ts';
import { type AudioElement, createRecordingSound } from '#src/console/call/recording-sound.ts';
import { spokenAfter } from '#src/console/call/words-of-turn.ts';
import { finalStatuses } from '#test/helpers/gateway.ts';
import { until } from '#test/helpers/until.ts';
import { openWebPhone, soundSettings } from '#test/journeys/sound-of-a-call.ts';
import type { Checks } from '#test/helpers/browser/axe.ts';
import { everybodyCanUse } from './everybody-can-use.ts';
import { consoleTest, pressInPlace, turnInto, turnTo, type ConsoleWorld } from './in-browser.ts';
import { placeCallsWithMetadata } from './calls-with-metadata.ts';
import { downloaded } from './downloaded.ts';
import { allowLongSilence, hangUp, heldCallee, placeHeldCall } from './lasting-calls.ts';
import { storeSipLadder } from './sip-ladder-rows.ts';
import { willShow } from './will-show.ts';

// A call in progress and its player

/** Speed of simulated lines: fast, but slow enough for a held call to outlast its test. */
const someSpeed = { GW_SIMULATOR_SPEED: '4' };

/** The same, with recordings that can be played. */
const playable = { ...someSpeed, GW_RECORDINGS_FORMAT: 'ogg' };

const instruction = '내일 오후 3시 예약을 확인해 주세요';

const boxOf = async (t: ExecutionContext, place: Locator) => {
  const box = await place.boundingBox();
  if (box === null) throw t.fail('It is not on the page.');
  return box;
};

consoleTest(
  'shows words and chart of a call in progress side by side, or one below the other in a narrow window',
  async (t, world) => {
    const spoken = [{ listen: true }, { say: '네, 말씀하세요.' }, { listen: true }];
    const id = await placeHeldCall(world.gateway, spoken, instruction);
    const page = await world.open({ page: `/calls/${id}`, dark: true });
    await page.locator('.turns .user').waitFor();
    await page.locator('.chart .current').waitFor();
    const cards = async () =>
      Promise.all([0, 1].map((index) => boxOf(t, page.locator('.call-stage > .card').nth(index))));
    const [words, chart] = await cards();
    t.is(words?.y, chart?.y);
    t.true((chart?.y ?? 0) + (chart?.height ?? 0) <= 860, 'the chart is below the first screen');
    // Empty sections are left out.
    t.is(await page.getByRole('heading', { name: 'Recording' }).count(), 0);
    t.is(await page.getByRole('heading', { name: 'SIP messages' }).count(), 0);
    const saved = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Save as JSON' }).click();
    t.is((await saved).suggestedFilename(), 'conversation.json');
    await everybodyCanUse(t, page, 'a call in progress');

    await turnInto(page, { width: 1000, locale: 'ko-KR', dark: false });
    const [above, below] = await cards();
    t.is(above?.x, below?.x);
    t.true((below?.y ?? 0) >= (above?.y ?? 0) + (above?.height ?? 0));
    await everybodyCanUse(t, page, 'a call in progress, narrow', 'look');

    await turnInto(page, { width: 1440, locale: 'en-US' });
    await page.getByRole('button', { name: 'Web phone' }).click();
    await page.getByRole('button', { name: 'Close the web phone' }).waitFor();
    const [, card] = await cards();
    const tabs = await boxOf(t, page.getByRole('group', { name: 'Chart', exact: true }));
    t.true(
      tabs.x + tabs.width <= (card?.x ?? 0) + (card?.width ?? 0),
      'the names of the charts leave their card',
    );
  },
  someSpeed,
);

consoleTest(
  'requests nothing for a call in progress that the gateway does not have',
  async (t, { gateway, open }) => {
    const id = await placeHeldCall(gateway);
    const page = await open();
    const refused: string[] = [];
    page.on('response', (response) => {
      if (response.status() >= 400) refused.push(`${response.status()} ${response.url()}`);
    });
    const gatewayRead = page.waitForResponse('**/api/v1/admin/gateways/current');
    await page.goto(`${gateway.credentials.base_url}/#/calls/${id}`);
    await gatewayRead;
    await page.locator('.chart .current').waitFor();
    t.is(await page.getByRole('link', { name: /Inspector/ }).count(), 0);
    t.deepEqual(refused, []);
  },
  someSpeed,
);

const answeredAt = z.object({ answered_at: z.string() });

consoleTest(
  'shows duration and current speaker of a call in progress, except while the connection is lost',
  async (t, world) => {
    await allowLongSilence(world.gateway);
    const { base_url: url, admin_token: token } = world.gateway.credentials;
    const phone = await openWebPhone(t, { url, token });
    const id = await world.gateway.call('01055551234');
    const page = await world.open({ page: `/calls/${id}`, isContextOwn: true });
    const live = page.locator('.live-line');
    await live.locator('.floor').getByText('Ringing').waitFor();
    const hasSpoken = willShow(page, 'Agent is speaking');
    const isShownWhileSpoken = willShow(page, 'speaking now');
    await phone.answer(id);
    await hasSpoken;
    await isShownWhileSpoken;
    await live.getByText('Nobody is speaking').waitFor();
    const call = await world.gateway.client.get(`/api/v1/calls/${id}`);
    await page.clock.setFixedTime(Date.parse(answeredAt.parse(call.body).answered_at) + 65_000);
    await page.getByRole('timer').getByText('1:05', { exact: true }).waitFor();

    await live.getByText('Live', { exact: true }).waitFor();
    await page.context().setOffline(true);
    await page.getByText('Connection lost. Trying again …').waitFor();
    t.is(await live.getByText('Live', { exact: true }).count(), 0);
    t.is(await live.locator('.floor').count(), 0);
    await page.context().setOffline(false);
    await live.getByText('Live', { exact: true }).waitFor();
    await live.locator('.floor').waitFor();
  },
  soundSettings,
);

consoleTest(
  'marks the sentence that the agent is speaking, after the words that were spoken before',
  async (t, { gateway, open }) => {
    const script = [{ listen: true }, { hold_sec: 600 }];
    await gateway.admin.put(`/api/v1/admin/simulator/callees/${heldCallee}`, { script });
    const id = await gateway.call(heldCallee, `${instruction}. `.repeat(40).trim());
    const page = await open({ page: `/calls/${id}` });
    const words = page.locator('.turns .saying p');
    const spoken = await until('a second sentence is spoken', async () => {
      const [whole, now] = await Promise.all([words.innerText(), words.locator('.sounding').innerText()]);
      const before = now !== '' && whole.endsWith(now) ? whole.slice(0, -now.length).trim() : '';
      return before === '' ? undefined : before;
    });
    t.true(spoken.length > 0);
    await hangUp(gateway, id);
  },
  someSpeed,
);

consoleTest(
  'shows the words of the other party while they are spoken',
  async (t, { gateway, open }) => {
    await allowLongSilence(gateway);
    const words = '예약을 내일 저녁 일곱 시로 옮기고 싶습니다. '.repeat(30).trim();
    // The words begin when the page is open.
    const script = [{ await_digits: '1' }, { say: words }];
    await gateway.admin.put(`/api/v1/admin/simulator/callees/${heldCallee}`, { script });
    const id = await gateway.call(heldCallee, instruction);
    const page = await open({ page: `/calls/${id}` });
    await page.locator('.turns .assistant').first().waitFor();
    await gateway.client.post(`/api/v1/calls/${id}/keys`, { keys: '1' });
    const preliminary = page.locator('.turns .counterparty .preliminary');
    const early = await until('some of its words are shown', async () => {
      const text = (await preliminary.innerText()).replace(/ ?…$/, '');
      return text === '' ? undefined : text;
    });
    t.true(words.startsWith(early) && early.length < words.length, early);
    await hangUp(gateway, id);
    await preliminary.waitFor({ state: 'detached' });
  },
  someSpeed,
);

consoleTest(
  'reports a lost connection once, dates what it shows, and disables every action until the connection is back',
  async (t, { gateway, open }) => {
    const id = await placeHeldCall(gateway, [{ listen: true }], instruction);
    const page = await open({ page: `/calls/${id}` });
    const button = (name: string): Locator => page.getByRole('button', { name, exact: true });
    await page.locator('.chart .current[data-state="on-hold"]').waitFor();
    await button('Say something').click();
    await page.getByLabel('Words').fill('잠시만요.');
    const actions = ['Hang up', 'End at once', 'Transfer', 'Press keys', 'Collect keys', 'Say it'];
    const shows = (words: RegExp) => page.locator('.chart-now', { hasText: words }).waitFor();

    await page.context().setOffline(true);
    await page.getByText('Connection lost. Trying again …').waitFor();
    await shows(/^At \d\d:\d\d:\d\d the call was in on-hold$/);
    await page
      .locator('.live-line')
      .getByText(/^As of \d\d:\d\d:\d\d$/)
      .waitFor();
    // Words in the chart are names of its events.
    const messages = page.locator(':not(svg *)').and(page.getByText(/connection|connected|does not answer/i));
    t.deepEqual(await messages.allInnerTexts(), ['Connection lost. Trying again …']);
    for (const name of [...actions, 'Save as JSON']) {
      t.is(await button(name).getAttribute('aria-disabled'), 'true', name);
      t.is(await button(name).getAttribute('title'), 'Not available while the connection is lost.', name);
    }
    await button('End at once').dispatchEvent('click');
    await button('Say it').dispatchEvent('click');
    await everybodyCanUse(t, page, 'a call whose connection is lost');

    await page.context().setOffline(false);
    await shows(/^The call is in on-hold$/);
    await page.locator('.live-line').getByText('Live', { exact: true }).waitFor();
    for (const name of actions) t.is(await button(name).getAttribute('aria-disabled'), 'false', name);
    t.is(await page.getByText(/does not answer/).count(), 0, 'a disabled action was tried');
    t.is(await page.getByLabel('Words').inputValue(), '잠시만요.');
    await button('Say it').click();
    await page.getByText('The words will be said.').waitFor();
    await hangUp(gateway, id);
  },
  someSpeed,
);

consoleTest(
  'zooms the chart by buttons, keys and Ctrl+wheel, and follows the current state',
  async (t, world) => {
    const id = await placeHeldCall(world.gateway, [{ listen: true }], instruction);
    const page = await world.open({ page: `/calls/${id}` });
    const frame = page.locator('.chart');
    const width = async () => (await boxOf(t, frame.locator('svg'))).width;
    const untilWidth = (what: string, isSo: (width: number) => boolean) =>
      until(`the chart is ${what}`, async () => isSo(await width()) || undefined);
    const isInSight = async (): Promise<boolean> => {
      const seen = await boxOf(t, frame);
      const lit = await boxOf(t, frame.locator('.current'));
      return (
        lit.x >= seen.x &&
        lit.x + lit.width <= seen.x + seen.width &&
        lit.y >= seen.y &&
        lit.y + lit.height <= seen.y + seen.height
      );
    };
    await page.locator('.chart .current[data-state="on-hold"]').waitFor();
    const follow = page.getByRole('button', { name: 'Follow the state' });
    t.is(await follow.getAttribute('aria-pressed'), 'true');
    const first = await width();

    await page.getByRole('button', { name: 'Zoom in' }).click();
    await untilWidth('larger', (now) => now > first);
    await page.getByRole('button', { name: 'Whole chart' }).click();
    const seen = (await boxOf(t, frame)).width;
    await untilWidth('whole', (now) => now <= seen);
    await frame.focus();
    await page.keyboard.press('f');
    await untilWidth('as at first', (now) => now === first);
    await page.keyboard.press('+');
    await untilWidth('larger', (now) => now > first);
    await page.keyboard.press('-');
    await untilWidth('as at first', (now) => Math.abs(now - first) < 2);
    await page.keyboard.press('0');
    await page.getByRole('button', { name: 'Whole chart', pressed: true }).waitFor();

    await follow.click();
    await untilWidth('as at first', (now) => now === first);
    await frame.hover();
    await page.mouse.wheel(0, -100);
    t.is(await width(), first);
    await page.keyboard.down('Control');
    await page.mouse.wheel(0, -100);
    await page.keyboard.up('Control');
    await untilWidth('larger', (now) => now > first);

    await frame.focus();
    for (let press = 0; press < 30; press += 1) await page.keyboard.press('ArrowLeft');
    t.is(await follow.getAttribute('aria-pressed'), 'false');
    t.false(await isInSight());
    await follow.click();
    await until('the state is in sight', async () => (await isInSight()) || undefined);
  },
  someSpeed,
);

/** The share of a lane's path that shows audio: bars that are more than a line. */
const loudBars = (path: string): number =>
  [...path.matchAll(/M[\d.]+ ([\d.]+)V([\d.]+)/g)].filter(([, top, end]) => Number(end) - Number(top) > 8)
    .length;

consoleTest(
  'the player has a lane for each party and seeks to the start of a clicked turn',
  async (t, world) => {
    const script = [
      { listen: true },
      { say: '네, 말씀하세요.' },
      { listen: true },
      { say: '네, 세 시가 좋습니다.' },
      { hang_up: true },
    ];
    await world.gateway.admin.put(`/api/v1/admin/simulator/callees/${heldCallee}`, { script });
    const id = await world.gateway.call(heldCallee, instruction);
    await world.gateway.untilStatus(id, 'completed');
    const page = await world.open({ page: `/calls/${id}`, dark: true });
    for (const speaker of ['assistant', 'user']) {
      const lane = page.locator(`.lanes > path.${speaker}`);
      await lane.waitFor({ state: 'attached' });
      t.true(loudBars((await lane.getAttribute('d')) ?? '') > 5, speaker);
    }
    t.is(await page.getByRole('slider').count(), 1);
    t.is(await page.getByRole('button', { name: 'Play', exact: true }).count(), 1);
    await everybodyCanUse(t, page, 'a call that is over');

    const turn = page.locator('.turns .user').first();
    const [spoken] = (await world.gateway.transcript(id)).filter(({ role }) => role === 'user');
    await turn.locator('p').click();
    t.is(await page.getByRole('slider').inputValue(), String(spoken?.t_offset_sec));
    t.is(await turn.getAttribute('aria-current'), 'step');
    await page.locator('.chart-now', { hasText: 'listening.' }).waitFor();
    await page.locator('.state-map .map-group', { hasText: 'listening' }).locator('.busy').waitFor();
    const at = Number(await page.evaluate("document.querySelector('audio').currentTime"));
    t.true(Math.abs(at - (spoken?.t_offset_sec ?? 0)) < 0.4, `the recording is at ${at}`);

    // With the keyboard.
    await page.locator('.turns .assistant .turn-time').first().press('Enter');
    t.is(await page.locator('.turns [aria-current]').count(), 1);
    t.is(await page.locator('.turns .assistant').first().getAttribute('aria-current'), 'step');
  },
  playable,
);

// Requests to a call

const settledAxe = async (
  t: ExecutionContext,
  page: Page,
  what: string,
  checks: Checks = 'everything',
): Promise<void> => {
  await page.locator('.loading').waitFor({ state: 'detached' });
  await everybodyCanUse(t, page, what, checks);
};

consoleTest(
  'transfers a call from its page, shows the progress and cancels it, by keyboard and in both languages',
  async (t, { gateway, open }) => {
    await gateway.admin.patch(gateway.numberPath, { transfer_to: ['0100000001*', '0212345678'] });
    const id = await placeHeldCall(gateway, [{ listen: true }], instruction);
    const page = await open({ page: `/calls/${id}`, width: 1440 });
    const korean = await open({ page: `/calls/${id}`, width: 390, locale: 'ko-KR', dark: true });

    const unfold = page.getByRole('button', { name: 'Transfer', exact: true });
    await unfold.press('Enter');
    const to = page.getByLabel('To', { exact: true });
    await page.locator('[name=to]:focus').waitFor();
    await to.press('Escape');
    t.is(await unfold.getAttribute('aria-expanded'), 'false');
    await page.locator('.acts button:focus', { hasText: 'Transfer' }).waitFor();
    await unfold.press('Enter');
    await page.getByText('This number may transfer calls to 0100000001*, 0212345678.').waitFor();
    await page.getByRole('radio', { name: 'Warm' }).check();
    await to.fill('02-999-9999');
    await page.getByLabel('Key that accepts the call').fill('12');
    await page.getByRole('button', { name: 'Transfer the call' }).click();
    await page.getByText('This must be one key of the telephone: 0 to 9, *, # or A to D.').waitFor();
    await settledAxe(t, page, 'the form of a transfer');
    await page.getByLabel('Key that accepts the call').fill('1');
    await to.press('Enter');
    // A number that is not permitted; the error is beside the field, which has the focus.
    await page.locator('[name=to][aria-invalid=true]:focus').waitFor();
    await korean.getByRole('button', { name: '담당자에게 연결' }).click();
    await korean.getByLabel('담당자 번호').fill('0299999999');
    await korean.getByRole('button', { name: '연결하기' }).click();
    await korean.getByText('이 번호의 통화를 그곳으로 연결할 수 없습니다.', { exact: false }).waitFor();
    await settledAxe(t, korean, 'the form of a transfer, narrow', 'look');

    await to.fill('010-0000-0013');
    await page.getByLabel('Ring time').fill('120');
    await page.getByRole('button', { name: 'Transfer the call' }).click();
    for (const shown of [page, korean]) {
      await shown.locator('.transfer-line', { hasText: '01000000013' }).waitFor();
      await shown.locator('.chart .current[data-state$="transferring.consulting"]').waitFor();
      await shown.locator('.chart .around[data-state$="transferring"]').waitFor();
      await settledAxe(t, shown, 'a person is rung', shown === page ? 'everything' : 'look');
    }
    t.is(await unfold.count(), 0, 'one at a time');
    await page.locator('.live-line').getByText('Calling a person').waitFor();
    await korean.getByRole('button', { name: '연결 취소' }).click();
    await page.locator('.transfer-line', { hasText: 'Transfer cancelled; the agent continues' }).waitFor();
    await unfold.waitFor();

    await unfold.click();
    await to.fill('01000000012');
    await page.getByRole('button', { name: 'Transfer the call' }).click();
    await page.locator('.transfer-line', { hasText: 'not connected: busy' }).waitFor();
    await page.locator('.timeline li', { hasText: 'Transfer failed busy' }).waitFor();
    await korean.locator('.transfer-line', { hasText: '연결하지 못함: 통화 중' }).waitFor();
    await hangUp(gateway, id);
  },
  someSpeed,
);

consoleTest(
  'a transferred call shows since when the two persons talk, and offers no agent actions',
  async (t, { gateway, open }) => {
    await gateway.admin.patch(gateway.numberPath, { transfer_to: ['01000000011'] });
    const id = await placeHeldCall(gateway, [{ listen: true }], instruction);
    const page = await open({ page: `/calls/${id}` });
    const isShown = willShow(page, 'The other party talks with the person; the agent has left');
    const isOnTheFloor = willShow(page, 'Talking with a person');
    const { status } = await gateway.client.post(`/api/v1/calls/${id}/transfer`, { to: '01000000011' });
    t.is(status, 202);
    await isShown;
    await isOnTheFloor;
    await page.getByText('The call ended when one of the two hung up').waitFor();
    t.is(await page.locator('.acts').count(), 0);
    await page.locator('.call-facts', { hasText: '01000000011 · connected' }).waitFor();
  },
  someSpeed,
);

consoleTest(
  'sends and collects DTMF digits and says words from the page of a call',
  async (t, { gateway, open }) => {
    const id = await placeHeldCall(gateway, [{ listen: true }], instruction);
    const page = await open({ page: `/calls/${id}` });
    const button = (name: string): Locator => page.getByRole('button', { name, exact: true });
    const written = async (type: string) => {
      const { body } = await gateway.client.get(`/api/v1/calls/${id}/events`);
      const events = z.array(z.object({ type: z.string(), data: z.unknown() })).parse(body['events']);
      return events.filter((event) => event.type === type).map(({ data }) => data);
    };

    await button('Press keys').click();
    await page.getByLabel('Keys', { exact: true }).fill('12x');
    await button('Press').click();
    await page.getByText('There may be 1 to 64 of 0 to 9, *, #, A to D, and w.').waitFor();
    await page.getByLabel('Keys', { exact: true }).fill('1w2#');
    await button('Press').click();
    await page.getByText('The keys are being pressed.').waitFor();
    t.is(await page.getByLabel('Keys', { exact: true }).inputValue(), '');
    await settledAxe(t, page, 'keys to press');
    await page.locator('.timeline li', { hasText: 'Keys pressed by the agent 1w2#' }).waitFor();

    await button('Say something').click();
    t.is(await page.getByLabel('Keys', { exact: true }).count(), 0, 'one form at a time');
    await page.getByLabel('Words').fill('잠시만요.');
    await page.getByLabel('Interrupt the agent').check();
    await button('Say it').click();
    await page.getByText('The words will be said.').waitFor();
    t.deepEqual(await written('say.requested'), [{ text: '잠시만요.', interrupt: true }]);

    await button('Collect keys').click();
    await page.getByLabel('How many').fill('4');
    await page.getByLabel('Finish key').fill('#');
    await page.getByLabel('Secret').check();
    await button('Collect').click();
    await page.getByText('The agent waits for the keys.').waitFor();
    t.deepEqual(await written('collect.requested'), [
      { digits: 4, finish: '#', timeout_sec: 10, secret: true },
    ]);
    await settledAxe(t, page, 'keys to collect');

    // The audit log names the admin, although the requests have the key of the number.
    await page.getByRole('link', { name: 'Who acted: audit log' }).click();
    const acts = page.getByRole('list', { name: 'Audit log' }).getByRole('listitem');
    await acts.filter({ hasText: 'Keys asked for in a call' }).getByText('Admin test').waitFor();
    t.is(await acts.count(), 3);
    await hangUp(gateway, id);
  },
  someSpeed,
);

consoleTest(
  'links to the setting of permitted transfers for a number without any',
  async (t, { gateway, open }) => {
    const id = await placeHeldCall(gateway);
    const page = await open({ page: `/calls/${id}` });
    await pressInPlace(page.getByRole('button', { name: 'Transfer', exact: true }));
    await page.getByRole('link', { name: 'Allow targets in its settings' }).waitFor();
    t.is(await page.getByRole('button', { name: 'Transfer the call' }).count(), 0);
    await page.getByRole('link', { name: 'Allow targets in its settings' }).click();
    await page.getByLabel('Transfer targets').waitFor();
    await hangUp(gateway, id);
  },
  someSpeed,
);

// From placing a call to its end

consoleTest(
  'offers the people of the simulated line by what they do',
  async (t, { gateway, open }) => {
    const script = [{ say: 'Hello.' }, { listen: true }, { hang_up: true }];
    await gateway.admin.put('/api/v1/admin/simulator/callees/01055551111', { script });
    const page = await open({ page: '/place-call' });
    const to = page.getByLabel('To', { exact: true });
    const people = page.getByRole('group', { name: 'Simulated people' });
    const happens = page.locator('.place-beside .facts');
    await happens.getByText('Answers after a second, talks politely').waitFor();
    t.is(await to.inputValue(), '01000000001');
    await pressInPlace(people.getByRole('button', { name: /^With a script/ }));
    t.is(await to.inputValue(), '01055551111');
    await happens.getByText('A script of 3 steps.').waitFor();
    await to.fill('02-1234-5678');
    await happens.getByText('Rings on the web phones of this workspace').waitFor();
    await pressInPlace(people.getByRole('button', { name: /^Is busy/ }));
    await happens.getByText('Is busy.', { exact: true }).waitFor();
    t.is(await people.locator('[aria-pressed=true]').count(), 1);
    await everybodyCanUse(t, page, 'people of the simulated line');

    const spoken =
      'This call is in Korean: agent, recognition and voice. For a call in English, choose it here.';
    await page.getByText(spoken, { exact: true }).waitFor();
    await page.getByRole('combobox', { name: 'Language' }).selectOption('English');
    await page.getByText('This call is in English: agent, recognition and voice.', { exact: true }).waitFor();
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

    await turnInto(page, { locale: 'ko-KR', width: 390, dark: true });
    await turnTo(page, '/place-call');
    await page.getByText('1초 뒤에 받아').waitFor();
    await page.getByText('에이전트와 음성 인식, 음성 모두 한국어를 사용합니다.', { exact: true }).waitFor();
    await everybodyCanUse(t, page, 'people of the simulated line, narrow', 'look');
  },
  someSpeed,
);

consoleTest(
  'places, watches, ends and plays back a call',
  async (t, { gateway, open }) => {
    const script = [{ say: '네, 말씀하세요.' }, { listen: true }, { hold_sec: 600 }];
    await gateway.admin.put(`/api/v1/admin/simulator/callees/${heldCallee}`, { script });
    const page = await open({ page: '/place-call' });
    const to = page.getByLabel('To', { exact: true });
    await to.fill('+82 10 5555 0000');
    await page.getByLabel('Instruction').fill('내일 오후 3시 예약을 확인해 주세요');
    await page.getByLabel('Maximum duration').fill('1200');
    await page.getByRole('button', { name: 'Place the call' }).click();
    // The error is beside the field, which keeps its value.
    await page.locator('[aria-invalid=true]').waitFor();
    t.is(await to.inputValue(), '+82 10 5555 0000');
    t.regex((await page.locator('.field .error').textContent()) ?? '', /domestic format/);
    await to.fill('010-5555-0000');
    await page.getByRole('button', { name: 'Place the call' }).click();

    await page.getByRole('heading', { name: heldCallee }).waitFor();
    await page.getByText('In conversation').waitFor();
    await page.getByText('내일 오후 3시 예약을 확인해 주세요').first().waitFor();
    await page.locator('.turns .assistant').first().waitFor();
    await page.locator('.turns .user').getByText('네, 말씀하세요.').waitFor();
    await page.getByText('Live', { exact: true }).waitFor();
    await page.locator('.chart .state.current').waitFor();
    await page.getByRole('button', { name: 'Call', exact: true }).click();
    await page.locator('.chart .state.around[data-state=active]').waitFor();

    await page.getByRole('button', { name: 'End at once' }).click();
    await page.getByText('The call was hung up immediately, as requested.').waitFor();
    await page.locator('.timeline li', { hasText: 'Ended Ended by our side' }).waitFor();

    await page.getByRole('button', { name: 'Play', exact: true }).waitFor();
    t.true(((await page.locator('.wave .lanes path').first().getAttribute('d')) ?? '').length > 1_000);
    await page.getByRole('button', { name: 'Play', exact: true }).click();
    await page.getByRole('button', { name: 'Pause', exact: true }).click();
    await page.getByLabel('Place in the call').fill('1');
    await page
      .locator('.player')
      .getByText(/^0:01 \/ /)
      .waitFor();

    const breaksOff = page.getByText('Part of the recording is missing');
    t.is(await breaksOff.count(), 0);
    await page.route(/\/api\/v1\/admin\/calls\/[\da-f-]{36}$/, async (route) => {
      const response = await route.fetch();
      const call = await response.json();
      await route.fulfill({ response, json: { ...call, recording: { ...call.recording, truncated: true } } });
    });
    await page.reload();
    await breaksOff.waitFor();
  },
  playable,
);

consoleTest(
  'shows the whole transcript of a finished call, and fills in the form to call again',
  async (t, { gateway, open }) => {
    const script = [{ listen: true }, { say: '네, 말씀하세요.' }, { listen: true }, { hang_up: true }];
    await gateway.admin.put(`/api/v1/admin/simulator/callees/${heldCallee}`, { script });
    const id = await gateway.call(heldCallee, instruction);
    await gateway.untilStatus(id, 'completed');
    const page = await open({ page: `/calls/${id}` });
    await page.locator('.turns .user').waitFor();
    await page.locator('.state-map .busy', { hasText: 'completed' }).waitFor();
    await page.getByRole('button', { name: 'Arrows' }).click();
    await page.locator('.chart .current[data-state="completed"]').waitFor();
    await page.getByRole('button', { name: 'Boxes' }).click();
    await page.locator('.state-map').waitFor();
    t.is(await page.evaluate("getComputedStyle(document.querySelector('.transcript')).overflowY"), 'visible');
    await turnInto(page, { width: 390, locale: 'ko-KR', dark: true });
    await page.getByRole('link', { name: '다시 걸기' }).waitFor();
    await everybodyCanUse(t, page, 'a call that is over, narrow', 'look');

    await turnInto(page, { width: 1280, locale: 'en-US' });
    await page.getByRole('link', { name: 'Call again' }).click();
    await page.getByRole('heading', { name: 'Place a call' }).waitFor();
    t.is(await page.getByLabel('To', { exact: true }).inputValue(), heldCallee);
    t.is(await page.getByLabel('Instruction').inputValue(), instruction);
  },
  someSpeed,
);

consoleTest(
  'cancels a ringing call',
  async (t, { gateway, open }) => {
    await allowLongSilence(gateway);
    const ringing = await gateway.call('01000000002');
    const page = await open({ page: `/calls/${ringing}` });
    await pressInPlace(page.getByRole('button', { name: 'Stop ringing' }));
    await page.getByText('The call was cancelled while it was ringing.').waitFor();
    t.is((await gateway.untilStatus(ringing, 'no_answer'))['end_reason'], 'cancelled');
  },
  soundSettings,
);

consoleTest(
  'shows a call of another workspace as not found',
  async (t, { open }) => {
    const foreign = await open({ page: '/calls/7f9c2f6e-4f0e-4b7e-9b1c-2d1d5a1e0c11' });
    await foreign.getByText('Not found').waitFor();
    t.pass();
  },
  someSpeed,
);

// SIP messages

/** A call over two trunks, the second of which challenges; as on real lines. */
const withLadder = async ({ gateway, databaseUrl }: ConsoleWorld): Promise<string> => {
  const callId = await gateway.call('01000000003');
  await gateway.untilStatus(callId, 'no_answer');
  await storeSipLadder(databaseUrl, callId);
  return `/calls/${callId}`;
};

const openLadder = async (world: ConsoleWorld, page: string): Promise<Page> => {
  const opened = await world.open({ page });
  await opened.locator('.sip-ladder li').first().waitFor();
  return opened;
};

consoleTest(
  'draws SIP messages as an accessible ladder diagram at every width',
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
    await everybodyCanUse(t, page, 'ladder-1280');
    for (const [width, locale, dark] of [
      [768, 'en-US', true],
      [375, 'ko-KR', false],
    ] as const) {
      await turnInto(page, { width, locale, dark });
      await everybodyCanUse(t, page, `ladder-${width}`, 'look');
    }
  },
  someSpeed,
);

consoleTest(
  'downloads SIP messages as text and as a pcap file',
  async (t, world) => {
    const page = await openLadder(world, await withLadder(world));
    const saved = async (button: string): Promise<[string, Buffer]> => {
      const [download] = await Promise.all([
        page.waitForEvent('download'),
        page.getByRole('button', { name: button }).click(),
      ]);
      return [download.suggestedFilename(), await downloaded(download)];
    };
    const [textName, text] = await saved('Text');
    t.regex(textName, /^[\da-f-]{36}\.txt$/);
    t.regex(text.toString(), /udp 127\.0\.0\.1:5060 -> 127\.0\.0\.1:5080\n\nINVITE /);
    const [pcapName, pcap] = await saved('Capture file (pcap)');
    t.regex(pcapName, /^[\da-f-]{36}\.pcap$/);
    t.is(pcap.readUInt32LE(0), 0xa1b2c3d4);
    await page.route('**/sip?format=*', (route) => route.abort());
    await page.getByRole('button', { name: 'Text' }).click();
    await page.getByText('The download failed. Try again.').waitFor();
  },
  someSpeed,
);

consoleTest(
  'explains in both languages why a simulated call has no SIP messages',
  async (t, world) => {
    const callId = await world.gateway.call('01000000003');
    await world.gateway.untilStatus(callId, 'no_answer');
    const page = await world.open({ page: `/calls/${callId}` });
    await page.getByText('this call was simulated, without a telephone network').waitFor();
    await turnInto(page, { locale: 'ko-KR' });
    await page.getByText('시뮬레이션 통화이므로 실제 전화망을 거치지 않았습니다').waitFor();
    t.is(await page.locator('.sip-ladder').count(), 0);
  },
  someSpeed,
);

// Metadata

consoleTest(
  'shows metadata and SIP headers of a call as text',
  async (t, world) => {
    const { withMetadata, without } = await placeCallsWithMetadata(world);
    const page = await world.open({ page: `/calls/${withMetadata}` });
    const facts = page.locator('.call-facts');
    await facts.getByText('A-1042').waitFor();
    await facts.getByText('<b>예약</b> = 두 명').waitFor();
    t.regex(await facts.innerText(), /SIP headers\s+X-Ticket 1042/);
    await everybodyCanUse(t, page, 'a call with metadata');
    await turnInto(page, { width: 390, locale: 'ko-KR', dark: true });
    await facts.getByText('메타데이터').first().waitFor();
    t.regex(await facts.innerText(), /메타데이터[^]*SIP 헤더/);
    await everybodyCanUse(t, page, 'a call with metadata, narrow', 'look');

    await turnInto(page, { locale: 'en-US' });
    await turnTo(page, `/calls/${without}`);
    await facts.getByText(without).waitFor();
    t.notRegex(await facts.innerText(), /Metadata|SIP headers/);
  },
  someSpeed,
);

// Listening in

/** Counts audio frames for the speaker that are not silent. */
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

/** A call that a web phone has answered with audio, and its page. */
const callWithSound = async (
  t: Parameters<typeof openWebPhone>[0],
  { gateway, open }: ConsoleWorld,
  listenIn: string,
  visit: Parameters<ConsoleWorld['open']>[0] = {},
) => {
  await allowLongSilence(gateway);
  t.is((await gateway.admin.patch(gateway.numberPath, { listen_in: listenIn })).status, 200);
  const { base_url: url, admin_token: token } = gateway.credentials;
  const phone = await openWebPhone(t, { url, token });
  const callId = await gateway.call('01055551234');
  await phone.answer(callId);
  await gateway.untilStatus(callId, 'active');
  const page = await open({ ...visit, page: `/calls/${callId}` });
  return { phone, callId, page };
};

consoleTest(
  'plays a call to a listening admin until the call ends',
  async (t, world) => {
    const { phone, callId, page } = await callWithSound(t, world, 'silent');
    const button = page.getByRole('button', { name: 'Listen' });
    await button.waitFor();
    await countSound(page);
    t.is(await button.getAttribute('aria-pressed'), 'false');
    await button.click();
    await page.getByText('You hear both parties. They do not hear you.').waitFor();
    t.is(await button.getAttribute('aria-pressed'), 'true');
    await until('something is played', async () => (await soundsOf(page)) > 10 || undefined);
    await everybodyCanUse(t, page, 'listening to a call');

    await world.gateway.client.post(`/api/v1/calls/${callId}/recording/pause`);
    await page.getByText('Muted: what is said now').waitFor();
    await world.gateway.client.post(`/api/v1/calls/${callId}/recording/resume`);
    await page.getByText('You hear both parties. They do not hear you.').waitFor();
    await button.click();
    await page.getByText('You hear both parties. They do not hear you.').waitFor({ state: 'detached' });
    t.is(await button.getAttribute('aria-pressed'), 'false');
    phone.send({ type: 'hang_up' });
    await button.waitFor({ state: 'detached' });
  },
  soundSettings,
);

consoleTest(
  'announces listening in Korean, and offers no listening to viewers or for numbers that forbid it',
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
    await page.reload();
    await page.getByRole('button', { name: '통화 종료', exact: true }).waitFor();
    t.is(await page.getByRole('button', { name: '통화 듣기' }).count(), 0);
  },
  soundSettings,
);

// Floor

const floorIn = (
  conversation: string | null,
  call = 'active.talking.conversing',
  voicemail: string | null = null,
) => floorOf({ call, conversation, voicemail });

test('shows the agent as speaker while it thinks, speaks and pauses', (t) => {
  t.deepEqual(floorIn('replying.thinking'), { who: 'agent', doing: 'thinking' });
  t.deepEqual(floorIn('replying.paused'), { who: 'agent', doing: 'pausing' });
  t.deepEqual(floorIn('saying.paused'), { who: 'agent', doing: 'pausing' });
  for (const path of ['replying.speaking', 'saying.sounding', 'parting'])
    t.deepEqual(floorIn(path), { who: 'agent', doing: 'speaking' }, path);
});

test('shows the counterparty as speaker while it speaks, and no speaker in silence, on hold and while ringing', (t) => {
  t.deepEqual(floorIn('listening.hearing'), { who: 'counterparty', doing: 'hearing' });
  t.deepEqual(floorIn('listening.catching-up.still-speaking'), { who: 'counterparty', doing: 'hearing' });
  t.deepEqual(floorIn('listening.silent'), { who: 'nobody', doing: 'silent' });
  t.deepEqual(floorIn('on-hold'), { who: 'nobody', doing: 'onHold' });
  t.deepEqual(floorIn(null, 'ringing.alerting'), { who: 'nobody', doing: 'ringing' });
  t.deepEqual(floorIn(null, 'ending'), { who: 'nobody', doing: 'ending' });
});

test('shows the speaker in the chart of a transfer, and does not show a connected transfer as ending', (t) => {
  const inTransfer = (path: string) => floorIn('standing-by.present', `active.talking.transferring.${path}`);
  t.deepEqual(inTransfer('announcing'), { who: 'agent', doing: 'speaking' });
  for (const path of ['consulting', 'referring'])
    t.deepEqual(inTransfer(path), { who: 'nobody', doing: 'ringingPerson' }, path);
  for (const path of ['briefing', 'briefed', 'connecting'])
    t.deepEqual(inTransfer(path), { who: 'nobody', doing: 'briefingPerson' }, path);
  t.deepEqual(inTransfer('recalling'), { who: 'nobody', doing: 'recallingPerson' });
  t.deepEqual(floorIn('closing', 'active.bridged'), { who: 'nobody', doing: 'talkingWithPerson' });
});

test('shows an answering machine as speaker until the agent leaves its message', (t) => {
  t.deepEqual(floorIn('voicemail', 'active.talking.conversing', 'awaiting-beep'), {
    who: 'counterparty',
    doing: 'machine',
  });
  t.deepEqual(floorIn('voicemail', 'active.talking.leaving-message', 'leaving-message'), {
    who: 'agent',
    doing: 'leavingMessage',
  });
});

test('every state for which a speaker is shown exists in the chart', (t) => {
  const states = conversationMachine.root.states;
  for (const path of ['replying', 'saying', 'parting', 'listening', 'on-hold', 'closing'])
    t.truthy(states[path], path);
  for (const [parent, child] of [
    ['replying', 'thinking'],
    ['replying', 'paused'],
    ['saying', 'paused'],
    ['listening', 'hearing'],
  ] as const)
    t.truthy(states[parent]?.states[child], `${parent}.${child}`);
});

// Words of the turn in progress

test('counts the characters of a turn that were spoken before its current sentence', (t) => {
  const first = spokenAfter(null, 'Good morning.');
  t.is(first.spoken, 0);
  const second = spokenAfter(first, 'Good morning. How are you?');
  t.is(second.words.slice(second.spoken), 'How are you?');
  t.is(spokenAfter(second, second.words), second);
  // An interrupted agent: only a part of the sentence was heard.
  t.is(spokenAfter(second, 'Good morning. How').spoken, 'Good morning. How'.length);
  t.is(spokenAfter(second, 'Yes?').spoken, 0, 'the next turn');
});

test('finds the current sentence of a long turn, whose beginning the gateway leaves out', (t) => {
  const sentence = 'This sentence has more than forty characters in it.';
  const before = spokenAfter(null, `${'a'.repeat(900)} ${sentence}`);
  const after = spokenAfter(before, `${'a'.repeat(800)} ${sentence} And now?`);
  t.is(after.words.slice(after.spoken), 'And now?');
});

// View of the chart

const picture = { width: 2_000, height: 1_000 };
const frame = { width: 500, height: 400 };

test('shows the chart at a legible scale at first and follows the state', (t) => {
  t.true(firstView.isFollowing);
  t.is(scaleOf(firstView, picture, frame), 0.8);
});

test('fits the whole chart into its frame, and does not enlarge a small chart', (t) => {
  const whole = viewAfter(firstView, 'whole', 0.8);
  t.is(scaleOf(whole, picture, frame), 0.25);
  t.is(scaleOf(whole, { width: 100, height: 50 }, frame), 1);
});

test('zooms in steps between the whole chart and twice its size', (t) => {
  let view = firstView;
  const zoom = (move: 'in' | 'out') => {
    view = viewAfter(view, move, scaleOf(view, picture, frame));
    return scaleOf(view, picture, frame);
  };
  t.is(zoom('in'), 1);
  for (let time = 0; time < 20; time += 1) zoom('in');
  t.is(zoom('in'), 2);
  for (let time = 0; time < 30; time += 1) zoom('out');
  t.is(zoom('out'), 0.25);
});

test('stops following the state when the user moves the chart, until following is switched on again', (t) => {
  const moved = viewAfter(firstView, 'by-hand', 0.8);
  t.false(moved.isFollowing);
  t.false(viewAfter(moved, 'in', 0.8).isFollowing);
  t.deepEqual(viewAfter(moved, 'follow', 0.8), firstView);
  t.deepEqual(viewAfter({ zoom: 'whole', isFollowing: false }, 'follow', 0.25), firstView);
});

test('keeps the point under the pointer in place while zooming', (t) => {
  const to = scrollAround({ x: 100, y: 50 }, { x: 300, y: 150 }, 1, 2);
  t.deepEqual(to, { x: 700, y: 350 });
  t.is((to.x + 100) / 2, 300 + 100);
});

// Playback

const step = (at: string, event: string, fact: number | null): ReplayStep => ({
  at: `2026-01-02T03:04:${at}+09:00`,
  event,
  fact,
  call: 'active.talking.conversing',
  conversation: null,
  voicemail: null,
});

const steps = [
  step('00.000', '(begin)', null),
  step('02.000', 'line.answered', 1),
  step('05.000', 'reply.finished', 2),
  step('05.000', 'line.played', 2),
  step('09.500', '(time)', null),
  step('12.000', 'line.ended', 3),
];

const call = {
  started_at: '2026-01-02T03:04:00.000+09:00',
  answered_at: '2026-01-02T03:04:02.000+09:00',
} as Call;

test('shows the last step of the replay before any user input', (t) => {
  const playback = createPlayback(call, steps);
  t.is(playback.index.value, 5);
  t.false(playback.isTouched.value);
  t.is(playback.fact.value, 3);
});

test('counts positions of the replay from the answer, as in the recording', (t) => {
  const { from, to, place } = createPlayback(call, steps);
  t.deepEqual([from, to, place.value], [-2, 10, 10]);
});

test('selects the last step before a position of the replay, and its fact', (t) => {
  const playback = createPlayback(call, steps);
  playback.seek(2.9);
  t.deepEqual([playback.index.value, playback.fact.value], [1, 1]);
  playback.seek(3);
  t.is(playback.index.value, 3);
  playback.seek(8);
  t.deepEqual([playback.index.value, playback.fact.value], [4, 2]);
  playback.seek(-50);
  t.deepEqual([playback.index.value, playback.place.value, playback.fact.value], [0, -2, null]);
});

test('steps through transitions with equal times one by one', (t) => {
  const playback = createPlayback(call, steps);
  for (const index of [1, 2, 3, 2]) {
    playback.stepTo(index);
    t.is(playback.index.value, index);
  }
  playback.stepTo(6);
  t.is(playback.index.value, 2);
});

test('plays the replay from the answer, or from the start of an unanswered call', (t) => {
  const answered = createPlayback(call, steps);
  t.is(answered.shown.value, 0);
  answered.play();
  answered.pause();
  t.deepEqual([answered.place.value, answered.index.value], [0, 1]);
  const unanswered = createPlayback({ ...call, answered_at: null }, steps);
  t.is(unanswered.shown.value, 0);
  t.is(unanswered.from, 0);
});

test("takes the end of the replay from the call's duration if there are no steps", (t) => {
  const { from, to, shown } = createPlayback({ ...call, duration_sec: 42 }, []);
  t.deepEqual([from, to, shown.value], [0, 42, 0]);
});

// Audio of the recording

/** An audio element of ten seconds that plays no sound. */
class SilentAudio extends EventTarget implements AudioElement {
  currentTime = 0;
  duration = 10;
  paused = true;
  ended = false;

  async play(): Promise<void> {
    this.paused = false;
  }

  pause(): void {
    this.paused = true;
  }
}

const setUp = (steps: { at: number }) => {
  const audio = new SilentAudio();
  const told: string[] = [];
  const sound = createRecordingSound(audio, () => steps.at, {
    loaded: () => told.push('loaded'),
    played: () => told.push('played'),
    paused: () => told.push('paused'),
    moved: (place) => told.push(`moved to ${place}`),
  });
  return { audio, sound, told };
};

test('seeks the recording to the replay position and plays it while the replay plays', (t) => {
  const { audio, sound } = setUp({ at: 4 });
  sound.follow(false);
  t.deepEqual([audio.currentTime, audio.paused], [4, true]);
  sound.follow(true);
  t.true(sound.isHeard());
  sound.follow(false);
  t.false(sound.isHeard());
});

test('pauses the recording before the answer and after the end of the replay', (t) => {
  for (const [at, place] of [
    [-3, 0],
    [12, 12],
  ] as const) {
    const { audio, sound } = setUp({ at });
    audio.currentTime = 5;
    sound.follow(true);
    t.deepEqual([audio.currentTime, sound.isHeard()], [place, false]);
  }
});

test('does not seek the recording for a small difference, which would be audible', (t) => {
  const { audio, sound } = setUp({ at: 4.2 });
  audio.currentTime = 4;
  sound.follow(true);
  t.is(audio.currentTime, 4);
});

test("reports the user's actions on the recording's controls, but not changes made by the replay", (t) => {
  const { audio, told } = setUp({ at: 4 });
  audio.dispatchEvent(new Event('play'));
  audio.dispatchEvent(new Event('pause'));
  audio.currentTime = 4;
  audio.dispatchEvent(new Event('seeked'));
  audio.currentTime = 8;
  audio.dispatchEvent(new Event('seeked'));
  audio.ended = true;
  audio.dispatchEvent(new Event('pause'));
  t.deepEqual(told, ['played', 'paused', 'moved to 8']);
});

test('ignores a pause event of the recording outside its length', (t) => {
  const { audio, told } = setUp({ at: -1 });
  audio.dispatchEvent(new Event('pause'));
  t.deepEqual(told, []);
});

test('reports when the recording is loaded', (t) => {
  const { audio, told } = setUp({ at: 4 });
  audio.dispatchEvent(new Event('loadedmetadata'));
  t.deepEqual(told, ['loaded']);
});

test('does not play a recording before its length is known, and reports no event after its end', (t) => {
  const { audio, sound, told } = setUp({ at: 4 });
  audio.duration = Number.NaN;
  sound.follow(true);
  t.deepEqual([audio.currentTime, sound.isHeard()], [0, false]);
  sound.end();
  audio.dispatchEvent(new Event('play'));
  t.deepEqual(told, []);
});
