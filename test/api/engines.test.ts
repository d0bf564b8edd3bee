import test from 'ava';
import { fakeGateway } from './fake-gateway.ts';

const path = '/api/v1/admin/engines';

test('engines are listed in their order, with the voices of those that tell them', async (t) => {
  const { admin } = await fakeGateway(t);
  const { status, body } = await admin.get(path);
  t.is(status, 200);
  t.deepEqual(body, {
    recognizers: [{ name: 'vosk' }, { name: 'deepgram' }],
    synthesizers: [
      { name: 'elevenlabs', voices: null },
      {
        name: 'espeak-ng',
        voices: [{ name: 'en-us', language: 'en-us', title: 'English (America)' }],
      },
    ],
  });
});

test('an engine that fails to tell its voices is listed without them', async (t) => {
  const { admin } = await fakeGateway(t, {
    voiceSamples: {
      voicesOf: () => Promise.reject(new Error('broken')),
      speak: () => Promise.reject(new Error('broken')),
    },
  });
  const { status, body } = await admin.get(path);
  t.is(status, 200);
  t.like(body, { synthesizers: [{ name: 'elevenlabs', voices: null }, { voices: null }] });
});

test('a voice speaks a short text, which the audit log does not have', async (t) => {
  const { admin } = await fakeGateway(t);
  const request = { synthesizer: 'espeak-ng', voice: 'en-us+f3', language: 'en', text: 'Good morning.' };
  const { status, headers } = await admin.post(`${path}/sample`, request);
  t.is(status, 200);
  t.is(headers.get('content-type'), 'audio/wav');
  const { body } = await admin.get('/api/v1/admin/audit?limit=1');
  t.like(body, {
    entries: [
      { action: 'voice.heard', detail: { synthesizer: 'espeak-ng', voice: 'en-us+f3', language: 'en' } },
    ],
  });
  t.false(JSON.stringify(body).includes('Good morning'));
});

for (const [what, wrong, at] of [
  ['an engine that is not configured', { synthesizer: 'flite' }, 'synthesizer'],
  ['a voice that could not be', { synthesizer: 'espeak-ng', voice: '--help' }, 'voice'],
  ['a voice of no synthesizer', { voice: 'en-us' }, 'voice'],
  ['a text that is too long', { text: 'a'.repeat(201) }, 'text'],
] as const) {
  test(`${what} is refused`, async (t) => {
    const { admin } = await fakeGateway(t);
    const { status, body } = await admin.post(`${path}/sample`, {
      language: 'en',
      text: 'Good morning.',
      ...wrong,
    });
    t.is(status, 400);
    t.like(body, { code: 'invalid_request', errors: [{ path: at }] });
  });
}
