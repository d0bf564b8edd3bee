import type { ExecutionContext } from 'ava';
import type { Locator } from 'playwright-core';
import { z } from 'zod';
import { until } from '#test/helpers/until.ts';
import { everybodyCanUse } from './everybody-can-use.ts';
import { consoleTest, type ConsoleWorld } from './in-browser.ts';

const callee = '01055550000';

/** Says something, and then puts the call on hold, where no time of silence ends it. */
const patient = [{ listen: true }, { say: '네, 말씀하세요.' }, { listen: true }, { hold_sec: 600 }];

const placeCall = async ({ gateway }: ConsoleWorld, script: readonly object[]): Promise<string> => {
  await gateway.admin.put(`/api/v1/admin/simulator/callees/${callee}`, { script });
  return gateway.call(callee, '내일 오후 3시 예약을 확인해 주세요');
};

const boxOf = async (t: ExecutionContext, place: Locator) => {
  const box = await place.boundingBox();
  if (box === null) throw t.fail('It is not on the page.');
  return box;
};

consoleTest(
  'of a call in progress the words and the chart stand side by side, and below each other where that is too narrow',
  async (t, world) => {
    const id = await placeCall(world, patient);
    const wide = await world.open({ page: `/calls/${id}`, dark: true });
    const narrow = await world.open({ page: `/calls/${id}`, width: 1000, locale: 'ko-KR' });
    for (const page of [wide, narrow]) {
      await page.locator('.turns .user').waitFor();
      await page.locator('.chart .current').waitFor();
    }
    const cards = async (page: typeof wide) =>
      Promise.all([0, 1].map((index) => boxOf(t, page.locator('.call-stage > .card').nth(index))));
    const [words, chart] = await cards(wide);
    t.is(words?.y, chart?.y);
    t.true((chart?.y ?? 0) + (chart?.height ?? 0) <= 860, 'the chart is below the first screen');
    const [above, below] = await cards(narrow);
    t.is(above?.x, below?.x);
    t.true((below?.y ?? 0) >= (above?.y ?? 0) + (above?.height ?? 0));
    // What is not there yet takes no room.
    t.is(await wide.getByRole('heading', { name: 'Recording' }).count(), 0);
    t.is(await wide.getByRole('heading', { name: 'SIP messages' }).count(), 0);
    const saved = wide.waitForEvent('download');
    await wide.getByRole('button', { name: 'Save as JSON' }).click();
    t.is((await saved).suggestedFilename(), 'conversation.json');
    await everybodyCanUse(t, wide, 'a call in progress');
    await everybodyCanUse(t, narrow, 'a call in progress, narrow');
  },
  { GW_SIMULATOR_SPEED: '2' },
);

const answeredAt = z.object({ answered_at: z.string() });

consoleTest(
  'a call in progress tells how long it lasts and who has the floor, and when the connection is lost that it does not know',
  async (t, world) => {
    const id = await placeCall(world, [{ listen: true }, { hold_sec: 600 }]);
    const page = await world.open({ page: `/calls/${id}` });
    const live = page.locator('.live-line');
    await live.getByText('Agent is speaking').waitFor();
    await live.getByText('On hold').waitFor();
    const call = await world.gateway.client.get(`/api/v1/calls/${id}`);
    await page.clock.setFixedTime(Date.parse(answeredAt.parse(call.body).answered_at) + 65_000);
    await page.getByRole('timer').getByText('1:05', { exact: true }).waitFor();

    await live.getByText('Live', { exact: true }).waitFor();
    await page.context().setOffline(true);
    await live.getByText('Connection lost, trying again …').waitFor();
    t.is(await live.getByText('Live', { exact: true }).count(), 0);
    t.is(await live.locator('.floor').count(), 0);
    await page.context().setOffline(false);
    await live.getByText('Live', { exact: true }).waitFor();
    await live.locator('.floor').waitFor();
  },
  { GW_SIMULATOR_SPEED: '2' },
);

consoleTest(
  'the chart is zoomed by buttons, by keys and by the wheel with a modifier, and follows the state',
  async (t, world) => {
    const id = await placeCall(world, [{ listen: true }, { hold_sec: 600 }]);
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
  { GW_SIMULATOR_SPEED: '2' },
);

/** How much of a lane's path is sound: bars that are more than a line. */
const loudBars = (path: string): number =>
  [...path.matchAll(/M[\d.]+ ([\d.]+)V([\d.]+)/g)].filter(([, top, end]) => Number(end) - Number(top) > 8)
    .length;

consoleTest(
  'a call that is over has one player: a lane for each party, and a turn that is clicked is played from its beginning',
  async (t, world) => {
    const id = await placeCall(world, [
      ...patient.slice(0, 3),
      { say: '네, 세 시가 좋습니다.' },
      { hang_up: true },
    ]);
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
    await page.locator('.chart .current[data-state^="listening"]').waitFor();
    const at = Number(await page.evaluate("document.querySelector('audio').currentTime"));
    t.true(Math.abs(at - (spoken?.t_offset_sec ?? 0)) < 0.4, `the recording is at ${at}`);

    // With the keyboard.
    await page.locator('.turns .assistant .turn-time').first().press('Enter');
    t.is(await page.locator('.turns [aria-current]').count(), 1);
    t.is(await page.locator('.turns .assistant').first().getAttribute('aria-current'), 'step');
  },
  { GW_SIMULATOR_SPEED: '4' },
);
