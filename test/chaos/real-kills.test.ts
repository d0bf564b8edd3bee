/**
 * Three gateways as processes on a PostgreSQL server, woken by NATS if its server is installed, with calls among them:
 * they are killed with SIGKILL and frozen with SIGSTOP, and NATS dies and returns. The rules are those of the simulation
 * at rest (`test/simulation/checks.ts`), except those about the writers of facts, which only the simulated database
 * knows.
 */
import test, { type ExecutionContext } from 'ava';
import { z } from 'zod';
import { rulesOfTables } from '#test/simulation/checks.ts';
import { hasNatsServer, startNatsServer } from '#test/helpers/nats-server.ts';
import { until } from '#test/helpers/until.ts';
import { oneDatabase, place, type Running } from '#test/journeys/gateways-of-one-database.ts';

const names = ['north', 'south', 'west'];
/** Three talk, one is silent, one hangs up, one interrupts everything. */
const callees = ['01000000001', '01000000005', '01000000006', '01000000001', '01000000007', '01000000008'];
/** Calls that are placed before each death, and deaths by SIGKILL. */
const callsPerDeath = 6;
const deaths = 6;

const held = z.array(z.object({ id: z.string(), epoch: z.number() }));

/** Gateways by name, and their calls. */
const chaosWorld = async (t: ExecutionContext) => {
  const { start, rows } = await oneDatabase(t);
  let nats = hasNatsServer ? await startNatsServer() : null;
  t.teardown(() => nats?.stop());
  t.log(nats === null ? 'nats-server is not installed' : 'wake-ups go through NATS');
  const settings: Record<string, string> =
    nats === null ? {} : { GW_NATS_URL: `nats://127.0.0.1:${nats.port}` };
  const running = new Map<string, Running>();
  const placed: string[] = [];

  const gateway = (name: string): Running => {
    const found = running.get(name);
    if (found === undefined) throw new Error(`${name} does not run`);
    return found;
  };

  return {
    rows,
    placed,
    gateway,
    async begin(name: string): Promise<void> {
      running.set(name, await start(name, settings));
    },
    async kill(name: string): Promise<void> {
      const { signal, ended } = gateway(name);
      running.delete(name);
      signal('SIGKILL');
      await ended;
    },
    async restartNats(): Promise<void> {
      if (nats === null) return;
      const { port } = nats;
      await nats.stop();
      nats = await startNatsServer({ port });
    },
    /** Places calls at all gateways in turn; resolves when each has been answered or has ended. */
    async placeSome(count: number): Promise<void> {
      for (let index = 0; index < count; index += 1) {
        const ready = [...running.values()];
        const at = ready[placed.length % ready.length];
        if (at === undefined) throw new Error('No gateway runs');
        placed.push(await place(at, callees[placed.length % callees.length] ?? ''));
      }
      await until('the calls are answered', async () => {
        const ringing = await rows(`select id from call where status = 'ringing' limit 1`);
        return ringing.length === 0 ? true : undefined;
      });
    },
    callsOf: async (name: string) =>
      held.parse(await rows(`select id, epoch from call where node = '${name}' and ended_at is null`)),
    /** Resolves when each of these calls has a new holder that has continued it, or has ended. */
    async untilTaken(calls: z.infer<typeof held>): Promise<void> {
      if (calls.length === 0) return;
      const former = calls.map(({ id, epoch }) => `('${id}'::uuid, ${epoch})`).join(', ');
      await until('the calls of the gateway are taken over', async () => {
        const left =
          await rows(`select call.id from call join (values ${former}) as former (id, epoch) using (id)
          where ended_at is null and (select count(*) from call_fact
            where call_id = call.id and type = 'call.taken_over') < former.epoch
          limit 1`);
        return left.length === 0 ? true : undefined;
      });
    },
  };
};

test.serial('every rule holds after kills of gateways and of NATS', async (t) => {
  t.timeout(600_000);
  const { rows, placed, gateway, begin, kill, restartNats, placeSome, callsOf, untilTaken } =
    await chaosWorld(t);
  for (const name of names) await begin(name);

  for (let death = 0; death < deaths; death += 1) {
    const name = names[death % names.length] ?? '';
    await placeSome(callsPerDeath);
    const calls = await callsOf(name);
    await kill(name);
    if (death === 2) await restartNats();
    // Every second gateway returns at once and may find its own calls; the others return after others have them.
    if (death % 2 === 1) await untilTaken(calls);
    await begin(name);
    await untilTaken(calls);
  }
  // A freeze, after which the gateway finds its calls taken.
  await placeSome(names.length);
  const calls = await callsOf('north');
  gateway('north').signal('SIGSTOP');
  await untilTaken(calls);
  gateway('north').signal('SIGCONT');

  await until('all calls have ended', async () => {
    for (const { id } of held.parse(await rows(`select id, epoch from call where ended_at is null`)))
      await gateway('south').client.post(`/api/v1/calls/${id}/hangup`, { immediate: true });
    const left = await rows(`select id from call where ended_at is null limit 1`);
    return left.length === 0 ? true : undefined;
  });
  await until('all events are delivered and all checkpoints are deleted', async () => {
    const left = await rows(`select id from event_delivery where state = 'pending' limit 1`);
    const checkpoints = await rows(`select call_id from call_checkpoint limit 1`);
    return left.length + checkpoints.length === 0 ? true : undefined;
  });
  for (const { what, broken } of rulesOfTables) t.deepEqual(await rows(broken), [], what);
  const [counted] = z.array(z.object({ calls: z.number(), taken: z.number(), lost: z.number() })).parse(
    await rows(`select count(*)::int as calls,
        (select count(*)::int from call_fact where type = 'call.taken_over') as taken,
        (select count(*)::int from call where end_reason = 'system_error') as lost from call`),
  );
  t.log(counted);
  t.is(counted?.calls, placed.length);
  t.true((counted?.taken ?? 0) > 0);
  // No gateway dies while a call rings, and an answered call can always be resumed.
  t.is(counted?.lost, 0);
});
