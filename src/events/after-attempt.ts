import { transition } from 'xstate';
import { deliveryMachine, type DeliveryEvent, type DeliveryTimes } from '#machines/delivery.ts';

export type AfterAttempt =
  { state: 'delivered' } | { state: 'dead'; isEndpointGone: boolean } | { state: 'waiting'; retryMs: number };

/** What becomes of a delivery by the outcome of an attempt, as its chart says; `failures` are those of its round before. */
export const afterAttempt = (
  delivery: { times: DeliveryTimes; failures: number },
  event: Extract<DeliveryEvent, { type: `attempt.${string}` }>,
): AfterAttempt => {
  const attempting = deliveryMachine.resolveState({
    value: 'attempting',
    context: { ...delivery, retryMs: 0 },
  });
  const [next, actions] = transition(deliveryMachine, attempting, event);
  if (next.matches('delivered')) return { state: 'delivered' };
  if (next.matches('waiting')) return { state: 'waiting', retryMs: next.context.retryMs };
  return { state: 'dead', isEndpointGone: actions.some(({ type }) => type === 'disableEndpoint') };
};
