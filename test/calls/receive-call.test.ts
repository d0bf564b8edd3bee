import test from 'ava';
import pino from 'pino';
import { createReceiveCall } from '#src/calls/receive-call.ts';
import { Refusal, type RefusalCode } from '#src/domain/refusal.ts';
import { testDatabase } from '#test/helpers/database.ts';

const arrival = { callId: crypto.randomUUID(), from: '01012345678', to: '07000000001', at: Date.now() };

const withoutRoom = test.macro({
  title: (_title, code: RefusalCode) => `an arrival that is refused with ${code} costs no look-up`,
  async exec(t, code: RefusalCode) {
    const never = async (): Promise<never> => {
      throw new Error('It was looked up all the same');
    };
    const receiveCall = createReceiveCall({
      database: await testDatabase(t),
      admission: {
        check: () => {
          throw new Refusal(code, 'There is no room.');
        },
      },
      findNumber: never,
      handshake: never,
      startCall: never,
      policyOf: () => {
        throw new Error('Nobody was called');
      },
      witness: { began: () => t.fail(), ended: () => t.fail() },
      journal: { wasWritten: () => t.fail() },
      now: Date.now,
      node: 'test',
      logger: pino({ level: 'silent' }),
    });
    t.deepEqual(await receiveCall(arrival), { accepted: false, because: code });
  },
});

test(withoutRoom, 'over_capacity');
test(withoutRoom, 'draining');
