/** The web phone of the console. */
import type { ExecutionContext } from 'ava';
import type { Page } from 'playwright-core';
import { z } from 'zod';
import { everybodyCanUse } from './everybody-can-use.ts';
import { consoleTest, turnInto } from './in-browser.ts';
import { allowLongSilence } from './lasting-calls.ts';

// Calls

const callee = '01055551234';

/** Simulated lines at the pace of people. */
const byPeople = { GW_SIMULATOR_SPEED: '1' };

/** Instruction that the agent reads aloud for minutes, so that it is still speaking when a test interrupts it. */
const longInstruction = '내일 오후 3시 예약을 확인해 주세요. '.repeat(40).trim();

const calls = z.object({ calls: z.array(z.object({ id: z.string(), direction: z.string() })) });

consoleTest(
  'rings in the browser, answers, sends typed words and hangs up',
  async (t, { gateway, open }) => {
    await allowLongSilence(gateway);
    const page = await open({ isContextOwn: true });
    const other = await open({ page: '/numbers', dark: true });
    await Promise.all([page, other].map((one) => one.getByRole('button', { name: 'Web phone' }).waitFor()));
    const callId = await gateway.call(callee, longInstruction);
    await other.getByRole('button', { name: 'Decline' }).waitFor();
    await page.getByRole('alert').getByText(`to ${callee}`).waitFor({ state: 'attached' });
    await everybodyCanUse(t, page, 'ringing');
    // With the keyboard alone.
    await page.getByRole('button', { name: 'Answer' }).focus();
    await page.keyboard.press('Enter');
    await other.getByRole('button', { name: 'Decline' }).waitFor({ state: 'detached' });

    const said = page.getByRole('log');
    await said.locator('.assistant').first().waitFor();
    await page.getByPlaceholder('Say something').and(page.locator(':focus')).waitFor();
    await page.keyboard.type('네, 오후 세 시 좋습니다.');
    await said.locator('.cut').waitFor();
    const heard = await said.locator('.cut p').innerText();
    t.regex(heard, /…$/);
    t.true(heard.length < longInstruction.length, 'the words that nobody heard are gone');
    await page.keyboard.press('Enter');
    await said.locator('.user').getByText('네, 오후 세 시 좋습니다.').waitFor();
    await said.locator('.user ~ .assistant').waitFor();
    await page.getByRole('button', { name: 'Keypad' }).click();
    await page.getByRole('button', { name: 'Key 5' }).click();
    await said.getByText('You pressed 5').waitFor();
    await everybodyCanUse(t, page, 'in a call');

    // A timer closes the phone a while after the end.
    await page.clock.setFixedTime(Date.now());
    await page.getByRole('button', { name: 'Hang up' }).click();
    await page.getByText('You hung up.').waitFor();
    await everybodyCanUse(t, page, 'after a call');
    await page.getByRole('link', { name: 'Open the call' }).click();
    await page.locator('main .turns .user').getByText('네, 오후 세 시 좋습니다.').waitFor();
    await page.getByRole('button', { name: 'Web phone' }).waitFor();
    t.is((await gateway.untilStatus(callId, 'completed'))['end_reason'], 'counterparty_hangup');
  },
  byPeople,
);

consoleTest(
  'continues a call after a reload on a telephone screen',
  async (t, { gateway, open }) => {
    await allowLongSilence(gateway);
    const page = await open({ locale: 'ko-KR', width: 390 });
    await page.getByRole('button', { name: '웹 전화' }).click();
    await everybodyCanUse(t, page, 'the dial');
    await page.getByRole('button', { name: '걸기', exact: true }).click();
    const talk = page.getByRole('log');
    await talk.locator('.assistant').first().waitFor();
    await everybodyCanUse(t, page, 'in a call');
    await page.reload();
    await page.getByPlaceholder('할 말을 입력하세요').fill('문의드릴 것이 있습니다.');
    await page.getByRole('button', { name: '말하기', exact: true }).click();
    await talk.locator('.user ~ .assistant').waitFor();
    await page.getByRole('button', { name: '끊기' }).click();
    await page.getByText('전화를 끊었습니다.', { exact: true }).waitFor();
    const [call] = calls.parse((await gateway.client.get('/api/v1/calls')).body).calls;
    t.is(call?.direction, 'inbound');
    t.is((await gateway.untilStatus(call?.id ?? '', 'completed'))['end_reason'], 'counterparty_hangup');
  },
  byPeople,
);

consoleTest(
  'declines a call, and does not ring in a signed-out browser',
  async (t, { gateway, open }) => {
    await allowLongSilence(gateway);
    const page = await open({ locale: 'ko-KR' });
    const stranger = await open({ isSignedIn: false });
    await page.getByRole('button', { name: '웹 전화' }).waitFor();
    const callId = await gateway.call(callee);
    await page.getByRole('button', { name: '거절' }).click();
    t.is((await gateway.untilStatus(callId, 'no_answer'))['end_reason'], 'declined');
    t.is(await stranger.locator('.phone').count(), 0);
  },
  byPeople,
);

consoleTest(
  'tells two ringing calls with the same numbers apart',
  async (t, { gateway, open }) => {
    await allowLongSilence(gateway);
    const page = await open();
    await page.getByRole('button', { name: 'Web phone' }).waitFor();
    const ids = [await gateway.call(callee), await gateway.call(callee)];
    await page.getByRole('region', { name: /01055551234 \(2\)$/ }).waitFor();
    await everybodyCanUse(t, page, 'two ringing calls');
    for (const id of ids) await gateway.client.post(`/api/v1/calls/${id}/cancel`);
  },
  byPeople,
);

/** Doubles of speech synthesis, which gets as far as the first word, and of speech recognition, which hears a sentence. */
const speakingBrowser = `
  const event = (type, fields) => Object.assign(new Event(type), fields);
  globalThis.SpeechSynthesisUtterance = class extends EventTarget {
    constructor(text) { super(); this.text = text; }
  };
  let spoken;
  const synthesis = Object.assign(new EventTarget(), {
    getVoices: () => [{ lang: 'ko-KR' }],
    speak(utterance) {
      spoken = utterance;
      setTimeout(() => utterance.dispatchEvent(event('boundary', { charIndex: utterance.text.indexOf(' ') })), 50);
    },
    cancel() { spoken?.dispatchEvent(event('error', { error: 'canceled' })); spoken = undefined; },
    pause() {},
    resume() {},
  });
  Object.defineProperty(globalThis, 'speechSynthesis', { value: synthesis });
  globalThis.SpeechRecognition = class extends EventTarget {
    start() {
      const result = (transcript, isFinal) => Object.assign([{ transcript }], { isFinal });
      const hear = (...heard) => this.dispatchEvent(event('result', { resultIndex: 0, results: heard }));
      setTimeout(() => hear(result('잠깐만 제가', false)), 1000);
      setTimeout(() => hear(result('잠깐만 제가 말할게요', true)), 1500);
    }
    abort() {}
  };
`;

consoleTest(
  'with speech synthesis, writes only words that were spoken aloud into the transcript',
  async (t, { gateway, open }) => {
    await allowLongSilence(gateway);
    const page = await open({ isContextOwn: true });
    await page.addInitScript(speakingBrowser);
    await page.reload();
    await page.getByRole('button', { name: 'Web phone' }).waitFor();
    const callId = await gateway.call(callee, '내일 오후 3시 예약을 확인해 주세요');
    await page.getByRole('button', { name: 'Answer' }).click();
    const agent = page.getByRole('log').locator('.assistant p').first();
    await agent.waitFor();
    const sentence = ((await agent.textContent()) ?? '').trim();
    await page.getByRole('button', { name: 'Speak by microphone' }).click();
    await page.getByRole('log').locator('.user').getByText('잠깐만 제가 말할게요').waitFor();
    await page.getByRole('log').locator('.assistant.cut').waitFor();
    await page.getByRole('log').locator('.user ~ .assistant').waitFor();
    await page.getByRole('button', { name: 'Mute the agent’s voice' }).click();
    await page.getByRole('button', { name: 'Hear the agent’s voice' }).waitFor();
    await page.getByLabel('Say something').fill('네');
    await page.getByRole('button', { name: 'Minimize the web phone' }).click();
    t.false(await page.getByRole('log').isVisible());
    await page.getByRole('button', { name: /In a call with/ }).click();
    t.is(await page.getByLabel('Say something').inputValue(), '네');
    await page.getByRole('button', { name: 'Hang up' }).click();
    await gateway.untilStatus(callId, 'completed');
    const [first, second] = await gateway.transcript(callId);
    t.deepEqual([first?.role, first?.text.trim()], ['assistant', sentence.split(' ')[0]]);
    t.like(second, { role: 'user', text: '잠깐만 제가 말할게요' });
  },
  byPeople,
);

// Layout and reload

/** The boxes of the phone and the page. */
const placeOf = async (t: ExecutionContext, page: Page) => {
  const [phone, content] = await Promise.all(
    ['.phone', 'main#content'].map((place) => page.locator(place).boundingBox()),
  );
  if (phone == null || content == null) throw t.fail('One of them is not on the page.');
  return { phone, content };
};

consoleTest(
  'shows the web phone beside the page, or as a sheet at the bottom on a telephone screen',
  async (t, { gateway, open }) => {
    await allowLongSilence(gateway);
    const page = await open({ width: 1440, isContextOwn: true });
    const button = page.getByRole('button', { name: 'Web phone', exact: true });
    await button.waitFor();
    const menu = page.getByRole('link', { name: 'Overview' });
    const before = await menu.boundingBox();
    for (const [width, dark, checks] of [
      [1440, false, 'everything'],
      [1024, true, 'look'],
      [768, false, 'look'],
    ] as const) {
      await turnInto(page, { width, dark });
      await button.click();
      await page.getByRole('button', { name: 'Close the web phone' }).waitFor();
      if (width === 1440) t.deepEqual(await menu.boundingBox(), before, 'the menu moves');
      const { phone, content } = await placeOf(t, page);
      t.true(content.x + content.width <= phone.x + 1, `at ${width} it covers the page`);
      t.true(content.width >= 340, `at ${width} the page has ${content.width}`);
      await everybodyCanUse(t, page, `the phone at ${width}`, checks);
      await page.getByRole('button', { name: 'Close the web phone' }).click();
      await button.waitFor();
      // The focus returns to where the phone was opened.
      await page.locator('.phone-button:focus').waitFor();
    }
    await turnInto(page, { width: 390 });
    const name = await page.evaluate(
      "(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth)(document.querySelector('.phone-button span'))",
    );
    t.is(name, 0, 'the name of the phone is cut');
    await button.click();
    await page.getByRole('button', { name: 'Close the web phone' }).waitFor();
    t.is(await button.getAttribute('aria-expanded'), 'true');
    await button.click();
    await page.getByRole('button', { name: 'Close the web phone' }).waitFor({ state: 'detached' });
    await button.click();
    await page.getByRole('button', { name: 'Close the web phone' }).waitFor();
    const { phone } = await placeOf(t, page);
    t.deepEqual([phone.x, phone.width, Math.round(phone.y + phone.height)], [0, 390, 844]);
    t.true(phone.y > 100, 'the sheet leaves nothing of the page');
    await page.getByRole('button', { name: 'Call', exact: true }).click();
    const hangUp = page.locator('.phone-tools .hang-up');
    await hangUp.waitFor();
    // The phone fits even into little space.
    await page.evaluate("document.querySelector('.phone-tools').style.width = '3rem'");
    const box = await hangUp.boundingBox();
    t.true(box !== null && box.height < 45);

    await hangUp.click();
    await page.getByText('You hung up.').waitFor();

    await turnInto(page, { width: 1440 });
    await page.addInitScript('globalThis.WebSocket = class extends EventTarget { close() {} send() {} };');
    await page.reload();
    await menu.waitFor();
    t.deepEqual(await menu.boundingBox(), before, 'the menu moves when the phone is connected');
  },
  byPeople,
);

const answered = z.object({ answered_at: z.string() });

consoleTest(
  'keeps words and clock of a call over a reload, and closes the phone after the end',
  async (t, { gateway, open }) => {
    await allowLongSilence(gateway);
    const page = await open({ isContextOwn: true });
    await page.getByRole('button', { name: 'Web phone' }).click();
    await page.getByRole('button', { name: 'Call', exact: true }).click();
    const talk = page.getByRole('log');
    await talk.locator('.assistant').first().waitFor();
    await page.getByPlaceholder('Say something').fill('문의드릴 것이 있습니다.');
    await page.keyboard.press('Enter');
    await talk.locator('.user ~ .assistant').waitFor();
    const [call] = calls.parse((await gateway.client.get('/api/v1/calls')).body).calls;
    const id = call?.id ?? '';
    const { answered_at: answeredAt } = answered.parse(
      (await gateway.client.get(`/api/v1/calls/${id}`)).body,
    );

    await page.clock.setFixedTime(Date.parse(answeredAt) + 125_000);
    await page.reload();
    await talk.locator('.user').getByText('문의드릴 것이 있습니다.').waitFor();
    await page.locator('.talk-time').getByText('2:05', { exact: true }).waitFor();
    t.is(await talk.locator('.user').count(), 1);

    await page.getByRole('button', { name: 'Hang up' }).click();
    await page.getByText('You hung up.').waitFor();
    await page.clock.setFixedTime(Date.parse(answeredAt) + 180_000);
    await page.getByText('You hung up.').waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Web phone' }).waitFor();
    t.is(await page.locator('.phone-body').count(), 0);
  },
  byPeople,
);

// SIP headers

consoleTest(
  'shows SIP headers of a ringing call below the caller, over the whole width of the phone',
  async (t, world) => {
    await allowLongSilence(world.gateway);
    await world.gateway.admin.post('/api/v1/admin/trunks', {
      name: 'carrier',
      host: 'sip.example.com',
      headers_out: ['X-Ticket', 'X-Note'],
    });
    const page = await world.open();
    await page.getByRole('button', { name: 'Web phone' }).click();
    const headers = { 'X-Ticket': '1042', 'X-Note': '예약 확인 '.repeat(10).trim() };
    await world.gateway.client.post('/api/v1/calls', { to: callee, sip_headers: headers });
    const ringing = page.locator('.ringing');
    await ringing.getByText('X-Note').waitFor();
    const boxes = [ringing, ringing.locator('.named-texts'), ringing.locator('.bell'), ringing.locator('b')];
    const [whole, list, bell, number] = await Promise.all(boxes.map((each) => each.boundingBox()));
    t.is(list?.width, whole?.width);
    t.true((list?.y ?? 0) >= (number?.y ?? Infinity) + (number?.height ?? 0));
    t.true(
      (number?.x ?? Infinity) - ((bell?.x ?? 0) + (bell?.width ?? 0)) < 30,
      'the number stands beside the bell',
    );
    await everybodyCanUse(t, page, 'a web phone that rings with headers');
  },
  byPeople,
);
