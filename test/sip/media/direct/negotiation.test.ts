import test from 'ava';
import { createNegotiation, NothingInCommon } from '#sip/media/direct/negotiation.ts';
import { describeSound } from '#test/doubles/session-description.ts';

test('an offer for the other family of addresses is none that can be had, and nothing is agreed on', (t) => {
  const negotiation = createNegotiation({ address: '::1', port: 30_000 }, { srtp: 'off' }, () => t.fail());
  t.throws(() => negotiation.answer(describeSound()), { instanceOf: NothingInCommon });
  t.is(negotiation.agreed(), null);
});
