import test from 'ava';
import { randomBytes } from 'node:crypto';
import * as fc from 'fast-check';
import { Webhook, WebhookVerificationError } from 'standardwebhooks';
import { signStandardWebhook } from '#src/outgoing/standard-webhooks.ts';

const newSecret = (): string => `whsec_${randomBytes(32).toString('base64')}`;
const now = (): number => Math.floor(Date.now() / 1000);

test('a receiver with the official library accepts every body', (t) => {
  const secret = newSecret();
  fc.assert(
    fc.property(fc.json(), fc.uuid(), (body, id) => {
      const headers = signStandardWebhook({ id, timestamp: now(), body, secrets: [secret] });
      t.deepEqual(new Webhook(secret).verify(body, headers), JSON.parse(body));
    }),
    { numRuns: 50 },
  );
});

test('while a secret is replaced, receivers with the old and with the new one accept it', (t) => {
  const secrets = [newSecret(), newSecret()];
  const body = '{"text":"안녕하세요"}';
  const headers = signStandardWebhook({ id: 'evt_1', timestamp: now(), body, secrets });
  for (const secret of secrets) t.notThrows(() => new Webhook(secret).verify(body, headers));
  t.throws(() => new Webhook(newSecret()).verify(body, headers), { instanceOf: WebhookVerificationError });
});

test('a changed body, id or time is not accepted', (t) => {
  const secret = newSecret();
  const receiver = new Webhook(secret);
  const timestamp = now();
  const headers = signStandardWebhook({ id: 'evt_1', timestamp, body: '{"a":1}', secrets: [secret] });
  t.throws(() => receiver.verify('{"a":2}', headers));
  t.throws(() => receiver.verify('{"a":1}', { ...headers, 'webhook-id': 'evt_2' }));
  t.throws(() => receiver.verify('{"a":1}', { ...headers, 'webhook-timestamp': String(timestamp + 1) }));
});

test('the signature is that of Standard Webhooks', (t) => {
  const headers = signStandardWebhook({
    id: 'msg_p5jXN8AQM9LWM0D4loKWxJek',
    timestamp: 1614265330,
    body: '{"test": 2432232314}',
    secrets: ['whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'],
  });
  t.is(headers['webhook-signature'], 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=');
});
