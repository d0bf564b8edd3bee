import test from 'ava';
import { Refusal, refusalCatalogue, type RefusalCode } from '#src/domain/refusal.ts';

/** See guides/design/wire.md, "Errors". */
const statuses: readonly (readonly [RefusalCode, number])[] = [
  ['no_agent_endpoint', 422],
  ['invalid_max_duration_sec', 400],
  ['max_duration_exceeds_policy', 400],
  ['range_not_satisfiable', 416],
  ['recording_not_available', 409],
  ['call_not_active', 409],
  ['room_unknown', 409],
  ['call_not_found', 404],
  ['hangup_failed', 502],
  ['hangup_unavailable', 503],
  ['unauthorized', 401],
  ['number_mismatch', 403],
  ['destination_not_allowed', 403],
  ['invalid_request', 400],
  ['invalid_to', 400],
  ['rate_limited', 429],
  ['concurrency_limit', 429],
  ['draining', 503],
  ['over_capacity', 503],
  ['idempotency_in_progress', 409],
  ['idempotency_key_reused', 422],
  ['search_too_broad', 422],
];

for (const [code, status] of statuses)
  test(`${code} is ${status}`, (t) => {
    t.is(new Refusal(code, 'A sentence.').status, status);
  });

test('a refusal carries its details, its headers and its cause to the API', (t) => {
  const cause = new Error('the inside');
  const refusal = new Refusal('max_duration_exceeds_policy', 'At most 600 seconds.', {
    extras: { maximum: 600 },
    headers: { 'Retry-After': '5' },
    cause,
  });
  t.true(refusal instanceof Error);
  t.is(refusal.message, 'At most 600 seconds.');
  t.deepEqual(refusal.extras, { maximum: 600 });
  t.deepEqual(refusal.headers, { 'Retry-After': '5' });
  t.is(refusal.cause, cause);
});

test('a refusal without details has none', (t) => {
  const refusal = new Refusal('call_not_found', 'There is no such call.');
  t.deepEqual(refusal.extras, {});
  t.deepEqual(refusal.headers, {});
  t.false('cause' in refusal);
});

test('every code is a word of the wire with an error status and a title without a full stop', (t) => {
  for (const [code, { status, title }] of Object.entries(refusalCatalogue)) {
    t.regex(code, /^[a-z]+(_[a-z]+)*$/);
    t.true(status >= 400 && status < 600);
    t.regex(title, /^\S.*[^.\s]$/);
  }
});
