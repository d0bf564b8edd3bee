/** The messages of drachtio-server's control protocol: `<bytes>#<id>|<type>|…`, with SIP after the first line. */

export type ControlMessage = {
  id: string;
  type: string;
  /** Fields of the first line, after the type. */
  fields: readonly string[];
  /** The text after the first line; '' if there is none. */
  payload: string;
};

export const readControlMessage = (text: string): ControlMessage => {
  const end = text.indexOf('\r\n');
  const [id = '', type = '', ...fields] = (end === -1 ? text : text.slice(0, end)).split('|');
  return { id, type, fields, payload: end === -1 ? '' : text.slice(end + 2) };
};

/** Frames a message and gives it a unique id. */
export const writeControlMessage = (text: string): string => {
  const body = `${crypto.randomUUID()}|${text}`;
  return `${Buffer.byteLength(body)}#${body}`;
};

/** Parses a byte stream and emits each complete message. */
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
