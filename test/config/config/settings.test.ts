/** Each setting: its default, what it takes, and what it refuses. */
import { readFileSync } from 'node:fs';
import test from 'ava';
import { storeSettings } from './expected-setting.ts';
import { gatewaySettings } from './gateway-settings.ts';
import { lineSettings } from './line-settings.ts';
import { read, refused } from './read.ts';
import { recordingSettings } from './recording-settings.ts';
import { speechSettings } from './speech-settings.ts';

const settings = { ...gatewaySettings, ...speechSettings, ...recordingSettings, ...lineSettings };

/** Where one is given, the others must be. */
const requiredTogether = new Set([
  'GW_LLM_BASE_URL',
  'GW_LLM_MODEL',
  'GW_DEEPGRAM_API_KEY',
  'GW_ELEVENLABS_API_KEY',
  'GW_ELEVENLABS_VOICE',
  'GW_SPEECH_BASE_URL',
  'GW_VOSK_URL',
  'GW_WHISPER_URL',
  ...Object.keys(storeSettings),
]);

for (const [name, { of, default: fallback, valid, invalid, with: others = {} }] of Object.entries(settings)) {
  const { [name]: _own, ...needed } = others;

  test(`${name} has its default when it is absent or empty`, (t) => {
    // What needs it is left out where it has no default of its own.
    const base = requiredTogether.has(name) ? {} : needed;
    t.deepEqual(of(read(base)), fallback);
    t.deepEqual(of(read({ ...base, [name]: '' })), fallback);
  });

  test(`${name} takes what is valid`, (t) => {
    for (const [text, value] of Object.entries(valid)) {
      t.deepEqual(of(read({ ...needed, [name]: text })), value, text);
    }
  });

  if (invalid.length > 0) {
    test(`${name} refuses everything else with one line that names it, and tells no secret`, (t) => {
      for (const text of invalid) {
        const message = refused({ ...needed, [name]: text });
        t.true(message.startsWith(`${name} must `), message);
        t.notRegex(message, /\n/);
        t.notRegex(message, /hush-hush/, text);
      }
    });
  }
}

test('every setting is in the table of the guide with its default, and here', (t) => {
  const page = readFileSync(new URL('../../../guides/settings.md', import.meta.url), 'utf8');
  const documented = [...page.matchAll(/^\| `(GW_\w+)`/gm)].map(([, name]) => name);
  t.is(documented.length, Object.keys(settings).length);
  for (const name of Object.keys(settings)) t.true(documented.includes(name), name);
  t.deepEqual(read(Object.fromEntries(Object.keys(settings).map((name) => [name, '']))).unknownNames, []);
});
