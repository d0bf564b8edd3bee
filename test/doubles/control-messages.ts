/** The messages of drachtio-server's control protocol: `<bytes>#<id>|<type>|…`, with SIP behind the first line. */

export type ControlMessage = {
  id: string;
  type: string;
  /** What follows the type in the first line. */
  fields: readonly string[];
  /** Everything behind the first line; '' where there is nothing. */
  payload: string;
};

export const readControlMessage = (text: string): ControlMessage => {
  const end = text.indexOf('\r\n');
  const [id = '', type = '', ...fields] = (end === -1 ? text : text.slice(0, end)).split('|');
  return { id, type, fields, payload: end === -1 ? '' : text.slice(end + 2) };
};

/** Framed, with an id of its own. */
export const writeControlMessage = (text: string): string => {
  const body = `${crypto.randomUUID()}|${text}`;
  return `${Buffer.byteLength(body)}#${body}`;
};

/** Takes bytes as they come, and gives each message when it is whole. */
export const createControlReader = (onMessage: (message: ControlMessage) => void) => {
  let buffer: Buffer = Buffer.alloc(0);
  return (data: Buffer): void => {
    buffer = Buffer.concat([buffer, data]);
    for (let mark = buffer.indexOf('#'); mark > 0; mark = buffer.indexOf('#')) {
      const end = mark + 1 + Number(buffer.subarray(0, mark).toString());
      if (buffer.length < end) return;
      const text = buffer.subarray(mark + 1, end).toString();
      buffer = buffer.subarray(end);
      onMessage(readControlMessage(text));
    }
  };
};
