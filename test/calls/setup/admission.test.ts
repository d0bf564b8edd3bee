import test from 'ava';
import { createAdmission, type AdmissionLimits } from '#src/calls/setup/admission.ts';
import type { Pressure } from '#src/calls/setup/load-shedding.ts';
import { createLiveCalls } from '#src/calls/live/live-calls.ts';
import { Refusal } from '#src/domain/refusal.ts';

const wish = {
  numberId: 'a-number',
  workspaceId: 'a-workspace',
  maxConcurrentCalls: 100,
  maxCallsInProgress: 100,
};

const createDoor = (limits: Partial<AdmissionLimits> = {}) => {
  const liveCalls = createLiveCalls();
  let pressure: Pressure | null = null;
  const admission = createAdmission({
    liveCalls,
    load: { pressure: () => pressure },
    hasLines: true,
    limits: { maxCalls: 100, maxBeginning: 100, ...limits },
  });
  let counter = 0;
  return {
    admission,
    press: (by: Pressure | null) => (pressure = by),
    /** What `start-call.ts` does: in, on the switchboard, and the permit at the door is free again. */
    begin(call: Parameters<typeof admission.enter>[0] = wish) {
      const permit = admission.enter(call);
      const callId = `call-${(counter += 1)}`;
      const { numberId, workspaceId } = call;
      liveCalls.add({ callId, numberId, workspaceId, direction: 'outbound', status: 'ringing' });
      permit.release();
      return () => liveCalls.remove(callId);
    },
    /** The code of the refusal, `undefined` when the call was let in. */
    refusal(call: Parameters<typeof admission.enter>[0] = wish): Refusal | undefined {
      try {
        admission.enter(call).release();
        return undefined;
      } catch (error) {
        if (error instanceof Refusal) return error;
        throw error;
      }
    },
  };
};

test('a draining gateway takes no call', (t) => {
  const { admission, refusal } = createDoor();
  t.false(admission.isDraining());
  t.is(refusal(), undefined);
  admission.drain();
  t.true(admission.isDraining());
  t.like(refusal(), { code: 'draining', status: 503 });
});

test('a gateway with its maximum of calls takes no other, and says when to ask again', (t) => {
  const { begin, refusal } = createDoor({ maxCalls: 2 });
  begin();
  const end = begin({ ...wish, numberId: 'another-number', workspaceId: 'another-workspace' });
  t.like(refusal(), { code: 'over_capacity', status: 503, headers: { 'Retry-After': '5' } });
  end();
  t.is(refusal(), undefined);
});

test('a gateway that sheds load takes no call', (t) => {
  const { press, refusal } = createDoor();
  press('memory');
  t.like(refusal(), { code: 'over_capacity', headers: { 'Retry-After': '5' } });
  press(null);
  t.is(refusal(), undefined);
});

test('no more calls begin at once than the database keeps up with', (t) => {
  const { admission, begin, refusal } = createDoor({ maxBeginning: 2 });
  begin();
  const permits = [admission.enter(wish), admission.enter(wish)];
  t.like(refusal(), { code: 'over_capacity' });
  permits[0]?.release();
  t.is(refusal(), undefined);
});

test('a number has its own maximum', (t) => {
  const { begin, refusal } = createDoor();
  const limited = { ...wish, maxConcurrentCalls: 2 };
  begin(limited);
  const end = begin(limited);
  t.like(refusal(limited), { code: 'concurrency_limit', status: 429, extras: { maximum: 2 } });
  t.is(refusal({ ...limited, numberId: 'another-number' }), undefined);
  end();
  t.is(refusal(limited), undefined);
});

test('a workspace has its own maximum over all its numbers', (t) => {
  const { begin, refusal } = createDoor();
  const limited = { ...wish, maxCallsInProgress: 2 };
  begin(limited);
  const end = begin({ ...limited, numberId: 'another-number' });
  t.like(refusal({ ...limited, numberId: 'a-third' }), {
    code: 'concurrency_limit',
    extras: { maximum: 2 },
  });
  t.is(refusal({ ...limited, workspaceId: 'another-workspace' }), undefined);
  end();
  t.is(refusal(limited), undefined);
});

test('what the gateway refuses to everybody can be asked without naming a call', (t) => {
  const { admission, begin, press } = createDoor({ maxCalls: 1 });
  t.notThrows(admission.check);
  const end = begin();
  t.like(t.throws(admission.check), { code: 'over_capacity', headers: { 'Retry-After': '5' } });
  end();
  press('journal');
  t.like(t.throws(admission.check), { code: 'over_capacity' });
  press(null);
  t.notThrows(admission.check);
  admission.drain();
  t.like(t.throws(admission.check), { code: 'draining' });
});

const limits = {
  'of the gateway': [{ maxCalls: 3 }, wish],
  'of a number': [{}, { ...wish, maxConcurrentCalls: 3 }],
  'of a workspace': [{}, { ...wish, maxCallsInProgress: 3 }],
} as const;

for (const [whose, [gateway, call]] of Object.entries(limits)) {
  test(`many at once do not get past the limit ${whose}, and a permit given back is free once`, (t) => {
    const { admission, refusal } = createDoor(gateway);
    const permits = [admission.enter(call), admission.enter(call), admission.enter(call)];
    t.not(refusal(call), undefined);
    permits[0]?.release();
    permits[0]?.release();
    const [, second] = permits;
    const again = admission.enter(call);
    t.not(refusal(call), undefined, 'giving back twice makes no second permit');
    again.release();
    second?.release();
    t.is(refusal(call), undefined);
  });
}
