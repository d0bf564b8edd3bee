/**
 * Checks that calls have returned all their permits: at rest, each gateway must admit a call although the number may
 * have only one at a time.
 */
import type { Customer } from './customer.ts';
import type { World } from './world.ts';

/** The callee's line is busy, so the call ends at once. */
const busyCallee = '01000000003';
const answerMs = 30_000;
const startMs = 60_000;
/** Exceeds the duration of such a call. */
const callMs = 30_000;
const lookMs = 250;
/** Exceeds the duration of a request. */
const requestMs = 30_000;
const placeAgainMs = 2_000;

const noneInProgress = 'select not exists (select from call where ended_at is null)';

export const checkPermits = async (
  world: World,
  customer: Customer,
  comeToRest: () => Promise<void>,
): Promise<void> => {
  const status = async (
    request: Parameters<Customer['ask']>[0],
  ): Promise<number | 'no answer' | undefined> => {
    let told: number | 'no answer' | undefined;
    customer.ask(request, (answer) => (told = answer?.status ?? 'no answer'));
    await world.run(answerMs, () => told !== undefined);
    return told;
  };
  // A gateway that received SIGTERM before the end of the faults still drains, and starts again afterwards.
  if (!(await world.run(startMs, () => world.nodes.every((node) => node.isStaying()))))
    return world.violate('a gateway does not start');
  const limited = await status({ ...customer.changeNumber({ max_concurrent_calls: 1 }) });
  if (limited !== 200) return world.violate(`the limit of the number could not be changed: ${limited}`);
  for (const node of world.nodes) {
    const body = { to: busyCallee, instruction: `last call of ${node.name}`, max_duration_sec: 60 };
    const place = () => status({ method: 'POST', path: '/api/v1/calls', body, by: node });
    let placed = await place();
    // A request whose client has gone counts until its last statement has failed.
    const givenUpAt = world.time.now() + requestMs;
    while (placed === 429 && world.time.now() < givenUpAt) {
      await world.run(placeAgainMs);
      placed = await place();
    }
    if (placed !== 201) world.violate(`a gateway without calls refuses one: ${node.name} answers ${placed}`);
    const until = world.time.now() + callMs;
    while (world.time.now() < until && !world.postgres.isTrue(noneInProgress)) await world.run(lookMs);
  }
  return comeToRest();
};
