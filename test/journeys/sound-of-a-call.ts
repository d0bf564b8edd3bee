/** Both ends of the audio of a call: a web phone with a microphone that hums, and a listener. */
import { once } from 'node:events';
import type { ExecutionContext } from 'ava';
import { WebSocket } from 'ws';
import { z } from 'zod';
import { until } from '#test/helpers/until.ts';
import { soundFrame } from '#test/sip/webphone/sounding-phone.ts';

/** Gateways that can carry audio: no recognizer is available there, and the calls continue without words. */
export const soundSettings = {
  GW_SIMULATOR_SPEED: '1',
  GW_RECOGNIZERS: 'vosk',
  GW_VOSK_URL: 'ws://127.0.0.1:9',
};

const message = z.looseObject({ type: z.string() });

export type Place = { url: string; token: string };

const socketTo = ({ url, token }: Place, path: string, protocol: string): WebSocket =>
  new WebSocket(`${url.replace(/^http/, 'ws')}${path}`, [protocol, token]);

/** The constant audio of the microphone. */
export const hum = 3_000;

export const openWebPhone = async (t: ExecutionContext, place: Place) => {
  const socket = socketTo(place, '/api/v1/admin/phone?phone=phone-0001', 'trunkline.phone');
  t.teardown(() => socket.terminate());
  const told: z.infer<typeof message>[] = [];
  let played = 0;
  socket.on('message', (data: Buffer, isBinary: boolean) => {
    if (isBinary) played += data.length / 2;
    else told.push(message.parse(JSON.parse(data.toString())));
  });
  await once(socket, 'open');
  const next = (type: string) =>
    until(`the phone is told ${type}`, () => told.find((one) => one.type === type));
  await next('sound_offered');
  const send = (sent: object): void => socket.send(JSON.stringify(sent));
  return {
    send,
    async answer(callId: string): Promise<void> {
      await next('ring');
      send({ type: 'answer', call_id: callId, sound: true });
      await next('answered');
      const microphone = setInterval(() => socket.send(soundFrame(played, hum)), 20);
      t.teardown(() => clearInterval(microphone));
    },
  };
};

const told = z.object({ type: z.literal('state'), state: z.string() });

export const openListener = async (t: ExecutionContext, place: Place, callId: string) => {
  const socket = socketTo(place, `/api/v1/admin/listen?call=${callId}`, 'trunkline.listen');
  t.teardown(() => socket.terminate());
  const states: string[] = [];
  const heardBefore = new Map<string, number>();
  let sound: { counterparty: number; agent: number }[] = [];
  socket.on('message', (data: Buffer, isBinary: boolean) => {
    if (!isBinary) {
      const { state } = told.parse(JSON.parse(data.toString()));
      states.push(state);
      heardBefore.set(state, sound.length);
      return;
    }
    for (let at = 0; at < data.length; at += 4)
      sound.push({ counterparty: data.readInt16LE(at), agent: data.readInt16LE(at + 2) });
  });
  const opened = once(socket, 'open');
  const closed = once(socket, 'close').then(([code]) => Number(code));
  await opened;
  return {
    states,
    /** Number of received samples when that state was last sent. */
    heardBefore: (state: string) => heardBefore.get(state),
    closed,
    leave: () => socket.close(),
    untilState: (state: string) => until(`${state} is told`, () => states.at(-1) === state || undefined),
    forget: () => void (sound = []),
    sound: () => sound,
    untilHeard: (what: string, isIt: (sample: { counterparty: number; agent: number }) => boolean) =>
      until(`${what} is heard`, () => sound.some(isIt) || undefined),
  };
};

/** The response status that refuses the connection. */
export const refusedListener = async (place: Place, callId: string): Promise<number> => {
  const socket = socketTo(place, `/api/v1/admin/listen?call=${callId}`, 'trunkline.listen');
  const [error] = await once(socket, 'error');
  return Number(/(\d{3})$/.exec(String(error))?.[1]);
};
