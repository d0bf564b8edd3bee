/** The engines and the voice of a number are chosen from lists, and listened to. */
import { existsSync } from 'node:fs';
import { z } from 'zod';
import { until } from '#test/helpers/until.ts';
import { everybodyCanUse } from './everybody-can-use.ts';
import { consoleTest } from './in-browser.ts';

const hasEspeak = existsSync('/usr/bin/espeak-ng');

if (hasEspeak)
  consoleTest(
    'a voice is chosen, heard and saved; one that is not listed is typed',
    async (t, { gateway, open }) => {
      const settings = `/numbers/${gateway.credentials.number_id}/settings`;
      const page = await open({ page: settings });
      await page.evaluate(
        'window.heard = []; const { play } = Audio.prototype;' +
          'Audio.prototype.play = async function () { await play.call(this); window.heard.push(this.duration); };',
      );
      /** The seconds of the last sound that was played, when so many were. */
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
      await page.getByLabel('Synthesizer').selectOption('espeak-ng');
      const voice = page.getByLabel('Voice', { exact: true });
      const offered = await voice.locator('option').allInnerTexts();
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

      const korean = await open({ page: settings, locale: 'ko-KR', width: 390, dark: true });
      await korean.getByLabel('목소리 이름').waitFor();
      t.is(await korean.getByLabel('목소리 이름').inputValue(), 'en-us+f3');
      await everybodyCanUse(t, korean, 'a typed voice, narrow');
    },
    { GW_SYNTHESIZERS: 'espeak-ng' },
  );
else
  consoleTest('voices of an engine that tells none are typed', async (t, { gateway, open }) => {
    const page = await open({ page: `/numbers/${gateway.credentials.number_id}/settings` });
    await page.getByLabel('Voice', { exact: true }).waitFor();
    t.is(await page.getByLabel('Synthesizer').locator('option').count(), 1);
  });
