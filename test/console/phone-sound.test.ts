/**
 * The web phone with audio and a recognizer. The tests use a Chromium of their own: the microphone that plays a WAV
 * file is a launch flag, and the headless shell has no microphone. The tests run in real time, because barge-in works
 * on the audio. The recognizer counts samples instead of understanding them, so a busy machine understands as fast as
 * any other.
 */
import { spawnSync } from 'node:child_process';
import { rm, writeFile } from 'node:fs/promises';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'ava';
import type { Page } from 'playwright-core';
import { z } from 'zod';
import { joinSamples } from '#src/domain/sample-bytes.ts';
import { flite } from '#src/speech/flite.ts';
import { pocketsphinxProgram } from '#src/speech/pocketsphinx-program.ts';
import { writeWav } from '#src/speech/write-wav.ts';
import { startFakeAgent } from '#test/helpers/fake-agents.ts';
import { until } from '#test/helpers/until.ts';
import { everybodyCanUse } from './everybody-can-use.ts';
import { wholeBrowser } from '#test/helpers/browser/shared-browser.ts';
import { consoleTest, hearInsteadOfMicrophone } from './in-browser.ts';
import { allowLongSilence } from './lasting-calls.ts';
import { startVoiceCounter } from './voice-counter.ts';

const callee = '01055551234';
const sentence = 'Please call me back tomorrow.';
/** Lasts longer than the time between two sentences of the microphone, so that each reply is interrupted by one. */
const longReply =
  'Let me tell you when the delivery can come. On Monday and on Tuesday we are in your street in the morning, before ten, and on Wednesday and on Thursday in the afternoon, between two and five. On Friday somebody rings you an hour before, and on Saturday it costs four dollars more to have it brought to the door.';

const missing = [pocketsphinxProgram, 'flite'].filter(
  (program) => spawnSync('which', [program]).status !== 0,
);
if (wholeBrowser === undefined) missing.push('chromium');

const understood = /call me back/;

/** Levels of the page's meters: louder than any noise, and nearly zero. */
const audible = 0.35;
const quiet = 0.1;

/** The recognizer's address is known only after its start. */
const understanding: Record<string, string> = { GW_SIMULATOR_SPEED: '1', GW_RECOGNIZERS: 'vosk' };
const englishOnly = { GW_SIMULATOR_SPEED: '1', GW_RECOGNIZERS: 'pocketsphinx' };

let closeRecognizer = (): Promise<void> => Promise.resolve();
test.before('starts the recognizer', async () => {
  const { url, close } = await startVoiceCounter(sentence);
  closeRecognizer = close;
  understanding['GW_VOSK_URL'] = url;
});
test.after.always('closes the recognizer', () => closeRecognizer());

/** Interval at which the microphone plays the sentence. */
const everySeconds = 7;
const folder = mkdtempSync(join(tmpdir(), 'trunkline-test-'));
test.after.always('removes the audio of this file', () => rm(folder, { recursive: true, force: true }));

test.before('makes the audio of the microphone', async () => {
  if (missing.length > 0) return;
  const { sampleRate, samples } = await flite().synthesize(sentence, 'en');
  const pause = new Int16Array(sampleRate * everySeconds - samples.length);
  const file = join(folder, 'microphone.wav');
  await writeFile(file, writeWav({ sampleRate, samples: joinSamples([pause, samples]) }));
  hearInsteadOfMicrophone(file);
});

/** Meter levels over time, with the number of interruptions so far. */
const watchLevels = (page: Page): Promise<unknown> =>
  page.evaluate(`
    globalThis.shown = [];
    setInterval(() => {
      const [person, agent] = [...document.querySelectorAll('.sound-levels meter')].map(({ value }) => value);
      if (agent === undefined) return;
      shown.push({ person, agent, isCut: document.querySelector('.assistant.cut') !== null });
    }, 20);
  `);

const shownLevels = z.array(z.object({ person: z.number(), agent: z.number(), isCut: z.boolean() }));
const levelsOf = async (page: Page) => shownLevels.parse(await page.evaluate('shown'));

const heardOnes = (
  title: string,
  settings: Record<string, string>,
  run: Parameters<typeof consoleTest>[1],
): void => {
  if (missing.length === 0) consoleTest(title, run, settings);
  else test.skip(`${title} (skipped: ${missing.join(' and ')} not installed)`, () => undefined);
};

heardOnes(
  'a caller is understood, hears the agent, and interrupts it by speaking',
  understanding,
  async (t, { gateway, open }) => {
    await allowLongSilence(gateway);
    const agent = await startFakeAgent('webhook', () => ({ pieces: [longReply] }));
    t.teardown(agent.close);
    const outbound = `${gateway.numberPath}/agents/outbound`;
    t.is((await gateway.admin.put(outbound, { ...agent.binding, token: 'agent-token' })).status, 200);
    t.is((await gateway.admin.patch(gateway.numberPath, { language: 'en' })).status, 200);
    const page = await open({ mayHear: true });
    await page.getByRole('button', { name: 'Web phone' }).waitFor();
    const callId = await gateway.call(callee);
    await page.getByLabel('Talk with my microphone and speaker').waitFor();
    await everybodyCanUse(t, page, 'ringing, where sound is offered');
    await watchLevels(page);
    await page.getByRole('button', { name: 'Answer' }).click();
    const talk = page.getByRole('log');
    await talk.locator('.assistant.cut').first().waitFor();
    await talk.locator('.user').getByText(understood).first().waitFor();
    await everybodyCanUse(t, page, 'in a call with sound');

    const levels = await until('the levels behind the interruption are there', async () => {
      const shown = await levelsOf(page);
      return shown.findIndex(({ isCut }) => isCut) < shown.length - 50 ? shown : undefined;
    });
    const cut = levels.findIndex(({ isCut }) => isCut);
    const before = levels.slice(0, cut);
    t.true(
      before.some(({ agent }) => agent > audible),
      'the agent is heard',
    );
    t.true(
      before.some(({ person }) => person > audible),
      'the person is heard',
    );
    // The agent falls silent at the onset of the voice; the words are recognized later.
    const around = levels
      .slice(Math.max(0, cut - 150), cut + 50)
      .map(({ agent }) => (agent < quiet ? '.' : '#'));
    t.regex(around.join(''), /#.*[.]{10}/, 'the agent is silent when it was interrupted');

    await page.getByRole('button', { name: 'Stop the microphone' }).click();
    await page.getByLabel('Say something').fill('I type as well.');
    await page.keyboard.press('Enter');
    await talk.locator('.user').getByText('I type as well.').waitFor();
    const said = async (what: RegExp | string): Promise<boolean> =>
      (await gateway.transcript(callId)).some(
        ({ role, text }) => role === 'user' && text.search(what) !== -1,
      );
    await until('what was typed is heard', async () => (await said('I type as well')) || undefined);
    await page.getByRole('button', { name: 'Hang up' }).click();
    await gateway.untilStatus(callId, 'completed');
    t.true(await said(understood));
  },
);

heardOnes(
  'without permission for the microphone the call continues by typing',
  englishOnly,
  async (t, { gateway, open }) => {
    await allowLongSilence(gateway);
    const page = await open({ locale: 'ko-KR' });
    await page.getByRole('button', { name: '웹 전화' }).click();
    t.true(await page.getByLabel('마이크와 스피커로 통화하기').isChecked());
    await page.getByText('한국어를 알아듣는 음성 인식 엔진이 없어').waitFor();
    await everybodyCanUse(t, page, 'the dial, where sound is offered');
    await page.getByRole('button', { name: '걸기', exact: true }).click();
    await page.getByText('브라우저에서 마이크가 허용되지 않아 이 통화는 글로 이어 갑니다.').waitFor();
    const talk = page.getByRole('log');
    await talk.locator('.assistant').first().waitFor();
    await everybodyCanUse(t, page, 'a call whose microphone was refused');
    await page.getByLabel('할 말을 입력하세요').fill('네, 오후 세 시 좋습니다.');
    await page.keyboard.press('Enter');
    await talk.locator('.user ~ .assistant').waitFor();
    await page.getByRole('button', { name: '끊기' }).click();
    t.true(gateway.logged.every((line) => !line.includes('could not be connected')));
  },
);

heardOnes(
  'closes the microphone 20 s after a reconnection, unless the call still exists',
  understanding,
  async (t, { gateway, open }) => {
    await allowLongSilence(gateway);
    const page = await open({ mayHear: true });
    const link = { mayConnect: Promise.resolve(), cut: async (): Promise<void> => {} };
    await page.routeWebSocket(/\/admin\/phone\?/, async (toPage) => {
      await link.mayConnect;
      const toGateway = toPage.connectToServer();
      link.cut = async () => {
        await toPage.close();
        await toGateway.close();
      };
    });
    await page.reload();
    await page.getByRole('button', { name: 'Web phone' }).waitFor();
    await page.evaluate(`
      globalThis.tracks = [];
      globalThis.checks = [];
      const { mediaDevices } = navigator;
      const ask = mediaDevices.getUserMedia.bind(mediaDevices);
      mediaDevices.getUserMedia = async (wanted) => {
        const stream = await ask(wanted);
        tracks.push(...stream.getTracks());
        return stream;
      };
      const setTimer = setTimeout;
      globalThis.setTimeout = (run, milliseconds, ...more) =>
        milliseconds === 20_000 ? -checks.push(run) : setTimer(run, milliseconds, ...more);
    `);
    const stateOfMicrophone = async (): Promise<unknown> =>
      page.evaluate("tracks.map(({ readyState }) => readyState).join() || 'closed'");
    /** Resolves when the page is connected again and waits for the 20 s to pass. */
    const untilConnected = (count: number) =>
      until('it is connected', async () => (await page.evaluate('checks.length')) === count || undefined);
    const callId = await gateway.call(callee);
    await page.getByRole('button', { name: 'Answer' }).click();
    await until('the microphone is open', async () => (await stateOfMicrophone()) === 'live' || undefined);

    await link.cut();
    await untilConnected(1);
    await page.getByRole('button', { name: 'Hang up' }).waitFor();
    await page.evaluate('checks.at(-1)()');
    t.is(await stateOfMicrophone(), 'live');

    const connect = Promise.withResolvers<void>();
    link.mayConnect = connect.promise;
    await link.cut();
    const hangUp = await gateway.client.post(`/api/v1/calls/${callId}/hangup`, { immediate: true });
    t.is(hangUp.status, 202);
    await gateway.untilStatus(callId, 'completed');
    connect.resolve();
    await untilConnected(2);
    t.is(await stateOfMicrophone(), 'live');
    await page.evaluate('checks.at(-1)()');
    t.is(await stateOfMicrophone(), 'ended');
  },
);

heardOnes(
  'closes the microphone again if the connection is lost before it is granted',
  understanding,
  async (t, { gateway, open }) => {
    await allowLongSilence(gateway);
    const page = await open({ mayHear: true });
    let disconnect = async (): Promise<void> => {};
    await page.routeWebSocket(/\/admin\/phone\?/, (toPage) => {
      const toGateway = toPage.connectToServer();
      disconnect = async () => {
        await toGateway.close();
        await toPage.close();
      };
    });
    await page.reload();
    await page.getByRole('button', { name: 'Web phone' }).waitFor();
    await page.evaluate(`
      globalThis.tracks = [];
      const granted = new Promise((resolve) => { globalThis.grant = resolve; });
      const { mediaDevices } = navigator;
      const ask = mediaDevices.getUserMedia.bind(mediaDevices);
      mediaDevices.getUserMedia = async (wanted) => {
        globalThis.isAsked = true;
        await granted;
        const stream = await ask(wanted);
        tracks.push(...stream.getTracks());
        return stream;
      };
    `);
    await gateway.call(callee);
    await page.getByRole('button', { name: 'Answer' }).click();
    await until('the microphone is asked for', async () => (await page.evaluate('isAsked')) || undefined);
    await disconnect();
    await page.evaluate('grant()');
    await until('the microphone was open', async () => (await page.evaluate('tracks.length')) || undefined);
    await until(
      'the microphone is closed',
      async () =>
        (await page.evaluate("tracks.every(({ readyState }) => readyState === 'ended')")) || undefined,
    );
    t.pass();
  },
);
