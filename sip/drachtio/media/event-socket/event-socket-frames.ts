/**
 * Messages of FreeSWITCH on its event socket (mod_event_socket of 1.10): lines of `Name: value`, a blank line, and a
 * body where they name its length. Of the lines only those are looked at that the answers to our commands and the
 * events that we ask for need; all of it may be broken, and no bytes throw but by what stands here.
 */

export type SocketFrame = {
  /** Such as `command/reply`; '' where it says none. */
  type: string;
  /** What is said to a command that is no question; '' otherwise. */
  reply: string;
  body: string;
};

/** There is no telling any more where one frame ends and the next begins. */
export class UnreadableFrame extends Error {}

/** In bytes. The status of all profiles, the longest thing that we ask for, takes a few thousand. */
const longestHead = 65_536;
const longestBody = 1_048_576;

const newline = 0x0a;

const valueIn = (head: string, name: string): string => {
  const begin = head.startsWith(`${name}: `) ? 0 : head.indexOf(`\n${name}: `) + 1;
  if (begin === 0 && !head.startsWith(`${name}: `)) return '';
  const end = head.indexOf('\n', begin);
  return head.slice(begin + name.length + 2, end === -1 ? undefined : end).trim();
};

/** What is no number is no length, nor is one below zero. */
const lengthIn = (head: string): number => {
  const text = valueIn(head, 'Content-Length');
  const length = /^\d{1,15}$/.test(text) ? Number(text) : 0;
  if (length > longestBody) throw new UnreadableFrame(`FreeSWITCH announces ${length} bytes`);
  return length;
};

/** Takes bytes as they come, and gives each frame when it is whole. Throws `UnreadableFrame`. */
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

/** A field of an event in plain format; what cannot be decoded stays as it is. '' where there is none. */
export const fieldIn = (event: string, name: string): string => decoded(valueIn(event, name));
