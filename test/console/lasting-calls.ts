/** Calls that last until a test ends them, so that what a page shows of them stays. */
import type { TestGateway } from '#test/helpers/gateway.ts';

export const heldCallee = '01055550000';

/** The caller or callee may ring, and be silent, for longer than any test waits. */
export const allowLongSilence = async ({ admin, numberPath }: TestGateway): Promise<void> => {
  const { status } = await admin.patch(numberPath, { ring_timeout_sec: 180, silence_timeout_sec: 600 });
  if (status !== 200) throw new Error(`The number was not changed: ${status}`);
};

/**
 * Places a call to a callee that follows a script and then puts the call on hold, where silence does not end it. Resolves
 * when the callee has answered: a call that rings is cancelled rather than hung up.
 */
export const placeHeldCall = async (
  { admin, call, untilStatus }: TestGateway,
  script: readonly object[] = [],
  instruction?: string,
): Promise<string> => {
  const held = { script: [...script, { hold_sec: 600 }] };
  const { status } = await admin.put(`/api/v1/admin/simulator/callees/${heldCallee}`, held);
  if (status !== 200) throw new Error(`The callee was not defined: ${status}`);
  const callId = await call(heldCallee, instruction);
  await untilStatus(callId, 'active');
  return callId;
};

export const hangUp = async ({ client }: TestGateway, callId: string): Promise<void> => {
  const { status } = await client.post(`/api/v1/calls/${callId}/hangup`, { immediate: true });
  if (status >= 300) throw new Error(`The call was not ended: ${status}`);
};
