/** Numbers, as the operator adds, changes and deletes them with `npm run admin`. */
import { randomUUID } from 'node:crypto';
import test from 'ava';
import { z } from 'zod';
import { apiClient } from '#test/helpers/api-client.ts';
import { failure, operated } from './operated.ts';

test.serial(
  'a number is added with a key that works, its key is shown and replaced, and it is deleted',
  async (t) => {
    const { run, json, baseUrl } = await operated(t);
    const { key, number } = await json(z.looseObject({ key: z.string(), number: z.literal('07012345678') }), [
      'numbers',
      'create',
      '070-1234-5678',
      '--language',
      'en',
    ]);
    const client = apiClient(baseUrl, key);
    t.is((await client.get('/api/v1/calls')).status, 200);
    t.is(await run('numbers', 'key', number), key);
    t.regex(await run('numbers', 'list'), /\n07012345678 +en +issued +Trunkline +\S+$/);
    const fresh = await run('numbers', 'key', number, '--new');
    t.is((await client.get('/api/v1/calls')).status, 401);
    t.is((await client.as(fresh).get('/api/v1/calls')).status, 200);
    t.is(await run('numbers', 'delete', number), '07012345678 is deleted. Its calls and records stay.');
    t.is((await client.as(fresh).get('/api/v1/calls')).status, 401);
    t.false((await run('numbers', 'list')).includes(number));
  },
);

test.serial('a number is changed in everything that the API can change of it', async (t) => {
  const { gateway, run } = await operated(t);
  const { number, number_id: id } = gateway.credentials;
  const stored = async () => (await gateway.admin.get(`/api/v1/admin/numbers/${id}`)).body;
  const shown = await run('numbers', 'set', number, '--greeting', '114', '--silence-timeout-sec', '20');
  t.regex(shown, /\nsilence-timeout-sec +20\n/);
  t.regex(shown, /\nring-timeout-sec +\(default\)\n/);
  t.like(await stored(), { greeting: '114', silence_timeout_sec: 20 });
  const given = {
    greeting: 'default',
    language: 'en',
    'daily-minutes': '600',
    'barge-in': '{"mode": "off"}',
    destinations: 'mobile,!0505',
    'recording-enabled': 'false',
    voicemail: 'leave_message',
    'voicemail-message': 'Call us.',
  };
  const options = Object.entries(given).map(([option, value]) => `--${option}=${value}`);
  await run('numbers', 'set', number, ...options);
  t.like(await stored(), {
    greeting: null,
    language: 'en',
    daily_minutes: 600,
    barge_in: { mode: 'off' },
    destinations: { kinds: ['mobile'], allowed_prefixes: [], denied_prefixes: ['0505'] },
    recording_enabled: false,
    voicemail: 'leave_message',
    voicemail_message: 'Call us.',
    silence_timeout_sec: 20,
  });
  t.regex(await run('numbers', 'show', number), /^number +\d+\nlanguage +en\n/);
  for (const [option, value] of [
    ['--trunk-id', randomUUID()],
    ['--recognizer', 'nobody'],
    ['--silence-timeout-sec', 'long'],
  ] as const)
    t.regex(
      (await failure(t, run('numbers', 'set', number, option, value)))?.line ?? '',
      new RegExp(`^${option}: `),
    );
  t.regex((await failure(t, run('numbers', 'set', number)))?.line ?? '', /^Say what to set: --language, /);
});
