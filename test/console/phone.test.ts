import { z } from 'zod';
import { everybodyCanUse } from './everybody-can-use.ts';
import { consoleTest } from './in-browser.ts';

const callee = '01055551234';

const calls = z.object({ calls: z.array(z.object({ id: z.string(), direction: z.string() })) });

consoleTest(
  'a call rings in the browser, is answered and talked in by typing, and hung up',
  async (t, { gateway, open }) => {
    const page = await open();
    const other = await open({ page: '/numbers', dark: true });
    await Promise.all([page, other].map((one) => one.getByRole('button', { name: 'Web phone' }).waitFor()));
    const callId = await gateway.call(callee, '내일 오후 3시 예약을 확인해 주세요');
    await other.getByRole('button', { name: 'Decline' }).waitFor();
    await page.getByRole('alert').getByText(`to ${callee}`).waitFor({ state: 'attached' });
    await everybodyCanUse(t, page, 'ringing');
    // With the keyboard alone.
    await page.getByRole('button', { name: 'Answer' }).focus();
    await page.keyboard.press('Enter');
    await other.getByRole('button', { name: 'Decline' }).waitFor({ state: 'detached' });

    const said = page.getByRole('log');
    await said.locator('.assistant').first().waitFor();
    t.is(await page.evaluate('document.activeElement.placeholder'), 'Say something');
    await page.keyboard.type('네, 오후 세 시 좋습니다.');
    await said.locator('.cut').waitFor();
    await page.keyboard.press('Enter');
    await said.locator('.user').getByText('네, 오후 세 시 좋습니다.').waitFor();
    await said.locator('.user ~ .assistant').waitFor();
    await page.getByRole('button', { name: 'Keypad' }).click();
    await page.getByRole('button', { name: 'Key 5' }).click();
    await said.getByText('You pressed 5').waitFor();
    await everybodyCanUse(t, page, 'in a call');

    // It would go away by itself, a while after the end.
    await page.clock.setFixedTime(Date.now());
    await page.getByRole('button', { name: 'Hang up' }).click();
    await page.getByText('You hung up.').waitFor();
    await everybodyCanUse(t, page, 'after a call');
    await page.getByRole('link', { name: 'See this call' }).click();
    await page.locator('main .turns .user').getByText('네, 오후 세 시 좋습니다.').waitFor();
    await page.getByRole('button', { name: 'Web phone' }).waitFor();
    t.is((await gateway.untilStatus(callId, 'completed'))['end_reason'], 'counterparty_hangup');
  },
  { GW_SIMULATOR_SPEED: '1' },
);

consoleTest(
  'a number is dialled on a telephone, the page is loaded again, and the call goes on',
  async (t, { gateway, open }) => {
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
  { GW_SIMULATOR_SPEED: '2' },
);

consoleTest(
  'a call is declined, and nothing rings where nobody is signed in',
  async (t, { gateway, open }) => {
    const page = await open({ locale: 'ko-KR' });
    const stranger = await open({ isSignedIn: false });
    await page.getByRole('button', { name: '웹 전화' }).waitFor();
    const callId = await gateway.call(callee);
    await page.getByRole('button', { name: '거절' }).click();
    t.is((await gateway.untilStatus(callId, 'no_answer'))['end_reason'], 'declined');
    t.is(await stranger.locator('.phone').count(), 0);
  },
  // It must still ring when somebody gets round to declining it.
  { GW_SIMULATOR_SPEED: '1' },
);

/** A browser with a voice of its own, which gets as far as the first word, and a microphone that hears a sentence. */
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
  'with a voice and a microphone, what counts as said is what was heard aloud',
  async (t, { gateway, open }) => {
    const page = await open();
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
    await page.getByRole('button', { name: 'Fold the web phone' }).click();
    t.false(await page.getByRole('log').isVisible());
    await page.getByRole('button', { name: /In a call with/ }).click();
    t.is(await page.getByLabel('Say something').inputValue(), '네');
    await page.getByRole('button', { name: 'Hang up' }).click();
    await gateway.untilStatus(callId, 'completed');
    const [first, second] = await gateway.transcript(callId);
    t.deepEqual([first?.role, first?.text.trim()], ['assistant', sentence.split(' ')[0]]);
    t.like(second, { role: 'user', text: '잠깐만 제가 말할게요' });
  },
  { GW_SIMULATOR_SPEED: '1' },
);
