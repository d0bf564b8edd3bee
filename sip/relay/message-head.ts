/**
 * Parses the heads of control messages as far as routing requires: the first line, and the start line of the SIP
 * message after it. Bodies are forwarded unmodified.
 */

const lineEnd = Buffer.from('\r\n');

/** Maximum length of a start line, which is that of drachtio-server. */
const longestStartLine = 2_000;

type Head = { fields: readonly string[]; startLine: string };

const readHead = (message: Buffer): Head => {
  const end = message.indexOf(lineEnd);
  if (end === -1) return { fields: message.toString('latin1').split('|'), startLine: '' };
  const from = end + lineEnd.length;
  const stop = message.indexOf(lineEnd, from);
  const to = Math.min(stop === -1 ? message.length : stop, from + longestStartLine);
  return {
    fields: message.toString('latin1', 0, end).split('|'),
    startLine: message.toString('latin1', from, to),
  };
};

const statusIn = (startLine: string): number | null => {
  const [, status] = /^SIP\/2\.0 ([1-6]\d\d)(?: |$)/.exec(startLine) ?? [];
  return status === undefined ? null : Number(status);
};

const methodIn = (startLine: string): string => /^([A-Z]{2,20}) /.exec(startLine)?.[1] ?? '';

/** A message from drachtio-server. */
export type DrachtioMessage =
  /** A response to a command, identified by the command's id. `dialogId` is '' if it is missing. */
  | {
      type: 'answer';
      id: string;
      isOk: boolean;
      /** Reason of the refusal. */
      reason: string;
      transactionId: string;
      dialogId: string;
      goesOn: boolean;
    }
  /** A SIP response from the far end. `dialogId` is '' if there is no dialog yet. */
  | { type: 'response'; status: number; transactionId: string; dialogId: string }
  | { type: 'request'; method: string; transactionId: string; dialogId: string }
  /** A request that drachtio-server itself sent. No response is expected. */
  | { type: 'notice'; method: string; dialogId: string }
  | { type: 'unknown' };

const readAnswer = (fields: readonly string[]): DrachtioMessage => {
  const [, , id = '', verdict, reason = '', , , , , , transactionId = '', after = '', goesOn] = fields;
  return {
    type: 'answer',
    id,
    isOk: verdict === 'OK',
    reason,
    transactionId,
    // Replaces the dialog id after a request was sent.
    dialogId: after === 'Msg sent:' ? '' : after,
    goesOn: goesOn === 'continue',
  };
};

export const readDrachtioMessage = (message: Buffer): DrachtioMessage => {
  const { fields, startLine } = readHead(message);
  if (fields[1] === 'response') return readAnswer(fields);
  if (fields[1] !== 'sip') return { type: 'unknown' };
  const [, , source, , , , , , transactionId = '', dialogId = ''] = fields;
  const status = statusIn(startLine);
  if (status !== null) return { type: 'response', status, transactionId, dialogId };
  const method = methodIn(startLine);
  if (method === '') return { type: 'unknown' };
  return source === 'application'
    ? { type: 'notice', method, dialogId }
    : { type: 'request', method, transactionId, dialogId };
};

/** A command of a gateway, with the gateway's id for it. */
export type GatewayCommand = { id: string } & (
  | { type: 'authenticate'; secret: string }
  | { type: 'route' | 'remove_route'; verb: string }
  | { type: 'ping' }
  /** The gateway's name among those of its database (`GW_NODE`). */
  | { type: 'node'; node: string }
  /** Name of another gateway that was declared dead. */
  | { type: 'node_dead'; node: string }
  /** A dialog that the gateway has released for another one. */
  | { type: 'dialog_left'; dialogId: string }
  /** Dialog of a call that the gateway has taken over. */
  | { type: 'dialog_taken'; dialogId: string }
  | { type: 'request'; method: string; transactionId: string; dialogId: string }
  | { type: 'response'; status: number; transactionId: string }
  /** A command that the relay refuses, because drachtio-server crashes on it. */
  | { type: 'refused'; why: string }
);

const readSip = (id: string, fields: readonly string[], startLine: string): GatewayCommand => {
  const [, , transactionId, dialogId] = fields;
  const refused = (why: string): GatewayCommand => ({ id, type: 'refused', why });
  if (transactionId === undefined || dialogId === undefined)
    return refused('transaction or dialog is missing');
  const status = statusIn(startLine);
  if (status !== null)
    return transactionId === ''
      ? refused('transaction id missing')
      : { id, type: 'response', status, transactionId };
  const method = methodIn(startLine);
  if (method === '') return refused('this is no SIP message');
  if (transactionId !== '' && dialogId === '' && method !== 'CANCEL')
    return refused('only CANCEL is sent within a transaction');
  return { id, type: 'request', method, transactionId, dialogId };
};

export const readGatewayCommand = (message: Buffer): GatewayCommand => {
  const { fields, startLine } = readHead(message);
  const [id = '', type = '', first = ''] = fields;
  switch (type) {
    case 'authenticate':
      return { id, type, secret: Buffer.from(first, 'latin1').toString() };
    case 'route':
    case 'remove_route':
      return { id, type, verb: first.toLowerCase() };
    case 'ping':
      return { id, type };
    case 'node':
    case 'node_dead':
      return /^[\w.-]{1,64}$/.test(first)
        ? { id, type, node: first }
        : { id, type: 'refused', why: 'this is no name of a node' };
    case 'dialog_taken':
      return first === '' ? { id, type: 'refused', why: 'dialog is missing' } : { id, type, dialogId: first };
    case 'dialog_left':
      return { id, type, dialogId: first };
    case 'sip':
      return readSip(id, fields, startLine);
    default:
      return { id, type: 'refused', why: 'Unknown message type' };
  }
};
