/** Routes messages between gateways, drachtio-server, and far ends in dialogs without a gateway. */
import { randomUUID } from 'node:crypto';
import type { Logger } from 'pino';
import type { Clock } from '#src/domain/clock.ts';
import { longestMessage } from '../drachtio/connection/message-limits.ts';
import { createAbandoned } from './abandoned.ts';
import { createFairQueue } from './fair-queue.ts';
import type { GatewayConnection } from './gateway-connection.ts';
import { createHeldRequests, type HeldLimits, type HeldRequest } from './held-requests.ts';
import { readDrachtioMessage, type GatewayCommand, type DrachtioMessage } from './message-head.ts';
import { createLeftDialogs, type LeftDialogs } from './left-dialogs.ts';
import { createLostNodes } from './lost-nodes.ts';
import { takenByOther } from './taken-by-other.ts';
import { createMessageOwners, type Command, type MessageOwners } from './message-owners.ts';

export type TrafficNumbers = {
  held: HeldLimits;
  /** Backlog of a gateway in bytes beyond which the relay stops reading from the gateway. */
  mostWaiting: number;
  /** `Retry-After` of refusals, in seconds. */
  retryAfterSec: number;
  /** Time after the loss of a gateway for which its unanswered INVITEs are left to the other gateways. */
  cancelMs: number;
};

/** The current connection to drachtio-server. */
export type Upstream = {
  write(message: Buffer): void;
  isFull(): boolean;
  /** Sends a command of the relay itself. Rejects when the command is refused or drachtio-server is unreachable. */
  ask(text: string): Promise<string>;
};

type Sender = GatewayConnection | 'relay';

/** Methods to which the relay itself subscribes, so that they are answered without a gateway. */
export const ownVerbs = ['invite', 'options'] as const;

type Refusals = ReturnType<typeof createRefusals>;

/** Responses of the relay itself to the far end. */
const createRefusals = ({ ask }: Upstream, { retryAfterSec }: TrafficNumbers, logger: Logger) => {
  const respond = async (transactionId: string, status: string, headers = ''): Promise<void> => {
    try {
      await ask(`sip|${transactionId}|\r\nSIP/2.0 ${status}\r\n${headers}Content-Length: 0\r\n\r\n`);
    } catch (error) {
      logger.debug({ err: error }, 'a response could not be sent to a far end');
    }
  };
  const unavailable = (transactionId: string): Promise<void> =>
    respond(transactionId, '503 Service Unavailable', `Retry-After: ${retryAfterSec}\r\n`);

  return {
    unavailable,
    /** Hangs up a call. `isUnconfirmed`: its answer was not acknowledged. */
    async end(dialogId: string, isUnconfirmed = false): Promise<void> {
      try {
        if (isUnconfirmed)
          await ask(`sip||${dialogId}|\r\nACK sip:placeholder SIP/2.0\r\nContent-Length: 0\r\n\r\n`);
        await ask(`sip||${dialogId}|\r\nBYE sip:placeholder SIP/2.0\r\nContent-Length: 0\r\n\r\n`);
      } catch (error) {
        logger.debug({ err: error }, 'an abandoned call had already ended');
      }
    },
    /** Cancels an INVITE. */
    async cancel(transactionId: string): Promise<void> {
      try {
        await ask(`sip|${transactionId}||\r\nCANCEL sip:placeholder SIP/2.0\r\nContent-Length: 0\r\n\r\n`);
      } catch (error) {
        logger.debug({ err: error }, 'an abandoned INVITE had already ended');
      }
    },
    /** Answers a request that no gateway took. A BYE is answered with 200. */
    givenUp({ method, transactionId, begins }: HeldRequest, because: 'time' | 'room'): void {
      if (because === 'room')
        logger.error(
          { method },
          'a request of a far end was rejected: too many requests are waiting for a gateway',
        );
      if (transactionId === '') return;
      if (method === 'BYE') void respond(transactionId, '200 OK');
      else if (begins || because === 'room') void unavailable(transactionId);
      else void respond(transactionId, '481 Call Leg/Transaction Does Not Exist');
    },
  };
};

/** Connected gateways and their order. */
const createGateways = () => {
  const all = new Set<GatewayConnection>();
  return {
    all,
    /** Returns the next gateway that handles this method. */
    next(method: string): GatewayConnection | undefined {
      const verb = method.toLowerCase();
      for (const gateway of all) {
        if (!gateway.verbs.has(verb)) continue;
        all.delete(gateway);
        all.add(gateway);
        return gateway;
      }
      return undefined;
    },
  };
};

type Parts = {
  owners: MessageOwners<GatewayConnection>;
  leftDialogs: LeftDialogs;
  held: ReturnType<typeof createHeldRequests>;
  queue: ReturnType<typeof createFairQueue<Sender>>;
  gateways: ReturnType<typeof createGateways>;
  refusals: Refusals;
  numbers: TrafficNumbers;
};

type Waiting = Pick<HeldRequest, 'message' | 'method' | 'transactionId'>;

/** Releases the held requests of this dialog to the gateway that acts in it. */
const handOver = (
  { dialogId, moved }: { dialogId: string; moved: readonly Waiting[] },
  gateway: GatewayConnection,
  { owners, held }: Parts,
): void => {
  for (const { message, method, transactionId } of [...moved, ...held.take(dialogId)]) {
    if (transactionId !== '')
      owners.requested(gateway, { type: 'request', method, transactionId, dialogId }, message);
    gateway.tell(message);
  }
};

/**
 * Whether a command concerns a call of another connected gateway. An earlier connection of the sender itself, whose end
 * was not noticed, is no other gateway.
 */
const isOfOther = (
  gateway: GatewayConnection,
  asked: Command,
  { holderOf }: Pick<MessageOwners<GatewayConnection>, 'holderOf'>,
): boolean => {
  if (asked.type === 'ping') return false;
  const holder = holderOf(asked) ?? gateway;
  return holder !== gateway && (holder.node === null || holder.node !== gateway.node);
};

/** Makes the gateway the owner of a dialog, and notifies the former owner, unless that one has released the dialog. */
const claim = (gateway: GatewayConnection, dialogId: string, parts: Parts): void => {
  const former = parts.owners.ownerOf(dialogId);
  const isOther = former !== undefined && former.node !== null && former.node !== gateway.node;
  if (isOther && !parts.leftDialogs.isLeftBy(dialogId, former))
    former.tell(Buffer.from(`${randomUUID()}|dialog_lost|${dialogId}`));
  const moved = parts.owners.moved(dialogId, gateway);
  parts.owners.own(dialogId, gateway);
  handOver({ dialogId, moved }, gateway, parts);
};

const passOn = (gateway: GatewayConnection, asked: Command, message: Buffer, parts: Parts): void => {
  const { owners, queue, numbers } = parts;
  if (message.length > longestMessage)
    return gateway.answer(asked.id, 'NOK|the message is too long for drachtio-server');
  if (isOfOther(gateway, asked, owners)) return gateway.answer(asked.id, `NOK|${takenByOther}`);
  const dialogId = asked.type === 'request' ? asked.dialogId : '';
  const moved = dialogId === '' ? [] : owners.moved(dialogId, gateway);
  if (!owners.asked(gateway, asked)) return gateway.answer(asked.id, 'NOK|this id is taken');
  if (dialogId !== '') handOver({ dialogId, moved }, gateway, parts);
  queue.add(gateway, asked.id, message);
  if (queue.waitingOf(gateway) > numbers.mostWaiting) gateway.read(false);
  return undefined;
};

/** Handles a request of a far end outside of calls. */
const begin = (told: Extract<DrachtioMessage, { type: 'request' }>, message: Buffer, parts: Parts): void => {
  const gateway = parts.gateways.next(told.method);
  if (gateway === undefined) return void parts.refusals.unavailable(told.transactionId);
  parts.owners.requested(gateway, told, null);
  return gateway.tell(message);
};

/** Handles a request in a call, which the far end or drachtio-server sent. */
const bring = (
  told: Extract<DrachtioMessage, { type: 'request' | 'notice' }>,
  message: Buffer,
  { owners, held }: Parts,
): void => {
  const { dialogId, method } = told;
  const transactionId = told.type === 'request' ? told.transactionId : '';
  const inTransaction = owners.transactionOf(transactionId);
  const gateway = method === 'CANCEL' ? inTransaction : (owners.ownerOf(dialogId) ?? inTransaction);
  const isAnswered = told.type === 'request' && method !== 'ACK' && method !== 'CANCEL';
  if (gateway === undefined) {
    // Skips the BYE for a far end that hangs up itself.
    if (method === 'BYE') owners.forgetDialog(dialogId);
    return held.hold(dialogId, {
      message,
      method,
      transactionId: isAnswered ? transactionId : '',
      begins: false,
    });
  }
  if (told.type === 'request') owners.requested(gateway, told, isAnswered ? Buffer.from(message) : null);
  else if (method === 'BYE') owners.forgetDialog(dialogId);
  return gateway.tell(message);
};

/** Removes a gateway. Requests that it has not answered are held for the next gateway. */
const leave = (gateway: GatewayConnection, { gateways, owners, leftDialogs, held }: Parts): void => {
  gateways.all.delete(gateway);
  leftDialogs.gone(gateway);
  for (const { dialogId, ...request } of owners.gone(gateway))
    held.hold(request.begins ? request.transactionId : dialogId, request);
};

const take = (message: Buffer, parts: Parts, logger: Logger): void => {
  const { queue, owners, refusals } = parts;
  const told = readDrachtioMessage(message);
  switch (told.type) {
    case 'answer':
      queue.answered(told.id);
      return owners.answered(told)?.tell(message);
    case 'response':
      if (owners.answersLeftInvite(told)) return void refusals.end(told.dialogId, true);
      return owners.responded(told)?.tell(message);
    case 'request':
      return told.dialogId === '' ? begin(told, message, parts) : bring(told, message, parts);
    case 'notice':
      return bring(told, message, parts);
    default:
      return logger.debug('drachtio-server sent a response without a request');
  }
};

/** Methods outside of calls to which gateways subscribe, each once. */
const createWanted = ({ ask }: Upstream, logger: Logger) => {
  const verbs = new Set<string>(ownVerbs);
  return {
    async want(verb: string): Promise<void> {
      if (verbs.has(verb)) return;
      verbs.add(verb);
      try {
        await ask(`route|${verb}`);
      } catch (error) {
        logger.warn({ err: error, verb }, 'drachtio-server refused to route these requests to the relay');
      }
    },
    /** Resets the requested methods for a new connection to drachtio-server. */
    beginAgain(): void {
      verbs.clear();
      for (const verb of ownVerbs) verbs.add(verb);
    },
  };
};

const createParts = (upstream: Upstream, { numbers, clock, logger }: TrafficOptions): Parts => {
  const refusals = createRefusals(upstream, numbers, logger);
  const queue = createFairQueue<Sender>({
    write: upstream.write,
    isFull: upstream.isFull,
    onLess(sender) {
      if (sender !== 'relay' && queue.waitingOf(sender) < numbers.mostWaiting / 2) sender.read(true);
    },
  });
  const leftDialogs = createLeftDialogs();
  const { moved: onInvited, ended: onEnded } = leftDialogs;
  return {
    owners: createMessageOwners<GatewayConnection>(() => clock.now(), { onInvited, onEnded }),
    leftDialogs,
    held: createHeldRequests({ limits: numbers.held, clock, onGivenUp: refusals.givenUp }),
    queue,
    gateways: createGateways(),
    refusals,
    numbers,
  };
};

type TrafficOptions = { numbers: TrafficNumbers; clock: Clock; logger: Logger };

export const createTraffic = (upstream: Upstream, options: TrafficOptions) => {
  const { logger } = options;
  const parts = createParts(upstream, options);
  const { owners, leftDialogs, held, queue, gateways } = parts;
  const lostNodes = createLostNodes(gateways.all);
  const wanted = createWanted(upstream, logger);
  const { refusals } = parts;
  const abandoned = [
    createAbandoned({
      afterMs: options.numbers.held.longestMs,
      take: owners.takeLeft,
      end: (dialogId) => refusals.end(dialogId),
      say: 'no gateway took over the calls of a lost gateway: they are hung up',
      ...options,
    }),
    createAbandoned({
      afterMs: options.numbers.cancelMs,
      take: owners.takeLeftInvites,
      end: refusals.cancel,
      say: 'no gateway cancelled the calls that a lost gateway was placing: they are cancelled',
      ...options,
    }),
  ];

  /** Releases the calls of a gateway that others declared dead, and closes its connection: it may be frozen. */
  const disown = (node: string, by: GatewayConnection): void => {
    for (const gateway of gateways.all) {
      if (gateway.node !== node || gateway === by) continue;
      leave(gateway, parts);
      gateway.close();
      logger.warn({ gateway: gateway.name, node }, 'a gateway was declared dead; its connection is closed');
    }
  };

  return {
    /** Queues a command of the relay itself. */
    enqueue: (id: string, message: Buffer): void => queue.add('relay', id, message),
    answered: queue.answered,
    goOn: queue.goOn,
    count: (): number => gateways.all.size,

    came: (gateway: GatewayConnection): void => void gateways.all.add(gateway),
    gone(gateway: GatewayConnection): void {
      leave(gateway, parts);
      lostNodes.left(gateway);
      for (const { expect } of abandoned) expect();
    },

    asked(gateway: GatewayConnection, asked: GatewayCommand, message: Buffer): void {
      switch (asked.type) {
        case 'route':
          void wanted.want(asked.verb);
          return gateway.answer(asked.id, 'OK');
        case 'remove_route':
          return gateway.answer(asked.id, 'OK');
        case 'node':
          gateway.answer(asked.id, 'OK');
          return lostNodes.came(gateway);
        case 'node_dead':
          gateway.answer(asked.id, 'OK');
          return disown(asked.node, gateway);
        case 'dialog_left':
          if (owners.ownerOf(asked.dialogId) !== gateway)
            return gateway.answer(asked.id, `NOK|${takenByOther}`);
          leftDialogs.left(asked.dialogId, gateway);
          return gateway.answer(asked.id, 'OK');
        case 'dialog_taken':
          gateway.answer(asked.id, 'OK');
          return claim(gateway, asked.dialogId, parts);
        case 'authenticate':
          return gateway.answer(asked.id, 'NOK|this was said before');
        case 'refused':
          return gateway.answer(asked.id, `NOK|${asked.why}`);
        default:
          return passOn(gateway, asked, message, parts);
      }
    },

    /** Handles any message of drachtio-server. */
    told: (message: Buffer): void => take(message, parts, logger),

    /** Handles the loss of the connection. Gateways that reconnect query which dialogs drachtio-server still knows. */
    lost(): void {
      for (const gateway of gateways.all) gateway.close();
      gateways.all.clear();
      lostNodes.clear();
      owners.clear();
      leftDialogs.clear();
      held.clear();
      queue.clear();
      wanted.beginAgain();
    },

    /** Stops hanging up calls and holding requests. */
    close(): void {
      for (const { close } of abandoned) close();
      held.clear();
    },

    /** Drops entries that drachtio-server has dropped. */
    sweep: owners.sweep,
    sizes: () => ({
      ...owners.sizes(),
      leftDialogs: leftDialogs.size(),
      held: held.count(),
      gateways: gateways.all.size,
    }),
  };
};
