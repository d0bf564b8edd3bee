/**
 * Which gateway a message of drachtio-server is for. It is known by what gateways have sent and were told: by the id of a
 * message, by the transaction, by the dialog. Whoever has acted in a dialog last is its owner.
 */
import { createDialogs } from './dialogs.ts';
import type { Asked, Told } from './message-head.ts';

export type Command = Extract<Asked, { type: 'request' | 'response' | 'ping' }>;

export type Transaction<Gateway> = {
  gateway: Gateway;
  method: string;
  /** Who has sent the request. */
  by: 'far end' | 'gateway';
  /** It began outside of any dialog; what has become of it since then is `dialogId`, '' where there is none. */
  begins: boolean;
  dialogId: string;
  /** A request of the far end, as it came, until it has its answer. */
  message: Buffer | null;
  /** When something of it was heard last. */
  at: number;
};

/** A request of the far end to a gateway that is gone. */
export type LeftOver = { transactionId: string; message: Buffer } & Pick<
  Transaction<never>,
  'method' | 'begins' | 'dialogId'
>;

/** Longer than anything rings; drachtio-server knows nothing of such a transaction any more. */
const longestMs = 600_000;

/** Transactions, and the dialogs that come of them. */
const createCalls = <Gateway>(now: () => number) => {
  const transactions = new Map<string, Transaction<Gateway>>();
  const dialogs = createDialogs<Gateway>(now);

  /** Forgets such transactions. Returns what the far end has asked among them. */
  const take = (isSuch: (known: Transaction<Gateway>) => boolean): LeftOver[] => {
    const left: LeftOver[] = [];
    for (const [transactionId, known] of transactions) {
      if (!isSuch(known)) continue;
      transactions.delete(transactionId);
      const { method, begins, dialogId, message } = known;
      if (known.by === 'far end')
        left.push({ transactionId, method, begins, dialogId, message: message ?? Buffer.alloc(0) });
    }
    return left;
  };

  return {
    transactions,
    dialogs,

    begin(transactionId: string, transaction: Omit<Transaction<Gateway>, 'begins' | 'at'>): void {
      const begins = transaction.dialogId === '';
      transactions.set(transactionId, { ...transaction, begins, at: now() });
    },

    /** An INVITE has become a dialog, or may. */
    becomes(transactionId: string, dialogId: string, gateway: Gateway): void {
      dialogs.own(dialogId, gateway);
      const known = transactions.get(transactionId);
      if (known !== undefined) known.dialogId = dialogId;
    },

    /** It has an answer: what has failed leaves no dialog, and a BYE neither. */
    settle(transactionId: string, status: number): void {
      const known = transactions.get(transactionId);
      if (known === undefined) return;
      known.at = now();
      if (status < 200) return;
      transactions.delete(transactionId);
      if (known.method === 'BYE' || (known.begins && status >= 300)) dialogs.forget(known.dialogId);
    },

    /** What the far end has asked in this dialog of another one, which has not answered and does not have it any more. */
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
    },
  };
};

/** `answers`: the method of the far end's request that is answered by the command. */
type Asking<Gateway> = { gateway: Gateway; command: Command; answers: string };

/** What drachtio-server's answer to a command says of transactions and dialogs. */
const learn = <Gateway>(
  calls: ReturnType<typeof createCalls<Gateway>>,
  { gateway, command, answers }: Asking<Gateway>,
  { isOk, reason, transactionId, dialogId }: Extract<Told, { type: 'answer' }>,
): void => {
  if (command.type === 'response' && isOk && answers === 'INVITE' && command.status < 300)
    calls.becomes(command.transactionId, dialogId, gateway);
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

export const createMessageOwners = <Gateway>(now: () => number) => {
  const calls = createCalls<Gateway>(now);
  const { transactions, dialogs } = calls;
  const asking = new Map<string, Asking<Gateway>>();

  return {
    /** A gateway asks this of drachtio-server. False where the id is taken. */
    asked(gateway: Gateway, command: Command): boolean {
      if (command.id === '' || asking.has(command.id)) return false;
      const answered = command.type === 'response' ? transactions.get(command.transactionId) : undefined;
      asking.set(command.id, { gateway, command, answers: answered?.method ?? '' });
      if (command.type === 'request') calls.dialogs.own(command.dialogId, gateway);
      if (command.type === 'response') calls.settle(command.transactionId, command.status);
      return true;
    },

    /** Who gets the answer to a message. */
    answered(told: Extract<Told, { type: 'answer' }>): Gateway | undefined {
      const known = asking.get(told.id);
      if (known === undefined) return undefined;
      if (!told.goesOn) asking.delete(told.id);
      learn(calls, known, told);
      return known.gateway;
    },

    responded({ status, transactionId, dialogId }: Extract<Told, { type: 'response' }>): Gateway | undefined {
      const known = transactions.get(transactionId);
      if (known === undefined) return undefined;
      if (status < 300 && known.method === 'INVITE') calls.becomes(transactionId, dialogId, known.gateway);
      calls.settle(transactionId, status);
      return known.gateway;
    },

    /** The far end's request is for this gateway. */
    requested(
      gateway: Gateway,
      { method, transactionId, dialogId }: Extract<Told, { type: 'request' }>,
      message: Buffer | null,
    ): void {
      // The INVITE that is cancelled was answered for us.
      if (method === 'CANCEL') transactions.delete(transactionId);
      else if (method !== 'ACK')
        calls.begin(transactionId, { gateway, method, by: 'far end', dialogId, message });
    },

    moved: calls.moved,
    ownerOf: dialogs.ownerOf,
    transactionOf: (transactionId: string): Gateway | undefined => transactions.get(transactionId)?.gateway,
    forgetDialog: dialogs.forget,
    takeLeft: dialogs.takeLeft,

    /** It is gone. Returns what the far end has asked and it has not answered. */
    gone(gateway: Gateway): LeftOver[] {
      for (const [id, one] of asking) if (one.gateway === gateway) asking.delete(id);
      return calls.gone(gateway);
    },

    /** Forgets what drachtio-server has forgotten. */
    sweep: calls.sweep,

    clear(): void {
      asking.clear();
      transactions.clear();
      dialogs.clear();
    },

    sizes: () => ({ asked: asking.size, transactions: transactions.size, ...dialogs.sizes() }),
  };
};

export type MessageOwners<Gateway> = ReturnType<typeof createMessageOwners<Gateway>>;
