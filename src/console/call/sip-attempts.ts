/** Groups the SIP messages of a call for drawing: one ladder for each INVITE attempt. */
import type { SipMessage } from '../api/records.ts';

export type SipAttempt = { sipCallId: string; local: string; remote: string; messages: SipMessage[] };

/** Attempts in order of their beginning. The two endpoints are those of the last message, when both are known. */
export const attemptsOf = (messages: readonly SipMessage[]): SipAttempt[] => {
  const attempts = new Map<string, SipAttempt>();
  for (const message of messages) {
    const { sip_call_id: sipCallId, local, remote } = message;
    const before = attempts.get(sipCallId)?.messages ?? [];
    attempts.set(sipCallId, { sipCallId, local, remote, messages: [...before, message] });
  }
  return [...attempts.values()];
};

const statusOf = ({ start_line: line }: SipMessage): number | null => {
  const [, status] = /^SIP\/2\.0 (\d{3})/.exec(line) ?? [];
  return status === undefined ? null : Number(status);
};

/** Kind of message, which determines its colour. */
export const kindOf = (message: SipMessage): 'request' | 'progress' | 'success' | 'challenge' | 'failure' => {
  const status = statusOf(message);
  if (status === null) return 'request';
  if (status < 200) return 'progress';
  if (status < 300) return 'success';
  return status < 400 || status === 401 || status === 407 ? 'challenge' : 'failure';
};

/** `INVITE`, or `200 OK` with the method that it answers. */
export const labelOf = (message: SipMessage): string => {
  const { start_line: line, text } = message;
  const sdp = /^(?:content-type|c)[ \t]*:[ \t]*application\/sdp/im.test(text) ? ' · SDP' : '';
  if (statusOf(message) === null) return `${line.split(' ')[0] ?? ''}${sdp}`;
  const [, method = ''] = /^cseq[ \t]*:[ \t]*\d+[ \t]+(\w+)/im.exec(text) ?? [];
  return `${line.replace('SIP/2.0 ', '')} (${method})${sdp}`;
};

/** `+12 ms`, `+3.4 s`, `+2:05`. */
export const millisecondsIn = (elapsedMs: number): string => {
  if (elapsedMs < 1_000) return `+${Math.round(elapsedMs)} ms`;
  if (elapsedMs < 60_000) return `+${(elapsedMs / 1_000).toFixed(1)} s`;
  const seconds = Math.floor(elapsedMs / 1_000);
  return `+${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`;
};
