/**
 * Finds the gateway for each message of drachtio-server, from the messages that gateways sent and received: message
 * ids, transactions and dialogs. The gateway that last acted in a dialog is its owner.
 */
import { createDialogs } from './dialogs.ts';
import { createLeftInvites } from './left-invites.ts';
import type { GatewayCommand, DrachtioMessage } from './message-head.ts';

export type Command = Extract<GatewayCommand, { type: 'request' | 'response' | 'ping' }>;

export type Transaction<Gateway> = {
  gateway: Gateway;
  method: string;
  /** Sender of the request. */
  by: 'far end' | 'gateway';
  /** Whether the transaction began outside of a dialog. `dialogId` is the dialog that it created, or ''. */
  begins: boolean;
  dialogId: string;
  /** A request of the far end as it arrived, until the request is answered. */
  message: Buffer | null;
  /** Time of the last message. */
  at: number;
};

/** A request of the far end to a gateway that has disconnected. */
export type LeftOver = { transactionId: string; message: Buffer } & Pick<
  Transaction<never>,
  'method' | 'begins' | 'dialogId'
>;

/**
 * Maximum lifetime of a transaction in milliseconds, longer than any call rings. drachtio-server has dropped the
 * transaction by then.
 */
const longestMs = 600_000;

/** Changes of dialogs. */
export type DialogEvents<Gateway> = {
  /** Called when an INVITE of this gateway, or the far end's INVITE to it, was accepted in the dialog. */
  onInvited: (dialogId: string, gateway: Gateway) => void;
  onEnded: (dialogId: string) => void;
};

/** Stores transactions, and the dialogs that they create. */
const createCalls = <Gateway>(now: () => number, events: DialogEvents<Gateway>) => {
  const transactions = new Map<string, Transaction<Gateway>>();
  const dialogs = createDialogs<Gateway>(now, events);
  const leftInvites = createLeftInvites(now);

  /** Drops old transactions and returns the unanswered far-end requests among them. */
  const take = (isSuch: (known: Transaction<Gateway>) => boolean): LeftOver[] => {
    const left: LeftOver[] = [];
    for (const [transactionId, known] of transactions) {
      if (!isSuch(known)) continue;
      transactions.delete(transactionId);
      const { method, begins, dialogId, message } = known;
      if (known.by === 'far end')
        left.push({ transactionId, method, begins, dialogId, message: message ?? Buffer.alloc(0) });
      else if (method === 'INVITE' && begins) leftInvites.add(transactionId, dialogId, now());
    }
    return left;
  };

  return {
    transactions,
    dialogs,
    leftInvites,

    begin(transactionId: string, transaction: Omit<Transaction<Gateway>, 'begins' | 'at'>): void {
      const begins = transaction.dialogId === '';
      transactions.set(transactionId, { ...transaction, begins, at: now() });
    },

    /** Records the dialog that an INVITE has created, or may create before its final response. */
    becomes(
      { transactionId, status }: { transactionId: string; status: number },
      dialogId: string,
      gateway: Gateway,
    ): void {
      dialogs.own(dialogId, gateway);
      const known = transactions.get(transactionId);
      if (known !== undefined) known.dialogId = dialogId;
      if (status >= 200) events.onInvited(dialogId, gateway);
    },

    /** Records a response to the transaction. A failure, or a response to BYE, leaves no dialog. */
    settle(transactionId: string, status: number): void {
      const known = transactions.get(transactionId);
      if (known === undefined) return;
      known.at = now();
      if (status < 200) return;
      transactions.delete(transactionId);
      if (known.method === 'BYE' || (known.begins && status >= 300)) dialogs.forget(known.dialogId);
    },

    /** Returns unanswered requests of the far end in this dialog that were sent to an earlier owner. */
    moved(dialogId: string, gateway: Gateway): LeftOver[] {
      const owner = dialogs.ownerOf(dialogId);
      if (owner === undefined || owner === gateway) return [];
      return take(
        (known) => known.gateway === owner && known.by === 'far end' && known.dialogId === dialogId,
      );
    },

    gone(gateway: Gateway): LeftOver[] {
      dialogs.gone(gateway);
      return take((known) => known.gateway === gateway);
    },

    sweep(): void {
      for (const [id, { at }] of transactions) if (now() - at > longestMs) transactions.delete(id);
      leftInvites.sweep(longestMs);
    },
  };
};

/**
 * A command with its gateway. `answers` is the method of the far end's request that the command answers. `goneAt`: when
 * the gateway has disconnected, if it has.
 */
type Asking<Gateway> = { gateway: Gateway; command: Command; answers: string; goneAt?: number };

/** Whether the command is an INVITE that begins a call. */
const isNewInvite = (command: Command): boolean =>
  command.type === 'request' && command.method === 'INVITE' && command.dialogId === '';

/** Learns transaction and dialog ids from drachtio-server's response to a command. */
const learn = <Gateway>(
  calls: ReturnType<typeof createCalls<Gateway>>,
  { gateway, command, answers }: Asking<Gateway>,
  { isOk, reason, transactionId, dialogId }: Extract<DrachtioMessage, { type: 'answer' }>,
): void => {
  if (command.type === 'response' && isOk && answers === 'INVITE' && command.status < 300)
    calls.becomes(command, dialogId, gateway);
  if (command.type !== 'request') return;
  const { method } = command;
  if (!isOk && /unable to find dialog/i.test(reason)) calls.dialogs.forget(command.dialogId);
  if (isOk && method !== 'ACK' && method !== 'CANCEL' && transactionId !== '')
    calls.begin(transactionId, {
      gateway,
      method,
      by: 'gateway',
      dialogId: command.dialogId,
      message: null,
    });
};

export const createMessageOwners = <Gateway>(now: () => number, events: DialogEvents<Gateway>) => {
  const calls = createCalls(now, events);
  const { transactions, dialogs, leftInvites } = calls;
  const asking = new Map<string, Asking<Gateway>>();

  return {
    /** Registers a command of a gateway. Returns false if the id is in use. */
    asked(gateway: Gateway, command: Command): boolean {
      if (command.id === '' || asking.has(command.id)) return false;
      const answered = command.type === 'response' ? transactions.get(command.transactionId) : undefined;
      asking.set(command.id, { gateway, command, answers: answered?.method ?? '' });
      if (command.type === 'request') calls.dialogs.own(command.dialogId, gateway);
      if (command.type === 'request' && command.method === 'CANCEL')
        leftInvites.remove(command.transactionId);
      if (command.type === 'response') calls.settle(command.transactionId, command.status);
      return true;
    },

    /** Returns the gateway that expects the response. */
    answered(told: Extract<DrachtioMessage, { type: 'answer' }>): Gateway | undefined {
      const known = asking.get(told.id);
      if (known === undefined) return undefined;
      if (!told.goesOn) asking.delete(told.id);
      if (known.goneAt !== undefined) {
        if (told.isOk && told.transactionId !== '') leftInvites.add(told.transactionId, '', known.goneAt);
        return undefined;
      }
      learn(calls, known, told);
      return known.gateway;
    },

    responded({
      status,
      transactionId,
      dialogId,
    }: Extract<DrachtioMessage, { type: 'response' }>): Gateway | undefined {
      const known = transactions.get(transactionId);
      if (known === undefined) return undefined;
      if (status < 300 && known.method === 'INVITE')
        calls.becomes({ transactionId, status }, dialogId, known.gateway);
      calls.settle(transactionId, status);
      return known.gateway;
    },

    /** Assigns the far end's request to this gateway. */
    requested(
      gateway: Gateway,
      { method, transactionId, dialogId }: Extract<DrachtioMessage, { type: 'request' }>,
      message: Buffer | null,
    ): void {
      // The relay has already answered the cancelled INVITE.
      if (method === 'CANCEL') transactions.delete(transactionId);
      else if (method !== 'ACK')
        calls.begin(transactionId, { gateway, method, by: 'far end', dialogId, message });
    },

    /** The gateway whose dialog or transaction the command concerns, if any. */
    holderOf: (command: Exclude<Command, { type: 'ping' }>): Gateway | undefined =>
      command.type === 'request' && command.dialogId !== ''
        ? dialogs.ownerOf(command.dialogId)
        : transactions.get(command.transactionId)?.gateway,

    moved: calls.moved,
    own: dialogs.own,
    ownerOf: dialogs.ownerOf,
    transactionOf: (transactionId: string): Gateway | undefined => transactions.get(transactionId)?.gateway,
    forgetDialog: dialogs.forget,
    takeLeft: dialogs.takeLeft,

    /** Called when a gateway has disconnected. Returns the far ends' requests that the gateway has not answered. */
    gone(gateway: Gateway): LeftOver[] {
      for (const [id, one] of asking) {
        if (one.gateway !== gateway) continue;
        // The transaction of an INVITE is known when drachtio-server has sent it.
        if (isNewInvite(one.command)) one.goneAt = now();
        else asking.delete(id);
      }
      return calls.gone(gateway);
    },

    takeLeftInvites: leftInvites.takeDue,

    /** Called for each response. Returns whether it answers an INVITE whose gateway has disconnected. */
    answersLeftInvite({ status, transactionId }: { status: number; transactionId: string }): boolean {
      const begun = status < 200 ? undefined : leftInvites.remove(transactionId);
      if (begun === undefined) return false;
      dialogs.forget(begun);
      return status < 300;
    },

    /** Drops entries that drachtio-server has dropped. */
    sweep: calls.sweep,

    clear(): void {
      asking.clear();
      transactions.clear();
      leftInvites.clear();
      dialogs.clear();
    },

    sizes: () => ({
      asked: asking.size,
      transactions: transactions.size,
      leftInvites: leftInvites.size(),
      ...dialogs.sizes(),
    }),
  };
};

export type MessageOwners<Gateway> = ReturnType<typeof createMessageOwners<Gateway>>;
