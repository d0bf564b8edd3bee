/** Customers' servers on the simulated network, and the delivery of the gateways' requests. */
import { Dispatcher } from 'undici';
import type { Effects } from './effects.ts';
import type { Random } from './random.ts';
import { runIn, type SimulatedProcess, type SimulatedTime } from './simulated-time.ts';

export type FarRequest = {
  method: string;
  url: string;
  headers: Readonly<Record<string, string>>;
  body: string;
};

export type FarAnswer = {
  status: number;
  contentType: string;
  pieces: readonly (string | Buffer)[];
  /** Further headers. */
  headers?: Readonly<Record<string, string>>;
};

export type FarServer = (request: FarRequest) => FarAnswer;

/** Answers a request of another gateway later; `null`: there is no such gateway, or it does not listen. */
export type AskGateway = (request: FarRequest, onAnswer: (answer: FarAnswer) => void) => null | void;

/** Time without an answer of another gateway after which its client gives up (`fetching` of config/cluster-policy.ts). */
const stallMs = 15_000;

/** Probabilities of faults of a request. */
export type RequestFaults = { lostBefore: number; lostAfter: number; hangs: number; breaksOff: number };

export const reliable: RequestFaults = { lostBefore: 0, lostAfter: 0, hangs: 0, breaksOff: 0 };

type Controller = Dispatcher.DispatchController & { reason: Error | null; aborted: boolean };

const controllerOf = (): Controller => ({
  aborted: false,
  paused: false,
  reason: null,
  abort(reason: Error) {
    this.aborted = true;
    this.reason ??= reason;
  },
  pause() {},
  resume() {},
});

const broken = (): Error => Object.assign(new Error('other side closed'), { code: 'UND_ERR_SOCKET' });

const headersOf = (headers: Dispatcher.DispatchOptions['headers']): Record<string, string> =>
  headers instanceof Object && !Array.isArray(headers) && !(Symbol.iterator in headers)
    ? Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), String(value)]))
    : {};

export type FarNetwork = {
  faults: RequestFaults;
  /** Dispatcher of this process. */
  dispatcherOf(process: SimulatedProcess): Dispatcher;
};

type Network = FarNetwork & {
  time: SimulatedTime;
  random: Random;
  effects: Effects;
  servers: ReadonlyMap<string, FarServer>;
  askGateway: AskGateway;
};

class SimulatedDispatcher extends Dispatcher {
  readonly #network: Network;
  readonly #process: SimulatedProcess;

  constructor(network: Network, process: SimulatedProcess) {
    super();
    this.#network = network;
    this.#process = process;
  }

  override dispatch(options: Dispatcher.DispatchOptions, handler: Dispatcher.DispatchHandler): boolean {
    const { effects, random, faults, servers } = this.#network;
    const controller = controllerOf();
    const host = String(options.origin);
    const point = host.replace(/^.*\/\//, 'request to ');
    if (effects.happens(this.#process, `before ${point}`)) return true;
    handler.onRequestStart?.(controller, {});
    const fail = (): void => {
      if (!controller.aborted) handler.onResponseError?.(controller, broken());
    };
    const abort = controller.abort.bind(controller);
    controller.abort = (reason) => {
      abort(reason);
      handler.onResponseError?.(controller, reason);
    };
    if (random.chance(faults.lostBefore)) {
      this.#later(random.below(20), fail);
      return true;
    }
    const server = servers.get(host);
    const request = {
      method: options.method,
      url: `${host}${options.path}`,
      headers: headersOf(options.headers),
      body: typeof options.body === 'string' ? options.body : '',
    };
    this.#inWorld(5 + random.below(60), () => {
      if (server === undefined) return this.#askGateway(request, controller, handler, fail);
      const answer = server(request);
      if (effects.happens(this.#process, `after ${point}`)) return undefined;
      if (random.chance(faults.lostAfter)) return this.#later(random.below(20), fail);
      if (random.chance(faults.hangs)) return undefined;
      return this.#answer(controller, handler, answer, fail);
    });
    return true;
  }

  #askGateway(
    request: FarRequest,
    controller: Controller,
    handler: Dispatcher.DispatchHandler,
    fail: () => void,
  ): void {
    let isOver = false;
    const once = (work: () => void): void => {
      if (!isOver) work();
      isOver = true;
    };
    const isUnknown =
      this.#network.askGateway(request, (answer) =>
        once(() => this.#answer(controller, handler, answer, fail)),
      ) === null;
    this.#later(isUnknown ? 0 : stallMs, () => once(fail));
  }

  #answer(
    controller: Controller,
    handler: Dispatcher.DispatchHandler,
    { status, contentType, pieces, headers }: FarAnswer,
    fail: () => void,
  ): void {
    const { random, faults } = this.#network;
    let due = random.below(30);
    const then = (work: () => void): void => {
      this.#later(due, () => {
        if (!controller.aborted) work();
      });
      due += 1 + random.below(40);
    };
    then(() =>
      handler.onResponseStart?.(controller, status, { 'content-type': contentType, ...headers }, ''),
    );
    for (const piece of pieces) then(() => handler.onResponseData?.(controller, Buffer.from(piece)));
    if (random.chance(faults.breaksOff)) then(fail);
    else then(() => handler.onResponseEnd?.(controller, {}));
  }

  #inWorld(milliseconds: number, work: () => void): void {
    runIn(null, () => void this.#network.time.after(milliseconds, work));
  }

  #later(milliseconds: number, work: () => void): void {
    runIn(this.#process, () => void this.#network.time.after(milliseconds, work));
  }

  override close(): Promise<void> {
    return Promise.resolve();
  }

  override destroy(): Promise<void> {
    return Promise.resolve();
  }
}

/** `servers` by origin, such as `http://receiver.test`. */
export const createFarNetwork = (parts: Omit<Network, keyof FarNetwork>): FarNetwork => {
  const network: Network = {
    ...parts,
    faults: reliable,
    dispatcherOf: (process) => new SimulatedDispatcher(network, process),
  };
  return network;
};
