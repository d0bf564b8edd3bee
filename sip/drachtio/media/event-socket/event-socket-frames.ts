/**
 * Messages of FreeSWITCH on its event socket (mod_event_socket of 1.10): lines of `Name: value`, a blank line, and a
 * body if they contain its length. Only the lines required for the answers to our commands and for subscribed events
 * are read. Any input may be malformed, and errors other than the one defined here are never thrown.
 */

export type SocketFrame = {
  /** For example `command/reply`; '' if missing. */
  type: string;
  /** Reply to a command that is not an `api` query; '' otherwise. */
  reply: string;
  body: string;
};

/** Thrown when the frame boundaries are lost. */
export class UnreadableFrame extends Error {}

/** In bytes. The status of all profiles, the longest answer requested, has a few thousand. */
const longestHead = 65_536;
const longestBody = 1_048_576;

const newline = 0x0a;

const valueIn = (head: string, name: string): string => {
  const begin = head.startsWith(`${name}: `) ? 0 : head.indexOf(`\n${name}: `) + 1;
  if (begin === 0 && !head.startsWith(`${name}: `)) return '';
  const end = head.indexOf('\n', begin);
  return head.slice(begin + name.length + 2, end === -1 ? undefined : end).trim();
};

/** Rejects a length that is not a number or is negative. */
const lengthIn = (head: string): number => {
  const text = valueIn(head, 'Content-Length');
  const length = /^\d{1,15}$/.test(text) ? Number(text) : 0;
  if (length > longestBody) throw new UnreadableFrame(`FreeSWITCH announces ${length} bytes`);
  return length;
};

/** Takes bytes as they arrive and emits each complete frame. Throws `UnreadableFrame`. */
export const createFrameReader = (onFrame: (frame: SocketFrame) => void): ((data: Buffer) => void) => {
  let buffer: Buffer = Buffer.alloc(0);
  return (data) => {
    buffer = buffer.length === 0 ? data : Buffer.concat([buffer, data]);
    for (;;) {
      let begin = 0;
      while (buffer[begin] === newline) begin += 1;
      buffer = buffer.subarray(begin);
      const end = buffer.indexOf('\n\n');
      if (end === -1 && buffer.length > longestHead)
        throw new UnreadableFrame('What FreeSWITCH says has no end');
      if (end === -1) return;
      const head = buffer.toString('utf8', 0, end);
      const until = end + 2 + lengthIn(head);
      if (buffer.length < until) return;
      const body = buffer.toString('utf8', end + 2, until);
      buffer = buffer.subarray(until);
      onFrame({ type: valueIn(head, 'Content-Type'), reply: valueIn(head, 'Reply-Text'), body });
    }
  };
};

const decoded = (value: string): string => {
  try {
    return decodeURIComponent(value);
  } catch {
    return value;
  }
};

/** A field of an event in plain format; '' if missing. A value that cannot be decoded is returned unmodified. */
export const fieldIn = (event: string, name: string): string => decoded(valueIn(event, name));
