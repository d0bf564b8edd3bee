/** A call from the gateway's lines to a far end that speaks and listens, in progress until the bench ends. */
import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { platformCallPolicy } from '#config/policy.ts';
import type { BargeInMode, Line, LineEvent } from '#machines/line.ts';
import type { TrunkMedia } from '#src/domain/trunk.ts';
import { startFarEnd } from '#test/real-sip/far-end.ts';
import { realLines, until } from '#test/real-sip/real-lines.ts';
import type { SipServers } from '#test/real-sip/sip-servers.ts';

type Options = {
  servers: SipServers;
  media: TrunkMedia;
  bargeIn: BargeInMode;
  /** Source and destination of the far end's audio. */
  ear: { port: number };
  started: AsyncDisposableStack;
};

/** Resolves when the call is answered and its audio flows. `react` receives the line's events. */
export const standingCall = async (
  { servers, media, bargeIn, ear, started }: Options,
  react: (event: LineEvent, line: Line) => void = () => {},
): Promise<Line> => {
  const sipp = await startFarEnd('speaking', servers.folder, { ear: ear.port });
  started.defer(sipp.close);
  const lines = await realLines(servers, sipp.port, {}, media);
  started.defer(() => lines.close());
  await lines.start(async () => ({ accepted: false, because: 'unknown_number' }));
  let answered = false;
  const line = lines.open(
    {
      callId: randomUUID(),
      direction: 'outbound',
      from: '0212345678',
      to: '01099998888',
      language: 'en',
      speech: { recognizer: null, synthesizer: null, voice: null },
      bargeIn: { ...platformCallPolicy.bargeIn, mode: bargeIn },
      turnEnd: platformCallPolicy.turnEnd,
      recording: false,
    },
    (event) => {
      if (event.type === 'line.answered') answered = true;
      react(event, line);
    },
  );
  started.defer(() => line.close());
  await until(() => answered);
  await pause(500);
  return line;
};
