/** The relay between doubles of drachtio-server and of gateways, on a clock that the test controls. */
import type { ExecutionContext } from 'ava';
import { pino } from 'pino';
import { relayNumbers } from '#config/line-policy.ts';
import { createRelay, type RelayNumbers } from '#sip/relay/relay.ts';
import { createFarEnd, type FarCall } from '#test/doubles/far-end.ts';
import { startDrachtioServer } from '#test/doubles/drachtio-server.ts';
import { describeSound } from '#test/doubles/session-description.ts';
import { createTurnedClock } from '#test/doubles/turned-clock.ts';
import { connectClient, type Client } from './control-client.ts';

export const sdp = describeSound();
const seldom = { everyMs: 3_600_000, answerMs: 3_600_000 };

export const startRelay = async (t: ExecutionContext, numbers: Partial<RelayNumbers> = {}) => {
  const drachtio = await startDrachtioServer();
  t.teardown(() => drachtio.close());
  const clock = createTurnedClock();
  const said: string[] = [];
  const logger = pino({ level: 'debug' }, { write: (line: string) => void said.push(line) });
  const begin = async (port = 0) => {
    const relay = createRelay({
      listen: { host: '127.0.0.1', port },
      drachtio: drachtio.control,
      numbers: { ...relayNumbers, probe: seldom, ...numbers },
      clock,
      logger,
    });
    t.teardown(() => relay.close());
    return { relay, address: { ...drachtio.control, port: await relay.start() } };
  };
  const { relay, address } = await begin();
  return {
    drachtio,
    clock,
    relay,
    begin,
    address,
    said: () => said.join('\n'),
    trunk: createFarEnd(drachtio, '127.0.0.1:15060'),
    client: (verbs?: readonly string[]) => connectClient(t, address, verbs),
  };
};

type World = Awaited<ReturnType<typeof startRelay>>;

/** A call from the trunk, answered by this gateway. */
export const answered = async (
  { trunk }: World,
  gateway: Client,
): Promise<{ call: FarCall; dialogId: string }> => {
  const call = trunk.calls('07012345678', { sdp });
  const { transactionId } = await gateway.told('INVITE');
  const said = await gateway.answer(transactionId, '200 OK', sdp);
  await call.receives(200);
  call.sends('ACK');
  const { dialogId } = await gateway.told('ACK');
  if (said[0] !== 'OK' || dialogId === '') throw new Error(`No dialog: ${said.join('|')}`);
  return { call, dialogId };
};
